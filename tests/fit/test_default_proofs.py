"""What a default fit of many rows does, on few rows: limits lowered until they matter."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from helpers import each
from kgroups import KernelKGroups
from kgroups.certificate import proof_search
from kgroups.fit import plan
from kgroups.input import spaces
from kgroups.semimetrics import Energy
from kgroups.stats import within_dispersion


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Proofs from 3,000 rows on, after a look at 500 of them, and no matrix of so many."""
    from_points = spaces.DenseGram.from_points

    def stored(X, *arguments, **settings):
        assert len(X) < 3_000
        return from_points(X, *arguments, **settings)

    monkeypatch.setattr(spaces.DenseGram, "from_points", stored)
    monkeypatch.setattr(plan, "CERTIFIED_FROM", 3_000)
    monkeypatch.setattr(plan, "CERTIFIED_PER_CLUSTER", 100)
    monkeypatch.setattr(proof_search, "_SAMPLE", 500)


def overlapping(n=4000, k=4, D=6, spread=1.5, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    centers = spread * rng.normal(size=(k, D))
    return (centers[rng.integers(k, size=n)] + rng.normal(size=(n, D))).astype(dtype)


def best_gain(X, labels, k):
    """The gain of the best move of a single row, in float64 from all pairs."""
    X = X.astype(np.float64)
    s = np.bincount(labels, minlength=k).astype(float)
    indicator = np.eye(k)[labels]
    sums = np.concatenate(
        [Energy().pairwise(X[a : a + 500], X) @ indicator for a in range(0, len(X), 500)]
    )
    spread = np.array([sums[labels == j, j].sum() for j in range(k)]) / (2 * s**2)
    squared = sums / s - spread
    here = np.arange(len(X))
    own = s[labels] / (s[labels] - 1) * squared[here, labels]
    gains = own[:, None] - s / (s + 1) * squared
    gains[here, labels] = -np.inf
    return gains.max()


def fit(X, k=4, **settings):
    return KernelKGroups(k, **{"random_state": 0, "n_init": 2, **settings}).fit(X)


@each("seed", range(4))
def test_rows_of_the_first_sample_are_proved_as_others_are(seed):
    """Clusters that overlap much leave rows of the sample open at its only level."""
    X = overlapping(3000, k=3, spread=0.8, seed=seed)
    model = fit(X, 3, method="certified")
    assert model.certificate_.proved
    assert best_gain(X, model.labels_, 3) < 1e-6


def test_rows_without_clusters_are_compared_in_pairs():
    X = overlapping(spread=0.0, D=16)
    model = fit(X, max_iter=50)
    assert model.method_ == "matrix_free"
    assert model.method_reason_.startswith("bounds decide few rows of a sample")
    found = model.certificate_
    assert (found.n_pairs, found.rounds) == (4000 * 3999 // 2, 0)
    assert model.within_dispersion_interval_ == (model.within_dispersion_,) * 2


def test_a_limit_of_distances_leaves_rows_open_and_bounds_what_they_gain(monkeypatch):
    monkeypatch.setattr(plan.Size, "proof_pairs", lambda size: 2_500_000)
    X = overlapping(6000, k=2)
    with pytest.warns(ConvergenceWarning, match="limit of time or of distances"):
        model = fit(X, 2)
    found = model.certificate_
    assert not found.proved
    assert 0 < found.n_open < 6000
    assert found.is_repeatable
    assert model.exactness_.startswith("one-move optimal for ")
    assert model.exactness_.endswith(f"{found.n_open:,} undecided")
    low, high = model.within_dispersion_interval_
    assert low <= within_dispersion(X, model.labels_) <= high
    assert best_gain(X, model.labels_, 2) <= found.largest_gain
    assert fit(X, 2, method="certified").certificate_.proved


def test_the_same_limit_gives_the_same_labels_again(monkeypatch):
    monkeypatch.setattr(plan.Size, "proof_pairs", lambda size: 2_500_000)
    X = overlapping(6000, k=2)
    found = []
    for n_jobs in (1, 2):
        with pytest.warns(ConvergenceWarning):
            found.append(fit(X, 2, n_jobs=n_jobs))
    assert (found[0].labels_ == found[1].labels_).all()
    assert found[0].certificate_.steps == found[1].certificate_.steps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_the_rows_give_what_all_rows_give(monkeypatch, dtype):
    """Few pairs at a time, so that the first levels are taken part by part."""
    X = overlapping(dtype=dtype)
    whole = fit(X)
    monkeypatch.setattr(proof_search, "_MOST_PAIRS", 600)
    monkeypatch.setattr(proof_search, "_LEAST_PART", 256)
    parts = fit(X)
    assert (parts.labels_ == whole.labels_).all()
    assert parts.within_dispersion_ == whole.within_dispersion_
    assert parts.certificate_.steps == whole.certificate_.steps


def test_many_rows_alike():
    X = np.repeat(overlapping(40, seed=3), 100, axis=0)
    model = fit(X)
    assert model.certificate_.proved
    assert best_gain(X, model.labels_, 4) < 1e-6
    for copies in model.labels_.reshape(40, 100):
        assert len(set(copies)) == 1


def test_one_cluster_with_nearly_all_of_the_weight():
    X, weights = overlapping(), np.ones(4000)
    weights[:20] = 1e6
    model = KernelKGroups(4, random_state=0, n_init=2).fit(X, sample_weight=weights)
    assert model.certificate_.n_open == 0
    heavy = fit(X[:20].astype(np.float64), method="dense")
    assert model.within_dispersion_ >= heavy.within_dispersion_


def test_memory_that_is_short_changes_the_method():
    size = plan.Size(
        n=10**6, n_columns=16, itemsize=4, n_clusters=10, n_threads=2, is_compiled=True,
        is_negative_type=True,
    )  # fmt: skip
    needs = size.certified_bytes(200)
    assert plan.make_plan(plan.Wish(), size, needs).method == "certified"
    assert plan.make_plan(plan.Wish(), size, needs - 1).method != "certified"
    with pytest.raises(MemoryError, match="A certified fit of 1000000 points needs at least"):
        plan.make_plan(plan.Wish(method="certified"), size, needs - 1)


def test_a_pass_over_all_pairs_is_taken_only_where_its_sums_fit(monkeypatch):
    """With many clusters sums take more memory than a proof does."""
    X = overlapping(spread=0.0, D=16)
    settings = {"max_iter": 50, "method": "certified"}
    assert fit(X, **settings).method_ == "matrix_free"
    monkeypatch.setattr(plan.Size, "matrix_free_bytes", lambda size, m: 10**12)
    model = fit(X, memory_limit="1GB", **settings)
    assert model.method_ == "certified"
    assert model.certificate_.proved
    assert best_gain(X, model.labels_, 4) < 1e-6
