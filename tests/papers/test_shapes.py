"""Table 1 and Fig. 4 of the earlier version, Fig. 4 of the draft: clusters that are no balls."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from helpers import each, slow
from kgroups.semimetrics import Energy, SineSquared
from kgroups.solvers import objective as spec
from kgroups_papers.experiments.shapes import DRAFT_FIG_4, ICML_TABLE_1, as_classes
from kgroups_papers.monte_carlo import reproduce
from kgroups_papers.published import published
from kgroups_papers.recipes.methods import BATCH, Kernel, batch_to_the_limit
from kgroups_papers.recipes.plane import cigars, circles, spirals
from kgroups_papers.verdict import judge, judge_default

CASES = {
    (experiment.name, case.key): case.parameters
    for experiment in (ICML_TABLE_1, DRAFT_FIG_4)
    for case in experiment.cases
}


@pytest.fixture(scope="module")
def table():
    return reproduce(ICML_TABLE_1, quick=True, seed=1, n_jobs=1)


@pytest.fixture(scope="module")
def draft():
    return reproduce(DRAFT_FIG_4, quick=True, seed=1, n_jobs=1)


def value(kernel, y):
    """The objective Q of a labeling, from its definition."""
    return spec.objective(kernel.matrix, y, np.ones(len(y)), int(y.max()) + 1)


def test_cigars_are_the_drafts():
    X, y = cigars(20_000, np.random.default_rng(0))
    assert np.bincount(y).tolist() == [20_000, 20_000]
    for label, mean in enumerate(([0, 0], [6.5, 0])):
        part = X[y == label]
        assert part.mean(axis=0) == pytest.approx(mean, abs=4.5 * (20 / 20_000) ** 0.5)
        # The variance of a variance is 2σ⁴/n.
        assert part.var(axis=0) == pytest.approx([1, 20], rel=4.5 * (2 / 20_000) ** 0.5)
        assert abs(np.corrcoef(part.T)[0, 1]) < 4.5 / 20_000**0.5


def test_circles_have_their_radii_and_noise():
    radii, noise, n = (1.0, 3.0, 5.0), 0.2, 20_000
    X, y = circles(radii, n, noise, np.random.default_rng(0))
    assert np.bincount(y).tolist() == [n] * 3
    for label, r in enumerate(radii):
        part = X[y == label]
        # ‖x‖² has mean r² + 2σ² and variance 4r²σ² + 4σ⁴.
        squares = (part**2).sum(axis=1)
        variance = 4 * r**2 * noise**2 + 4 * noise**4
        assert squares.mean() == pytest.approx(r**2 + 2 * noise**2, abs=4.5 * (variance / n) ** 0.5)
        assert squares.var() == pytest.approx(variance, rel=0.1)
        angle = np.arctan2(part[:, 1], part[:, 0])
        assert kstest((angle + np.pi) / (2 * np.pi), "uniform").pvalue > 1e-4


def test_spirals_are_two_opposite_arms_of_two_turns():
    X, y = spirals(150, 0.0, np.random.default_rng(0))
    for sign, label in ((1, 0), (-1, 1)):
        arm = sign * X[y == label]
        t = np.sort(np.hypot(*arm.T))
        assert t == pytest.approx(np.linspace(0, 4 * np.pi, 150))
        arm = arm[np.argsort(np.hypot(*arm.T))]
        assert arm == pytest.approx(t[:, None] * np.column_stack([np.cos(t), np.sin(t)]))
    noisy = spirals(5_000, 0.15, np.random.default_rng(1)).X
    clean = spirals(5_000, 0.0, np.random.default_rng(1)).X
    # The same generator: noise is drawn in both, and rows are put in the same order.
    assert (noisy - clean).std() == pytest.approx(0.15, rel=4.5 / 20_000**0.5)


@each("key", CASES)
def test_rows_are_in_random_order(key):
    y = CASES[key].draw(np.random.default_rng(0)).y
    half = len(y) // 2
    share = np.mean(y[:half] == 0)
    assert share == pytest.approx(np.mean(y == 0), abs=4.5 * 0.5 / half**0.5)


def test_clusters_take_the_numbers_of_their_classes():
    y = np.array([0, 0, 1, 1, 2])
    assert as_classes(y, np.array([2, 2, 0, 0, 1])).tolist() == [0, 0, 1, 1, 2]
    # One cluster too many goes behind, one too few leaves a class out.
    assert as_classes(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 0])).tolist() == [0, 0, 2, 1]
    assert as_classes(y, np.array([1, 1, 0, 0, 0])).tolist() == [0, 0, 1, 1, 1]


def test_no_single_move_betters_what_k_groups_finds():
    shape, rng = CASES["icml-table1", "three circles"], np.random.default_rng(0)
    X, _ = circles((1.0, 3.0, 5.0), 15, 0.2, rng)
    found, kernel = shape.k_groups(X, rng)
    labels = found[shape.best]
    assert kernel.matrix == pytest.approx(Kernel.of(X, shape.metrics[shape.best]).matrix)
    starts = [rng.integers(3, size=45) for _ in range(20)]
    assert value(kernel, labels) > max(value(kernel, start) for start in starts)
    assert spec.is_one_move_optimal(kernel.matrix, labels, np.ones(45), 3)


@pytest.mark.parametrize(
    "key", [("icml-table1", "three circles"), ("draft-fig4", "spirals")], ids=lambda key: key[1]
)
def test_where_the_objective_prefers_other_clusters_than_the_classes(key):
    """No search can help there, whatever its starts."""
    shape, rng = CASES[key], np.random.default_rng(0)
    X, y = shape.draw(rng)
    found, _ = shape.k_groups(X, rng)
    for name, metric in shape.metrics.items():
        kernel = Kernel.of(X, metric)
        assert value(kernel, y) < 0.99 * value(kernel, found[name])


@slow
def test_cigars_with_the_laplacian_metric_are_as_good_as_can_be(table):
    """A line between the means errs on 1 − Φ(3.25) of the points."""
    found = table.estimate("cigars", "kgroups_laplacian")
    n = found.n * 400
    bayes = norm.cdf(3.25)
    assert found.mean == pytest.approx(bayes, abs=4.5 * (bayes * (1 - bayes) / n) ** 0.5)


def test_table_1_in_its_quickest_form(table):
    rows = list(table.rows())
    assert len(rows) == 3 * len(ICML_TABLE_1.methods)
    assert [row for row in rows if not row.is_as_expected] == []
    # Few runs agree with much. What does not vary is held more closely.
    exact = {
        ("two circles", "kmeans"): (0.522, 0.03),
        ("two circles", "spectral"): (0.732, 0.02),
        ("two circles", "kgroups"): (0.521, 0.04),
        ("two circles", "default_metric"): (1.0, 0.002),
        ("three circles", "kgroups_laplacian"): (0.666, 0.03),
        ("three circles", "kgroups_gaussian"): (0.676, 0.02),
        ("three circles", "kmeans"): (0.368, 0.03),
        ("three circles", "spectral"): (0.364, 0.03),
    }
    for (case, method), (mean, tolerance) in exact.items():
        assert table.estimate(case, method).mean == pytest.approx(mean, abs=tolerance)


def test_defaults_with_the_best_metric_are_not_below_its_published_number(table):
    for case in table.cases:
        theirs = table.published(case.key, case.parameters.best)
        ours = table.estimate(case.key, "default_metric")
        assert judge_default(ours, theirs) == "not below"


def test_spectral_clustering_of_three_circles_tells_the_conventions_apart(table):
    theirs = table.published("three circles", "spectral")
    assert judge(table.estimate("three circles", "spectral"), theirs) == "agrees"
    assert judge(table.estimate("three circles", "spectral_today"), theirs) == "higher"


@slow
def test_the_drafts_numbers_agree(draft):
    """Results of the authors' programs: ten runs on each of ten samples."""
    judged = {(row.case, row.method): row for row in draft.rows() if not row.is_default}
    assert len(judged) == len(published("draft-fig4")) == 12
    for case in ("circles", "spirals"):
        for method in ("kmeans", "kkmeans", "kgroups"):
            assert judged[case, method].verdict == "agrees", (case, method)
    # Few runs agree with much. What varies little is held more closely.
    assert draft.estimate("spirals", "kgroups").mean == pytest.approx(0.6931, abs=0.03)
    assert draft.estimate("spirals", "kmeans").mean == pytest.approx(0.5055, abs=0.01)
    assert draft.values["circles", "kgroups", "accuracy"].min() == 1
    # Few runs on cigars are all nearly right, and have no error to measure .9985 by.
    for method in ("gmm", "kkmeans", "kgroups"):
        assert draft.estimate("cigars", method).mean > 0.98
    for case in ("circles", "spirals"):
        least = draft.values[case, "kgroups", "accuracy"].min()
        for other in ("kmeans", "gmm"):
            assert least > draft.values[case, other, "accuracy"].max() + 0.05


def test_errors_of_spirals_are_those_of_ten_samples():
    """Means of k-groups over the ten runs on each sample, from the authors' results."""
    means = [0.692, 0.6773, 0.6887, 0.6963, 0.71, 0.7, 0.6943, 0.687, 0.7003, 0.6853]
    known = published("draft-fig4")["spirals", "kgroups", "accuracy"]
    assert known.value == pytest.approx(np.mean(means), abs=1e-4)
    assert known.error == pytest.approx(np.std(means, ddof=1) / 10**0.5, abs=1e-4)


@pytest.mark.parametrize(("method", "stopped"), [("kgroups", 159 / 300), ("kkmeans", 207 / 300)])
def test_errors_of_circles_are_those_of_one_run_of_a_hundred(method, stopped):
    known = published("draft-fig4")["circles", method, "accuracy"]
    runs = np.array([stopped] + 99 * [1.0])
    assert known.value == pytest.approx(runs.mean(), abs=5e-5)
    assert known.error == pytest.approx(runs.std(ddof=1) / 10, abs=5e-5)


def plain_batch(G, k, labels, n_sweeps):
    """Each point to its nearest centroid, all at once, by loops over the definition."""
    for _ in range(n_sweeps):
        members = [np.flatnonzero(labels == j) for j in range(k)]
        found = labels.copy()
        for i in range(len(G)):
            distances = [
                G[i, i] - 2 * G[i, own].mean() + G[np.ix_(own, own)].mean() if len(own) else np.inf
                for own in members
            ]
            found[i] = int(np.argmin(distances))
        if (found == labels).all():
            break
        labels = found
    return labels


@each("n_sweeps", [1, 2, 3, 10, 11])
def test_batch_kernel_k_means_against_loops(n_sweeps):
    """Also where it goes round in circles, which the sine semimetric makes it do."""
    rng = np.random.default_rng(3)
    X, _ = spirals(20, 0.15, rng)
    kernel = Kernel.of(X, SineSquared(0.9))
    for _ in range(5):
        start = rng.integers(3, size=40)
        expected = plain_batch(kernel.matrix, 3, start, n_sweeps)
        found = batch_to_the_limit(kernel, 3, [start], n_sweeps)
        assert found.tolist() == expected.tolist()


def test_batch_kernel_k_means_keeps_the_start_of_the_largest_objective():
    rng = np.random.default_rng(4)
    X, _ = spirals(150, 0.15, rng)
    kernel = Kernel.of(X, SineSquared(0.9))
    starts = [rng.integers(2, size=300) for _ in range(8)]
    each = [batch_to_the_limit(kernel, 2, [start]) for start in starts]
    values = [value(kernel, labels) for labels in each]
    assert max(values) > min(values) + 1
    best = batch_to_the_limit(kernel, 2, starts)
    assert best.tolist() == each[int(np.argmax(values))].tolist()


def test_batch_kernel_k_means_where_it_settles_is_that_of_the_library():
    """With a semimetric of negative type Q never falls, and both end at the same labels."""
    rng = np.random.default_rng(5)
    X, _ = cigars(60, rng)
    kernel = Kernel.of(X, Energy(0.5))
    starts = [rng.integers(2, size=120) for _ in range(5)]
    found = batch_to_the_limit(kernel, 2, starts)
    assert found.tolist() == kernel.k_means(2, starts, BATCH).tolist()
