"""Moves among open points: the sums that they change, and how far centroids drift."""

import numpy as np
import pytest

from certificate_cases import random_case, sums_by_cluster
from helpers import each
from kgroups.certificate.moves import moved_to
from kgroups.certificate.settling import Settling
from kgroups.certificate.stages import whole_layout


def within_sums(case, labels):
    sums = sums_by_cluster(case, labels)[np.arange(len(labels)), labels]
    return np.bincount(labels, weights=case.weights * sums, minlength=case.k)


def shift(case, before, after):
    """‖μ' − μ‖ of each centroid, by brute force: the energy of the difference of two means."""
    rho = case.metric.resolve(case.X).pairwise(case.X.astype(np.float64))
    measures = []
    for labels in (before, after):
        w = np.zeros((case.k, len(labels)))
        w[labels, np.arange(len(labels))] = case.weights
        measures.append(w / w.sum(axis=1, keepdims=True))
    apart = measures[1] - measures[0]
    return np.sqrt(np.maximum(-0.5 * np.einsum("ki,ij,kj->k", apart, rho, apart), 0.0))


@each("seed", range(6))
def test_sums_and_drift_after_moves(seed):
    case = random_case(seed + 30, 600, (2, 5)[seed % 2])
    search = case.search()
    search._sum_pairs(whole_layout)
    seen = search._round()
    settling = Settling.of(search._scene, seen, search.executor)
    assert settling.run() > 0
    moved = moved_to(search._scene, seen.index, settling.labels, search.executor)
    labels = case.labels.copy()
    labels[seen.index] = settling.labels
    unit = search.form.unit
    for bracket, total in zip(moved.totals, within_sums(case, labels) / unit, strict=True):
        assert bracket.least <= total * (1 + 1e-12)
        assert bracket.most >= total * (1 - 1e-12)
    exact = shift(case, case.labels, labels) / np.sqrt(unit)
    assert np.all(moved.drift >= exact - 1e-7)
    eps = np.sqrt(np.finfo(case.X.dtype).eps)
    np.testing.assert_allclose(moved.drift, exact, rtol=0.2, atol=40 * eps)


def test_moves_lower_the_dispersion():
    case = random_case(40, 600, 3, np.float64)
    search = case.search()
    search._sum_pairs(whole_layout)
    before = search._within().middle
    search._round()
    search._move(search._record)
    s = np.bincount(search.labels, weights=case.weights)
    exact = 0.5 * (within_sums(case, search.labels) / s).sum() / search.form.unit
    assert search._within().middle == pytest.approx(exact, rel=1e-12)
    assert exact < before
