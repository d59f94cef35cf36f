"""The table of metrics, methods and rows: each cell is a fit that holds, or words that refuse it.

``metric_cases.ROWS`` says for each metric which kinds of rows it compares. A cell is one method on
one kind of rows in one container.
"""

import pickle
import re
import warnings

import numpy as np
import pytest
from metric_cases import KINDS, ROWS, K, N
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kgroups import KernelKGroups, KernelKMeans, names, semimetrics
from kgroups.exceptions import TheoryWarning
from kgroups.input.rows import n_rows, take
from kgroups.metrics import same_partition
from kgroups.semimetrics import by_name
from kgroups.testing import check_semimetric
from semimetric_cases import ALL

#: A violation of negative type that rounding may make.
ROUNDING = 1e-6
# Rows in float16 and float32 hold the numbers of those in float64, and their distances are rounded.
SINGLE = 1e-5
CELLS = [(name, kind) for name in ROWS for kind in KINDS]


def every_name():
    """The names that ``metric=`` takes: those that an unknown one is answered with, and aliases."""
    with pytest.raises(ValueError, match="is not known") as error:
        by_name("?")
    listed = re.search(r"Names: (.*); or give", str(error.value)).group(1)
    return {*listed.split(", "), *names.METRIC_ALIASES}


def model(name, method="auto", **parameters):
    settings = {"n_init": 2, "random_state": 0, "n_jobs": 1, **parameters}
    return KernelKGroups(K, metric=ROWS[name].metric, method=method, **settings)


def fitted(name, X, method="auto", sample_weight=None, **parameters):
    """A fit that warns of what is not of negative type and was measured, and of nothing else."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = model(name, method, **parameters).fit(X, sample_weight=sample_weight)
    assert {warning.category for warning in said} <= {TheoryWarning}
    violation, metric = made.negative_type_violation_, made.metric_
    if violation is None:
        assert not said
    elif metric.is_negative_type:
        assert (violation, said) == (0, [])
    else:
        assert bool(said) == (violation > ROUNDING or not metric.negative_type_is_open)
    return made


def drawn(name, kind):
    draw, containers = KINDS[kind]
    draw = ROWS[name].taken.get(kind) or draw
    return draw(np.random.default_rng(1)), containers


def distances(name, kind, X, metric):
    """All pairs by the definition: by hand, by ``pairwise``, or as they were given."""
    if kind in ROWS[name].by_hand:
        return ROWS[name].by_hand[kind](X)
    if name == "precomputed":
        return X
    if name == "precomputed_kernel":
        return np.diagonal(X)[:, None] + np.diagonal(X) - 2 * X
    return metric.resolve(X).pairwise(X)


def within(rho, labels, weights):
    """W = Σ_j 1/(2 s_j) Σ_{x, y ∈ C_j} w_x w_y ρ(x, y)."""
    total = 0.0
    for j in range(K):
        w = np.where(labels == j, weights, 0.0)
        total += w @ rho @ w / (2 * w.sum())
    return total


def predicts_labels(made):
    """Whether theory says that ``predict`` on the rows of the fit returns ``labels_``."""
    violation = made.negative_type_violation_
    return violation is None or violation <= ROUNDING


#: Metrics of dense rows of numbers for which bounds hold.
PROVED = ("energy", "laplacian", "gaussian", "hellinger", "angular", "great_circle")


def has_features(made):
    """Whether the rows of a fit can be sketched."""
    metric = made.metric_
    if isinstance(metric, str):
        return False
    return metric.is_negative_type or (metric.negative_type_is_open and predicts_labels(made))


def refusal_of_method(name, method, made):
    """The words that refuse a method for rows that the metric compares; None if they do not."""
    if name in names.MATRICES and method in ("matrix_free", "certified", "nystroem"):
        return f"^method='{method}' makes distances from points"
    if method == "nystroem" and not has_features(made):
        return '^method="nystroem" needs a semimetric of negative type'
    return None


def check_fits(name, kind):
    """Every method on every container: labels, W, predictions, and which method it was."""
    X, containers = drawn(name, kind)
    first, *others = (make(X) for make in containers.values())
    exact = fitted(name, first, "dense")
    rho = distances(name, kind, X if kind in ROWS[name].by_hand else dense(first), exact.metric_)
    for method in names.METHODS:
        if words := refusal_of_method(name, method, exact):
            for rows in (first, *others):
                check_refused_rows(name, method, rows, words)
            continue
        if method == "certified":
            check_proved(name, first, rho)
            continue
        made = fitted(name, first, method)
        assert made.method_ == method or method == "auto" or made.method_ == "sparse"
        assert sorted(set(made.labels_.tolist())) == list(range(K))
        assert made.within_dispersion_ == pytest.approx(within(rho, made.labels_, np.ones(N)))
        if predicts_labels(made):
            np.testing.assert_array_equal(made.predict(first), made.labels_, method)
        for container, rows in zip(list(containers)[1:], others, strict=True):
            again, where = fitted(name, rows, method), f"{method}, {container}"
            np.testing.assert_array_equal(again.labels_, made.labels_, where)
            near = pytest.approx(made.within_dispersion_, rel=SINGLE)
            assert again.within_dispersion_ == near, where
            if predicts_labels(again):
                np.testing.assert_array_equal(again.predict(rows), again.labels_, where)


def check_proved(name, rows, rho):
    """A proof, or words that say for which rows and metrics there is one."""
    made, refusal = None, ""
    try:
        made = fitted(name, rows, "certified")
    except ValueError as error:
        refusal = str(error)
    if made is None:
        assert refusal.startswith('method="certified" needs dense rows of numbers')
        assert name not in PROVED or not isinstance(rows, np.ndarray)
        return
    # Metrics that need no pairs are exact without a proof.
    assert made.method_ in ("certified", "matrix_free")
    assert made.certificate_.proved
    assert made.within_dispersion_ == pytest.approx(within(rho, made.labels_, np.ones(N)))
    assert (made.predict(rows) == made.labels_).all()


def dense(X):
    """Rows of an array as they are, others as an array."""
    return X.toarray() if hasattr(X, "toarray") else X.to_numpy() if hasattr(X, "iloc") else X


def check_composes(name, kind):
    """Threads, copies, weights, and the conformance check of the metric."""
    X, containers = drawn(name, kind)
    rows = next(iter(containers.values()))(X)
    made = fitted(name, rows)
    if kind not in ROWS[name].by_hand and name not in names.MATRICES:
        check_semimetric(made.metric_, dense(rows) if kind == "sparse frame" else rows)
    threaded = fitted(name, rows, n_jobs=2)
    np.testing.assert_array_equal(threaded.labels_, made.labels_)
    assert threaded.within_dispersion_ == made.within_dispersion_
    copy = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(copy.predict(rows), made.predict(rows))
    cloned = clone(made)
    assert not hasattr(cloned, "labels_")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        np.testing.assert_array_equal(cloned.fit(rows).labels_, made.labels_)
    check_weights(name, kind, X, rows)


def check_weights(name, kind, X, rows):
    """Whole weights are repetitions, and weights of zero are rows that are not there."""
    weights = 1 + np.arange(N) // K % 3
    made = fitted(name, rows, sample_weight=weights)
    by_hand = kind in ROWS[name].by_hand
    rho = distances(name, kind, X if by_hand else dense(rows), made.metric_)
    assert made.within_dispersion_ == pytest.approx(within(rho, made.labels_, weights))
    assert made.cluster_weights_.sum() == weights.sum()
    if ROWS[name].of_sample:
        return
    several = np.repeat(np.arange(N), weights)
    if name in names.MATRICES:
        repeated = dense(rows)[np.ix_(several, several)]
    else:
        repeated = rows.iloc[several] if hasattr(rows, "iloc") else take(rows, several)
    assert n_rows(repeated) == weights.sum()
    other = fitted(name, repeated, init=made.labels_[several], n_init=1)
    assert same_partition(other.labels_, made.labels_[several])
    assert other.within_dispersion_ == pytest.approx(made.within_dispersion_)


def check_refused(name, kind):
    """Every method refuses every container, in the words of the table."""
    X, containers = drawn(name, kind)
    for method in names.METHODS:
        for make in containers.values():
            check_refused_rows(name, method, make(X), ROWS[name].refused[kind])


def check_refused_rows(name, method, rows, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        with pytest.raises((TypeError, ValueError, ImportError), match=words):
            model(name, method).fit(rows)


def test_the_table_has_no_holes():
    assert every_name() <= set(ROWS)
    assert set(ROWS) - every_name() == {"function", "compiled function"}
    for name, row in ROWS.items():
        assert set(row.taken) | set(row.refused) == set(KINDS), name
        assert not set(row.taken) & set(row.refused), name


def check_needs_library(name, kind):
    X, containers = drawn(name, kind)
    for method in names.METHODS:
        for make in containers.values():
            check_refused_rows(name, method, make(X), rf'^metric="{name}" needs .*pip install')


@pytest.mark.parametrize(("name", "kind"), CELLS, ids=[f"{n}-{k}" for n, k in CELLS])
def test_every_cell_fits_or_says_why_not(name, kind):
    row = ROWS[name]
    if kind in row.refused:
        check_refused(name, kind)
    elif row.is_here:
        check_fits(name, kind)
        check_composes(name, kind)
    else:
        check_needs_library(name, kind)


@pytest.mark.filterwarnings("ignore:X .*feature names")
@pytest.mark.parametrize("name", [name for name in ROWS if "numbers" in ROWS[name].taken])
def test_new_rows_come_in_any_container_that_a_fit_takes(name):
    row = ROWS[name]
    if not row.is_here:
        check_needs_library(name, "numbers")
        return
    X, _ = drawn(name, "numbers")
    kinds = [kind for kind in ("numbers", "sparse", "sparse frame") if kind in row.taken]
    for kind in kinds:
        containers = KINDS[kind][1]
        made = fitted(name, next(iter(containers.values()))(X))
        expected = made.labels_ if predicts_labels(made) else made.predict(X)
        for other in kinds:
            for container, make in KINDS[other][1].items():
                where = f"{kind}, {other}, {container}"
                np.testing.assert_array_equal(made.predict(make(X)), expected, where)


# --- what the cells are put into ---------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name].is_here])
def test_a_metric_is_found_by_a_grid_search(name):
    kind = next(iter(ROWS[name].taken))
    X, containers = drawn(name, kind)
    rows = next(iter(containers.values()))(X)
    search = GridSearchCV(model(name), {"n_clusters": [2, 3]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        if name == "precomputed_kernel":
            with pytest.raises(ValueError, match="score needs K"):
                search.set_params(error_score="raise").fit(rows)
            return
        search.fit(rows)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    k = search.best_params_["n_clusters"]
    assert search.best_estimator_.n_clusters == k
    assert len(set(search.predict(rows).tolist())) == k


@pytest.mark.parametrize(
    ("metric", "grid", "kind"),
    [
        (semimetrics.Energy(), {"alpha": [0.5, 1.0, 1.5]}, "numbers"),
        (semimetrics.Laplacian(), {"sigma": [0.5, 2.0, "median"]}, "numbers"),
        (semimetrics.Mixed(), {"missing": ["distribution", "partial"], "alpha": [0.5, 1]}, "gaps"),
        (semimetrics.Manhattan(), {"missing": ["distribution"]}, "gaps"),
        (semimetrics.Hamming(), {"missing": ["category", "distribution"]}, "categories"),
        (semimetrics.Samples(), {"alpha": [0.5, 1.0]}, "lines"),
        (semimetrics.EditDistance(), {"normalized": [False, True]}, "texts"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_grid_search_over_parameters_of_the_metric(metric, grid, kind):
    draw, containers = KINDS[kind]
    rows = next(iter(containers.values()))(draw(np.random.default_rng(1)))
    grid = {f"metric__{name}": values for name, values in grid.items()}

    def agreement(made, X, y):
        return float(same_partition(made.predict(X), y))

    estimator = KernelKGroups(K, metric=metric, n_init=2, random_state=0)
    search = GridSearchCV(estimator, grid, cv=2, scoring=agreement, error_score="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        search.fit(rows, np.arange(N) % K)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == np.prod([len(values) for values in grid.values()])
    assert scores.max() >= 0.5
    for name, value in search.best_params_.items():
        assert getattr(search.best_estimator_.metric, name.removeprefix("metric__")) == value
    assert metric.get_params() == type(metric)(**metric.get_params()).get_params()


def test_a_pipeline_of_a_scaler():
    X = load_iris().data[::5]
    made = make_pipeline(StandardScaler(), KernelKGroups(3, random_state=0)).fit(X)
    scaled = StandardScaler().fit_transform(X)
    alone = KernelKGroups(3, random_state=0).fit(scaled)
    np.testing.assert_array_equal(made[-1].labels_, alone.labels_)
    np.testing.assert_array_equal(made.predict(X), alone.labels_)
    np.testing.assert_allclose(made.transform(X), alone.transform(scaled), rtol=1e-12)


def test_a_pipeline_of_texts():
    about = [["cat", "purrs", "mouse"], ["stock", "market", "price"], ["rain", "cloud", "storm"]]
    texts = [
        f"the {about[i % 3][i // 3 % 3]} and the {about[i % 3][(i + 4) // 3 % 3]}"
        for i in range(18)
    ]
    words = TfidfVectorizer(stop_words=["the", "and"])
    made = make_pipeline(words, KernelKGroups(3, metric="cosine", random_state=0)).fit(texts)
    assert same_partition(made[-1].labels_, np.arange(18) % 3)
    np.testing.assert_array_equal(made.predict(texts), made[-1].labels_)
    new = made.predict(["a mouse that purrs", "a storm", "market of rain, cloud and storm"])
    assert new.tolist() == made[-1].labels_[[0, 2, 2]].tolist()


OBJECTS = {
    **{name: metric for name, (metric, _) in ALL.items()},
    **{name: by_name(name) for name in sorted(every_name() - set(names.MATRICES))},
    "Mixed of all parameters": semimetrics.Mixed(
        weights=[1.0, 2.0, 0.0, 1.0], kinds={0: "number", 1: "category"}, missing="category"
    ),
    "a function": semimetrics.PairFunction(ROWS["function"].metric),
    "a compiled function": semimetrics.PairFunction(ROWS["compiled function"].metric, True),
}


@pytest.mark.parametrize("metric", OBJECTS.values(), ids=OBJECTS.keys())
def test_an_estimator_with_a_semimetric_is_cloned(metric):
    estimator = KernelKMeans(3, metric=metric)
    copy = clone(estimator)
    assert type(copy.metric) is type(metric)
    assert copy.metric.get_params() == metric.get_params()
    assert repr(copy.metric) == repr(metric)
    assert copy.get_params().keys() == estimator.get_params().keys()
    nested = {name for name in copy.get_params() if name.startswith("metric__")}
    assert nested == {f"metric__{name}" for name in metric.get_params()}
    again = pickle.loads(pickle.dumps(metric))
    assert repr(again) == repr(metric)
