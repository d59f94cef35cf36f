"""``python -m benchmarks.dask``: its tables, chunks and cells, and what it keeps."""

import numpy as np

from benchmarks import dask_kills
from benchmarks.dask_cells import differences
from benchmarks.dask_data import CHUNKS, lazy, lengths_of
from cells import cells
from kgroups import KernelKGroups


@cells("chunks", CHUNKS)
@cells("n", [3000, 51_000])
def test_chunks_cover_all_rows(chunks, n):
    lengths = lengths_of(chunks, n)
    assert sum(lengths) == n
    assert min(lengths) >= 0
    assert (0 in lengths) == (chunks == "empty")
    assert chunks != "one row" or lengths.count(1) >= 3


def test_an_array_reads_its_chunks_from_a_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    for name, rows in (("X", X), ("w", X[:, 0])):
        np.save(tmp_path / f"{name}.npy", rows)
        found = lazy(tmp_path / f"{name}.npy", (0, 3, 17, 0))
        assert found.chunks[0] == (0, 3, 17, 0)
        assert (found.compute() == rows).all()
    unknown = lazy(tmp_path / "X.npy", (3, 17), are_known=False)
    assert np.isnan(unknown.shape[0])
    assert (unknown.compute() == X).all()


def test_what_is_not_equal_is_named():
    X = np.random.default_rng(0).normal(size=(60, 2))
    one = KernelKGroups(3, random_state=0).fit(X)
    assert differences(KernelKGroups(3, random_state=0).fit(X), one) == []
    other = KernelKGroups(3, random_state=0).fit(X[::-1])
    assert "labels_" in differences(other, one)
    heavy = KernelKGroups(3, random_state=0).fit(X, sample_weight=np.full(60, 2.0))
    found = differences(heavy, one)
    assert "within_dispersion_" in found
    assert "labels_" not in found


def test_only_one_worker_ends(tmp_path):
    flag = str(tmp_path / "flag")
    assert [dask_kills.is_first(flag) for _ in range(3)] == [True, False, False]
