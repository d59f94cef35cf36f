"""Moves among open points whose sums wait until moves could matter to them, by brute force."""

from dataclasses import replace

import numpy as np

from certificate_cases import best_gains, random_case, sums_by_cluster, to_centroids
from helpers import each
from kgroups.certificate.first_look import FirstLook, look_at_all
from kgroups.certificate.settling import Settling
from kgroups.certificate.stages import whole_layout
from kgroups.runtime.threads import Threads


def _settling(case, n_threads=1):
    """All points of weight, with exact sums with all clusters."""
    search = case.search(5)
    search._sum_pairs(whole_layout)
    scene = search._present()
    never_decided = replace(scene, rule=replace(scene.rule, least=-np.inf))
    index = np.flatnonzero(case.weights > 0)
    margin = np.zeros(len(case.labels))
    look = FirstLook.of(never_decided)
    seen, _ = look_at_all(never_decided, look, index, margin, Threads(1))
    assert len(seen.index) == len(index)
    exact = to_centroids(case, case.labels)[0] / search.form.unit
    for pairs in (seen.own, seen.others):
        pairs.low[:] = pairs.high[:] = exact[seen.index[pairs.row], pairs.cluster]
    return search.form.unit, scene, index, Settling.of(scene, seen, Threads(n_threads))


SEEDS = (73, 76, 82, 83, 84, 87)
CASES = [random_case(seed, 900, (2, 4, 9)[(seed - 70) % 3], np.float64) for seed in SEEDS]


@each(("seed", "case"), zip(SEEDS, CASES, strict=True))
def test_no_open_point_gains_any_more_and_sums_are_right(seed, case):
    unit, scene, index, settling = _settling(case)
    settling.run()
    assert settling.n_moves > 10
    assert len(settling._log) > 1  # moves have brought others about
    labels = case.labels.copy()
    labels[index] = settling.labels
    found = best_gains(case, labels)
    least = scene.rule.least * unit
    assert np.all(found.gains[index] <= least + found.rounding[index])
    # Those that have waited learn of all moves at once.
    settling._bring_up_to_date(settling._contained < len(settling._log))
    exact = sums_by_cluster(case, labels)[index[settling.row], settling.cluster] / unit
    np.testing.assert_allclose(settling.sums, exact, rtol=1e-9, atol=1e-9 * exact.max())


def test_points_that_wait_are_those_that_centroids_have_not_come_near_to():
    """What is subtracted from margins is what centroids have moved, and no less."""
    case = random_case(71, 900, 4, np.float64)
    unit, _, index, settling = _settling(case)
    before, margin = case.labels.copy(), settling._margin.copy()
    assert settling._visit_eager()
    after = before.copy()
    after[index] = settling.labels
    waiting = settling._contained == 0
    rho = case.metric.resolve(case.X).pairwise(case.X)
    means = []
    for labels in (before, after):
        w = np.zeros((case.k, len(labels)))
        w[labels, np.arange(len(labels))] = case.weights
        means.append(w / w.sum(axis=1, keepdims=True))
    apart = means[1] - means[0]
    exact = np.sqrt(-0.5 * np.einsum("ki,ij,kj->k", apart, rho, apart) / unit)
    lost = exact[settling.labels] + exact.max()
    expected = (margin - lost)[waiting]
    assert np.isfinite(expected).sum() > 10
    np.testing.assert_allclose(settling._margin[waiting], expected, rtol=1e-7, atol=1e-7)


@each(("seed", "case"), zip(SEEDS[:3], CASES[:3], strict=True))
def test_the_same_moves_for_any_number_of_threads(seed, case):
    *_, alone = _settling(case)
    *_, together = _settling(case, 3)
    alone.run()
    together.run()
    assert np.array_equal(alone.labels, together.labels)
    assert np.array_equal(alone.sums, together.sums)
    assert alone.n_pairs == together.n_pairs > 0
