"""Every claim of docs/metrics.md that a number can test."""

import re

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist, jensenshannon
from scipy.stats import kendalltau
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from benchmarks.which_metric import CONTESTS
from kgroups import GraphKGroups, KernelKGroups, semimetrics
from kgroups.exceptions import TheoryWarning
from kgroups.names import MATRICES, OBJECT_METRICS, SEMIMETRICS
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    GreatCircle,
    Hamming,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
    Laplacian,
    Manhattan,
    by_name,
    negative_type_violation,
)
from kgroups.stats import energy_distance
from pages import ROOT, blocks, page, said, table

# Where the neighbors alone make the clusters, a notice says that the graph is in two pieces.
pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")

METRICS = page("metrics")
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(20, 3)), rng.normal(size=(15, 3))


def metric_of(cell):
    """The metrics that a cell of the table names in backticks."""
    cell = cell.replace(
        "[(Energy(), […]), (Hamming(), […])]", "[(Energy(), [0]), (Hamming(), [1])]"
    )
    return [eval(code, vars(semimetrics)) for code in cell.split("`")[1::2]]  # noqa: S307


def test_the_table_names_metrics_that_exist_and_all_of_them():
    named = [
        m for row in table(METRICS, "| metric | what it compares |") for m in metric_of(row[0])
    ]
    words = {m for m in named if isinstance(m, str)}
    assert words <= {*SEMIMETRICS, *OBJECT_METRICS, *MATRICES}
    built_in = {type(by_name(name)) for name in SEMIMETRICS}
    missing = built_in - {type(m) for m in named} - {type(by_name(m)) for m in words - {*MATRICES}}
    assert {cls.__name__ for cls in missing} == {"DampedSquared", "SineSquared"}  # named below it


def test_the_default_is_the_euclidean_distance():
    assert KernelKGroups().metric == "energy"
    np.testing.assert_allclose(by_name("energy").pairwise(X, Y), cdist(X, Y))


def test_energy_compares_distributions_and_squared_distances_only_means():
    wide = np.array([[-3.0], [3.0]])
    narrow = np.array([[-1.0], [1.0]])
    assert energy_distance(wide, narrow, metric=Energy(2)) == pytest.approx(0, abs=1e-12)
    # 2 E|X − Y| − E|X − X'| − E|Y − Y'| = 2 · 3 − 3 − 1
    assert energy_distance(wide, narrow) == pytest.approx(2)


def test_large_distances_count_less_with_one_half():
    ratio = [Energy(a).pairwise(np.array([[0.0], [1], [100]]))[0, 1:] for a in (1, 0.5)]
    assert [far / near for near, far in ratio] == pytest.approx([100, 10])


@pytest.mark.parametrize("semimetric", [Gaussian(0.2), Laplacian(0.2)])
def test_beyond_a_few_length_scales_all_points_are_equally_far(semimetric):
    rho = semimetric.pairwise(np.array([[0.0], [0.1], [3.0], [30.0]]))[0]
    assert rho[3] == pytest.approx(rho[2], rel=1e-3)
    assert rho[1] < 0.7 * rho[2]


def test_columns_of_manhattan_and_shares_of_hamming():
    apart = np.abs(X[:, None] - Y).sum(axis=2)
    np.testing.assert_allclose(Manhattan().pairwise(X, Y), apart)
    codes = np.array([[0, 1, 2, 3], [0, 1, 5, 6]])
    assert Hamming().pairwise(codes)[0, 1] == 0.5


def test_jaccard_ignores_what_neither_has():
    sets = np.array([[1, 1, 0, 0], [1, 0, 1, 0]])
    more = np.hstack([sets, np.zeros((2, 9), int)])
    assert Jaccard().pairwise(sets)[0, 1] == Jaccard().pairwise(more)[0, 1] == pytest.approx(2 / 3)


@pytest.mark.parametrize("semimetric", [Hellinger(), JensenShannon()])
def test_histograms_are_compared_by_their_proportions(semimetric):
    P = np.array([[1.0, 2, 3], [10, 20, 30], [2, 2, 2]])
    rho = semimetric.pairwise(P)
    assert rho[0, 1] == pytest.approx(0, abs=1e-12)
    assert rho[0, 2] == pytest.approx(rho[1, 2])


def test_jensen_shannon_is_in_nats():
    P = np.array([[1.0, 2, 3], [4, 1, 1]])
    assert JensenShannon().pairwise(P)[0, 1] == pytest.approx(jensenshannon(*P) ** 2)
    assert JensenShannon().pairwise(np.eye(2))[0, 1] == pytest.approx(np.log(2))


def test_places_are_in_degrees_and_kilometers():
    """From the equator to the pole it is a quarter of the circumference."""
    (radius,) = said(METRICS, r"`GreatCircle\(([\d.]+)\)` \| .*? here in kilometers")
    rho = GreatCircle(radius).pairwise(np.array([[0.0, 0.0], [90.0, 0.0]]))
    assert rho[0, 1] == pytest.approx(np.pi / 2 * radius)
    assert rho[0, 1] == pytest.approx(10_002, rel=1e-3)  # the definition of the meter, nearly


def test_rankings_are_compared_by_pairs_of_items():
    ranks = np.array([rng.permutation(6) for _ in range(5)])
    for i, row in enumerate(KendallTau().pairwise(ranks)):
        share = [(1 - kendalltau(ranks[i], other).statistic) / 2 for other in ranks]
        np.testing.assert_allclose(row, share, atol=1e-12)


def test_a_function_is_called_once_for_each_pair():
    calls = []

    def apart(a, b):
        calls.append((a, b))
        return abs(len(a) - len(b))

    words = ["a" * i for i in range(1, 21)]
    KernelKGroups(3, metric=apart, random_state=0).fit(words)
    assert "n(n − 1)/2 + n + 8 times with checks" in METRICS
    assert len(calls) == 20 * 19 // 2 + 20 + 8
    assert len({tuple(sorted(pair)) for pair in calls}) == 20 * 19 // 2 + 20


def test_a_third_entry_weighs_a_group_of_columns():
    codes = np.column_stack([X[:, 0], np.arange(20) % 3])
    parts = [(Energy(), [0]), (Hamming(), [1], 2.0)]
    expected = Energy().pairwise(X[:, :1]) + 2 * Hamming().pairwise(codes[:, 1:])
    np.testing.assert_allclose(ColumnSum(parts).pairwise(codes), expected)


def test_a_column_that_has_nearly_all_variance_is_noted(tmp_path, capsys):
    from kgroups.cli import main

    (share,) = said(METRICS, r"when one column has more than ([\d.]+ %) of the variance")
    unit = np.array([1.0, -1, 1, -1, 1, -1])
    for above in (True, False):
        part = share + (0.01 if above else -0.01)
        rows = np.column_stack([unit * part**0.5, np.roll(unit, 1) * (1 - part) ** 0.5])
        rows += 1e-9 * np.arange(12).reshape(6, 2)
        np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header="a,b", comments="")
        assert main(["cluster", str(tmp_path / "d.csv"), "-k", "2", "--n-init", "1"]) == 0
        assert ("decides nearly all" in "".join(capsys.readouterr())) == above


def test_two_metrics_are_not_of_negative_type_and_warn():
    named = ("DampedSquared", "SineSquared")
    assert f"Two built-in metrics are not of negative type in general, `{named[0]}()` and" in (
        METRICS.replace("\n", " ")
    )
    for name in SEMIMETRICS:
        semimetric = by_name(name)
        assert semimetric.is_negative_type == (type(semimetric).__name__ not in named)
    for name in named:
        with pytest.warns(TheoryWarning):
            KernelKGroups(2, metric=getattr(semimetrics, name)(), random_state=0).fit(X)


def test_the_violation_is_zero_up_to_rounding_of_negative_type_only():
    assert negative_type_violation(Energy().pairwise(X)) < 1e-12
    assert negative_type_violation(Energy(2).pairwise(X) ** 2) > 1e-3


def test_any_symmetric_matrix_is_clustered_until_no_move_helps():
    A = rng.normal(size=(15, 15))
    model = KernelKGroups(3, metric="precomputed_kernel", random_state=0).fit(A + A.T)
    assert model.exactness_ == "one-move optimal"
    best = within_clusters(A + A.T, model.labels_)
    for i in range(15):
        for k in range(3):
            moved = model.labels_.copy()
            moved[i] = k
            assert within_clusters(A + A.T, moved) <= best + 1e-9


def within_clusters(G, labels):
    """Q, or −∞ with fewer than three clusters."""
    parts = [G[np.ix_(labels == k, labels == k)] for k in range(3)]
    return sum(part.sum() / len(part) if len(part) else -np.inf for part in parts)


# --- curved clusters -------------------------------------------------------------------------

CURVED = {
    "moons": make_moons(300, noise=0.06, random_state=0),
    "circles": make_circles(300, noise=0.06, factor=0.5, random_state=0),
}


def neighbors_cut(X):
    """Labels by the code of the page."""
    (code,) = (code for code in blocks(METRICS, "python") if "nearest_neighbors" in code)
    session = {"X": X, "X_new": X}
    exec(code, session)  # noqa: S102
    return session["model"].labels_


def test_the_page_speaks_of_these_data():
    assert "`make_moons(300, noise=0.06)`" in METRICS
    assert "`make_circles(300, noise=0.06, factor=0.5)`" in METRICS


@pytest.mark.parametrize("name", CURVED)
def test_curved_clusters_are_found_by_their_neighbors(name):
    data, truth = CURVED[name]
    (agreement,) = said(METRICS, r"the agreement is then (\d+) on both")
    assert adjusted_rand_score(truth, neighbors_cut(data)) == agreement


@pytest.mark.parametrize("seed", range(1, 4))
def test_curved_clusters_are_found_whatever_the_draw(seed):
    for data, truth in (
        make_moons(300, noise=0.06, random_state=seed),
        make_circles(300, noise=0.06, factor=0.5, random_state=seed),
    ):
        assert adjusted_rand_score(truth, neighbors_cut(data)) == 1


@pytest.mark.parametrize("semimetric", [Gaussian("median"), Laplacian("median")])
@pytest.mark.parametrize(("name", "least"), [("moons", 0.25), ("circles", -0.01)])
def test_kernels_of_the_median_do_not_find_curved_clusters(semimetric, name, least):
    below, none = said(METRICS, r"is below ([\d.]+) on scikit-learn's .*? and (\d+) on")
    data, truth = CURVED[name]
    labels = KernelKGroups(2, metric=semimetric, random_state=0).fit(data).labels_
    assert least < adjusted_rand_score(truth, labels) < (below if name == "moons" else none + 0.01)


def test_noise_between_the_clusters_joins_them():
    (noise,) = said(METRICS, r"moons with noise ([\d.]+), circles with factor")
    found = [
        neighbors_cut(make_moons(300, noise=noise, random_state=seed)[0]).max() + 1
        for seed in range(4)
    ]
    assert found.count(1) >= 3


def test_too_few_neighbors_make_pieces_and_too_many_join_the_clusters():
    data, truth = CURVED["moons"]
    pieces, found = [], []
    for neighbors in (2, 10, 150):
        A = kneighbors_graph(data, neighbors)
        A = A.maximum(A.T)
        pieces.append(connected_components(A)[0])
        if pieces[-1] <= 2:
            cut = GraphKGroups(2, objective="normalized_cut", random_state=0).fit(A)
            found.append(adjusted_rand_score(truth, cut.labels_))
    assert pieces[0] > 10
    assert pieces[2] == 1
    assert found[0] == 1 > 0.5 > found[1]


# --- the tree --------------------------------------------------------------------------------

ROWS = ("embeddings", "sparse-text", "mixed-tables", "gaps", "series", "strings-and-objects")
TREE = METRICS.partition("## What is one row?")[2].partition("![Nine")[0]


@pytest.mark.parametrize("name", [*ROWS, "distributions"])
def test_the_tree_and_the_readme_link_the_pages_by_what_a_user_says(name):
    sentence = page(name).partition("\n")[0].removeprefix("# ")
    assert f"[{sentence}]({name}.md)" in TREE
    assert f"](docs/{name}.md)" in page("README")


def test_the_tree_names_what_can_be_written():
    known = {*SEMIMETRICS, *OBJECT_METRICS, *MATRICES}
    named = re.findall(r'`"(\w+)"`', TREE)
    assert set(named) <= known
    assert set(SEMIMETRICS) - set(named) == {
        "laplacian", "gaussian", "angular", "damped_squared", "sine_squared",
    }  # fmt: skip


def test_the_picture_is_there_and_fits_its_words():
    assert METRICS.count("](which-metric.png)") == 1
    assert "Nine data sets" in METRICS
    assert len(CONTESTS) == 9
    assert (ROOT / "docs" / "which-metric.png").read_bytes().startswith(b"\x89PNG")
