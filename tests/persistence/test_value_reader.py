"""Values come back as they were, and what no writer made is refused."""

from datetime import date, datetime

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.gram.squared_rows import Embedding
from kgroups.input.spaces import PointSpace
from kgroups.persistence.value_reader import MetricNeeded, UnknownValue, ValueReader
from kgroups.persistence.value_writer import ValueWriter
from kgroups.semimetrics import (
    ColumnSum,
    ElasticDistance,
    Energy,
    Mixed,
    PairFunction,
    ScipyDistance,
)


class Held:
    """Arrays that stand where those of a file would."""

    def __init__(self, *arrays):
        self.arrays = {f"arrays/{i}.npy": np.asarray(array) for i, array in enumerate(arrays)}

    def array(self, name):
        return self.arrays[name].copy()


def read(tree, *arrays, metric=None):
    return ValueReader(Held(*arrays), metric).value(tree)


def again(value, metric=None):
    writer = ValueWriter()
    tree = writer.tree(value, "it")
    return read(tree, *writer.arrays, metric=metric)


@pytest.mark.nojit
@pytest.mark.parametrize(
    "value",
    [
        None, False, 7, "x", 0.1, float("-inf"), -0.0, [1, [2.5]], (1, ("a",)), {1: (2,), "b": []},
        {"a", 3}, frozenset({(1, 2)}), slice(None, 3), date(2024, 2, 29),
        datetime(2024, 2, 29, 1, 2, 3), Energy(0.25),
        ColumnSum([(Energy(), [0, 1], 2.0)]), {True: 1.5, False: 2},
    ],
)  # fmt: skip
def test_values_come_back(value):
    made = again(value)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.nojit
def test_parameters_of_other_libraries_come_back():
    assert again(ScipyDistance("minkowski", p=3)).get_params() == {"name": "minkowski", "p": 3}
    made = again(ElasticDistance("msm", window=0.5, c=0.1))
    assert made.get_params() == {"name": "msm", "window": 0.5, "c": 0.1}


@pytest.mark.nojit
def test_not_a_number_comes_back():
    assert np.isnan(again(float("nan")))


@pytest.mark.nojit
@pytest.mark.parametrize(
    "value", [np.float32(0.1), np.int8(-3), np.str_("ab"), np.bool_(False), np.uint64(2**64 - 1)]
)
def test_scalars_keep_their_types(value):
    made = again(value)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.nojit
def test_arrays_keep_their_identity():
    shared = np.arange(3.0)
    first, (second, third) = again([shared, (shared, shared.copy())])
    assert first is second
    assert third is not first
    assert third.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.nojit
def test_lists_of_arrays_come_back():
    made = again([np.array([[1.0, 2.0]]), np.empty((0, 2)), np.ones((2, 2))])
    assert [one.shape for one in made] == [(1, 2), (0, 2), (2, 2)]
    assert made[0].tolist() == [[1.0, 2.0]]


@pytest.mark.nojit
def test_objects_in_arrays_come_back():
    made = again(np.array([["a", None], [(1, 2), 0.5]], object))
    assert made.dtype == object
    assert made.tolist() == [["a", None], [(1, 2), 0.5]]


@pytest.mark.nojit
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_keep_the_type_of_their_indices(index):
    rows = csr_array(([2.0, 5.0], [1, 0], [0, 1, 2]), shape=(2, 4))
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    made = again(rows)
    assert made.toarray().tolist() == [[0, 2, 0, 0], [5, 0, 0, 0]]
    assert made.indices.dtype == made.indptr.dtype == index


@pytest.mark.nojit
def test_what_a_semimetric_found_in_data_comes_back():
    table = np.array([[0.0, 1.0], [2.0, np.nan], [6.0, 0.0], [1.0, 1.0]])
    metric = Mixed(kinds=["number", "category"]).resolve(table)
    made = again(PointSpace(metric)).semimetric
    assert made.pairwise(table).tobytes() == metric.pairwise(table).tobytes()
    assert vars(made)["_settled"].n_features == 2


@pytest.mark.nojit
def test_objects_with_arrays_come_back():
    made = again(Embedding(np.ones(2), 4.0, np.zeros(2), 0.5))
    assert isinstance(made, Embedding)
    assert (made.unit, made.scale, made.first.tolist()) == (4.0, 0.5, [1.0, 1.0])


@pytest.mark.nojit
def test_a_function_is_what_is_given():
    assert again(PairFunction(np.hypot), metric=np.hypot).function is np.hypot
    assert again(np.hypot, metric=PairFunction(np.hypot)) is np.hypot
    for metric in (None, Energy(), "energy"):
        with pytest.raises(MetricNeeded, match="hypot"):
            again(np.hypot, metric=metric)
    for metric in (None, np.hypot):
        with pytest.raises(MetricNeeded, match="Mine"):
            read({"given": ["semimetric", "Mine"]}, metric=metric)
    given = Energy(0.5)
    assert read({"given": ["semimetric", "Mine"]}, metric=given) is given


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("tree", "named"),
    [
        ({"spline": [1]}, "a value of the kind 'spline'"),
        ({"object": ["Wasserstein", {}]}, "an object of the class 'Wasserstein'"),
        ({"object": ["os.system", {"command": "true"}]}, "an object of the class 'os.system'"),
    ],
)
def test_unknown_kinds_and_classes(tree, named):
    with pytest.raises(UnknownValue, match=named):
        read(tree)


INDICES = np.array([1, 0])
INDPTR = np.array([0, 1, 2])


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("tree", "arrays", "error"),
    [
        ({"objects": [["a"], [10**9, 10**9]]}, (), "1 objects claims the shape"),
        ({"scalar": ["V9999999999", 0]}, (), "a scalar of 'V9999999999'"),
        ({"scalar": ["O", 0]}, (), "a scalar of 'O'"),
        ({"tuple": [], "list": []}, (), "too many values"),
        ({}, (), "not enough values"),
        ({"arrays": [0, 1]}, (np.ones(3), np.array([5])), "do not add up"),
        ({"arrays": [0, 1]}, (np.ones(3), np.array([4, -1])), "not whole numbers"),
        ({"csr_array": [[10**12, 2], 0, 1, 2]}, (np.ones(2), INDICES, INDPTR), "claim the shape"),
        ({"csr_array": [[2, 2], 0, 1, 2]}, (np.ones(3), INDICES, INDPTR), "do not end where"),
        ({"csr_array": [[2, 2], 0, 1, 2]}, (np.ones(2), INDICES + 1, INDPTR), "indices must be"),
        ({"csr_array": [[2, 2], 0, 1, 2]}, (np.ones(2), INDICES - 1, INDPTR), "indices must be"),
        ({"csr_array": [[2, 2], 0, 1, 2]}, (np.ones(2), INDICES, np.array([0, 3, 2])), "ind"),
        ({"object": ["Energy", {"alpha": 3.0}]}, (), "alpha"),
    ],
)
def test_what_no_writer_made_is_refused(tree, arrays, error):
    with pytest.raises(ValueError, match=error):
        read(tree, *arrays)


@pytest.mark.nojit
def test_parts_of_other_classes_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'beta'"):
        read({"object": ["Energy", {"beta": 1.0}]})
