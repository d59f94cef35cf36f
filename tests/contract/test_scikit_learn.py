"""scikit-learn's own contract, and what its users do with an estimator."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from contract_cases import CONTAINERS, DRAWS, ROWS
from kgroups import (
    BetheHessianClustering,
    EnergyAgglomerative,
    GraphKGroups,
    KernelKGroups,
    KernelKMeans,
    KGroups1D,
    semimetrics,
)
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy

# n_clusters=2, because some checks have four distinct rows and we refuse to find eight clusters in
# them, where scikit-learn's KMeans warns.
INSTANCES = [
    KernelKGroups(2, random_state=0),
    KernelKMeans(2, algorithm="online", random_state=0),
    EnergyAgglomerative(2),
]


PRECOMPUTED = [
    KernelKGroups(2, metric="precomputed", random_state=0),
    EnergyAgglomerative(2, metric="precomputed"),
]


def expected_to_fail(estimator):
    """Checks that cannot pass, each with its reason."""
    failures = {}
    if hasattr(estimator, "predict_proba"):
        asks_classifiers = "asks whatever has predict_proba for the tags of a classifier"
        names = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")
        failures |= dict.fromkeys(names, asks_classifiers)
    if estimator.metric == "precomputed":
        feeds_points = "feeds a table of points to an estimator whose X is a square matrix"
        failures = {"check_clustering": feeds_points}
        if hasattr(estimator, "predict"):
            failures["check_estimators_nan_inf"] = feeds_points
    return failures


@pytest.mark.parametrize("estimator", [*INSTANCES, *PRECOMPUTED], ids=str)
def test_contract(estimator):
    """All checks of scikit-learn; those that are expected to fail do."""
    expected = expected_to_fail(estimator)
    how = {"expected_failed_checks": expected, "on_skip": None, "on_fail": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, **how)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(expected)
    assert sum(r["status"] == "passed" for r in results) > 35


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


def test_estimators_of_lines_and_networks():
    """What scikit-learn's checks of tables do not reach: clones, pickles, names, not fitted."""
    A = np.kron(np.eye(2), np.ones((6, 6)) - np.eye(6))
    A[0, 6] = A[6, 0] = 1
    for estimator, data in (
        (KGroups1D(2), X[:, :1]),
        (GraphKGroups(2, random_state=0), A),
        (BetheHessianClustering(2, random_state=0), A),
        (KernelKGroups(2, random_state=0), X),
        (KernelKMeans(2, random_state=0), X),
        (EnergyAgglomerative(2), X),
    ):
        fresh = clone(estimator)
        assert fresh.get_params() == estimator.get_params()
        with pytest.raises(NotFittedError):
            check_is_fitted(fresh)
        given = data.copy()
        assert fresh.fit(data) is fresh
        np.testing.assert_array_equal(data, given)
        assert clone(estimator).fit_predict(data).tolist() == fresh.labels_.tolist()
        assert fresh.n_features_in_ == data.shape[1]
        copy = pickle.loads(pickle.dumps(fresh))
        assert copy.labels_.tolist() == fresh.labels_.tolist()
        for name in ("predict", "transform", "score", "predict_proba"):
            if hasattr(fresh, name):
                answers = [getattr(model, name)(data) for model in (fresh, copy)]
                np.testing.assert_array_equal(*answers)
                with pytest.raises(NotFittedError):
                    getattr(clone(estimator), name)(data)


# What metrics are put into

EVERY = [name for name in ROWS if ROWS[name].is_here]


def rows_of(name):
    """The first kind of rows that a metric compares, in the first of its containers."""
    kind, (draw, _) = next(iter(ROWS[name].taken.items()))
    return next(iter(CONTAINERS[kind].values()))(draw(np.random.default_rng(1)))


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@pytest.mark.parametrize("family", [EVERY[::3], EVERY[1::3], EVERY[2::3]], ids=["a", "b", "c"])
def test_every_metric_in_a_grid_search_and_pickled(family):
    for name in family:
        rows = rows_of(name)
        estimator = KernelKGroups(3, metric=ROWS[name].metric, n_init=2, random_state=0, n_jobs=1)
        search = GridSearchCV(estimator, {"n_clusters": [2, 3]}, cv=2, error_score="raise")
        search.fit(rows)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all(), name
        made = search.best_estimator_
        assert made.n_clusters == search.best_params_["n_clusters"], name
        copy = pickle.loads(pickle.dumps(made))
        assert copy.predict(rows).tolist() == made.predict(rows).tolist(), name
        cloned = clone(made)
        assert not hasattr(cloned, "labels_"), name
        assert cloned.fit(rows).labels_.tolist() == made.labels_.tolist(), name


SEMIMETRICS = [
    *[semimetrics.by_name(name) for name in sorted(ROWS) if isinstance(ROWS[name].metric, str)],
    semimetrics.Energy(0.5),
    semimetrics.Gaussian("median"),
    semimetrics.GreatCircle(6371.0, units="radians"),
    semimetrics.Manhattan(missing="distribution"),
    semimetrics.ColumnSum([(semimetrics.Energy(), [0]), (semimetrics.Hamming(), [1], 0.5)]),
    semimetrics.EditDistance("osa", normalized=True),
    semimetrics.ScipyDistance("minkowski", p=3),
    semimetrics.Mixed(weights=[1.0, 0.0], kinds={0: "number", 1: "category"}, missing="category"),
    semimetrics.PairFunction(ROWS["function"].metric),
    semimetrics.PairFunction(ROWS["compiled function"].metric, True),
]


def test_parameters_of_semimetrics_are_those_of_estimators():
    for metric in SEMIMETRICS:
        estimator = KernelKMeans(3, metric=metric)
        copy = clone(estimator)
        assert type(copy.metric) is type(metric)
        assert copy.metric.get_params() == metric.get_params()
        assert repr(copy.metric) == repr(metric)
        nested = {name for name in copy.get_params() if name.startswith("metric__")}
        assert nested == {f"metric__{name}" for name in metric.get_params()}, metric
        assert repr(pickle.loads(pickle.dumps(metric))) == repr(metric)
    by_sum = KernelKGroups(2, metric=SEMIMETRICS[-6]).set_params(metric__0__alpha=0.5)
    assert by_sum.metric.parts[0][0].alpha == 0.5


def agreement(made, X, y):
    return float(same_partition(made.predict(X), y))


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_grid_searches_over_parameters_of_metrics():
    for metric, grid, kind in (
        (semimetrics.Laplacian(), {"sigma": [0.5, 2.0, "median"]}, "numbers"),
        (semimetrics.Mixed(), {"missing": ["distribution", "partial"], "alpha": [0.5, 1]}, "gaps"),
        (semimetrics.Hamming(), {"missing": ["category", "distribution"]}, "categories"),
        (semimetrics.Samples(), {"alpha": [0.5, 1.0]}, "lines"),
        (semimetrics.EditDistance(), {"name": ["indel", "osa"]}, "texts"),
        (semimetrics.ScipyDistance("minkowski", p=2), {"p": [1, 3]}, "numbers"),
    ):
        rows = next(iter(CONTAINERS[kind].values()))(DRAWS[kind](np.random.default_rng(1)))
        given = {f"metric__{name}": values for name, values in grid.items()}
        estimator = KernelKGroups(3, metric=metric, n_init=2, random_state=0)
        search = GridSearchCV(estimator, given, cv=2, scoring=agreement, error_score="raise")
        search.fit(rows, np.arange(12) % 3)
        scores = search.cv_results_["mean_test_score"]
        assert len(scores) == np.prod([len(values) for values in grid.values()])
        assert scores.max() >= 0.5, metric
        for name, value in search.best_params_.items():
            assert getattr(search.best_estimator_.metric, name.removeprefix("metric__")) == value


def test_pipelines_of_texts():
    about = [["cat", "purrs", "mouse"], ["stock", "market", "price"], ["rain", "cloud", "storm"]]
    pairs = [(about[i % 3][i // 3 % 3], about[i % 3][(i + 4) // 3 % 3]) for i in range(18)]
    texts = [f"the {first} and the {second}" for first, second in pairs]
    words = TfidfVectorizer(stop_words=["the", "and"])
    made = make_pipeline(words, KernelKGroups(3, metric="cosine", random_state=0)).fit(texts)
    assert same_partition(made[-1].labels_, np.arange(18) % 3)
    assert made.predict(texts).tolist() == made[-1].labels_.tolist()
    new = made.predict(["a mouse that purrs", "a storm", "market of rain, cloud and storm"])
    assert new.tolist() == made[-1].labels_[[0, 2, 2]].tolist()
    names = ["aaaa", "zzzzzzz", "aaab", "zzzyzzz", "aaaba", "zzzzyzz"]
    lower = FunctionTransformer(lambda items: [item.lower() for item in items])
    model = make_pipeline(lower, KernelKGroups(2, metric="levenshtein", random_state=0))
    found = model.fit_predict([name.upper() for name in names])
    assert same_partition(found, [0, 1] * 3)
