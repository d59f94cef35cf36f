"""Numbers that R, SciPy and the papers published."""

import json

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import each, reference_folder, slow
from kgroups import BetheHessianClustering, EnergyAgglomerative, GraphKGroups, KernelKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import stochastic_block_model
from kgroups.metrics import clustering_accuracy, overlap, same_partition
from kgroups.semimetrics import Energy
from kgroups.stats import between_statistic, disco, energy_distance, energy_test, within_dispersion
from papers.data import DataFolders

pytestmark = [
    pytest.mark.reference,
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


@each("k", range(2, 7))
def test_iris_reaches_the_dispersion_of_r_energy(k):
    """R energy 1.7-11, the best of 200 starts of kgroups; its rule is Lloyd's, ours may win."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, best = np.array(reference["iris"]["X"]), reference[f"kgroups_best_k{k}"]
    model = KernelKGroups(k, random_state=0).fit(X)
    if k < 6:
        assert model.within_dispersion_ == pytest.approx(best["W"], rel=1e-9)
        assert sorted(np.bincount(model.labels_)) == best["sizes"]
    else:
        # 200 starts of R end at 49.666; one Hartigan start in nine ends at 48.141.
        assert model.within_dispersion_ == pytest.approx(48.14141085712696, rel=1e-9)
        assert model.within_dispersion_ < best["W"]


def dermatology():
    """Mean-imputed age, z-scores with ddof 0."""
    path = reference_folder("data", "uci", "dermatology.csv")
    raw = np.genfromtxt(path, delimiter=",", skip_header=1)
    X, y = raw[:, :-1], raw[:, -1].astype(int)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_dermatology_with_default_settings():
    """[FRV Table II]: the best known optimum for at least 29 of the random states 0..29."""
    X, y = dermatology()
    found = 0
    for seed in range(30):
        m = KernelKGroups(6, metric=Energy(0.5), random_state=seed).fit(X)
        found += abs(m.within_dispersion_ - 414.60401) < 1e-4
    assert found >= 29
    m = KernelKGroups(6, metric=Energy(0.5), random_state=0).fit(X)
    assert clustering_accuracy(y, m.labels_) == pytest.approx(0.9617, abs=5e-5)
    assert adjusted_rand_score(y, m.labels_) == pytest.approx(0.9356, abs=5e-5)
    nmi = normalized_mutual_info_score(y, m.labels_, average_method="geometric")
    assert nmi == pytest.approx(0.9321, abs=5e-5)
    assert len(set(m.labels_)) == 6


def test_dermatology_objective_with_the_origin_at_zero():
    """Q depends on x0: 449.8813 for x0 = 0, which is the published convention."""
    X, _ = dermatology()
    rho = Energy(0.5).pairwise(X)
    to_zero = Energy(0.5).pairwise(X, np.zeros((1, X.shape[1])))[:, 0]
    K = 0.5 * (to_zero[:, None] + to_zero - rho)
    m = KernelKGroups(6, metric="precomputed_kernel", random_state=0).fit(K)
    assert m.objective_ == pytest.approx(449.8813, abs=5e-5)
    assert m.within_dispersion_ == pytest.approx(414.60401, abs=1e-4)


@each(("alpha", "statistic"), [("0.5", 0.5), ("1", 1.0), ("1.5", 1.5)], ids=["0.5", "1", "1.5"])
def test_dispersions_of_the_species_equal_disco(alpha, statistic):
    """R energy's disco decomposes the same sums: its within and between of the three species."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, y = np.array(reference["iris"]["X"]), np.array(reference["iris"]["label"])
    disco = reference[f"alpha_{alpha}"]["disco"]
    from kgroups.gram import DenseGram
    from kgroups.solvers import objective as spec

    gram = DenseGram.from_points(X, Energy(statistic))
    W = -spec.objective(gram.to_dense(), y, np.ones(150), 3)
    total = -spec.objective(gram.to_dense(), np.zeros(150, int), np.ones(150), 1)
    assert pytest.approx(disco["within"], rel=1e-9) == W
    assert total == pytest.approx(disco["total"], rel=1e-9)
    assert total - W == pytest.approx(disco["between"], rel=1e-9)


@slow
@each(("snr", "least"), [(1.25, 0.58), (1.5, 0.80), (1.71, 0.92)])
def test_default_is_above_both_published_curves(snr, least):
    """k=15, where k-groups has .555, .770, .894 and Bethe .518, .693, .781."""
    values = []
    for seed in range(10):
        A, truth = stochastic_block_model(1000, 15, 3, snr, loops=True, random_state=seed)
        values.append(overlap(truth, GraphKGroups(15, random_state=seed).fit(A).labels_))
    assert np.mean(values) >= least - 2 * np.std(values, ddof=1) / 10**0.5


def graph(name):
    return DataFolders.find(reference_folder("data")).graph(name)


def from_the_published_start(A, k, normalize_rows):
    """With 𝒲 = I, which is what Table IV took."""
    bethe = BetheHessianClustering(k, normalize_rows=normalize_rows, random_state=0).fit(A).labels_
    return GraphKGroups(k, weights="unit", init=bethe).fit(A).labels_


@each("name", ["karate", "dolphins", "football", "polbooks"])
def test_default_is_not_worse_than_either_convention_of_rows(name):
    network = graph(name)
    A, k = network.adjacency(), len(network.classes)
    best = max(overlap(network.y, from_the_published_start(A, k, unit)) for unit in (False, True))
    assert overlap(network.y, GraphKGroups(k, random_state=0).fit(A).labels_) >= best - 1e-12


def test_isolated_bloggers_are_nodes_too():
    """1,490 blogs, 266 of them alone; the two sides of the others, whose degrees differ widely."""
    network = graph("polblogs")
    A, truth = network.adjacency(), network.y
    with pytest.warns(GraphNotice, match="266 isolated nodes"):
        labels = GraphKGroups(2, objective="modularity", random_state=0).fit(A).labels_
    linked = np.diff(A.indptr) > 0
    assert (len(labels), int((~linked).sum())) == (1490, 266)
    assert clustering_accuracy(truth[linked], labels[linked]) > 0.9


@each("alpha", ["0.5", "1", "1.5"])
def test_iris_as_r_energy_hclust(alpha):
    """R energy 1.7-11; iris has ties and two equal rows, and the cuts agree nonetheless."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, tree = np.array(reference["iris"]["X"]), reference[f"alpha_{alpha}"]["hclust_alpha"]
    model = EnergyAgglomerative(3, alpha=float(alpha)).fit(X)
    np.testing.assert_allclose(model.distances_, tree["height"], rtol=1e-9)
    assert same_partition(model.labels_, tree["cut3"])
    assert same_partition(model.labels_at(6), tree["cut6"])


@each("alpha", ["0.5", "1", "1.5"])
def test_all_heights_add_up_to_the_total_dispersion_of_disco(alpha):
    """Each merge raises W by half its height, from 0 to R's total."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, disco = np.array(reference["iris"]["X"]), reference[f"alpha_{alpha}"]["disco"]
    model = EnergyAgglomerative(3, alpha=float(alpha)).fit(X)
    assert model.distances_.sum() / 2 == pytest.approx(disco["total"], rel=1e-9)
    total = model.within_dispersion_ + model.between_statistic_
    assert total == pytest.approx(disco["total"], rel=1e-9)


@pytest.fixture(scope="module")
def reference():
    return json.loads(reference_folder("reference", "r_energy.json").read_text())


@pytest.fixture(scope="module")
def iris(reference):
    return np.array(reference["iris"]["X"]), np.array(reference["iris"]["label"])


@each("alpha", ["0.5", "1", "1.5"])
def test_edist_and_disco(reference, iris, alpha):
    X, labels = iris
    expected, metric = reference[f"alpha_{alpha}"], Energy(float(alpha))
    test = energy_test(X, labels=labels, metric=metric, n_permutations=199, random_state=0)
    np.testing.assert_allclose(test.energy, expected["edist_cluster_method"], rtol=1e-9)
    found = disco(X, labels, metric=metric, n_permutations=199, random_state=0)
    for name in ("statistic", "within", "between", "total"):
        assert getattr(found, name) == pytest.approx(expected["disco"][name], rel=1e-9)
    assert (found.df_between, found.df_within) == (2, 147)
    assert found.pvalue == expected["disco"]["p.value"]
    W = within_dispersion(X, labels, metric=metric)
    assert pytest.approx(expected["disco"]["within"], rel=1e-9) == W
    S = between_statistic(X, labels, metric=metric)
    assert pytest.approx(expected["disco"]["between"], rel=1e-9) == S


def test_eqdist_etest(reference, iris):
    X, labels = iris
    found = energy_test(X, labels=labels, n_permutations=199, random_state=0)
    expected = reference["alpha_1"]["eqdist_etest"]
    assert found.statistic == pytest.approx(expected["statistic"], rel=1e-9)
    assert found.pvalue == expected["p.value"]


def test_edist_of_a_univariate_pair(reference):
    x, y = reference["uni"]["x"], reference["uni"]["y"]
    found = energy_distance(x, y) * len(x) * len(y) / (len(x) + len(y))
    assert found == pytest.approx(reference["uni"]["edist"], rel=1e-9)
