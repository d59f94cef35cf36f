"""Columns of True and False: the command line says what an estimator says of a frame."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.input.table_files import Table, read_table
from kgroups.semimetrics import ColumnSum, Hamming, Jaccard

COMMAND = "cluster"
NAMES = list("abcdef")
GROUP = np.repeat([False, True], 10)
FRAME = pd.DataFrame(
    (np.random.default_rng(0).random((20, 6)) < 0.25) ^ GROUP[:, None], columns=NAMES
)


@pytest.fixture(params=["parquet", "npy", "npz", "csv"])
def source(folder, request):
    """The same columns in every kind of file, in CSV as 0 and 1; and how the file names them."""
    path = folder / f"data.{request.param}"
    if path.suffix == ".parquet":
        FRAME.to_parquet(path)
    elif path.suffix == ".npy":
        np.save(path, FRAME.to_numpy())
    elif path.suffix == ".npz":
        np.savez(path, X=FRAME.to_numpy())
    else:
        FRAME.astype(int).to_csv(path, index=False)
    return path.name, [*"123456"] if path.suffix.startswith(".np") else NAMES


def clustered(run, *arguments):
    status, out, err = run(*arguments, "-k", 2, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def dispersion(metric):
    return KernelKGroups(2, metric=metric, random_state=0).fit(FRAME).within_dispersion_


@each("metric", ["energy", "jaccard", "hamming", "manhattan"])
def test_every_metric_is_that_of_a_frame(source, run, metric):
    found = clustered(run, source[0], "--metric", metric)
    assert found["within_dispersion"] == pytest.approx(dispersion(metric), rel=1e-12)
    assert found["columns"]["numeric"][-1] in ("f", "column 6")


def test_categories_are_those_of_a_frame(source, run):
    name, names = source
    found = clustered(run, name, "--categorical", ",".join(names))
    assert found["within_dispersion"] == pytest.approx(dispersion("hamming"), rel=1e-12)
    found = clustered(run, name, "--categorical", names[5], "--metric", "jaccard")
    metric = ColumnSum([(Jaccard(), NAMES[:5]), (Hamming(), ["f"])])
    assert found["within_dispersion"] == pytest.approx(dispersion(metric), rel=1e-12)


def test_categories_keep_their_names(folder, run):
    FRAME.assign(a=GROUP).to_parquet(folder / "data.parquet")
    found = clustered(run, "data.parquet", "--categorical", "a")
    said = json.dumps(found["sets_apart"])
    assert '"False"' in said
    assert '"True"' in said
    assert '0.0"' not in said
    assert read_table("data.parquet").texts(0)[:3] == ["False", "False", "False"]


def test_a_missing_value_among_true_and_false(folder, run):
    gap = FRAME.astype("boolean")
    gap.iloc[3, 2] = pd.NA
    gap.to_parquet(folder / "gap.parquet")
    assert run("gap.parquet", "-k", 2)[0] == 1
    _, out, _ = run("gap.parquet", "-k", 2, "--impute", "most-frequent", "--json")
    filled = FRAME.copy()
    filled.iloc[3, 2] = FRAME["c"].drop(3).mode()[0]
    model = KernelKGroups(2, random_state=0).fit(filled)
    assert json.loads(out)["within_dispersion"] == pytest.approx(
        model.within_dispersion_, rel=1e-12
    )


def test_true_and_false_are_weights_classes_and_numbers():
    columns = (np.arange(3.0), np.array([1.0, 0.0, 1.0]))
    table = Table(
        source="data.csv", names=("x", "flag"), columns=columns, has_header=True,
        booleans=frozenset({1}),
    )  # fmt: skip
    assert not table.is_text(1)
    assert table.missing(1).tolist() == [False] * 3
    assert table.texts(1) == ["True", "False", "True"]
    assert table.numbers([0, 1]).tolist() == [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]
