"""``kgroups cluster`` of tables that are read block by block, here and on a Dask cluster."""

import json
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest
from json_cases import faults, schema
from pyarrow import parquet

from helpers import files
from kgroups import KernelKGroups
from kgroups.cli import stream
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import Energy

COMMAND = "cluster"
N, K = 60_000, 5
SEARCH = ["-k", K, "--n-init", 2, "--seed", 3]


@pytest.fixture(scope="module")
def table():
    """More rows than are gathered for a fit, in five groups."""
    rng = np.random.default_rng(0)
    centers = 6.0 * rng.normal(size=(K, 3))
    return centers[rng.integers(K, size=N)] + rng.normal(size=(N, 3))


@pytest.fixture(scope="module")
def data(table, tmp_path_factory):
    """The table as every kind of DATA; nothing writes here."""
    root = tmp_path_factory.mktemp("data")
    np.save(root / "t.npy", table)
    arrow = as_arrow(table, [f"n{row}" for row in range(N)])
    parquet.write_table(arrow, root / "t.parquet", row_group_size=20_000)
    (root / "parts").mkdir()
    for part, start in enumerate(range(0, N, 17_000)):
        some = arrow.slice(start, 17_000)
        parquet.write_table(some, root / "parts" / f"part-{part}.parquet", row_group_size=7_000)
    (root / "parts" / "_metadata.parquet").write_bytes(b"not read")
    return root


@pytest.fixture(scope="module")
def sketched(table):
    """What a fit of the array in memory finds with the same settings."""
    model = KernelKGroups(K, method="nystroem", n_init=2, random_state=3)
    return model.fit(table)


def as_arrow(table, names):
    columns = {letter: table[:, j] for j, letter in enumerate("abc"[: table.shape[1]])}
    return pa.table({"name": names, **columns})


def few(n=300):
    rng = np.random.default_rng(1)
    return np.concatenate([rng.normal(c, 1.0, (n // 3, 2)) for c in ((0, 0), (9, 0), (0, 9))])


def labels_in(path):
    """The labels of a file, whose rows are numbered if it is CSV."""
    if path.suffix == ".parquet":
        found = parquet.read_table(path)
        assert found.schema.field("cluster").type == pa.int32()
        return found["cluster"].to_numpy()
    rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)
    assert (rows[:, 0] == np.arange(1, len(rows) + 1)).all()
    return rows[:, 1]


def succeeded(run, *arguments):
    status, out, err = run(*arguments)
    assert status == 0, err
    return out, err


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "written"),
    [("t.npy", "l.csv"), ("t.parquet", "l.parquet"), ("parts", "l.parquet")],
)
def test_labels_are_those_of_the_array_in_memory(data, sketched, folder, run, name, written):
    columns = [] if name == "t.npy" else ["--columns", "a,b,c"]
    succeeded(run, data / name, *SEARCH, *columns, "--stream", "-o", written)
    assert np.array_equal(labels_in(folder / written), sketched.labels_)
    assert files(folder) == [written]


def test_squared_distances_are_exact_and_columns_of_an_array_are_chosen(data, table, folder, run):
    out, _ = succeeded(run, data / "t.npy", *SEARCH, "--alpha", 2, "--stream",
                         "--columns", "3,1", "--json", "-o", "l.csv")  # fmt: skip
    found = json.loads(out)
    model = KernelKGroups(K, metric=Energy(2), n_init=2, random_state=3)
    model.fit(np.ascontiguousarray(table[:, [2, 0]]))
    assert np.array_equal(labels_in(folder / "l.csv"), model.labels_)
    assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-12)
    assert found["within_dispersion_interval"] is not None
    assert found["columns"] == {"numeric": ["column 3", "column 1"], "id": None,
                                "dropped": ["column 2"]}  # fmt: skip


@pytest.mark.parametrize("options", [["--stream"], []])
def test_few_rows_of_a_folder_are_read_at_once(folder, run, options):
    X = few()
    (folder / "d").mkdir()
    for part in range(3):
        parquet.write_table(
            as_arrow(X[100 * part : 100 * part + 100], ["x"] * 100),
            folder / "d" / f"{part}.parquet",
        )
    succeeded(run, "d", "-k", 3, "--drop", "name", *options, "-o", "l.parquet")
    method = "nystroem" if options else "auto"
    model = KernelKGroups(3, method=method, random_state=0).fit(X)
    assert np.array_equal(labels_in(folder / "l.parquet"), model.labels_)


@pytest.mark.parametrize("name", ["t.parquet", "parts"])
def test_names_of_rows_are_written_next_to_their_clusters(data, folder, run, name):
    arguments = [data / name, *SEARCH, "--id-column", "name", "--stream"]
    succeeded(run, *arguments, "-o", "l.parquet")
    succeeded(run, *arguments, "-o", "l.csv")
    found = parquet.read_table(folder / "l.parquet")
    assert found.column_names == ["name", "cluster"]
    assert found["name"].to_pylist() == [f"n{row}" for row in range(N)]
    labels = found["cluster"].to_pylist()
    lines = (folder / "l.csv").read_text().splitlines()
    assert lines[:2] == ["row,name,cluster", f"1,n0,{labels[0]}"]
    assert lines[-1] == f"{N},n{N - 1},{labels[-1]}"
    assert len(lines) == N + 1


# --- the report ------------------------------------------------------------------------------


def test_a_number_that_is_chosen(folder, run):
    np.save("few.npy", few(120))
    arguments = ["few.npy", "-k", "auto", "--n-init", 1, "--seed", 3, "--stream"]
    found = json.loads(succeeded(run, *arguments, "--json")[0])
    count = choose_n_clusters(few(120), random_state=3)
    assert found["n_clusters"] == len(found["cluster_sizes"]) == count.n_clusters == 3
    assert found["cluster_count"]["votes"] == count.votes
    assert (found["cluster_count"]["n_samples"], found["method"]) == (120, "nystroem")
    rule = schema("cluster-stream")
    assert faults(found, rule, rule) == []


def test_a_table_that_does_not_fit_is_streamed(data, sketched, folder, run):
    limit = [*SEARCH, "--memory-limit", "2.5MB", "--method", "nystroem"]
    succeeded(run, data / "t.npy", *limit, "-o", "l.parquet")
    assert np.array_equal(labels_in(folder / "l.parquet"), sketched.labels_)


# --- errors ----------------------------------------------------------------------------------


def test_a_missing_value_is_named_by_its_file_and_row(folder, run):
    X = few(900)
    X[717] = [1.0, np.nan]
    (folder / "d").mkdir()
    for part in range(3):
        some = as_arrow(X[300 * part : 300 * part + 300], ["x"] * 300)
        parquet.write_table(some, folder / "d" / f"part-{part}.parquet", row_group_size=50)
    np.save(folder / "x.npy", X)
    status, out, err = run("d", "-k", 3, "--drop", "name", "--stream", "-o", "l.csv")
    assert (status, out, files(folder)) == (1, "", ["d", "x.npy"])
    place = "part-2.parquet, row group 2, row 117: Input X contains NaN in row 717, column 'b'."
    assert place in err
    status, _, err = run("x.npy", "-k", 3, "--stream", "--columns", "2")
    assert (status, "Input X contains NaN in row 717, column '2'." in err) == (1, True)


def test_labels_of_rows_that_have_changed_are_not_written(folder, run, monkeypatch):
    np.save(folder / "x.npy", few())

    def changed(*arguments):
        np.save(folder / "x.npy", few()[:-1])

    monkeypatch.setattr(stream, "write_columns", changed)
    status, _, err = run("x.npy", "-k", 3, "--stream", "-o", "l.csv")
    assert (status, "x.npy was changed since" in err) == (1, True)
    assert files(folder) == ["x.npy"]


# --- a cluster -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scheduler():
    """The address of a cluster with one worker."""
    from distributed import LocalCluster

    settings = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with LocalCluster(processes=False, protocol="tcp", host="127.0.0.1", **settings) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_labels_of_one_machine(data, sketched, scheduler, folder, run):
    arguments = [data / "parts", *SEARCH, "--drop", "name", "--stream", "--cluster", scheduler]
    out, _ = succeeded(run, *arguments, "--json", "-o", "l.parquet")
    found = json.loads(out)
    assert np.array_equal(labels_in(folder / "l.parquet"), sketched.labels_)
    assert (found["n_workers"], found["method"]) == (1, "nystroem")
    assert found["within_dispersion"] == sketched.within_dispersion_
    rule = schema("cluster-stream")
    assert faults(found, rule, rule) == []


def test_what_a_cluster_cannot_do_is_an_error_without_labels(folder, run, monkeypatch, scheduler):
    dask = import_module("kgroups.dask")

    def lost(*_, **__):
        raise dask.ClusterError("stage 'scan': workers lost what they had.")

    np.save(folder / "x.npy", few())
    monkeypatch.setattr(dask.KernelKGroups, "fit", lost)
    status, _, err = run("x.npy", "-k", 3, "--cluster", scheduler, "-o", "l.csv")
    assert (status, f"--cluster {scheduler}: stage 'scan': workers lost" in err) == (1, True)
    assert files(folder) == ["x.npy"]
