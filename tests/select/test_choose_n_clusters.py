"""The number of clusters: what is said of a choice, its limits, and 1 is an answer."""

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.select import (
    choose_n_clusters,
    cluster_significance,
    eigengap,
    gap_statistic,
    prediction_strength,
    separation,
    silhouette,
)
from kgroups.semimetrics import Energy, Hamming, semimetric_from_kernel
from select_cases import RANGE, lumps


@pytest.fixture(scope="module")
def plain():
    """What is said of k clusters that anybody can see, for three k."""
    return {k: choose_n_clusters(lumps(k, n=40), RANGE, random_state=0) for k in (1, 2, 4)}


def test_each_criterion_alone_says_what_it_says_among_the_others():
    X = lumps(2, n=20)
    count = choose_n_clusters(X, [1, 2, 3], random_state=4)
    alone = [
        criterion(X, [1, 2, 3], random_state=4, **how)
        for criterion, how in (
            (separation, {}),
            (gap_statistic, {"se_factor": 1.5}),
            (prediction_strength, {}),
            (silhouette, {}),
            (eigengap, {}),
        )
    ]
    assert [found.to_dict() for found in alone] == [found.to_dict() for found in count.criteria]


@pytest.mark.parametrize("k", [1, 4])
def test_choice_says_what_it_stands_on(plain, k):
    count = plain[k]
    assert count.n_clusters == k
    assert count.agrees
    assert list(count.votes) == ["separation", "gap", "prediction strength"]
    assert len(count.criteria) == 5
    assert count["gap"].n_clusters == count.votes["gap"]
    assert " − 1.5 s(k+1)" in count["gap"].rule
    assert str(count).startswith("1 cluster (" if k == 1 else "4 clusters (")
    with pytest.raises(KeyError, match="elbow"):
        count["elbow"]


def test_matrices_objects_frames_and_categories_are_counted_too():
    X = lumps(2, n=40)
    rho = Energy().pairwise(X)
    words = ["aaaa", "aaab", "abaa", "aaba"] * 10 + [
        "zzzzzzz",
        "zzzzzyz",
        "zyzzzzz",
        "zzzyzzz",
    ] * 10
    frame = pd.DataFrame({"a": ["x", "y"] * 20 + ["p", "q"] * 20, "b": ["u"] * 40 + ["v"] * 40})

    def letters(a, b):
        return float(sum(p != q for p, q in zip(a.ljust(7), b.ljust(7), strict=True)))

    for data, metric in ((rho, "precomputed"), (words, letters), (frame, Hamming())):
        count = choose_n_clusters(data, [1, 2], metric=metric, random_state=0)
        assert count.n_clusters == 2, metric


def test_units_change_nothing():
    X, labels = lumps(2, n=20), np.repeat([0, 1], 20)
    gaps = choose_n_clusters(X, [1, 2], random_state=0)["gap"].values
    for unit in (1e-150, 1e150):
        count = choose_n_clusters(unit * X, [1, 2], random_state=0)
        assert count.votes == {"separation": 2, "gap": 2, "prediction strength": 2}
        np.testing.assert_allclose(count["gap"].values, gaps, rtol=1e-6)
        assert cluster_significance(unit * X, labels, random_state=0).any_separated()


def test_kernels_are_counted_also_where_they_are_indefinite():
    A = np.random.default_rng(0).normal(size=(40, 40))
    noise = 0.01 * (A + A.T)
    gram = np.kron(np.eye(2), np.ones((20, 20))) + noise
    assert np.linalg.eigvalsh(gram)[0] < -0.1
    assert semimetric_from_kernel(gram).min() < 0
    count = choose_n_clusters(gram, [1, 2], metric="precomputed_kernel", random_state=0)
    assert count.n_clusters == 2
    labels = np.repeat([0, 1], 20)
    assert cluster_significance(gram, labels, metric="precomputed_kernel").any_separated()


def test_without_a_limit_it_is_doubled_while_a_vote_is_the_largest_number_tried():
    """Twelve groups: of ten clusters, the silhouette is the largest, and the answer is 2."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal((9 * (j % 4), 9 * (j // 4)), 1, (20, 2)) for j in range(12)])
    free = choose_n_clusters(X, random_state=0)
    assert (free.n_clusters, free.k[-1], free.at_limit, free.limit) == (12, 20, (), "")
    few, asked = (choose_n_clusters(X, k_max=k, random_state=0) for k in (10, 20))
    assert (few.k[-1], few.at_limit) == (10, ("silhouette",))
    for one, other in zip(free.criteria, asked.criteria, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_a_vote_for_the_largest_number_tried_is_named():
    X = lumps(4, n=40)
    count = choose_n_clusters(X, k_max=3, random_state=0)
    assert count.k[-1] == 3
    assert {"separation", "gap"} <= set(count.at_limit)
    assert all(count[name].n_clusters == 3 for name in count.at_limit)
    words = f"{count.at_limit[-1]} suggest"
    assert f"at_limit={count.at_limit}" in repr(count)
    for text in (str(count), count.sentence):
        assert words in text
        assert "3, the largest number tried, so there may be more" in text
    assert choose_n_clusters(X, k_max=4, random_state=0).at_limit != ()
    assert choose_n_clusters(X, k_max=5, random_state=0).at_limit == ()


def test_as_many_clusters_as_different_rows_are_not_a_limit():
    X = np.repeat([[0.0], [1.0], [5.0]], 40, axis=0)
    count = choose_n_clusters(X, k_max=3, random_state=0)
    assert count.votes["separation"] == 3
    assert count.at_limit == ()


@pytest.mark.parametrize("n", [60, 250])
def test_rows_equally_far_apart_are_one_cluster(n):
    count = choose_n_clusters(np.arange(float(n))[:, None], metric="hamming", random_state=0)
    assert count.votes == dict.fromkeys(count.votes, 1)


def test_few_rows_and_equal_rows_are_one_cluster():
    assert choose_n_clusters(np.zeros((40, 2)), [1, 2, 3], random_state=0).n_clusters == 1
    few = choose_n_clusters([[0.0], [1.0], [5.0]], random_state=0)
    assert (few.n_clusters, few.certainty) == (1, "no other number was tried")
    assert "no other number was tried" in str(few)
    assert "no other number was tried" in few.sentence


@each("m", [4, 5, 7, 9])
def test_two_groups_of_few_rows_that_are_far_apart_are_two(m):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.concatenate([rng.normal(size=(m, 2)), 30 + rng.normal(size=(m, 2))])
        assert choose_n_clusters(X, random_state=seed).n_clusters == 2
    rng = np.random.default_rng(m)
    assert choose_n_clusters(rng.normal(size=(2 * m, 2)), random_state=0).n_clusters == 1


def test_three_groups_of_eight_rows_and_two_rows_repeated():
    X = np.concatenate([np.random.default_rng(j).normal(size=(8, 2)) + 40 * j for j in range(3)])
    assert choose_n_clusters(X, random_state=0).n_clusters == 3
    assert choose_n_clusters([[0.0, 1.0], [3.0, 2.0]] * 10, random_state=0).n_clusters == 2


@pytest.mark.parametrize("sizes", [(60, 60), (60, 60, 60)])
def test_clear_groups_of_categories_are_counted_though_the_gap_rises_on(sizes):
    kinds = np.repeat(np.arange(len(sizes)), sizes)[:, None]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        noise = rng.integers(0, len(sizes), (len(kinds), 6))
        X = np.where(rng.random(noise.shape) < 0.85, kinds, noise)
        count = choose_n_clusters(X, metric="hamming", k_max=8, random_state=0)
        assert count.n_clusters == len(sizes)
        if count.n_clusters != np.median(list(count.votes.values())):
            assert "gap" in count.at_limit
            assert "separation, because only the gap rises up to the limit" in str(count)


@each("far", [[(1e3, 1e3)], [(1e6, 0)], [(100, 100)], [(1e3, 1e3), (-1e3, 0), (0, 700)]])
def test_a_few_rows_far_away_do_not_hide_two_groups(far):
    X = np.concatenate([lumps(2, n=60), far])
    count = choose_n_clusters(X, random_state=0)
    assert count.n_clusters in (2, 3)
    assert (count.n_samples, count.n_given) == (len(X), len(X))


def test_as_many_clusters_as_rows_may_be_tried_though_some_are_far_away():
    X = np.concatenate([lumps(2, n=6), [[1e4, 0.0]]])
    count = choose_n_clusters(X, k_max=len(X), random_state=0)
    assert (count.n_clusters, count.k[-1]) == (2, 13)
