"""How clearly rows belong to their clusters."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import GraphKGroups, KernelKGroups
from kgroups.pages import nearness
from kgroups.pages.nearness import Nearness
from kgroups.semimetrics import Energy


def line():
    """Two groups on a line, a row halfway between them, and one far out."""
    values = [*np.linspace(0, 3, 31), 5.0, *np.linspace(7, 10, 31), 40.0]
    return np.array(values)[:, None]


def fitted(X, k=2, **options):
    model = KernelKGroups(k, random_state=0, **options).fit(X)
    return model, Nearness.of(model, X, 0)


def test_distances_and_probabilities_are_those_of_the_model():
    X = line()
    model, found = fitted(X)
    places = np.arange(len(X))
    own = model.transform(X)[places, model.labels_] ** 2
    np.testing.assert_allclose(found.own_squared, own)
    np.testing.assert_allclose(found.own, model.predict_proba(X)[places, model.labels_])
    assert found.other.tolist() == (1 - model.labels_).tolist()
    assert not found.is_sample


def test_the_row_between_is_the_least_certain_and_the_far_one_the_most_unusual():
    _, found = fitted(line())
    assert found.own.argmin() == 31
    assert found.most_unusual(1).tolist() == [63]
    scores = found.scores
    assert scores[63] > 10
    for cluster in (0, 1):
        assert np.median(scores[found.labels == cluster]) == pytest.approx(1.0)


def test_uncertain_rows_are_those_of_the_model():
    X = np.random.default_rng(0).normal(size=(200, 2))
    model, found = fitted(X)
    expected = model.uncertain_rows()
    assert found.n_uncertain == len(expected) > 0
    assert found.rows[found.least_certain(5)].tolist() == expected[:5].tolist()


def test_the_nearest_rows_are_the_exemplars_of_the_model():
    X = np.random.default_rng(0).normal(size=(90, 2)) + 9 * np.repeat([[0], [1], [2]], 30, axis=0)
    model, found = fitted(X, 3)
    for cluster, rows in enumerate(model.exemplars(3)):
        assert found.nearest(cluster, 3).tolist() == rows.tolist()


def test_similarities_have_probabilities_and_no_distances():
    X = line()
    model, found = fitted(X @ X.T, metric="precomputed_kernel")
    assert found.own_squared is None
    assert found.scores is None
    assert found.most_unusual(3).tolist() == []
    assert found.own.shape == model.labels_.shape
    assert len(found.nearest(0, 2)) == 2


def test_many_clusters_have_distances_and_no_probabilities(monkeypatch):
    monkeypatch.setattr(nearness, "MAX_FOUND_AGAIN", 2)
    X = line()
    model, found = fitted(X, 3)
    assert found.own is None
    assert found.n_uncertain == 0
    assert found.least_certain(3).tolist() == []
    squared = model.transform(X) ** 2
    squared[np.arange(len(X)), model.labels_] = np.inf
    assert found.other.tolist() == squared.argmin(axis=1).tolist()
    assert fitted(X @ X.T, 3, metric="precomputed_kernel")[1] is None


def test_one_cluster_has_nothing_to_be_near_to():
    assert fitted(line(), 1)[1] is None


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(nearness, "MAX_ROWS", 20)
    monkeypatch.setattr(nearness, "MAX_OTHERS", 10)
    X = line()
    found = fitted(X)[1]
    assert len(found.rows) == 20
    assert found.is_sample
    assert found.n_given == len(X)
    distances = Energy().pairwise(X)
    assert len(fitted(distances, metric="precomputed")[1].rows) == 10
    monkeypatch.setattr(nearness, "_MOST_PAIRS", 15 * len(X))
    assert len(fitted(X)[1].rows) == 15


def test_typical_rows_have_weight_and_differ():
    X = line()
    usual = KernelKGroups(2, random_state=0).fit(X)
    medoid = usual.medoid_indices_[0]
    Y, weights = np.concatenate([X[[medoid, medoid]], X]), np.r_[0.0, np.ones(len(X) + 1)]
    model = KernelKGroups(2, random_state=0).fit(Y, sample_weight=weights)
    found = Nearness.of(model, Y, 0)
    for cluster, rows in enumerate(model.exemplars(3)):
        assert found.nearest(cluster, 3).tolist() == rows.tolist()


def test_a_row_next_to_many_equal_ones_is_unusual():
    Y = np.r_[np.zeros(30), [-3.0, 3.0], np.linspace(49, 51, 15)][:, None]
    model, found = fitted(Y, metric=Energy(2.0))
    assert found.scores[28:32].tolist() == model.outlier_scores_[28:32].tolist()
    assert set(found.most_unusual(2).tolist()) == {30, 31}


def test_rows_that_are_nearer_to_another_center_are_counted():
    _, found = fitted(line())
    assert found.n_elsewhere == 0
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    model = KernelKGroups(4, metric="precomputed_kernel", random_state=0).fit(A + A.T)
    found = Nearness.of(model, A + A.T, 0)
    assert found.n_elsewhere == (model.predict(A + A.T) != model.labels_).sum() > 0


@each("form", ["table", "sample", "distances", "kernel", "neighbors"])
def test_other_rows_than_those_of_the_fit_are_refused(form):
    rng = np.random.default_rng(0)
    X, other = (np.concatenate([rng.normal(c, 1, (30, 2)) for c in (0, 9, 18)]) for _ in range(2))
    read = {
        "distances": lambda X: cdist(X, X),
        "kernel": lambda X: np.exp(-cdist(X, X)),
    }.get(form, np.array)
    options = {
        "sample": {"method": "nystroem"},
        "distances": {"metric": "precomputed"},
        "kernel": {"metric": "precomputed_kernel"},
    }
    model = (
        GraphKGroups(3, affinity="nearest_neighbors", random_state=0)
        if form == "neighbors"
        else KernelKGroups(3, random_state=0, **options.get(form, {}))
    ).fit(read(X))
    in_cluster = np.r_[rng.permutation(30), 30:90]
    for rows in (rng.permutation(X), X[in_cluster], other):
        with pytest.raises(ValueError, match="hold the rows of the fit in their order"):
            model.report(read(rows))
