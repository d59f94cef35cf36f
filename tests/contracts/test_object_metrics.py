"""Metrics between objects compose with everything that metrics between rows compose with."""

import pickle

import numba
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, stats
from kgroups.metrics import same_partition
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import EditDistance, ElasticDistance, Samples, ScipyDistance

pytestmark = pytest.mark.filterwarnings("ignore:.*negative type")


@numba.njit
def ends_apart(x, y):
    return abs(x[0] - y[0]) + abs(x[-1] - y[-1])


def words(rng, n):
    stems = ["aaaaaa", "zzzzzzzzzz"]
    letters = list("abyz")
    return [stems[i % 2] + "".join(rng.choice(letters, size=2)) for i in range(n)]


def lines(rng, n):
    return [10 * (i % 2) + rng.normal(size=rng.integers(3, 7)) for i in range(n)]


def baskets(rng, n):
    return [{10 * (i % 2) + int(j) for j in rng.integers(0, 4, 6)} for i in range(n)]


def table(rng, n):
    return 5.0 * (np.arange(n)[:, None] % 2) + rng.normal(size=(n, 3))


CASES = {
    "levenshtein": words,
    "jaro_winkler": words,
    "dtw": lines,
    "samples": lines,
    "jaccard": baskets,
    "chebyshev": table,
    "function": lines,
}
N = 24


@pytest.fixture(params=CASES)
def case(request):
    rng = np.random.default_rng(0)
    return ends_apart if request.param == "function" else request.param, CASES[request.param](
        rng, N
    )


TRUTH = np.arange(N) % 2


def test_fit_predict_transform_pickle_clone(case):
    metric, X = case
    model = KernelKGroups(2, metric=metric, random_state=0).fit(X)
    assert same_partition(model.labels_, TRUTH)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    distances = model.transform(X)
    np.testing.assert_array_equal(distances.argmin(axis=1), model.labels_)
    assert model.score(X) == pytest.approx(-(distances.min(axis=1) ** 2).sum())
    again = pickle.loads(pickle.dumps(clone(model).fit(X)))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    single = KernelKGroups(2, metric=metric, random_state=0, n_jobs=1).fit(X)
    assert single.within_dispersion_ == model.within_dispersion_
    assert same_partition(KernelKMeans(2, metric=metric, random_state=0).fit(X).labels_, TRUTH)


def test_weights_are_repetitions(case):
    metric, X = case
    weights = np.arange(N) % 3
    model = KernelKGroups(2, metric=metric, random_state=0).fit(X, sample_weight=weights)
    rows = np.repeat(np.arange(N), weights)
    repeated = X[rows] if isinstance(X, np.ndarray) else [X[i] for i in rows]
    other = KernelKGroups(2, metric=metric, random_state=0).fit(repeated)
    assert model.within_dispersion_ == pytest.approx(other.within_dispersion_)
    assert same_partition(model.labels_[rows], other.labels_)


def test_trees_tests_and_numbers_of_clusters(case):
    metric, X = case
    assert same_partition(EnergyAgglomerative(2, metric=metric).fit(X).labels_, TRUTH)
    first, second = X[::2], X[1::2]
    tested = stats.energy_test(first, second, metric=metric, n_permutations=99, random_state=0)
    assert tested.pvalue == 0.01
    found = stats.disco(X, TRUTH, metric=metric, n_permutations=99, random_state=0)
    assert found.pvalue == 0.01
    chosen = choose_n_clusters(X, range(1, 4), metric=metric, random_state=0)
    assert chosen.n_clusters == 2


@pytest.mark.parametrize(
    ("metric", "grid", "name"),
    [
        (EditDistance(), {"metric__name": ["indel", "osa"]}, "levenshtein"),
        (ElasticDistance(), {"metric__window": [0.5, 1.0]}, "erased"),
        (Samples(), {"metric__alpha": [0.5, 1.5]}, "samples"),
        (ScipyDistance("minkowski", p=2), {"metric__p": [1, 3]}, "chebyshev"),
    ],
)
def test_grid_search_over_parameters_of_the_metric(metric, grid, name):
    rng = np.random.default_rng(1)
    X = table(rng, 12) if name == "erased" else CASES[name](rng, 12)
    search = GridSearchCV(KernelKGroups(2, metric=metric, random_state=0), grid, cv=3)
    search.fit(X)
    assert search.best_params_.keys() == grid.keys()
    assert search.best_estimator_.metric.get_params().items() >= {
        (key.removeprefix("metric__"), value) for key, value in search.best_params_.items()
    }


def test_a_pipeline_of_strings():
    X = words(np.random.default_rng(2), N)
    lower = FunctionTransformer(lambda items: [item.lower() for item in items])
    model = make_pipeline(lower, KernelKGroups(2, metric="levenshtein", random_state=0))
    assert same_partition(model.fit_predict([word.upper() for word in X]), TRUTH)


def test_progress_of_slow_pairs_is_told(monkeypatch):
    monkeypatch.setattr("kgroups.semimetrics.by_strips._QUIET", 0.0)
    events = []
    X = words(np.random.default_rng(3), 40)
    metric = lambda a, b: abs(len(a) - len(b))
    KernelKGroups(2, metric=metric, random_state=0, verbose=events.append).fit(X)
    told = [event for event in events if event.phase == "distances"]
    assert [event.number for event in told] == sorted(event.number for event in told)
    assert (told[-1].number, told[-1].total) == (100, 100)
    half = next(event for event in told if event.number >= 50)
    assert half.seconds_left is not None
    assert str(half).startswith(f"distances {half.number}/100: 0 s left")
    events.clear()
    KernelKGroups(2, metric="levenshtein", random_state=0, verbose=events.append).fit(X)
    assert any(event.phase == "distances" for event in events)
