"""A fit over blocks that goes on from a file ends as one that was never interrupted."""

import errno
from pathlib import Path

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.estimators.block_fitting import Columns, fit_blocks
from kgroups.exceptions import DataError
from kgroups.fit.checkpoint import Checkpoint
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers.block_search import block_size


class Interrupted(Exception):
    pass


def table(n=30_000):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)) + 1.5 * rng.normal(size=(6, 2))[rng.integers(6, size=n)]


def fitted(X, checkpoint=None, *, metric="energy", method="nystroem", k=6, w=None, seed=0):
    """The answer, with an optimum that takes several sweeps."""
    model = KernelKGroups(
        k, metric=metric, method=method, n_components=20, n_init=1, init="random", random_state=seed
    )
    n = len(X)
    where = LocalBlocks(RowsInMemory(X), n, block_size(n), Threads(1), weights=w)
    columns = Columns(n=2, names=None, place=lambda row: f"row {row}")
    how = {"k": k, "room": np.inf, "checkpoint": None if checkpoint is None else str(checkpoint)}
    return fit_blocks(model, where, columns, Threads(1), **how)[2]


def interrupted(monkeypatch, path, after, X, **settings):
    """A fit that ends after some sweeps."""
    save, count = Checkpoint.save, [0]

    def saved(self, *state):
        save(self, *state)
        count[0] += 1
        if count[0] == after:
            raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", saved)
        with pytest.raises(Interrupted):
            fitted(X, path, **settings)


@pytest.mark.parametrize(
    ("metric", "method", "weighted", "after"),
    [
        ("energy", "nystroem", True, 3),
        (Energy(2), "auto", False, 1),
        (Energy(2), "auto", True, 3),
        ("energy", "certified", True, 1),
    ],
)
def test_a_fit_that_goes_on_has_the_same_bits(
    tmp_path, monkeypatch, metric, method, weighted, after
):
    X = table(25_000 if isinstance(metric, Energy) else 9_000)
    w = np.random.default_rng(1).uniform(0.1, 2, len(X)) if weighted else None
    settings = {"metric": metric, "method": method, "w": w}
    expected = fitted(X, **settings)
    assert expected.partition.n_iter > 3
    path = tmp_path / "fit.kg"
    interrupted(monkeypatch, path, after, X, **settings)
    found = fitted(X, path, **settings)
    assert found.partition.labels.tolist() == expected.partition.labels.tolist()
    assert (found.within, found.objective) == (expected.within, expected.objective)
    assert found.history.tolist() == expected.history.tolist()
    assert found.partition.n_moves == expected.partition.n_moves
    assert [h.tolist() for h in found.start_histories] == [
        h.tolist() for h in expected.start_histories
    ]


@each("harm", ["cut", "text", "empty", "pickled"])
def test_damaged_files_are_refused(tmp_path, monkeypatch, harm):
    X, path = table(9_000), tmp_path / "fit.kg"
    path.unlink(missing_ok=True)
    interrupted(monkeypatch, path, 1, X)
    data = path.read_bytes()
    if harm == "pickled":
        np.savez(tmp_path / "evil.npz", text=np.array([{}], dtype=object))
        data = (tmp_path / "evil.npz").read_bytes()
    path.write_bytes({"cut": data[:900], "text": b"hello", "empty": b"", "pickled": data}[harm])
    with pytest.raises(DataError, match="is damaged or no checkpoint"):
        fitted(X, path)


def test_a_full_disk_leaves_the_earlier_file(tmp_path, monkeypatch):
    X, path = table(9_000), tmp_path / "fit.kg"
    interrupted(monkeypatch, path, 2, X)
    before = path.read_bytes()

    def full(self, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(DataError, match=r"cannot be written .No space left on device"):
            fitted(X, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
