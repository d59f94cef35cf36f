"""Every claim of docs/statistics.md that a number can test in seconds.

Rates over hundreds of data sets are computed by benchmarks.how_many and the checks that
``nox -s full`` runs; here the page is compared with the units of them that are kept.
"""

import inspect
import json
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from kgroups import EnergyAgglomerative, KernelKGroups, KGroups1D
from kgroups.bounds import SEMIDEFINITE_UP_TO, blockwise, semidefinite_bound, spectral_bound
from kgroups.names import QUICK_SAMPLES, THOROUGH_SAMPLES
from kgroups.select import (
    choose_n_clusters,
    cluster_significance,
    cluster_stability,
    feature_contributions,
)
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, HartiganPairs, Problem
from kgroups.stats import energy_distance, energy_test, within_dispersion
from pages import ROOT, page, prose, said, table

PAGE = page("statistics")
IRIS, WINE = load_iris().data, scale(load_wine().data)
rng = np.random.default_rng(0)
X, Y, Z = rng.normal(size=(12, 2)), rng.normal(size=(15, 2)) + 1, rng.normal(size=(9, 2))


def kept(name):
    """The units of a check that the project keeps, and of how many they are."""
    found = json.loads((ROOT / "docs" / "checks" / f"{name}.json").read_text(encoding="utf-8"))
    return list(found["units"].values()), found["units_of_all"]


# --- do samples differ -----------------------------------------------------------------------


def test_statistic_is_the_weighted_sum_over_pairs():
    pairs = [(X, Y), (X, Z), (Y, Z)]
    expected = sum(len(A) * len(B) / (len(A) + len(B)) * energy_distance(A, B) for A, B in pairs)
    test = energy_test(X, Y, Z, n_permutations=19, random_state=0)
    assert test.statistic == pytest.approx(expected)


def test_p_values_have_the_smallest_value_that_the_page_says_and_equal_samples_have_one():
    (default,) = said(PAGE, r"for the default (\d+)\.")
    assert inspect.signature(energy_test).parameters["n_permutations"].default == default
    assert energy_test(X, X + 99, n_permutations=99, random_state=0).pvalue == 1 / 100
    assert energy_test(X, X, n_permutations=99, random_state=0).pvalue == 1
    p = [energy_test(X, Y, n_permutations=99, random_state=0, n_jobs=j).pvalue for j in (1, 2)]
    assert p[0] == p[1]


def test_with_many_points_small_differences_are_found():
    A = rng.normal(size=20_000)
    B = rng.normal(size=20_000) + 0.05
    test = energy_test(A[:, None], B[:, None], n_permutations=49, random_state=0)
    assert test.pvalue <= 0.02
    assert test.coefficient < 0.01


# --- how many clusters -----------------------------------------------------------------------


def test_votes_on_wine():
    """With fewer numbers than the page tries, which change no vote."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith("# Standardized wine: "))
    number, votes = line.removeprefix("# Standardized wine: ").split(", ", 1)
    count = choose_n_clusters(WINE, k_max=4, random_state=0)
    assert (str(count.n_clusters), str(count.votes)) == (number, votes)
    voters = [row[0] for row in table(PAGE, "| criterion | question")]
    assert list(count.votes) == voters
    shown = [c.name for c in count.criteria if not c.knows_one]
    assert f"{shown[0].capitalize()} and {shown[1]} are computed and drawn too" in PAGE


def test_numbers_of_rows_that_are_used():
    quick, thorough = said(PAGE, r"more than ([\d,]+) rows are sampled .*? up to ([\d,]+) rows")
    assert (quick, thorough) == (QUICK_SAMPLES, THOROUGH_SAMPLES)
    assert inspect.signature(choose_n_clusters).parameters["max_samples"].default == quick


def test_rates_of_the_page_agree_with_the_units_that_are_kept():
    right = {row[0]: int(row[1].split()[0]) for row in table(PAGE, "| | correct of 30 |")}
    units, of_all = kept("cluster-counts")
    assert sum(not unit["right"] for unit in units) <= of_all - (
        right["the median of the three"] - 3
    )
    (alone,) = said(PAGE, r"it answers 1 in (\d+) cases")
    nulls, of_all = kept("cluster-counts-of-nothing")
    assert sum(unit["chosen"] != 1 for unit in nulls) <= of_all - alone


# --- are they real ---------------------------------------------------------------------------


def test_the_isolated_species_of_iris():
    found = cluster_significance(
        IRIS, KernelKGroups(3, random_state=0).fit(IRIS).labels_, random_state=0
    )
    assert found.any_separated()
    assert f"# iris: {found.separated()}, the isolated species" in PAGE
    by_species = cluster_significance(IRIS, load_iris().target, random_state=0).separated()
    assert by_species == {0: True, 1: False, 2: False}


def test_a_naive_test_always_rejects_and_ours_seldom():
    data_sets, ours, naive = said(
        PAGE,
        r"On (\d+) data sets without clusters \(Gaus.*? separated pair in (\d+ %) "
        r".*? all pairs in (\d+ %)",
    )
    units, of_all = kept("false-clusters")
    assert of_all == data_sets
    assert np.mean([unit["any pair apart"] for unit in units]) == ours
    assert np.mean([unit["naive test"] for unit in units]) == naive


def test_a_stable_cluster_need_not_be_real():
    (least,) = said(PAGE, r"the thirds of a Gaussian on a line reach ([\d.]+) and more")
    means = []
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(600, 1))
        labels = KGroups1D(3).fit(x).labels_
        means.append(cluster_stability(x, labels, n_resamples=8, random_state=0).jaccard.mean())
    assert np.mean(means) >= least


def test_a_column_of_noise_has_a_negative_share_except_where_columns_are_added_up():
    labels = np.repeat([0, 1], 30)
    table_of = np.column_stack([rng.normal(size=60) + 6 * labels, rng.normal(size=60)])
    assert feature_contributions(table_of, labels).shares[1] < 0
    codes = np.column_stack([labels, rng.integers(4, size=60)])
    for data, metric in ((table_of, "manhattan"), (table_of, Energy(2)), (codes, "hamming")):
        assert feature_contributions(data, labels, metric=metric).shares.min() >= 0


# --- how good --------------------------------------------------------------------------------


def test_spectral_bound_is_the_trace_without_the_largest_eigenvalues():
    K = -Energy().pairwise(X) / 2
    center = np.eye(12) - 1 / 12
    values = np.linalg.eigvalsh(center @ K @ center)
    for k in (1, 2, 4):
        bound = values.sum() - values[len(values) - (k - 1) :].sum()
        assert spectral_bound(X, k) == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize(("name", "k"), [("iris", 4), ("wine", 2)])
def test_the_semidefinite_bound_proves_iris_and_wine(name, k):
    """tests/bounds proves iris for 2 and 3; wine is not standardized here."""
    assert "optimal on iris and on wine (not standardized) for k = 2, 3 and 4" in prose(PAGE)
    data = {"iris": IRIS, "wine": load_wine().data}[name]
    found = KernelKGroups(k, random_state=0).fit(data).optimality_gap()
    assert found.kind == "semidefinite"
    assert found.proves_optimal


def test_sizes_of_bounds():
    default, largest = said(PAGE, r"uses it up to (\d+) points.*? it runs up to ([\d,]+) points")
    assert default == SEMIDEFINITE_UP_TO
    many = rng.normal(size=(int(largest) + 1, 1))
    with pytest.raises(ValueError, match=r"1,?000"):
        semidefinite_bound(many, 2)
    (above,) = said(PAGE, r"\*\*Blockwise\*\*, above ([\d,]+) points")
    of_root, of_k = said(PAGE, r"Blocks have √\((\d+)n\) points, but at least (\d+)k")
    module = inspect.getmodule(blockwise)
    assert above == module._EXACT_UP_TO
    assert module._block_size(50_000, 2) == int((of_root * 50_000) ** 0.5)
    assert module._block_size(50_000, 900) == of_k * 900


def test_gaps_of_blocks_and_of_the_whole():
    """The three data sets of the table, in the order of benchmarks.bounds."""
    from benchmarks.datasets import grid_datasets

    data = grid_datasets(5_000, 0)
    names = ("separated blobs D=16", "overlapping blobs D=16", "noise D=16")
    rows = table(PAGE, "| data | gap, blockwise |")
    for name, (_, blocks, whole) in zip(names, rows, strict=False):
        model = KernelKGroups(10, random_state=0).fit(data[name])
        gap = model.optimality_gap()
        assert gap.kind == "blockwise"
        assert 100 * gap.gap == pytest.approx(float(blocks.rstrip(" %")), abs=1.5)
        exact = model.optimality_gap(kind="spectral")
        assert 100 * exact.gap == pytest.approx(float(whole.rstrip(" %")), abs=1.0)


# --- on a line, a hierarchy, pairs -----------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0])
def test_no_partition_of_a_line_is_tighter(alpha):
    x = rng.normal(size=6)
    w = rng.uniform(0.2, 3, size=6)
    model = KGroups1D(3, alpha=alpha).fit(x, sample_weight=w)
    assert model.exactness_ == "optimal"
    best = min(
        within_dispersion(x[:, None], np.array(labels), metric=Energy(alpha), sample_weight=w)
        for labels in product([0], *[range(3)] * 5)
        if len(set(labels)) == 3
    )
    assert model.within_dispersion_ == pytest.approx(best)


def test_below_one_the_best_clusters_need_not_be_intervals():
    m, limit = said(PAGE, r"for example for m = (\d+) and α < ([\d.]+)\.")
    assert 1 + np.log2(m / (m + 1)) == pytest.approx(limit, abs=5e-4)
    x, w = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, m, 1.0])
    for alpha, is_better in ((limit - 0.01, True), (limit + 0.01, False)):
        outer, interval = (
            within_dispersion(x, labels, metric=Energy(alpha), sample_weight=w)
            for labels in ([0, 1, 0], [0, 1, 1])
        )
        assert (outer < interval) == is_better
    assert KGroups1D(2, alpha=0.5).fit(x[:, 0], sample_weight=w).exactness_ != "optimal"


def test_a_tree_has_other_numbers_without_a_new_fit():
    tree = EnergyAgglomerative(n_clusters=3).fit(X)
    for k in (2, 5):
        np.testing.assert_array_equal(
            tree.labels_at(k), EnergyAgglomerative(n_clusters=k).fit(X).labels_
        )


def test_pairs_improve_what_no_single_move_does():
    """Up to four of five single random starts with small clusters."""
    from kgroups.gram import DenseGram

    improved = []
    for seed in range(20):
        draw = np.random.default_rng(seed)
        gram = DenseGram.from_distances(Energy().pairwise(draw.normal(size=(30, 2))))
        problem = Problem(gram, np.ones(30), 10)
        one = Hartigan().solve(problem, draw.permutation(np.arange(30) % 10))
        two = HartiganPairs().improve(problem, one)[0]
        assert two.objective >= one.objective
        improved.append(two.objective > one.objective * (1 + 1e-9))
    assert 0.4 < np.mean(improved) <= 1
