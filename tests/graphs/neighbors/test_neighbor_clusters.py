"""GraphKGroups on tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import each
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.report import CurvedReport

X, TRUTH = make_moons(300, noise=0.06, random_state=0)


def model(*args, **kwargs):
    return GraphKGroups(*args, affinity="nearest_neighbors", random_state=0, **kwargs)


def test_a_given_number_agrees_with_spectral_clustering():
    Y, truth = make_moons(400, noise=0.08, random_state=1)
    theirs = SpectralClustering(2, affinity="nearest_neighbors", random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # theirs, of components
        expected = theirs.fit_predict(Y)
    ours = model(2).fit_predict(Y)
    assert adjusted_rand_score(expected, ours) >= 0.95
    assert adjusted_rand_score(truth, ours) >= adjusted_rand_score(truth, expected) - 0.02


@pytest.mark.parametrize("columns", [2, 12])
def test_new_rows_so_far_that_squares_overflow(columns):
    fitted = model().fit(np.pad(X, ((0, 0), (0, columns - 2))))
    far = np.zeros((3, columns))
    far[:, 0] = [1e160, -1e300, 1e308]
    assert set(fitted.predict(far)) <= {0, 1}
    assert (fitted.predict(far[[0, 2]]) == fitted.predict(far[[0, 0]])).all()


def test_frames_pipelines_clones_and_threads():
    frame = pd.DataFrame(X, columns=["a", "b"])
    fitted = model(n_jobs=1).fit(frame)
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert (clone(fitted).set_params(n_jobs=2).fit(frame).labels_ == fitted.labels_).all()
    pipe = make_pipeline(StandardScaler(), model()).fit(X * [1, 1000])
    assert adjusted_rand_score(TRUTH, pipe.predict(X * [1, 1000])) == 1
    assert not fitted.__sklearn_tags__().input_tags.pairwise
    assert GraphKGroups().__sklearn_tags__().input_tags.pairwise


def test_equal_rows_are_noted_and_together():
    twice = np.vstack([X, X[:50]])
    with pytest.warns(GraphNotice, match="50 rows of 350 equal an earlier one"):
        fitted = model().fit(twice)
    assert fitted.n_clusters_ == 2
    assert (fitted.labels_[300:] == fitted.labels_[:50]).all()
    with pytest.warns(GraphNotice, match="equal"):
        kept = model(init=fitted.labels_).fit(twice)
    assert (kept.labels_ == fitted.labels_).all()


@each("size", [2, 3, 8, 12])
def test_small_groups_far_away_are_a_cluster_or_a_notice(size):
    far = np.array([[8.0, 0.0]]) + 0.01 * np.random.default_rng(0).normal(size=(size, 2))
    rows = np.vstack([make_moons(900, noise=0.06, random_state=0)[0], far])
    for given in ({}, {"n_clusters": 2}):
        with pytest.warns(GraphNotice, match=f"^{size} rows in 1 small group are far from all"):
            fitted = model(**given).fit(rows)
        assert fitted.n_clusters_ == 2
        assert len(set(fitted.labels_[-size:])) == 1
    fitted = model(n_clusters=3).fit(rows)  # without a notice
    assert fitted.cluster_sizes_.tolist() == [450, 450, size]
    assert set(fitted.labels_[-size:]) == {2}


def test_two_small_groups_and_one_cluster_for_them():
    rng = np.random.default_rng(0)
    far = [rng.normal((60, 0), 1, (6, 2)), rng.normal((0, 60), 1, (3, 2))]
    rows = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 12, *far])
    with pytest.warns(GraphNotice, match="9 rows in 2 small groups"):
        two = model().fit(rows)
    assert two.n_clusters_ == 2
    said = "9 rows in 2 small groups are far from all others"
    assert said in CurvedReport.of(two, table=rows, names=["x", "y"]).to_text(width=300)
    with pytest.warns(GraphNotice, match="3 rows in 1 small group"):
        assert model(n_clusters=3).fit(rows).cluster_sizes_.tolist() == [303, 300, 6]
    assert model(n_clusters=4).fit(rows).cluster_sizes_.tolist() == [300, 300, 6, 3]
