"""scikit-learn's own contract, and what its users do with an estimator."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans
from kgroups.semimetrics import Energy

# n_clusters=2, because some checks have four distinct rows and we refuse to find eight clusters in
# them, where scikit-learn's KMeans warns.
INSTANCES = [
    KernelKGroups(2, random_state=0),
    KernelKMeans(2, random_state=0),
    KernelKMeans(2, algorithm="online", random_state=0),
    EnergyAgglomerative(2),
]


def failures(estimator):
    """Checks that cannot pass, each with its reason."""
    if not hasattr(estimator, "predict_proba"):
        return {}
    asks_classifiers = "asks whatever has predict_proba for the tags of a classifier"
    names = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")
    return dict.fromkeys(names, asks_classifiers)


@parametrize_with_checks(INSTANCES, expected_failed_checks=failures)
def test_contract(estimator, check):
    check(estimator)


def pairwise_failures(estimator):
    """Checks that cannot pass with a matrix between points, each with its reason."""
    feeds_points = "feeds a table of points to an estimator whose X is a square matrix"
    failures = {"check_clustering": feeds_points}
    if hasattr(estimator, "predict"):
        failures["check_estimators_nan_inf"] = feeds_points
    return failures


PRECOMPUTED = [
    KernelKGroups(2, metric="precomputed", random_state=0),
    EnergyAgglomerative(2, metric="precomputed"),
]


def _precomputed_checks():
    for given in PRECOMPUTED:
        for estimator, check in estimator_checks_generator(given):
            name = getattr(check, "func", check).__name__
            reason = pairwise_failures(estimator).get(name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(given, check, id=f"{type(given).__name__}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(_precomputed_checks()))
def test_contract_of_precomputed(estimator, check):
    check(clone(estimator))


X, Y = load_iris(return_X_y=True)


def test_grid_search_reaches_the_semimetric():
    search = GridSearchCV(
        KernelKGroups(3, metric=Energy(), random_state=0), {"metric__alpha": [0.5, 1.0, 1.5]}, cv=3
    )
    search.fit(X)
    assert search.best_params_["metric__alpha"] in (0.5, 1.0, 1.5)
    assert len(set(search.cv_results_["mean_test_score"])) == 3


def test_grid_search_slices_precomputed_matrices_on_both_axes():
    rho = Energy().pairwise(X)
    grid = {"n_clusters": [2, 3]}
    by_matrix = GridSearchCV(KernelKGroups(metric="precomputed", random_state=0), grid, cv=3).fit(
        rho
    )
    by_points = GridSearchCV(KernelKGroups(random_state=0), grid, cv=3).fit(X)
    np.testing.assert_allclose(
        by_matrix.cv_results_["mean_test_score"], by_points.cv_results_["mean_test_score"]
    )


def test_pipeline_with_weights_and_transform():
    pipe = make_pipeline(StandardScaler(), KernelKGroups(3, random_state=0))
    pipe.fit(X, kernelkgroups__sample_weight=np.arange(1, 151))
    assert pipe.predict(X).tolist() == pipe[-1].labels_.tolist()
    assert pipe.transform(X).shape == (150, 3)
    assert pipe.get_feature_names_out().tolist() == [f"kernelkgroups{i}" for i in range(3)]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_names_out(library):
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X, columns=names) if library == "pandas" else pl.DataFrame(X, schema=names)
    model = KernelKGroups(3, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == names
    assert model.labels_.tolist() == KernelKGroups(3, random_state=0).fit(X).labels_.tolist()
    out = model.set_output(transform=library).transform(frame)
    assert list(out.columns) == ["kernelkgroups0", "kernelkgroups1", "kernelkgroups2"]
    np.testing.assert_allclose(out.to_numpy(), KernelKGroups(3, random_state=0).fit(X).transform(X))


def test_pickle_keeps_the_answer_and_the_version():
    model = KernelKGroups(3, random_state=0).fit(X)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(X).tolist() == model.labels_.tolist()
    state = model.__getstate__()
    state["_kgroups_version"] = "0.0.1"
    with pytest.warns(InconsistentVersionWarning, match=r"0\.0\.1"):
        KernelKGroups().__setstate__(state)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        KernelKGroups().predict(X)


@pytest.mark.parametrize("estimator", [KernelKGroups, KernelKMeans])
def test_two_thread_counts_same_labels(estimator):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(1500, 5))
    one = estimator(5, n_jobs=1, n_init=3, random_state=3).fit(Z)
    two = estimator(5, n_jobs=2, n_init=3, random_state=3).fit(Z)
    single = estimator(5, n_jobs=2, n_init=1, random_state=3).fit(Z)
    assert one.labels_.tolist() == two.labels_.tolist()
    assert one.objective_ == two.objective_
    serial = estimator(5, n_jobs=1, n_init=1, random_state=3).fit(Z)
    assert single.labels_.tolist() == serial.labels_.tolist()
