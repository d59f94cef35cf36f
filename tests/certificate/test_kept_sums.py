"""Sums that are kept from round to round, and what they save."""

import numpy as np

from certificate_cases import Case, random_case, sums_by_cluster, to_centroids
from helpers import each
from kgroups.certificate.kept_sums import KeptSums
from kgroups.certificate.ladder import Open, Pairs
from kgroups.certificate.stages import layout_of, whole_layout
from kgroups.semimetrics import Energy


def _open(index, row, cluster, sums):
    n = len(row)
    numbers = np.array(sums, float)
    pairs = Pairs(np.array(row), np.array(cluster), numbers, numbers / 2, numbers, numbers,
                  np.arange(n), np.full(n, 3))  # fmt: skip
    none = pairs[np.empty(0, np.int64)]
    return Open(np.array(index), pairs, none)


def test_later_sums_take_the_place_of_older_ones():
    kept = KeptSums.none(4).with_record(_open([5, 7], [0, 1], [2, 0], [1.0, 2.0]))
    kept = kept.with_record(_open([7, 9], [0, 1], [0, 3], [20.0, 30.0]))
    assert kept.keys.tolist() == [5 * 4 + 2, 7 * 4 + 0, 9 * 4 + 3]
    assert kept.sums.tolist() == [1.0, 20.0, 30.0]
    assert kept.head.tolist() == [0.5, 10.0, 15.0]


def test_pairs_that_were_not_kept_stay_as_they_are():
    kept = KeptSums.none(4).with_record(_open([5, 7], [0, 1], [2, 0], [1.0, 2.0]))
    seen = _open([7, 8], [0, 1], [0, 0], [-1.0, -1.0])
    seen.own.reached[:] = 1
    found = kept.given_to(seen).own
    assert found.sums.tolist() == [2.0, -1.0]
    assert found.reached.tolist() == [3, 1]
    assert seen.own.sums.tolist() == [-1.0, -1.0]


@each("layout", [whole_layout, lambda count: layout_of(count, 64)])
@each("seed", range(2))
def test_kept_sums_are_those_over_the_members_of_their_levels(seed, layout):
    """Whatever moved since: members are those of which pairs were summed."""
    case = random_case(40 + seed, 2400, 3, np.float64)
    search = case.search(5)
    search._sum_pairs(layout)
    members, labels = search._members, search.labels.copy()
    for _ in range(3):
        search._round()
        search._move(search._record)
    kept, levels = search._kept, search._changes.levels
    assert len(kept.keys) > 100
    rows, clusters = np.divmod(kept.keys, 3)
    for cluster, known in enumerate(levels):
        for number, level in enumerate(known.levels):
            some = (clusters == cluster) & (kept.reached == number)
            first = members.of_cluster(cluster, 0, level.size)
            inside = np.zeros(2400)
            inside[first] = case.weights[first]
            exact = sums_by_cluster(case._replace(weights=inside), labels)[:, cluster]
            found = kept.sums[some] * search.form.unit
            np.testing.assert_allclose(found, exact[rows[some]], rtol=1e-12)


def test_rows_that_are_looked_at_again_go_on_where_they_were():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 8))
    truth = rng.integers(3, size=6000)
    X = centers[truth] + rng.lognormal(size=(6000, 8))
    labels = truth.copy()
    labels[:300] = rng.integers(3, size=300)
    search = Case(X, Energy(1.0), np.ones(6000), labels, 3).search(20)
    search._sum_pairs(whole_layout)
    search._round()
    first = search.steps[-1].n_pairs
    search._margin[search._record.index] = -np.inf
    search._round()
    again = search.steps[-1].n_pairs
    assert first > 100_000
    assert again == 0


def test_kept_sums_and_heads_serve_on_where_rows_have_moved():
    """Intervals of rows that go on from a level of the tail, which needs the sums over the head."""
    case = random_case(42, 2400, 3, np.float64)
    search = case.search(5)
    search._sum_pairs(lambda count: layout_of(count, 64))
    for _ in range(2):
        search._round()
        search._move(search._record)
    search._round()
    seen = search._record
    assert (search._record.own.reached > search._present().clusters[0].head).any()
    exact = to_centroids(case, search.labels)[0] / search.form.unit
    for pairs in (seen.own, seen.others):
        d = exact[seen.index[pairs.row], pairs.cluster]
        assert len(d)
        assert np.all((pairs.low <= d + 1e-12) & (d <= pairs.high + 1e-12))


def test_new_sums_of_pairs_leave_none_of_the_old_members():
    case = random_case(42, 2400, 3, np.float64)
    search = case.search(5)
    search._sum_pairs(lambda count: layout_of(count, 64))
    search._round()
    search._move(search._record)
    assert len(search._kept.keys)
    search._sum_pairs(whole_layout)
    assert not len(search._kept.keys)
