"""``python -m benchmarks.dask``: its tables, chunks and cells, and what it keeps."""

from dataclasses import asdict

import numpy as np
import pytest

from benchmarks import dask as bench
from benchmarks import dask_cells, dask_kills
from benchmarks.dask_cells import Cell, all_cells, differences, finished, keep, some_of, table_of
from benchmarks.dask_data import CHUNKS, DATA, Data, lazy, lengths_of, weights_of
from cells import cells
from kgroups import KernelKGroups


def test_tables_are_the_same_each_time_and_what_their_names_say():
    for data in DATA:
        few = data._replace(n=500)
        X = few.make()
        assert X.shape == (500, data.D)
        assert np.isfinite(X).all()
        assert (few.make() == X).all()
    by_name = {data.name: data._replace(n=2000).make() for data in DATA}
    assert len(np.unique(by_name["fifty different rows"], axis=0)) == 50
    assert np.isin(by_name["signs"], [-1.0, 0.0, 1.0]).all()
    assert (by_name["lattice"] == np.round(by_name["lattice"])).all()
    assert by_name["far from the origin"].min() > 9000
    assert np.abs(by_name["tiny numbers"]).max() < 1e-20
    assert np.abs(by_name["outliers"]).max() > 1e8
    assert (len(DATA), len(by_name)) == (20, 20)
    assert {data.k for data in DATA} >= {2, 40}
    assert {data.D for data in DATA} >= {1, 60}


def test_weights_have_zeros():
    w = weights_of(1000)
    assert 50 < (w == 0).sum() < 150
    assert (w >= 0).all()


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


def test_cells_differ_and_a_sample_is_drawn_from_all_of_them():
    cells = all_cells()
    assert len(set(cells)) == len(cells) > 4000
    assert {cell.workers for cell in cells} == {0, 1, 2, 3}
    some = some_of(cells, 100, 0)
    assert some == some_of(cells, 100, 0)
    assert some != some_of(cells, 100, 1)
    assert some == sorted(set(some), key=cells.index)
    assert some_of(cells, None, 0) == cells
    text = "overlapping, nystroem, float32, no weights, local, array"
    assert cells[0].name == text


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


def test_finished_cells_are_kept_and_those_of_other_code_are_not(tmp_path):
    one, other, *_ = all_cells()
    out = tmp_path / "cells.jsonl"
    assert finished(out, "a") == {}
    for cell, code in ((one, "a"), (other, "b")):
        keep(out, {"cell": asdict(cell), "code": code, "differ": []})
    assert list(finished(out, "a")) == [one]
    assert list(finished(out, "b")) == [other]


def test_the_code_of_the_library_has_a_digest():
    found = dask_cells.code()
    assert len(found) == 16
    assert int(found, 16) >= 0


def few_cells(monkeypatch):
    """Two cells of a small table, without a cluster."""
    monkeypatch.setattr(dask_cells, "code", lambda: "code")
    data = Data("small", 300, 2, 3)
    monkeypatch.setattr(dask_cells, "DATA", [data])
    cells = [Cell("small", "nystroem", "float64", True, 0, rows) for rows in ("npy", "one thread")]
    monkeypatch.setattr(bench, "all_cells", lambda: cells)


def test_cells_are_compared_once(monkeypatch, capsys, tmp_path):
    few_cells(monkeypatch)
    out = tmp_path / "cells.jsonl"
    for n_finished in (0, 2):
        assert bench.main(["--out", str(out)]) == 0
        said = capsys.readouterr().out
        assert f"{n_finished} of 2 cells are finished" in said
        assert "2 of 2 cells are equal to the local fit" in said
        assert len(out.read_text().splitlines()) == 2


def test_a_table_counts_by_all_that_cells_differ_in():
    lines = [
        {"cell": asdict(Cell("t", "squared", "float32", False, n, "even")), "differ": differ,
         "seconds": 3.0, "local seconds": 1.5}
        for n, differ in [(1, []), (1, ["labels_"]), (3, [])]
    ]  # fmt: skip
    rows = {row[0]: row[1:] for row in table_of(lines)}
    assert rows["t"] == rows["no weights"] == ["-", "1 of 2", "-", "1 of 1", "2.0"]


@pytest.mark.parametrize(("missed", "status"), [([], 0), (["sweep: late"], 1)])
def test_kills_are_a_part_of_their_own(monkeypatch, capsys, missed, status):
    asked = []
    monkeypatch.setattr(bench, "run_kills", lambda *given: asked.append(given) or missed)
    assert bench.main(["kills", "--stages", "sweep", "W", "--repeats", "2"]) == status
    assert asked[0][:3] == (["sweep", "W"], 2, 400_000)
    assert ("missed: sweep: late" in capsys.readouterr().out) == bool(missed)


def test_only_one_worker_ends(tmp_path):
    flag = str(tmp_path / "flag")
    assert [dask_kills.is_first(flag) for _ in range(3)] == [True, False, False]
