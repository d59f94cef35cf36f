"""The dispersion of all points as one cluster, from blocks of a random order."""

import tracemalloc

import numpy as np

from helpers import each
from kgroups.certificate.certified import form_of, total_dispersion, within_of
from kgroups.certificate.changes import Bracket
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, Laplacian
from kgroups.semimetrics.all_pairs import Points
from kgroups.stats import within_dispersion


@each("metric", [Energy(), Energy(0.5), Laplacian(2.0)])
@each(("n", "width"), [(300, 1e-5), (6000, 0.02)])
def test_it_lies_in_its_bracket(metric, n, width):
    """Up to 4,096 points all pairs are looked at; beyond, the bracket has a width."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)).astype(np.float32)
    weights = rng.random(n) + 0.1
    points = Points.of(metric.terms(X))
    form = form_of(points, weights, 80, 0)
    found = total_dispersion(points, form, weights, Threads(2), 0)
    expected = within_dispersion(X, np.zeros(n), metric=metric, sample_weight=weights)
    assert found.least <= expected <= found.most
    assert found.most - found.least < width * expected


def test_w_from_the_sums_within_clusters():
    """T / 2s of each cluster; one without weight counts for nothing."""
    totals = [Bracket(8.0, 10.0), Bracket(3.0, 3.0), Bracket(0.0, 0.0)]
    found = within_of(totals, np.array([2.0, 1.0, 0.0]))
    assert (found.least, found.most) == (2.0 + 1.5, 2.5 + 1.5)
    assert found.middle == 3.75


def test_brackets_add_up_and_grow():
    one = Bracket(1.0, 2.0)
    assert one.plus(3.0, 0.5) == Bracket(3.5, 5.5)
    assert one.times(4.0) == Bracket(4.0, 8.0)


def test_points_are_laid_out_block_by_block():
    """All of them at once would take three more copies of their coordinates."""
    n, D = 100_000, 40
    X = np.random.default_rng(0).random((n, D), np.float32)
    points, weights = Points.of(Energy().terms(X)), np.ones(n)
    form = form_of(points, weights, 8, 0)
    tracemalloc.start()
    total_dispersion(points, form, weights, Threads(1), 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < points.table.nbytes / 2
