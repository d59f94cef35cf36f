"""The number of clusters: limits, kernels, few and far rows, seeds and sources of rows."""

import numpy as np
import pytest

from helpers import best_objective, each
from kgroups.blocks import from_array
from kgroups.gram import DenseGram
from kgroups.input.rows import RowsInMemory
from kgroups.select import (
    choose_n_clusters,
    cluster_significance,
    eigengap,
    gap_statistic,
    prediction_strength,
    separation,
    silhouette,
)
from kgroups.select.subject import Subject
from kgroups.select.successive import Successive
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Manhattan,
    semimetric_from_kernel,
)
from select_cases import lumps


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
    few, enough = (choose_n_clusters(X, k_max=k, random_state=0) for k in (3, 5))
    assert {"separation", "gap"} <= set(few.at_limit)
    assert all(few[name].n_clusters == 3 for name in few.at_limit)
    assert enough.at_limit == ()
    for count in (few, enough):
        assert count.limit.startswith(", ".join(count.at_limit[:-1]))
        for text in (str(count), count.sentence):
            assert text.startswith(f"{count.n_clusters} clusters")
            assert count.limit in text
    with pytest.raises(KeyError, match="elbow"):
        enough["elbow"]


def test_as_many_clusters_as_different_rows_are_not_a_limit():
    X = np.repeat([[0.0], [1.0], [5.0]], 40, axis=0)
    count = choose_n_clusters(X, k_max=3, random_state=0)
    assert count.votes["separation"] == 3
    assert count.at_limit == ()


@pytest.mark.parametrize("n", [60, 250])
def test_rows_equally_far_apart_are_one_cluster(n):
    count = choose_n_clusters(np.arange(float(n))[:, None], metric="hamming", random_state=0)
    assert count.votes == dict.fromkeys(count.votes, 1)


@each("m", [4, 5, 7, 9])
def test_two_groups_of_few_rows_that_are_far_apart_are_two(m):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.concatenate([rng.normal(size=(m, 2)), 30 + rng.normal(size=(m, 2))])
        assert choose_n_clusters(X, random_state=seed).n_clusters == 2
    rng = np.random.default_rng(m)
    assert choose_n_clusters(rng.normal(size=(2 * m, 2)), random_state=0).n_clusters == 1


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


def test_a_function_of_two_objects_is_called_once_for_a_pair():
    calls = 0

    def apart(a, b):
        nonlocal calls
        calls += 1
        return abs(a - b)

    line = [*range(15), *range(100, 115)]
    assert choose_n_clusters(line, [1, 2], metric=apart, random_state=0).n_clusters == 2
    assert calls < 30 * 30  # 435 pairs, the diagonal and a few the other way round


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_give_a_new_seed_on_each_call(make):
    state, again = make(0), make(0)
    seeds = [Subject.of(lumps(1), "energy", random_state=state).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert Subject.of(lumps(1), "energy", random_state=again).seed == seeds[0]


def test_a_seed_of_scikit_learn_is_used_up():
    state = np.random.RandomState(0)
    X = lumps(1, n=40)
    first, second = (prediction_strength(X, [2], random_state=state).values for _ in range(2))
    assert not np.array_equal(first, second)
    again = prediction_strength(X, [2], random_state=np.random.RandomState(0)).values
    np.testing.assert_array_equal(first, again)


@each("dtype", [np.float32, np.float64])
@each("most", [50, 2000])
@each(
    "metric",
    ["energy", Gaussian(), Manhattan(), ColumnSum([(Energy(), [1]), (Hamming(), [0])])],
)
def test_rows_of_a_source_are_those_of_the_table(metric, most, dtype):
    X = lumps(2, n=150).round(1).astype(dtype)
    table, source = (
        Subject.of(data, metric, max_samples=most, random_state=4) for data in (X, from_array(X))
    )
    assert (source.n, source.n_given) == (min(most, 300), 300)
    assert source.rows.tolist() == table.rows.tolist()
    assert source.seed == table.seed
    assert source.semimetric == table.semimetric
    assert source.data.dtype == table.data.dtype
    np.testing.assert_array_equal(source.data, table.data)


class Placed(RowsInMemory):
    """Rows that say where they are, and which of them were read."""

    read = ()

    def place(self, row):
        return f"part {row // 100}, row {row % 100}"

    def take(self, index):
        object.__setattr__(self, "read", (*self.read, *index.tolist()))
        return super().take(index)


def test_only_rows_that_are_drawn_are_read():
    rows = Placed(lumps(2, n=3000))
    subject = Subject.of(rows, Manhattan(), max_samples=30, random_state=0)
    assert subject.n_given == 6000
    assert set(subject.rows.tolist()) <= set(rows.read)
    assert len(set(rows.read)) <= 2030  # evenly spaced ones, which settle parameters


def successive(X, seed=0):
    return Successive(lambda rows: DenseGram.from_points(X[rows], Energy()), len(X), seed)


@each("seed", range(5))
def test_partitions_of_few_points_are_the_best_of_all(seed):
    X = np.random.default_rng(seed).normal(size=(9, 2))
    gram, found = DenseGram.from_points(X, Energy()), successive(X)
    for k in range(1, 5):
        best = best_objective(gram.to_dense(), np.ones(9), k)
        assert found.partition(k).objective == pytest.approx(best, rel=1e-12)
        assert found.within_dispersion(k) == pytest.approx(-best, rel=1e-12)


def test_a_partition_does_not_depend_on_which_others_are_asked_for():
    X = np.random.default_rng(0).normal(size=(60, 2))
    one_by_one, at_once = successive(X), successive(X)
    labels = [one_by_one.labels(k) for k in range(1, 7)]
    for k in (6, 3, 1, 4):
        np.testing.assert_array_equal(at_once.labels(k), labels[k - 1])
