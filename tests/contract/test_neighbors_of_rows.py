"""Neighbors of the rows of a table, the weights between them and their votes, by definition."""

import warnings

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import oracle
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice


def affinity_by_hand(X, q):
    """exp(−4 d²/(σσ)) between rows of which one is among the q nearest of the other, and σ."""
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :q]
    scale = np.take_along_axis(D, order, 1)[:, -1]
    near = np.zeros(D.shape, bool)
    np.put_along_axis(near, order, True, 1)
    np.fill_diagonal(D, 0)
    weights = np.exp(-4 * D**2 / np.outer(scale, scale))
    return np.where(near | near.T, np.maximum(weights, 1e-30), 0), scale


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.ComponentsNotice")
def test_neighbors_their_weights_and_votes():
    rng = np.random.default_rng(0)
    for d, q, far in ((2, 7, 1), (3, 10, 1), (12, 6, 1), (12, 6, 1e11)):
        rows = rng.normal(size=(130, d)) + 3 * np.eye(d)[rng.integers(2, size=130)]
        rows[0] *= far
        light = rows[rows[:, 0] < 1.5][:25]
        X = np.vstack([rows, rows[5:9], rows[5:7], *[light] * 6])
        X = X[rng.permutation(len(X))]
        different, first, places, counts = np.unique(
            X, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        places = places.ravel()
        W, scale = affinity_by_hand(different, q)
        model = GraphKGroups(
            2, affinity="nearest_neighbors", n_neighbors=q, objective="normalized_cut"
        ).fit(X)
        z = model.labels_
        assert (z == z[first][places]).all()
        L = oracle.long(W)
        close = {"rel": 1e-9 if far == 1 else 1e-3}
        right = float(oracle.normalized_cut(L, z[first], 2))
        assert model.objective_ == pytest.approx(right, **close), (d, far)
        np.testing.assert_allclose(
            model.cluster_weights_, oracle.volumes(L, z[first], 2).astype(float), close["rel"]
        )
        assert model.cluster_sizes_.tolist() == np.bincount(z).tolist()
        G = nx.from_numpy_array(W)
        sizes = sorted(-counts[list(part)].sum() for part in nx.connected_components(G))
        assert model.component_sizes_.tolist() == [-size for size in sizes]
        assert model.n_neighbors_ == q
        if far > 1:
            continue
        new = np.vstack([rng.normal(size=(60, d)) + 1.5 * np.eye(d)[0] + 1.5 * np.eye(d)[1], X])
        D = cdist(new, different)
        order = np.argsort(D, axis=1, kind="stable")[:, :q]
        near = np.take_along_axis(D, order, 1)
        with np.errstate(invalid="ignore"):
            votes = np.exp(-4 * near**2 / (near[:, -1:] * scale[order])) * counts[order]
        share = np.stack([(votes * (z[first][order] == c)).sum(axis=1) for c in (0, 1)])
        right = np.where(D.min(axis=1) == 0, z[first][D.argmin(axis=1)], share.argmax(axis=0))
        assert model.predict(new).tolist() == right.tolist(), d


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_of_the_fit_keep_their_labels():
    X = np.random.default_rng(0).normal(size=(120, 2))
    start = np.random.default_rng(1).integers(2, size=120)
    model = GraphKGroups(2, affinity="nearest_neighbors", init=start, max_iter=1).fit(X)
    assert model.predict(X).tolist() == model.labels_.tolist()


def test_few_rows_have_few_neighbors():
    """All that are asked for from 100 different rows on; else one for eight, at least three."""
    rng = np.random.default_rng(0)
    for n, used in ((8, 3), (40, 5), (99, 12), (100, 15), (150, 15)):
        X = rng.normal(size=(n, 2)) + 20 * (np.arange(n) % 2)[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphNotice)
            model = GraphKGroups(2, affinity="nearest_neighbors", n_neighbors=15).fit(X)
        assert model.n_neighbors_ == used, n
