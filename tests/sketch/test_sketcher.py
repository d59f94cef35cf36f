"""A sketch of all rows: its partition, its error, and features that are held or made anew."""

from typing import NamedTuple

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch.sample import sample_size
from kgroups.sketch.sketcher import Sketch, Sketcher
from kgroups.solvers import BestOf, Hartigan, Partition
from kgroups.solvers import objective as spec
from kgroups.solvers.starts import Starts


class Sketched(NamedTuple):
    sketch: Sketch
    partition: Partition

    @property
    def gram(self):
        return self.sketch.points.gram


def sketched(X, k, *, feature_bytes=1 << 30, m=60, w=None, semimetric=None, n_threads=1, **params):
    w = np.ones(len(X)) if w is None else w
    executor = Threads(n_threads)
    sketcher = Sketcher(
        n_components=m, feature_bytes=feature_bytes, seed=5, executor=executor, **params
    )
    search = BestOf(solver=Hartigan(), executor=executor)
    starts = Starts(init="auto", X=X, seeds=[1, 2, 3, 4])
    sketch = sketcher.sketch(RowsInMemory(X), semimetric or Energy(), w, k, search, starts)
    return Sketched(sketch, sketcher.improved(sketch, w, k, search.solver))


@each("landmarks", ["uniform", "distant"])
def test_features_made_anew_give_the_labels_of_features_held(landmarks, monkeypatch):
    """Where rows of both are searched in groups, as those made anew always are."""
    monkeypatch.setattr("kgroups.solvers.block_search._ONE_BY_ONE", 0)
    X = np.random.default_rng(0).normal(size=(3000, 3))
    assert sample_size(3000, 4) < 3000
    held = sketched(X, 4, landmarks=landmarks)
    lazy = sketched(X, 4, landmarks=landmarks, feature_bytes=0)
    assert isinstance(held.gram.features, np.ndarray)
    assert not isinstance(lazy.gram.features, np.ndarray)
    assert lazy.partition.labels.tolist() == held.partition.labels.tolist()
    assert lazy.partition.objective == pytest.approx(held.partition.objective, rel=1e-6)
    assert lazy.sketch.error == pytest.approx(held.sketch.error, rel=1e-4)
    assert held.partition.n_moves > 0


@each("n", [1500, 3000])
def test_the_partition_of_a_sketch_is_one_of_its_features(n):
    """Its numbers follow from F Fᵀ, with weights, some zero; below 2,000 points and above.

    They are in the unit of the features; ``scale`` puts those of the starts on that of all points.
    """
    rng = np.random.default_rng(1)
    X, w = 9 * rng.normal(size=(n, 2)), rng.uniform(0.1, 2, n) * (rng.random(n) < 0.9)
    sketch, partition = sketched(X, 3, w=w)
    F, lacking = sketch.to_features(X)
    F = F.astype(float)
    G, labels = F @ F.T, partition.labels
    assert partition.objective == pytest.approx(spec.objective(G, labels, w, 3), rel=1e-4)
    assert len(labels) == n
    trace = w @ (F**2).sum(axis=1)
    shown = trace - w @ G @ w / w.sum()
    assert sketch.error == pytest.approx(w @ lacking / (w @ lacking + shown), rel=1e-3)
    assert sketch.to_features.unit in (8, 16), "distances are 9 · √π, or 16, on average"
    competed = sketch.runs.best.weight.sum()
    assert sketch.scale(competed) == pytest.approx(sketch.to_features.unit * w.sum())
    assert 0 < sketch.error < 1


def test_the_error_falls_with_the_number_of_landmarks():
    X = np.random.default_rng(2).normal(size=(1200, 3))
    errors = [sketched(X, 3, m=m).sketch.error for m in (5, 20, 80, 320)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.3 * errors[0]
