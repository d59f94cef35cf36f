"""Mistakes with tables, matrices, weights and parameters: the class of error and two key words.

A key word is the name of an argument or of a column, or a value that was found. Most of these
mistakes would otherwise give labels that mean nothing. Where the input is valid and only looks like
something else, the class is one of a warning.
"""

from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from helpers import assert_each_says, wrong_today
from kgroups import EnergyAgglomerative, KernelKGroups, KGroups1D
from kgroups.blocks import from_array
from kgroups.exceptions import LookalikeWarning, TheoryWarning
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    GreatCircle,
    Mixed,
    Semimetric,
    by_name,
    kernel_from_semimetric,
    negative_type_violation,
    semimetric_from_kernel,
)

NAN, INF = np.nan, np.inf
#: Ten points in two clumps, and the distances between them.
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.2], [9, 9], [9, 8], [8, 9], [8, 8], [8.5, 9]])
RHO = squareform(pdist(X))
ONES = np.ones(10)
FRAME = pd.DataFrame({"height": X[:, 0], "width": X[:, 1]})


def changed(array, place, value):
    """A copy with another number in one place."""
    array = np.array(array, dtype=float)
    array[place] = value
    return array


def masked(array, place):
    """A masked array with one masked entry."""
    mask = np.zeros(np.shape(array), bool)
    mask[place] = True
    return np.ma.MaskedArray(array, mask)


def fit(X=X, k=2, *, weights=None, model=KernelKGroups, **parameters):
    """A fit with the parameters given."""
    return model(k, **parameters).fit(X, sample_weight=weights)


def rho(table=RHO, metric="precomputed"):
    """A fit to a matrix of distances."""
    return fit(table, metric=metric)


ROWS = [
    ("NaN", lambda: fit(changed(X, (3, 1), NAN)), ValueError, "NaN", "row 3"),
    ("NaN, tree", lambda: fit(changed(X, (3, 1), NAN), model=EnergyAgglomerative), ValueError,
     "NaN", "row 3"),
    ("NaN on a line", lambda: fit([1.0, NAN, 3.0], model=KGroups1D), ValueError, "NaN", "1"),
    ("NaN in a sparse table", lambda: fit(sparse.csr_array(changed(X, (3, 1), NAN))), ValueError,
     "NaN", "row 3"),
    ("infinity", lambda: fit(FRAME.assign(height=[INF, *ONES[1:]])), ValueError,
     "infinity", "height"),
    ("text among numbers", lambda: fit(FRAME.assign(town=list("aabbccddee"))), ValueError,
     "'town'", "'a'"),
    ("missing text", lambda: fit(pd.DataFrame({"a": ["a", "a", "b", None], "b": list("xyxy")}),
     metric="hamming"), ValueError, "a", "row 3"),
    ("masked entries", lambda: fit(masked(X, (4, 1))), ValueError, "masked", "row 4"),
    ("dates", lambda: fit(np.arange("2024-01-01", "2024-01-11", dtype="M8[D]")[:, None]),
     ValueError, "dates", "datetime64[D]"),
    ("complex numbers", lambda: fit(X * 1j), ValueError, "complex", "0.5j"),
    ("numbers too large", lambda: fit([[-1e308], [1.0], [1e308]]), ValueError,
     "inf", "rows 0 and 1"),
    ("a path", lambda: fit("data.csv"), TypeError, "files", "data.csv"),
    ("texts", lambda: fit(["cat", "dog", "cart"]), ValueError, "string", "cat"),
    ("a network", lambda: fit(nx.path_graph(4)), TypeError, "network", "Graph"),
    ("condensed distances", lambda: fit(pdist(X)), ValueError, "1D array", "Reshape"),
    ("distances as rows", lambda: fit(RHO), LookalikeWarning, "10 x 10", "precomputed"),
    ("half a matrix as rows", lambda: fit(np.tril(RHO)), LookalikeWarning, "half", "precomputed"),
    ("distances as similarities", lambda: rho(metric="precomputed_kernel"), LookalikeWarning,
     "similarities", "precomputed"),
    ("a sparse network as rows", lambda: fit(sparse.csr_array(RHO < 2, dtype=float)),
     LookalikeWarning, "sparse", "network"),
    ("numbers of rows", lambda: fit(FRAME.assign(id=range(10))), LookalikeWarning, "id", "row"),
    ("two columns of one name", lambda: fit(pd.DataFrame(X, columns=["a", "a"])), ValueError,
     "column names", "a"),
    ("a damaged sparse table", lambda: fit(damaged()), ValueError, "damaged", "indices"),
]  # fmt: skip


def damaged():
    """A sparse table of two columns with an entry in column 7."""
    table = sparse.csr_array(X)
    table.indices[3] = 7
    return table


RADIANS = np.radians(np.column_stack([np.linspace(-60, 60, 30), np.linspace(-150, 150, 30)]))
TOWNS = pd.DataFrame({"lon": [9.0, 9.1, 13.0, 13.1], "lat": [48.0, 48.1, 50.0, 50.1]})
MIXED = pd.DataFrame({"age": [20.0, 21.0, 60.0, 61.0], "town": ["Ulm", "Ulm", "Bonn", "Bonn"]})


@dataclass
class Changed(Semimetric):
    """Distances of which some were changed."""

    places: tuple = ((0, 1),)
    value: float = 2.0

    def pairwise(self, X, Y=None):
        rho = Energy().pairwise(X, Y)
        for place in self.places:
            rho[place] = self.value
        return rho


def mixed(frame, **parameters):
    """A fit to columns of several kinds."""
    return fit(frame, metric=Mixed(**parameters))


METRICS = [
    ("a constant column", lambda: fit(np.c_[X, ONES], metric="seuclidean"), ValueError,
     "variances", "column 2"),
    ("series that are transposed", lambda: fit(np.sin(np.arange(108.0)).reshape(6, 2, 9),
     metric="dtw"), LookalikeWarning, "transpose", "channels"),
    ("a class that is not symmetric", lambda: fit(metric=Changed()), ValueError,
     "symmetric", "distances"),
    ("a class below zero", lambda: fit(metric=Changed(((0, 1), (1, 0)), -1.0)), ValueError,
     "-1", "rows 0 and 1"),
    ("a class not zero to itself", lambda: fit(metric=Changed(((4, 4),), 0.5)), ValueError,
     "row 4", "0.5"),
    ("a metric without negative type", lambda: fit(metric="damped_squared"), TheoryWarning,
     "DampedSquared", "negative type"),
    ("alpha above 2", lambda: fit(metric=Energy(2.5)), ValueError, "alpha", "2.5"),
    ("degrees that are radians", lambda: fit(RADIANS, metric="great_circle"), LookalikeWarning,
     "radians", "degrees"),
    ("longitude first", lambda: fit(TOWNS, metric="great_circle"), LookalikeWarning,
     "latitude", "lon"),
    ("latitude of 139", lambda: fit([[139.0, 35.0], [9.0, 48.0]], metric="great_circle"),
     ValueError, "latitude", "139"),
    ("radians that are degrees", lambda: fit([[48.0, 9.0], [47.0, 9.0]],
     metric=GreatCircle(units="radians")), ValueError, "latitude", "48"),
    ("a histogram below zero", lambda: fit(0.1 - X, metric="hellinger"), ValueError,
     "negative", "row"),
    ("an empty histogram", lambda: fit(X, metric="jensen_shannon"), ValueError, "row 0", "zero"),
    ("no direction", lambda: fit(X, metric="cosine"), ValueError, "row 0", "zero"),
    ("no direction, sparse", lambda: fit(sparse.csr_array(X), metric="angular"), ValueError,
     "row 0", "zero"),
    ("a function gives NaN", lambda: fit(["a", "b", "c"], metric=lambda a, b: NAN), ValueError,
     "nan", "finite"),
    ("a function is negative", lambda: fit(["a", "b", "c"], metric=lambda a, b: -(a != b)),
     ValueError, "-1.0", "objects"),
    ("a function is not symmetric", lambda: fit([1, 2, 3, 4], metric=lambda a, b: abs(a - b) * a),
     ValueError, "symmetric", "object"),
    ("a similarity as a function", lambda: fit(["a", "b", "c"], metric=lambda a, b: float(a == b)),
     ValueError, "itself", "1"),
    ("series of unlike channels", lambda: fit([np.ones((5, 2)), np.ones((5, 3))], metric="dtw"),
     ValueError, "channels", "series 1"),
    ("NaN in a series", lambda: fit([[1.0, 2.0], [NAN, 1.0]], metric="dtw"), ValueError,
     "series 1", "NaN"),
    ("a text for a set", lambda: fit([{1}, "ab", {2}], metric="jaccard"), TypeError,
     "item 1", "set"),
    ("a column that is not there", lambda: fit(FRAME, metric=ColumnSum([(Energy(), ["wdth"])])),
     ValueError, "wdth", "width"),
    ("a category without a place", lambda: mixed(MIXED, kinds={"town": ["Ulm"]}), ValueError,
     "Bonn", "order"),
    ("a kind of no column", lambda: mixed(MIXED, kinds={"twon": "category"}), ValueError,
     "twon", "town"),
    ("a negative weight of a column", lambda: mixed(MIXED, weights={"age": -1}), ValueError,
     "weights", "-1"),
    ("a column of names", lambda: mixed(pd.DataFrame({"a": list("abcdef"), "b": range(6)})),
     LookalikeWarning, "a", "row"),
    ("time zones here and there", lambda: mixed(pd.DataFrame({"when": [
        pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02", tz="UTC")], "b": [1, 2]})),
     ValueError, "when", "time zone"),
    ("numbers and text in a column", lambda: mixed(pd.DataFrame({"a": [1, "x"], "b": [1, 2]})),
     ValueError, "a", "text"),
    ("features of no negative type", lambda: fit(metric="damped_squared", method="nystroem"),
     ValueError, "nystroem", "DampedSquared"),
    ("a power above 1 in a tree", lambda: fit(model=EnergyAgglomerative, metric="manhattan",
     alpha=1.5), TheoryWarning, "alpha", "Manhattan"),
]  # fmt: skip

MATRICES = [
    ("not square", lambda: rho(RHO[:5]), ValueError, "square", "(5, 10)"),
    ("not symmetric", lambda: rho(changed(RHO, (0, 1), 5.0)), ValueError, "(0, 1)", "5"),
    ("a negative distance", lambda: rho(-RHO), ValueError, "negative", "precomputed_kernel"),
    ("not zero on the diagonal", lambda: rho(RHO + 0.5), ValueError, "itself", "0.5"),
    ("half a matrix", lambda: rho(np.tril(RHO)), ValueError, "half", "symmetric"),
    ("half a kernel", lambda: rho(np.triu(X @ X.T + 1), "precomputed_kernel"), ValueError,
     "half", "symmetric"),
    ("NaN in a sparse kernel", lambda: rho(sparse.csr_array(changed(X @ X.T, (2, 3), NAN)),
     "precomputed_kernel"), ValueError, "NaN", "row 2"),
    ("a sparse kernel not symmetric", lambda: rho(sparse.csr_array(changed(X @ X.T, (2, 3), 5)),
     "precomputed_kernel"), ValueError, "entries", "(2, 3)"),
    ("half a sparse kernel", lambda: rho(sparse.triu(sparse.csr_array(X @ X.T + 1)),
     "precomputed_kernel"), ValueError, "half", "symmetric"),
    ("NaN", lambda: rho(changed(RHO, (2, 3), NAN)), ValueError, "NaN", "row 2"),
    ("kernel not symmetric", lambda: rho(changed(X @ X.T, (0, 1), 5.0), "precomputed_kernel"),
     ValueError, "(0, 1)", "5"),
    ("other names", lambda: rho(pd.DataFrame(RHO, list("abcdefghij"), list("vbcdefghij"))),
     ValueError, "row", "'a'"),
    ("a column of names", lambda: rho(pd.DataFrame(RHO).assign(name=list("abcdefghij"))),
     ValueError, "text", "column 10"),
    ("masked", lambda: rho(masked(RHO, (1, 2))), ValueError, "masked", "row 1"),
    ("sparse distances", lambda: rho(sparse.csr_array(RHO)), TypeError, "sparse", "toarray"),
    ("not square", lambda: semimetric_from_kernel(RHO[:4]), ValueError, "square", "(4, 10)"),
]  # fmt: skip

WEIGHTS = [
    ("too large", lambda: fit(weights=ONES * 1e308), ValueError, "sample_weight", "1e+308"),
    ("too many orders", lambda: fit([0.0, 5, 9], weights=[1e-200, 1e200, 1], model=KGroups1D),
     ValueError, "sample_weight", "1e-200"),
    ("negative", lambda: fit(weights=[-1, *ONES[1:]]), ValueError, "negative", "row 0"),
    ("NaN", lambda: fit(weights=[*ONES[1:], NAN]), ValueError, "NaN", "row 9"),
    ("all zero", lambda: fit(weights=0 * ONES), ValueError, "sample_weight", "zero"),
    ("masked", lambda: fit(weights=masked(ONES, 2)), ValueError, "sample_weight", "masked"),
    ("too few", lambda: fit(weights=[1, 1, 1]), ValueError, "sample_weight", "(3,)"),
    ("of a tree", lambda: fit(weights=[-1, *ONES[1:]], model=EnergyAgglomerative), ValueError,
     "negative", "row 0"),
    ("too few rows with weight", lambda: fit(X, 4, weights=[1, 1, 1, *ONES[3:] * 0]), ValueError,
     "n_clusters=4", "3"),
    ("of a score", lambda: fit().score(X, sample_weight=-ONES), ValueError, "negative", "row 0"),
    ("counted as one in auto", lambda: fit(k="auto", weights=np.arange(10.0)), UserWarning,
     "auto", "weights"),
]  # fmt: skip

PARAMETERS = [
    ("a start that returns strangers", lambda: fit(init=lambda X, k, rng: [5] * 10), ValueError,
     "init", "5"),
    ("no clusters", lambda: fit(k=0), ValueError, "n_clusters", "0"),
    ("more clusters than rows", lambda: fit(k=11), ValueError, "n_clusters=11", "n_samples=10"),
    ("more clusters than distinct rows", lambda: fit(np.repeat(X[:3], 5, 0), 4), ValueError,
     "n_clusters=4", "distinct"),
    ("auto with labels", lambda: fit(k="auto", init=[0, 1] * 5), ValueError, "init", "auto"),
    ("clusters and a threshold", lambda: fit(k=3, model=EnergyAgglomerative, distance_threshold=2),
     ValueError, "n_clusters=3", "distance_threshold=2"),
    ("init of fractions", lambda: fit(init=[0.5] * 10), ValueError, "init", "integers"),
    ("init of strangers", lambda: fit(init=[5] * 10), ValueError, "init", "5"),
    ("init too short", lambda: fit(init=[0, 1]), ValueError, "init", "10"),
    ("masked labels to start from", lambda: fit(init=masked([0, 1] * 5, 2)), ValueError,
     "init", "masked"),
    ("init as centers", lambda: fit(init=X[:2]), ValueError, "init", "(2, 2)"),
    ("n_init together with labels", lambda: fit(init=[0, 1] * 5, n_init=5), RuntimeWarning,
     "n_init", "5"),
    ("too few sweeps", lambda: fit(init=[0, 1] * 5, max_iter=1), ConvergenceWarning,
     "max_iter", "stopped"),
    ("tol of NaN", lambda: fit(tol=NAN), ValueError, "tol", "nan"),
    ("a method for points", lambda: fit(RHO, metric="precomputed", method="nystroem"), ValueError,
     "nystroem", "precomputed"),
    ("too little memory", lambda: fit(np.ones((3000, 2)).cumsum(0), memory_limit="1kB"),
     MemoryError, "3000", "limit"),
]  # fmt: skip


def two_columns(model=None):
    """A model of a frame with two columns."""
    return (model or KernelKGroups(2)).fit(FRAME)


NEW_ROWS = [
    ("columns of other names", lambda: two_columns().predict(FRAME.rename(
        columns={"width": "depth"})), ValueError, "width", "depth"),
    ("columns in another order", lambda: two_columns().predict(FRAME[["width", "height"]]),
     ValueError, "order", "fit"),
    ("one column more", lambda: fit().predict(np.ones((2, 3))), ValueError, "3 features", "2"),
    ("one column less", lambda: fit().transform(np.ones((2, 1))), ValueError, "1 features", "2"),
    ("NaN", lambda: fit().predict([[1.0, 2.0], [NAN, 1.0]]), ValueError, "NaN", "row 1"),
    ("another type", lambda: mixed(MIXED).predict(MIXED.assign(age=list("abcd"))), ValueError,
     "age", "numbers"),
    ("a category that was not seen", lambda: mixed(MIXED).predict(MIXED.assign(town="Rom")),
     UserWarning, "Rom", "town"),
    ("new rows for a kernel", lambda: rho(X @ X.T, "precomputed_kernel").transform(X @ X.T),
     ValueError, "precomputed_kernel", "K(x, x)"),
    ("not fitted", lambda: KernelKGroups(2).predict(X), NotFittedError, "KernelKGroups", "fit"),
    ("other rows to describe", lambda: fit().describe(X[:3]), ValueError, "10 rows", "3"),
    ("other rows in a report", lambda: fit().report(X[1:]), ValueError, "9 rows", "10"),
    ("other order in a report", lambda: fit().report(X[::-1]), ValueError, "rows", "order"),
    ("gap of an estimate", lambda: fit(method="nystroem").optimality_gap(), ValueError,
     "nystroem", "W"),
    ("gap of other rows", lambda: fit().optimality_gap(X[:3]), ValueError, "10 rows", "3"),
]  # fmt: skip


def source(table=X):
    """Rows that are read in blocks."""
    return from_array(table)


BLOCKS = [
    ("complex numbers", lambda: source(X * 1j), ValueError, "complex", "X.real"),
    ("a path", lambda: source("x.npy"), TypeError, "path", "from_npy"),
    ("NaN", lambda: fit(source(changed(X, (3, 1), NAN))), ValueError, "NaN", "row 3"),
    ("a negative weight", lambda: fit(source(), weights=-ONES), ValueError,
     "sample_weight", "row 0"),
    ("a matrix", lambda: fit(source(RHO), metric="precomputed"), ValueError,
     "precomputed", "blocks"),
]  # fmt: skip

SUBJECTS = {
    "rows": ROWS,
    "metrics": METRICS,
    "matrices": MATRICES,
    "weights": WEIGHTS,
    "parameters": PARAMETERS,
    "new rows": NEW_ROWS,
    "rows in blocks": BLOCKS,
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_mistakes(subject):
    assert_each_says(SUBJECTS[subject])


#: What is not refused today, or by a message that does not say what is wrong.
OPEN = [
    ("kernel of distances that are not symmetric", lambda: kernel_from_semimetric(
        changed(RHO, (0, 1), 5.0)), ValueError, "distances", "(0, 1)"),
    ("kernel of negative distances", lambda: kernel_from_semimetric(-RHO), ValueError,
     "distances", "negative"),
    ("kernel of NaN", lambda: kernel_from_semimetric(changed(RHO, (2, 3), NAN)), ValueError,
     "distances", "row 2"),
    ("kernel at a fraction", lambda: kernel_from_semimetric(RHO, origin=1.5), ValueError,
     "origin", "1.5"),
    ("kernel with a negative weight", lambda: kernel_from_semimetric(
        RHO, sample_weight=[-1, *ONES[1:]]), ValueError, "sample_weight", "row 0"),
    ("distances of a kernel that is not symmetric", lambda: semimetric_from_kernel(
        changed(X @ X.T, (0, 1), 5.0)), ValueError, "gram", "(0, 1)"),
    ("negative type of distances that are not symmetric", lambda: negative_type_violation(
        changed(RHO, (0, 1), 5.0)), ValueError, "distances", "(0, 1)"),
    ("negative type of NaN", lambda: negative_type_violation(changed(RHO, (2, 3), NAN)),
     ValueError, "distances", "row 2"),
    ("distances between complex numbers", lambda: Energy().pairwise(X * 1j), ValueError,
     "complex", "X"),
    ("three columns on the sphere", lambda: fit(X[:, [0, 1, 0]] / 9, metric="great_circle"),
     ValueError, "GreatCircle", "3"),
    ("a number for a name", lambda: by_name(3), ValueError, "metric", "3"),
    ("a tree of rows in blocks", lambda: fit(source(), model=EnergyAgglomerative), TypeError,
     "X", "block"),
    ("rows in blocks on a line", lambda: fit(source(X[:, :1]), model=KGroups1D), TypeError,
     "X", "block"),
    ("a model in no folder", lambda: fit().save("none/m.kg"), FileNotFoundError, "none", "m.kg"),
]  # fmt: skip


_RAISED_TODAY = (IndexError, AttributeError, ValueError)


@wrong_today("accepted, or refused without saying what is wrong", *_RAISED_TODAY)
@pytest.mark.parametrize("row", OPEN, ids=lambda row: row[0])
def test_mistakes_that_are_not_refused_well(row):
    assert_each_says([row])
