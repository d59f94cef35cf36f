"""The table of metrics, rows, methods, containers and weights, against the plain definitions.

``contract_cases.ROWS`` says for each metric which kinds of rows it compares, and how far apart they
are. A cell is one method with some weights on one kind of rows: it is a fit that holds, or words
that refuse it.
"""

import re
import warnings

import numpy as np
import pytest

import oracle
from contract_cases import CONTAINERS, DRAWS, ROWS, K, N
from kgroups import KernelKGroups, names
from kgroups.exceptions import TheoryWarning

#: Rows in float16 and float32 hold the same numbers, and their distances are rounded.
SINGLE = 2e-6
#: A violation of negative type that rounding may make.
ROUNDING = 1e-6
#: Metrics of dense rows of numbers that are compiled and of negative type.
PROVED = {
    "energy", "euclidean", "l2", "sqeuclidean", "laplacian", "gaussian", "manhattan", "cityblock",
    "l1", "hamming", "cosine", "angular", "jensen_shannon", "hellinger", "great_circle",
    "haversine", "kendall_tau", "mixed",
}  # fmt: skip
WEIGHTS = {
    "none": None,
    "uneven": 0.25 + np.arange(N) // K % 3,
    "some zero": np.where(np.arange(N) % 5 == 2, 0.0, 1.0 + np.arange(N) % 2),
}
CELLS = [(name, kind) for name in ROWS for kind in ROWS[name].taken]


#: How similarity may be held when a method is asked for: sparse matrices stay sparse, and squared
#: distances need no pairs to be proved.
MADE_BY = {
    "auto": {"dense", "sparse", "matrix_free"},
    "dense": {"dense", "sparse"},
    "matrix_free": {"matrix_free"},
    "certified": {"certified", "matrix_free"},
    "nystroem": {"nystroem"},
}


def fitted(name, rows, method="auto", weights=None, **parameters):
    """A fit that warns at most of a metric that is not of negative type."""
    settings = {"n_init": 2, "random_state": 0, "n_jobs": 1, **parameters}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = KernelKGroups(K, metric=ROWS[name].metric, method=method, **settings)
        made.fit(rows, sample_weight=weights)
    assert {warning.category for warning in caught} <= {TheoryWarning}
    return made


def refused(name, rows, words, method="auto"):
    """Whether every word is in the error for the rows; "a|b" is one of two."""
    settings = {"metric": ROWS[name].metric, "method": method, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)
        with pytest.raises((TypeError, ValueError, ImportError)) as error:
            KernelKGroups(K, **settings).fit(rows)
    message = str(error.value)
    assert all(re.search(word, message) for word in words), f"{name}, {method}: {message}"


class Cell:
    """The rows of a metric and a kind, others like them, and what is right of both."""

    def __init__(self, name, kind):
        draw, rho = ROWS[name].taken[kind]
        self.name, self.kind = name, kind
        self.drawn, self.drawn_new = (draw(np.random.default_rng(seed)) for seed in (1, 2))
        self.rho = rho(self.drawn, self.drawn)
        self.cross = rho(self.drawn, self.drawn_new).T
        self.containers = CONTAINERS[kind]
        self.rows, self.new = (self.made(v) for v in (self.drawn, self.drawn_new))

    def made(self, drawn, container=None):
        make = self.containers[container] if container else next(iter(self.containers.values()))
        return make(drawn)

    def check(self, made, weights, where, near=1e-9, of_centroids=1e-9):
        """Dispersions, centroids and labels by their definitions."""
        w = np.ones(N) if weights is None else weights
        labels, size = made.labels_, float(self.rho.max() * w.sum())
        assert sorted(set(labels.tolist())) == list(range(K)), where
        W, S = (f(self.rho, labels, w, K) for f in (oracle.within_dispersion, oracle.between))
        close = {"rel": near, "abs": near * size}
        assert made.within_dispersion_ == pytest.approx(float(W), **close), where
        assert made.between_statistic_ == pytest.approx(float(S), **close), where
        assert made.objective_ == made.between_statistic_, where
        s = oracle.weights_of(labels, oracle.long(w), K)
        np.testing.assert_allclose(made.cluster_weights_, s.astype(float), 1e-12, err_msg=where)
        G = -self.rho / 2
        parts = oracle.dispersions(G, labels, oracle.long(w), K).astype(float)
        np.testing.assert_allclose(made.cluster_dispersions_, parts, near, near * size, where)
        is_exact = made.exactness_ == "one-move optimal"
        assert is_exact == (made.method_ != "nystroem"), where
        if is_exact:
            gain = oracle.largest_gain(self.rho, labels, w, K)
            assert gain <= max(near * 1e-1, 1e-11) * size, f"{where}: {gain}"
        self.check_answers(made, w, where, of_centroids)

    def check_answers(self, made, w, where, near):
        size = float(self.rho.max())
        for rows, cross in ((self.rows, self.rho), (self.new, self.cross)):
            K_x, origin = -oracle.long(cross) / 2, oracle.long(np.zeros(len(cross)))
            of = (-self.rho / 2, made.labels_, oracle.long(w), K)
            right = oracle.to_centroids(K_x, origin, *of).astype(float)
            got, labels = made.transform(rows) ** 2, made.predict(rows)
            least = right.min(axis=1)
            assert (right[np.arange(N), labels] <= least + 10 * near * size).all(), where
            if made.method_ == "nystroem" and not made.metric_.is_negative_type:
                continue  # of new rows a part may have no features
            tolerance = {"rtol": near, "atol": 10 * near * size}
            np.testing.assert_allclose(got, np.maximum(right, 0), **tolerance, err_msg=where)
            score = -least.sum()
            assert made.score(rows) == pytest.approx(score, rel=near, abs=10 * near * size), where
        if (made.negative_type_violation_ or 0.0) <= ROUNDING:
            agrees = made.predict(self.rows) == made.labels_
            assert agrees.all(), where


def is_proved(cell):
    """Whether a proof takes the rows; sparse frames stay sparse where the metric takes them."""
    is_sparse = cell.kind.startswith("sparse") and "sparse" in ROWS[cell.name].taken
    return cell.name in PROVED and (not is_sparse or cell.name in ("sqeuclidean", "cosine"))


def words_of_method(cell, method, exact):
    """The words that refuse a method for rows that the metric compares; None if they do not."""
    metric = exact.metric_
    is_of_type = metric.is_negative_type or (
        metric.negative_type_is_open and exact.negative_type_violation_ <= ROUNDING
    )
    if method == "nystroem" and not is_of_type:
        return ("nystroem", "negative type")
    if method == "certified" and not is_proved(cell):
        return ("certified", "dense rows")
    return None


def test_every_name_has_a_row_and_every_row_its_kinds():
    """The names that an unknown one is answered with, and aliases."""
    with pytest.raises(ValueError, match="is not known") as error:
        KernelKGroups(2, metric="?").fit([[0.0], [1.0]])
    listed = re.search(r"Names: (.*); or give", str(error.value)).group(1).split(", ")
    expected = {*listed, *names.METRIC_ALIASES} - set(names.MATRICES)
    assert set(ROWS) == expected | {"function", "compiled function"}
    assert set(names.SEMIMETRICS) | set(names.OBJECT_METRICS) <= set(listed)
    for name, row in ROWS.items():
        assert set(row.taken) | set(row.refused) == set(CONTAINERS), name
        assert not set(row.taken) & set(row.refused), name


@pytest.mark.parametrize("kind", CONTAINERS)
def test_rows_that_a_metric_does_not_compare(kind):
    """Every metric, method and container: an error with the words that say what to write."""
    drawn = DRAWS[kind](np.random.default_rng(1))
    for name in (name for name in ROWS if ROWS[name].is_here and kind in ROWS[name].refused):
        for make in CONTAINERS[kind].values():
            if (rows := make(drawn)) is not None:
                for method in names.METHODS:
                    refused(name, rows, ROWS[name].refused[kind], method)


@pytest.mark.parametrize(("name", "kind"), CELLS, ids=[f"{n}-{k}" for n, k in CELLS])
def test_every_cell_is_right(name, kind):
    if not ROWS[name].is_here:
        rows = next(iter(CONTAINERS[kind].values()))(DRAWS[kind](np.random.default_rng(1)))
        refused(name, rows, (name, "pip install"))
        return
    cell = Cell(name, kind)
    exact = fitted(name, cell.rows, "dense")
    for method in names.METHODS:
        if words := words_of_method(cell, method, exact):
            refused(name, cell.rows, words, method)
            continue
        for weighting, w in WEIGHTS.items():
            where = f"{name}, {kind}, {method}, {weighting}"
            made = fitted(name, cell.rows, method, w)
            assert made.method_ in MADE_BY[method], where
            # A sketch has features in float32.
            cell.check(made, w, where, of_centroids=1e-5 if method == "nystroem" else 1e-9)
            if method == "certified":
                assert made.certificate_.proved, where
    for container in list(cell.containers)[1:]:
        rows, new = (cell.made(v, container) for v in (cell.drawn, cell.drawn_new))
        if rows is None or new is None:
            continue
        for method in ("auto", "nystroem") if exact.metric_.is_negative_type else ("auto",):
            where = f"{name}, {kind}, {container}, {method}"
            first = fitted(name, cell.rows, method, WEIGHTS["uneven"])
            made = fitted(name, rows, method, WEIGHTS["uneven"])
            assert made.labels_.tolist() == first.labels_.tolist(), where
            W = pytest.approx(first.within_dispersion_, rel=SINGLE)
            assert made.within_dispersion_ == W, where
            assert made.predict(new).tolist() == first.predict(cell.new).tolist(), where
