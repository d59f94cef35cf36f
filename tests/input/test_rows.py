"""Rows that may be somewhere else: a fit asks for them in a few ways, and gets the same bits."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kgroups.input import rows as module
from kgroups.input.rows import RowsInMemory, over_rows
from kgroups.runtime.threads import Threads, blocks
from kgroups.semimetrics import Energy
from kgroups.sketch.sketcher import Sketcher
from kgroups.solvers import BestOf, Hartigan
from kgroups.solvers.starts import Starts


@dataclass
class RowsInFile:
    """Rows of a .npy file, opened anew whenever they are asked for."""

    path: Path
    names: list[str] | None = None

    @property
    def n_rows(self):
        return len(np.load(self.path, mmap_mode="r"))

    @property
    def n_columns(self):
        return np.load(self.path, mmap_mode="r").shape[1]

    def blocks(self):
        for start, stop in blocks(0, self.n_rows, module.ROWS_PER_BLOCK):
            yield start, np.array(np.load(self.path, mmap_mode="r")[start:stop])

    def take(self, index):
        return np.array(np.load(self.path, mmap_mode="r")[index])


def test_rows_in_memory():
    table = RowsInMemory(np.arange(12.0).reshape(4, 3), ["a", "b", "c"])
    assert (table.n_rows, table.n_columns, table.names) == (4, 3, ["a", "b", "c"])
    assert table.take(np.array([3, 0])).tolist() == [[9, 10, 11], [0, 1, 2]]
    words = RowsInMemory(["ab", "c", "def"])
    assert (words.n_rows, words.n_columns) == (3, None)
    assert words.take(np.array([2, 1])) == ["def", "c"]


def test_blocks_are_canonical_and_can_be_asked_for_again(monkeypatch):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 4)
    table = RowsInMemory(np.arange(10.0)[:, None])
    for _ in range(2):
        assert [(a, block.ravel().tolist()) for a, block in table.blocks()] == [
            (0, [0, 1, 2, 3]),
            (4, [4, 5, 6, 7]),
            (8, [8, 9]),
        ]


@pytest.mark.parametrize("n_workers", [1, 3])
def test_work_sees_all_rows_in_order(monkeypatch, n_workers):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 5)
    table = RowsInMemory(np.arange(12.0)[:, None])
    seen = over_rows(lambda a, some: (a, some.ravel().tolist()), table, 3, Threads(n_workers))
    assert list(seen) == [
        (0, [0, 1, 2]),
        (3, [3, 4]),
        (5, [5, 6, 7]),
        (8, [8, 9]),
        (10, [10, 11]),
    ]


@pytest.mark.parametrize("feature_bytes", [0, 1 << 30])
def test_a_sketch_of_a_file_is_that_of_the_array(tmp_path, monkeypatch, feature_bytes):
    """Bit for bit, on one thread and on three, with features held and made anew."""
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 1000)
    for name in ("sketcher", "sample"):
        monkeypatch.setattr(f"kgroups.sketch.{name}.CHUNK", 300)
    X = np.random.default_rng(0).normal(size=(3500, 4))
    np.save(tmp_path / "X.npy", X)
    weights = np.ones(len(X))

    starts = Starts(init="random", X=X, seeds=[4, 5])
    found = []
    for rows, n in [(RowsInMemory(X), 1), (RowsInFile(tmp_path / "X.npy"), 3)]:
        sketcher = Sketcher(
            n_components=50, feature_bytes=feature_bytes, seed=3, executor=Threads(n)
        )
        sketch = sketcher.sketch(rows, Energy(), weights, 3, BestOf(solver=Hartigan()), starts)
        found.append((sketch, sketcher.improved(sketch, weights, 3, Hartigan())))
    (one, first), (two, second) = found
    assert_array_equal(first.labels, second.labels)
    assert first.objective == second.objective
    assert one.error == two.error
    assert_array_equal(one.points.sums.vectors, two.points.sums.vectors)
