"""Proofs from a share of the pairs, against sums over all pairs of rows that often repeat.

Rows are copies of a few, so that all gains are known from few distances. Some lie far out where two
clusters are as near as each other: the landmarks say least of those, and bounds err by most.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from contract_cases import Copies
from kgroups import KernelKGroups, KernelKMeans, blocks, bounds
from kgroups.semimetrics import Energy

METRICS = {
    "energy": ("energy", lambda r: r),
    "root": (Energy(0.5), np.sqrt),
    "laplacian": ("laplacian", lambda r: -2 * np.expm1(-r / 2)),
}


def copies(U, place, labels, k, w, metric="energy"):
    """What is exact of rows that are copies of some."""
    rho = METRICS[metric][1](cdist(U.astype(float), U.astype(float)))
    return Copies(rho, place, labels, k, w)


def overlapping(rng, m, k, d=3, far=60.0, spots=4):
    """Some rows of k overlapping groups, and a few in spots that are far from all of them."""
    centers = 2 * rng.normal(size=(k, d))
    U = centers[rng.integers(k, size=m)] + rng.normal(size=(m, d))
    way = rng.normal(size=(2_000, d))
    spot = far * way / np.linalg.norm(way, axis=1, keepdims=True)
    near = np.sort(cdist(spot, centers), axis=1)
    best = spot[np.argsort(near[:, 1] - near[:, 0])[:spots]]
    U[: 6 * spots] = np.repeat(best, 6, axis=0) + rng.normal(size=(6 * spots, d))
    return U, centers


def start_of(rng, rows, centers, wrong=0.02):
    """Labels by the nearest center, but for some."""
    k = len(centers)
    labels = cdist(rows, centers).argmin(axis=1)
    labels[rng.random(len(rows)) < wrong] = 0
    far = np.linalg.norm(rows, axis=1) > 30
    two = np.argsort(cdist(rows[far], centers), axis=1)[:, :2]
    labels[far] = two[np.arange(len(two)), (rng.random(len(two)) < 0.3).astype(int)]
    labels[:k] = np.arange(k)
    return labels


@pytest.mark.parametrize("metric", METRICS)
def test_all_rows_that_gain_are_found(metric):
    """The clusters are as they are given: of one row, of two, or of nearly all 30,000."""
    for seed, (of, n) in enumerate([(2, 20_000), (3, 20_000), (6, 20_000), (2, 30_000)]):
        rng, k = np.random.default_rng(seed), of + 2
        U, centers = overlapping(rng, 1_500, of)
        place = rng.integers(len(U), size=n)
        w = rng.integers(0, 4, n) * rng.uniform(0.3, 2, n) if seed % 2 else np.ones(n)
        labels = start_of(rng, U[place], centers)
        if n == 30_000:  # a cluster of which many pairs are far apart
            labels = np.where(np.linalg.norm(U[place] - centers[1], axis=1) < 1.2, 1, 0)
        labels[:3], w[:3] = (of, of + 1, of + 1), 1.0
        exact = copies(U, place, labels, k, w, metric)
        gains = exact.gains()
        best = gains.max(axis=1)
        found = bounds.certify(U[place], labels, metric=METRICS[metric][0], sample_weight=w)
        assert (found.proved, found.n_open, found.largest_gain) == (True, 0, 0.0)
        right = np.flatnonzero(best > 1e-12 * exact.W)
        assert found.rows.tolist() == right.tolist(), (seed, k)
        of_target = gains[found.rows, found.targets]
        assert (of_target > 0).all()
        error = np.abs(found.gains - of_target) / of_target
        assert np.median(error) <= 0.05, (seed, k)
        low, high = found.within_dispersion_interval
        assert low * (1 - 1e-12) <= exact.W <= high * (1 + 1e-12)
        assert high - low <= 1e-3 * exact.W
        assert low <= found.within_dispersion <= high
        assert found.n_pairs < found.n_pairs_full


@pytest.mark.parametrize("kind", [KernelKGroups, KernelKMeans])
def test_fits_with_a_proof_cannot_be_improved(kind):
    """Few landmarks, so that bounds are wide, and that the sketch leaves many rows to be moved."""
    moves = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        k, n, metric = (2, 4, 40)[seed % 3], 1_200 + 100 * seed, list(METRICS)[seed % 4 % 3]
        U, _ = overlapping(
            rng, 600, k, d=2 + seed % 4, far=(60.0, 12.0, 5.0)[seed // 3 % 3], spots=seed % 4
        )
        unit = 1.0 if metric == "laplacian" else 10.0 ** (seed % 5 - 2)
        U = (unit * U).astype(np.float32 if seed % 5 == 2 else np.float64)
        place = np.sort(rng.integers(len(U), size=n))
        w = rng.integers(0, 4, n) * rng.uniform(0.3, 2, n) if seed % 2 else np.ones(n)
        how = {"method": "certified", "metric": METRICS[metric][0], "n_components": 3 + seed % 5}
        model = kind(k, init="random", n_init=1, random_state=seed, n_jobs=1, **how)
        model.fit(U[place], sample_weight=w)
        assert model.method_ == "certified"
        assert (model.certificate_.proved, model.certificate_.n_open) == (True, 0)
        exact = copies(U, place, model.labels_, k, w, metric)
        eps = 1e-10 if U.dtype == np.float64 else 1e-6
        scale = exact.squared.max() * w.max()
        assert exact.gains(kind is KernelKGroups).max() <= eps * scale, (seed, metric)
        assert model.within_dispersion_ == pytest.approx(exact.W, rel=eps)
        assert model.cluster_weights_ == pytest.approx(exact.s, rel=1e-12)
        low, high = model.within_dispersion_interval_
        assert low * (1 - eps) <= exact.W <= high * (1 + eps)
        least, most = model.between_statistic_interval_
        S = exact.total - exact.W
        assert least - eps * exact.total <= S <= most + eps * exact.total, seed
        moves += model.n_moves_
    assert moves > 500


def test_what_certificates_say_where_nothing_is_proved():
    rng = np.random.default_rng(0)
    X, _ = overlapping(rng, 1_500, 3)
    sketch = KernelKGroups(3, method="nystroem", n_components=20, random_state=0).fit(X)
    late = KernelKGroups(3, method="certified", n_components=5, random_state=0, time_limit=1e-9)
    many = bounds.certify(np.repeat(X, 14, axis=0), np.arange(21_000) % 3, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning):
        late.fit(X)
    assert late.exactness_ != KernelKGroups(3).fit(X).exactness_
    for found in (sketch.certificate_, late.certificate_, many):
        n = 21_000 if found is many else 1_500
        assert not found.proved
        assert 0 < found.n_open <= n
        assert found.largest_gain == np.inf
        assert found.to_dict()["largest_gain"] is None
        assert found.n_pairs_full == n * (n - 1) // 2


def test_w_of_more_rows_than_are_compared():
    """Beyond 4,096 rows S + W has an interval, and sums go on over pieces of rows."""
    for seed, n in ((0, 9_000), (1, 16_000)):
        rng = np.random.default_rng(seed)
        U, _ = overlapping(rng, 900, 2)
        place = rng.integers(len(U), size=n)
        w = rng.uniform(0.3, 2, n) if seed else np.ones(n)
        model = KernelKGroups(2, method="certified", n_components=20, random_state=0, n_init=1)
        model.fit(U[place], sample_weight=w)
        exact = copies(U, place, model.labels_, 2, w)
        assert model.certificate_.proved
        assert exact.gains().max() <= 1e-12 * exact.W
        low, high = model.within_dispersion_interval_
        assert low * (1 - 1e-12) <= exact.W <= high * (1 + 1e-12)
        least, most = model.between_statistic_interval_
        S = exact.total - exact.W
        assert least < S < most < 1.02 * least
        assert least < model.between_statistic_ < most


@pytest.mark.parametrize("seed", range(4))
def test_proofs_over_blocks(seed):
    """Of rows that may not be held: some gain, and the sketch that they start from is coarse."""
    rng = np.random.default_rng(seed)
    n, k = 50_200 + 10_000 * seed, (2, 5, 3, 12)[seed]
    U, _ = overlapping(rng, 900, k, spots=seed)
    unit = (1.0, 1e-3, 100.0, 1.0)[seed]
    place = rng.integers(len(U), size=n)
    w = rng.integers(0, 4, n) * rng.uniform(0.3, 2, n) if seed % 2 else np.ones(n)
    how = {"n_components": (4, 10, 6, 24)[seed], "memory_limit": "18 MB", "n_jobs": 1}
    model = KernelKGroups(k, method="certified", random_state=0, n_init=1, **how)
    model.fit(blocks.from_array(unit * U[place]), sample_weight=w)
    assert model.method_reason_.endswith("without all pairs")
    exact = copies(unit * U, place, model.labels_, k, w)
    low, high = model.within_dispersion_interval_
    assert low * (1 - 1e-12) <= exact.W <= high * (1 + 1e-12)
    assert high <= 1.01 * low
    assert low <= model.within_dispersion_ <= high
    best = exact.gains().max(axis=1)
    certificate = model.certificate_
    assert certificate.proved == (certificate.n_open == 0)
    assert np.count_nonzero(best > 1e-12 * exact.W) <= certificate.n_open
    assert best.max() <= certificate.largest_gain * (1 + 1e-9) + 1e-12 * exact.W


@pytest.mark.parametrize(
    ("seed", "n", "by_heads"), [(1, 51_000, False), (2, 51_000, True), (55, 131_080, False)]
)
def test_proofs_over_blocks_that_end(seed, n, by_heads):
    """Rows move among each other, and then none gains. Of the most rows a block has two chunks."""
    rng, k = np.random.default_rng(seed), 3
    U = 4 * rng.normal(size=(k, 3))[rng.integers(k, size=900)] + rng.normal(size=(900, 3))
    U[:6] = 30 * rng.normal(size=3) + rng.normal(size=(6, 3))
    place, w = rng.integers(len(U), size=n), rng.uniform(0.3, 2, n)
    how = {"n_components": 6, "memory_limit": "18 MB", "n_jobs": 1}
    model = KernelKGroups(k, method="certified", random_state=0, n_init=1, **how)
    model.fit(blocks.from_array(U[place]), sample_weight=w)
    exact = copies(U, place, model.labels_, k, w)
    assert model.within_dispersion_ == pytest.approx(exact.W, rel=1e-3)
    np.testing.assert_allclose(model.cluster_dispersions_, exact.parts, 1e-3)
    best = exact.gains().max(axis=1)
    assert best.max() <= 1e-12 * exact.W
    assert (model.certificate_.proved, model.certificate_.largest_gain) == (True, 0.0)
    # The last step compares with heads of the clusters, or with all members.
    most = np.bincount(model.labels_).max()
    assert model.certificate_.steps[-1].size == (1_024 if by_heads else most)


def test_rows_that_a_first_look_leaves_open():
    """Then all pairs of a cluster of nearly all rows are taken, and some of these rows gain."""
    rng = np.random.default_rng(3)
    U, place = rng.normal(size=(900, 10)), rng.integers(900, size=25_600)
    labels = (U[place, 0] > 2.1).astype(int)
    found = bounds.certify(U[place], labels, metric=METRICS["root"][0])
    exact = copies(U, place, labels, 2, np.ones(25_600), "root")
    right = np.flatnonzero(exact.gains().max(axis=1) > 1e-12 * exact.W)
    assert found.rows.tolist() == right.tolist()
    assert found.n_pairs > found.n_pairs_full


def test_proofs_within_clumps_that_are_far_apart():
    """In units of the mean distance all rows of a clump are near its landmarks."""
    for seed, metric in enumerate(("energy", "root")):
        rng = np.random.default_rng(seed)
        U, place = rng.normal(size=(600, 3)), rng.integers(600, size=3_000)
        U[::2, 0] += 1e4
        how = {"method": "certified", "metric": METRICS[metric][0], "n_components": 6}
        model = KernelKGroups(4, n_init=1, random_state=seed, **how).fit(U[place])
        exact = copies(U, place, model.labels_, 4, np.ones(3_000), metric)
        assert model.certificate_.proved
        assert exact.gains().max() <= 1e-10 * exact.W, seed


def test_proofs_by_lloyds_rule_with_heavy_rows():
    """Another cluster may be best for a heavy row where the loss of its old one counts."""
    for seed, d in ((21, 2), (29, 4)):
        rng = np.random.default_rng(seed)
        U = rng.normal(size=(600, d))
        U[::3, 0] += 3
        place, w = rng.integers(600, size=1_500), np.exp(4 * rng.normal(size=1_500))
        how = {"method": "certified", "n_components": 2 + seed % 5, "init": "random"}
        model = KernelKMeans(10, n_init=1, random_state=seed, **how)
        model.fit(U[place], sample_weight=w)
        exact = copies(U, place, model.labels_, 10, w)
        assert model.certificate_.proved
        assert exact.gains(is_ratio=False).max() <= 1e-10 * exact.squared.max(), seed
