"""Sources of rows: what they read from arrays and files, and fits of them as of rows in memory."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.spatial.distance import cdist

from kgroups import KernelKGroups, blocks, select
from kgroups.exceptions import DataError
from kgroups.semimetrics import Energy

N = 140_001
X = 10 * np.random.default_rng(0).normal(size=(N, 3))
WHOLE = np.round(X).astype(np.int16)
NAMES = ["b", "c", "a"]


def parts_of(frame, folder):
    """Files of other pieces, one of them empty, with names that are read in their order."""
    (folder / "more").mkdir(parents=True)
    edges = [0, 11, 11, 70_000, N]
    names = ["1.parquet", "10.parquet", "2.parquet", "more/0.parquet"]
    for name, start, stop in zip(names, edges[:-1], edges[1:], strict=True):
        frame[start:stop].to_parquet(folder / name, row_group_size=3_001, index=False)
    frame[:5].to_parquet(folder / "_left.parquet")
    return blocks.from_parquet(folder)


@pytest.fixture
def folder(tmp_path):
    """The rows in files of every kind."""
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "columns.npy", np.asfortranarray(X))
    np.save(tmp_path / "float32.npy", X.astype(np.float32))
    np.save(tmp_path / "columns32.npy", np.asfortranarray(X.astype(np.float32)))
    np.save(tmp_path / "swapped.npy", X.astype(">f4"))
    np.save(tmp_path / "whole.npy", WHOLE)
    frame = pd.DataFrame(X, columns=NAMES)
    frame.to_parquet(tmp_path / "even.parquet", row_group_size=7_000)
    moved = frame.set_index(pd.Index(np.random.default_rng(3).permutation(N)))
    moved.to_parquet(tmp_path / "index.parquet", row_group_size=50_000)
    frame.astype(np.float32).to_parquet(tmp_path / "float32.parquet", row_group_size=9_000)
    pd.DataFrame(WHOLE, columns=NAMES).to_parquet(tmp_path / "whole.parquet")
    return tmp_path


def sources(folder):
    """Sources by name, each with the rows that it holds."""
    frame = pd.DataFrame(X, columns=NAMES)
    single, npy, table = X.astype(np.float32), blocks.from_npy, blocks.from_parquet
    return {
        "array": (blocks.from_array(X), X),
        "columns": (blocks.from_array(np.asfortranarray(X)), X),
        "float32": (blocks.from_array(single), single),
        "float16": (blocks.from_array(WHOLE.astype(np.float16)), WHOLE.astype(float)),
        "swapped": (blocks.from_array(X.astype(">f4")), single.astype(float)),
        "whole": (blocks.from_array(WHOLE), WHOLE.astype(float)),
        "frame": (blocks.from_array(frame), X),
        "frame of float32": (blocks.from_array(frame.astype(np.float32)), single),
        "npy": (npy(folder / "rows.npy"), X),
        "npy of columns": (npy(folder / "columns.npy"), X),
        "npy of float32": (npy(folder / "float32.npy"), single),
        "npy of columns of float32": (npy(folder / "columns32.npy"), single),
        "npy of another machine": (npy(folder / "swapped.npy"), single.astype(float)),
        "npy of integers": (npy(folder / "whole.npy"), WHOLE.astype(float)),
        "parquet": (table(folder / "even.parquet"), X),
        "parquet with an index": (table(folder / "index.parquet"), X),
        "parquet of float32": (table(folder / "float32.parquet"), single),
        "parquet of integers": (table(folder / "whole.parquet"), WHOLE.astype(float)),
        "columns in order": (table(folder / "even.parquet", ["c", "a", "b"]), X[:, [1, 2, 0]]),
        "two columns": (table(folder / "even.parquet", ["a", "b"]), X[:, [2, 0]]),
        "files": (parts_of(frame, folder / "parts"), X),
    }


def test_every_source_reads_its_rows(folder):
    """Forward, backward, across blocks of 65,536 rows, and by numbers in any order."""
    spans = [(139_000, 139_500), (66_000, 75_000), (65_000, 66_000), (131_067, 131_077)]
    spans += [(0, 10), (9, 12), (5, 5)]
    numbers = np.array([N - 1, 3, 70_000, 3, 69_999, 65_536, 0, 11, 10])
    for name, (source, rows) in sources(folder).items():
        assert (source.n_rows, source.n_columns) == rows.shape, name
        assert source.dtype == rows.dtype, name
        for start, stop in spans:
            found = source.read(start, stop)
            assert found.dtype == rows.dtype, name
            assert (found == rows[start:stop]).all(), f"{name}, {start}"
        assert (source.take(numbers) == rows[numbers]).all(), name
        for some in (slice(4, 90_000, 7), slice(60_000, 66_000), slice(20, 10, -3)):
            assert (source.take(some) == rows[some]).all(), f"{name}, {some}"
        starts, pieces = zip(*source.blocks(), strict=True)
        assert starts == (0, 65_536, 131_072), name
        assert (np.concatenate(pieces) == rows).all(), name
        for wrong in (np.array([N]), np.array([-1])):
            with pytest.raises(IndexError):
                source.take(wrong)


def test_missing_entries_are_nan(tmp_path):
    frame = pd.DataFrame({"x": pd.array([1, None, 3], "Int64"), "y": [True, False, True]})
    expected = np.array([[1, 1], [np.nan, 0], [3, 1]])
    frame.to_parquet(tmp_path / "gaps.parquet")
    for source in (blocks.from_array(frame), blocks.from_parquet(tmp_path / "gaps.parquet")):
        np.testing.assert_array_equal(source.read(0, 3), expected)
        assert source.names == ["x", "y"]
    pd.DataFrame({"x": [2**60 + 1]}).to_parquet(tmp_path / "large.parquet")
    assert blocks.from_parquet(tmp_path / "large.parquet").read(0, 1).tolist() == [[2.0**60]]


def test_where_rows_are(folder):
    files = sources(folder)["files"][0]
    places = {0: "1.parquet, row group 0, row 0", 10: "1.parquet, row group 0, row 10"}
    places |= {11: "2.parquet, row group 0, row 0", 3_012: "2.parquet, row group 1, row 3001"}
    places |= {70_000: "more/0.parquet, row group 0, row 0"}
    assert {row: files.place(row) for row in places} == places
    assert blocks.from_npy(folder / "rows.npy").place(7) == "rows.npy, row 7"
    assert blocks.from_array(X).place(7) == "row 7"


def test_fingerprints_are_of_the_data(folder):
    changed = X.copy()
    changed[-1, 0] += 1
    digest = blocks.from_array(X).fingerprint()
    assert digest == blocks.from_array(X.copy()).fingerprint()
    assert digest != blocks.from_array(changed).fingerprint()
    path = folder / "even.parquet"
    chosen = [None, ["a", "b"], ["b", "a"]]
    digests = [blocks.from_parquet(path, columns).fingerprint() for columns in chosen]
    assert digests == [blocks.from_parquet(path, columns).fingerprint() for columns in chosen]
    assert len(set(digests)) == 3


def test_files_that_have_changed_or_do_not_agree(folder):
    for source, name in (
        (blocks.from_npy(folder / "rows.npy"), "rows.npy"),
        (blocks.from_parquet(folder / "even.parquet"), "even.parquet"),
    ):
        os.utime(folder / name, ns=(0, 10**9))
        with pytest.raises(DataError, match="changed"):
            source.read(0, 10)
        with pytest.raises(DataError, match="changed"):
            source.check_unchanged()
    first, others = folder / "first.parquet", folder / "other.parquet"
    table = {"x": np.arange(3, dtype=np.int32), "y": np.ones(3)}
    parquet.write_table(pa.table(table), first)
    for other, words in (
        ({**table, "x": np.arange(3)}, "int64"),
        ({**table, "z": np.ones(3)}, "'z'"),
        ({"x": table["x"]}, "'y'"),
    ):
        parquet.write_table(pa.table(other), others)
        with pytest.raises(DataError, match=words):
            blocks.from_parquet([first, others])
    turned = {"y": np.zeros(2), "x": np.array([7, 8], np.int32)}
    parquet.write_table(pa.table(turned), others)
    both = blocks.from_parquet([first, others]).read(0, 5)
    assert both.tolist() == [[0, 1], [1, 1], [2, 1], [7, 0], [8, 0]]


# Fits

K = 5
MANY = 60_000


def clustered(n=MANY, D=2, seed=1):
    """Clusters of unequal sizes, in no order."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(K, n, p=[0.1, 0.25, 0.05, 0.4, 0.2])
    return 40 * rng.normal(size=(K, D))[labels] + 10 * rng.normal(size=(n, D))


ROWS = clustered()
WEIGHTS = 8.0 * np.random.default_rng(2).integers(0, 3, MANY)
SQUARED = {"metric": Energy(2), "n_init": 2}
NUMBERS = ("within_dispersion_", "objective_", "between_statistic_")


def fitted(rows, weights=None, **given):
    return KernelKGroups(K, random_state=0, **given).fit(rows, sample_weight=weights)


def numbers_of(model):
    """Every number of a fit of rows, to the last bit."""
    numbers = {name: getattr(model, name) for name in NUMBERS}
    numbers["labels"] = model.labels_.tolist()
    numbers["histories"] = [history.tolist() for history in model.start_histories_]
    numbers["history"] = model.objective_history_.tolist()
    numbers["weights"] = model.cluster_weights_.tolist()
    numbers["dispersions"] = model.cluster_dispersions_.tolist()
    return numbers


def assert_same(found, first, where):
    for name, value in numbers_of(first).items():
        assert numbers_of(found)[name] == value, f"{where}: {name}"


@pytest.fixture
def files(tmp_path):
    """The rows of the fits in one file and in three."""
    frame = pd.DataFrame(ROWS, columns=["x", "y"])
    frame.to_parquet(tmp_path / "one.parquet", row_group_size=7_000)
    (tmp_path / "three").mkdir()
    for i, (start, stop) in enumerate([(0, 11), (11, 50_000), (50_000, MANY)]):
        frame[start:stop].to_parquet(tmp_path / "three" / f"{i}.parquet", row_group_size=3_001)
    return [blocks.from_parquet(tmp_path / name) for name in ("one.parquet", "three")]


def test_few_rows_are_gathered():
    few, w = ROWS[:800], WEIGHTS[:800]
    source = blocks.from_array(pd.DataFrame(few, columns=["x", "y"]))
    model = fitted(source, w, n_init=2)
    assert_same(model, fitted(few, w, n_init=2), "few")
    assert model.feature_names_in_.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="order"):
        model.predict(blocks.from_array(pd.DataFrame(few, columns=["y", "x"])))
    score = -(w @ (model.transform(source) ** 2).min(axis=1))
    assert model.score(source, sample_weight=w) == pytest.approx(score)
    auto = KernelKGroups("auto", metric="manhattan", random_state=3)
    auto.fit(blocks.from_array(few[:200]))
    count = select.choose_n_clusters(few[:200], metric="manhattan", random_state=3)
    assert (auto.n_clusters, auto.n_clusters_) == ("auto", count.n_clusters)
    assert auto.cluster_count_.interval == count.interval
    for found, expected in zip(auto.cluster_count_.criteria, count.criteria, strict=True):
        np.testing.assert_array_equal(found.values, expected.values, expected.name)


@pytest.mark.parametrize(("dtype", "scale"), [(np.float64, 1.0), (np.float32, 2.0**100)])
def test_means_of_blocks(files, dtype, scale):
    """The same bits as in memory, which are those of the definition up to rounding.

    Squares of the large rows are no numbers in float32.
    """
    near, rows = 1e-10 if dtype == np.float64 else 1e-5, (scale * ROWS).astype(dtype)
    local = fitted(rows, WEIGHTS, **SQUARED)
    kinds = [*files, blocks.from_array(rows)] if scale == 1 else [blocks.from_array(rows)]
    for source in kinds:
        model = fitted(source, WEIGHTS, **SQUARED)
        assert_same(model, local, source)
        assert model.method_reason_.startswith("rows of")
        assert (model.predict(source) == model.labels_).all()
    labels, w, given, rows = local.labels_, WEIGHTS, rows, rows.astype(float)
    s = np.bincount(labels, weights=w)
    assert model.cluster_weights_.tolist() == s.tolist()
    assert (np.diff(s) < 0).all(), "the largest first"
    means = np.array([np.average(rows[labels == j], 0, w[labels == j]) for j in range(K)])
    squared = ((rows[:, None] - means) ** 2).sum(axis=2)
    assert (squared.argmin(axis=1) == labels).all(), "rows without weight, too"
    parts = np.bincount(labels, weights=w * squared[np.arange(MANY), labels])
    np.testing.assert_allclose(model.cluster_dispersions_, parts, near)
    assert model.within_dispersion_ == model.inertia_ == pytest.approx(parts.sum(), rel=near)
    np.testing.assert_allclose(model.cluster_centers_, means, near)
    total = (w @ (rows - np.average(rows, 0, w)) ** 2).sum()
    assert model.objective_ == pytest.approx(total - parts.sum(), rel=near)
    assert max(h[-1] for h in model.start_histories_) == pytest.approx(model.objective_, rel=0.02)
    assert model.temperature_ == pytest.approx(local.temperature_, rel=0.3)
    assert model.predict_proba(blocks.from_array(given[:100])).shape == (100, K)
    other = KernelKGroups(K, random_state=1, **SQUARED).fit(blocks.from_array(given))
    same = KernelKGroups(K, random_state=0, **SQUARED).fit(blocks.from_array(given))
    assert other.start_histories_[0][0] != same.start_histories_[0][0]


def dispersions_of_some(rows, labels, w):
    """W_j, and S + W, about, from the mean distances between some rows."""
    some = np.random.default_rng(5).choice(MANY, 4_000, replace=False)
    rho, member = cdist(rows[some], rows[some]), np.eye(K)[labels[some]] * w[some, None]
    means = np.einsum("ij,ij->j", member, rho @ member) / member.sum(axis=0) ** 2
    mean = w[some] @ rho @ w[some] / w[some].sum() ** 2
    return np.bincount(labels, weights=w) * means / 2, w.sum() * mean / 2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sketch_of_blocks(files, dtype):
    rows, w = ROWS.astype(dtype), WEIGHTS if dtype == np.float64 else None
    how = {"method": "nystroem", "n_init": 1, "n_components": 40}
    local = fitted(rows, w, **how)
    source = files[1] if dtype == np.float64 else blocks.from_array(rows)
    model = fitted(source, w, **how)
    assert_same(model, local, source)
    assert (model.predict(source) == model.labels_).all()
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)
    parts, total = dispersions_of_some(rows, model.labels_, np.ones(MANY) if w is None else w)
    np.testing.assert_allclose(model.cluster_dispersions_, parts, 0.1)
    assert model.within_dispersion_ == pytest.approx(parts.sum(), rel=0.05)
    assert model.objective_ == pytest.approx(total - parts.sum(), rel=0.05)


def test_a_proof_of_blocks(files):
    small = {"memory_limit": "40 MB", "n_init": 1, "n_jobs": 1}
    model = fitted(files[1], **small)
    assert model.method_ == "certified"
    assert model.method_reason_.startswith("rows of")
    local = fitted(ROWS, n_init=1, n_jobs=1)
    assert (local.method_, local.certificate_.proved) == ("certified", True)
    assert (local.labels_ == model.labels_).mean() > 0.999
    np.testing.assert_allclose(model.cluster_dispersions_, local.cluster_dispersions_, 0.002)
    assert model.within_dispersion_ == pytest.approx(local.within_dispersion_, rel=1e-4)
    assert model.between_statistic_ == pytest.approx(local.between_statistic_, rel=0.01)
    low, high = model.within_dispersion_interval_
    assert low <= model.within_dispersion_ <= high
    assert (model.predict(files[1]) == model.labels_).mean() > 0.999
    short = fitted(files[1], time_limit=1e-9, n_components=20, **{**small, "memory_limit": "12 MB"})
    assert not short.certificate_.proved
    assert short.exactness_.endswith("stopped by time_limit, not repeatable")


def test_blocks_that_bounds_do_not_hold_for():
    small = {"memory_limit": "12 MB", "n_init": 1, "n_jobs": 1}
    far = np.where(np.arange(MANY) % 2, 1.0, 1e-200)
    model = fitted(blocks.from_array(ROWS), far, n_components=20, **small)
    assert model.method_ == "nystroem"
    assert "bounds do not hold" in model.method_reason_
    with pytest.raises(ValueError, match="no sketch"):
        fitted(blocks.from_array(ROWS), metric="sine_squared", **small)
