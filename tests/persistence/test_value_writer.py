"""What a value becomes in JSON, and what cannot be kept."""

from collections import OrderedDict
from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from kgroups.input.spaces import Origin
from kgroups.persistence.value_writer import ValueWriter
from kgroups.semimetrics import Energy, PairFunction, Semimetric


def tree(value):
    return ValueWriter().tree(value, "it")


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        (True, True),
        (-(10**30), -(10**30)),
        ("naïve \ud800", "naïve \ud800"),
        (0.1, 0.1),
        (float("nan"), {"float": "nan"}),
        (float("-inf"), {"float": "-inf"}),
        ([1, "a"], [1, "a"]),
        ([], []),
        ((1, (2.5,)), {"tuple": [1, {"tuple": [2.5]}]}),
        ({1: "a", "b": None}, {"dict": [[1, "a"], ["b", None]]}),
        ({3, 1, 2}, {"set": [1, 2, 3]}),
        (frozenset({"b", "a"}), {"frozenset": ["a", "b"]}),
        ({2, "a"}, {"set": ["a", 2]}),
        (slice(0, 4, 2), {"slice": [0, 4, 2]}),
        (date(2024, 1, 31), {"date": "2024-01-31"}),
        (datetime(2024, 1, 31, 12), {"datetime": "2024-01-31T12:00:00"}),
        (np.float64(0.5), {"scalar": ["<f8", 0.5]}),
        (np.float32("inf"), {"scalar": ["<f4", {"float": "inf"}]}),
        (np.str_("ab"), {"scalar": ["<U2", "ab"]}),
        (np.bool_(True), {"scalar": ["|b1", True]}),
        (np.array(["x", None], object), {"objects": [["x", None], [2]]}),
        (Energy(0.5), {"object": ["Energy", {"alpha": 0.5}]}),
        (Origin(), {"object": ["Origin", {"shift": 0.0, "constant": 0.0}]}),
    ],
)
def test_values_by_hand(value, written):
    assert tree(value) == written


@pytest.mark.nojit
def test_an_array_is_noted_once_however_often_it_occurs():
    writer, array = ValueWriter(), np.arange(3)
    equal = array.copy()
    assert writer.tree([array, {"x": array}, equal, None], "it") == [
        {"array": 0},
        {"dict": [["x", {"array": 0}]]},
        {"array": 1},
        None,
    ]
    assert writer.arrays[0] is array
    assert writer.arrays[1] is equal


@pytest.mark.nojit
def test_arrays_that_differ_in_length_become_one():
    writer = ValueWriter()
    made = writer.tree([np.array([1.0, 2.0]), np.array([]), np.array([3.0])], "it")
    assert made == {"arrays": [0, 1]}
    assert writer.arrays[0].tolist() == [1.0, 2.0, 3.0]
    assert writer.arrays[1].tolist() == [2, 0, 1]


@pytest.mark.nojit
@pytest.mark.parametrize(
    "values",
    [
        [np.array([1.0]), np.array([1])],
        [np.zeros((2, 3)), np.zeros((2, 2))],
        [np.zeros((3, 3)).T[1:], np.zeros((2, 3))],
        [np.array(1.0), np.array(2.0)],
        [np.array(["a"], object), np.array(["b"], object)],
    ],
)
def test_other_lists_of_arrays_are_written_one_by_one(values):
    made = tree(values)
    assert len(made) == 2
    assert all(one.keys() < {"array", "objects"} for one in made)


@pytest.mark.nojit
def test_sparse_rows_are_written_by_their_parts():
    writer = ValueWriter()
    rows = csr_array(([2.0, 5.0], [1, 0], [0, 1, 2]), shape=(2, 4))
    assert writer.tree(rows, "it") == {"csr_array": [[2, 4], 0, 1, 2]}
    assert [part.tolist() for part in writer.arrays] == [[2.0, 5.0], [1, 0], [0, 1, 2]]


class Mine(Semimetric):
    def pairwise(self, X, Y=None):
        raise NotImplementedError


@pytest.mark.nojit
def test_functions_and_semimetrics_of_others_are_written_by_name():
    assert tree(np.subtract) == {"given": ["function", "subtract"]}
    assert tree(Mine()) == {"given": ["semimetric", "Mine"]}
    writer = ValueWriter()
    parts = writer.tree([PairFunction(np.hypot), np.hypot], "it")
    assert parts[0]["object"][1]["function"] == parts[1] == {"given": ["function", "hypot"]}
    assert tree([Mine(), Mine()]) == [{"given": ["semimetric", "Mine"]}] * 2


@pytest.mark.nojit
@pytest.mark.parametrize("values", [[np.hypot, np.subtract], [Mine(), np.hypot]])
def test_only_one_of_them_can_be_given_again(values):
    with pytest.raises(ValueError, match=r"it\[1\] is a second function or semimetric"):
        tree(values)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("value", "named"),
    [
        ([1, Fraction(1, 2)], r"it\[1\] is a fractions\.Fraction, which a file of a model does"),
        ({"a": {"b": 1j}}, r"it\['a'\]\['b'\] is a complex"),
        ({Fraction(1): 0}, r"a key of it is a fractions\.Fraction"),
        (Origin(Fraction(1)), r"it\.shift is a fractions"),
        (OrderedDict(a=1), r"it is a collections\.OrderedDict"),
        (b"bytes", "it is a bytes"),
        (int, "it is a type"),
        (csr_matrix((2, 2)), r"it is a scipy\.sparse\._csr\.csr_matrix"),
        (np.ma.masked_array([1.0], [True]), "it is a masked array"),
        (np.zeros(2, [("a", "f8")]), r"it: an array of \[\('a', '<f8'\)\] is not one"),
        (np.array([Fraction(1)], object), r"it\[0\] is a fractions"),
        (np.array([], "V0"), "it: an array of"),
    ],
)
def test_what_cannot_be_kept_is_named_by_its_place(value, named):
    with pytest.raises(ValueError, match=named):
        tree(value)


@pytest.mark.nojit
@pytest.mark.skipif(np.longdouble(0).itemsize <= 8, reason="long doubles are doubles here")
def test_numbers_that_mean_something_else_elsewhere_are_refused():
    with pytest.raises(ValueError, match=r"it: an array of float128 is not one"):
        tree(np.zeros(2, np.longdouble))
