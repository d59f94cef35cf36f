"""Values as skops keeps them, and what makes them again; nothing else is in files of models."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from kgroups.semimetrics.callables import PairFunction
from kgroups.semimetrics.semimetric import Semimetric

_CLASSES = """
answers.answers KeptDistances KeptRows; certificate.certificate Certificate Step;
estimators.energy_agglomerative EnergyAgglomerative; estimators.kernel_kgroups KernelKGroups;
estimators.kernel_kmeans KernelKMeans; estimators.kgroups_1d KGroups1D; gram.nystroem NystroemMap;
gram.squared_rows Embedding; graphs.bethe_hessian_clustering BetheHessianClustering;
graphs.free.hierarchy CommunityGraph Hierarchy; graphs.graph_kgroups GraphKGroups;
graphs.neighbors.neighbor_table Frame NeighborTable; input.negative_type Violation;
input.preparation NumberColumns TextColumn TypedColumns; input.spaces DistanceSpace KernelSpace
Origin PointSpace; persistence.values Packed; select.choose_n_clusters ClusterCount;
select.criterion Criterion; semimetrics.angles Angular Cosine; semimetrics.callables PairFunction;
semimetrics.column_sum ColumnSum; semimetrics.coordinates DampedSquared Energy Gaussian Hamming
Laplacian Manhattan SineSquared; semimetrics.edit_distance EditDistance;
semimetrics.elastic_distance ElasticDistance; semimetrics.gaps CategoryDistribution
LineDistribution; semimetrics.mixed Mixed MixedColumn SettledColumns; semimetrics.other_spaces
GreatCircle Hellinger Jaccard JensenShannon KendallTau; semimetrics.sample_distance Samples;
semimetrics.scipy_distance ScipyDistance; solvers.agglomerative Tree; solvers.centroids Centroids
FeatureCentroids RowsToBlockMeans RowsToCentroids RowsToMeans RowsToSketchedCentroids
RowsToSparseMeans; solvers.one_dimensional Intervals
"""
_MODULES = (part.split() for part in _CLASSES.split(";"))
#: The classes of kgroups whose objects a file may hold; to make one runs nothing.
KEPT = frozenset(f"kgroups.{module}.{name}" for module, *names in _MODULES for name in names)
#: The classes of scikit-learn that prepare columns; they call no compiled code on what they hold.
PREPARING = frozenset({
    "ColumnTransformer", "Pipeline", "SimpleImputer", "StandardScaler", "FunctionTransformer",
    "OrdinalEncoder", "OneHotEncoder", "TfidfVectorizer", "TfidfTransformer",
})  # fmt: skip
ARRAYS = "biufcUmM"  # kinds that mean the same everywhere
_PLAIN = (type(None), bool, int, float, str)
_ADDRESS = "_stop_words_id"  # a place in memory, of scikit-learn
_SETS: dict[str, Any] = {"frozenset": frozenset, "set": set}


class MetricNeeded(Exception):
    """A file asks for a metric that is not given; the message is its name."""


#: What the user of a file gives as metric, and whether the file has asked for it.
GIVEN: ContextVar[dict[str, Any]] = ContextVar("given")


def _metric(what: str, name: str) -> Any:
    given = GIVEN.get()
    metric, given["is_used"] = given["metric"], True
    if what == "function" and isinstance(metric, PairFunction):
        return metric.function
    found = "semimetric" if isinstance(metric, Semimetric) else "function"
    if found != what or not (found == "semimetric" or callable(metric)):
        raise MetricNeeded(name)
    return metric


def _csr_array(shape: Any, data: Any, indices: Any, indptr: Any) -> Any:
    rows: Any = csr_array((data, indices, indptr), shape=shape)
    rows.indices, rows.indptr = indices, indptr  # the constructor makes 32 bits of 64
    rows.check_format(full_check=True)
    return rows


def _objects(shape: list[int], values: list[Any]) -> Any:
    made = np.empty(len(values), object)
    made[:] = np.fromiter(values, object, len(values))
    return made.reshape(shape)


_UNPACKED: dict[str, Callable[..., Any]] = {
    "arrays": lambda rows, lengths: np.split(rows, np.cumsum(lengths)[:-1]),
    "csr_array": _csr_array,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "dict": lambda keys, values: dict(zip(keys, values, strict=True)),
    "dtype": np.dtype,
    "json": json.loads,
    "metric": _metric,
    "objects": _objects,
    "sets": lambda text: [_SETS[kind](members) for kind, members in json.loads(text)],
    **_SETS,
}


class Packed(tuple[Any, ...]):
    """A value that skops does not keep, or in many pieces: what it is, and what makes it."""

    _fields = ("kind", "parts")  # skops calls the class of a tuple with names

    def __new__(cls, kind: str, *parts: Any) -> Any:
        """The value itself."""
        return _UNPACKED[kind](*parts)


def _packed(kind: str, *parts: Any) -> Packed:
    return tuple.__new__(Packed, (kind, *parts))


def name_of(kind: type) -> str:
    """The name by which a file knows a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


class Packer:
    """Makes values such that skops keeps them; ValueError for what no file holds."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}
        self._metric: Any = None

    def __call__(self, value: Any) -> Any:
        """A value with all that it holds, made once."""
        if id(value) not in self._made:
            make = _PACK.get(type(value), Packer._other)
            is_as_it_is = type(value) in _PLAIN or isinstance(value, (np.generic, slice))
            self._made[id(value)] = value, value if is_as_it_is else make(self, value)
        return self._made[id(value)][1]

    def list(self, values: list[Any]) -> Any:
        """Plain values and sets as one text, arrays that differ in length alone as one array."""
        if all(type(value) in _PLAIN for value in values):
            return _packed("json", json.dumps(values))
        if all(type(v) in _SETS.values() and all(type(x) in _PLAIN for x in v) for v in values):
            return _packed("sets", json.dumps([(type(v).__name__, _in_order(v)) for v in values]))
        if all(type(v) is np.ndarray and v.ndim and v.flags.c_contiguous for v in values):
            (first, _), *others = {(v.dtype, v.shape[1:]) for v in values}
            if not others and first.kind != "O":
                return _packed("arrays", np.concatenate(values), np.array([*map(len, values)]))
        return [self(value) for value in values]

    def array(self, value: Any) -> Any:
        """An array of numbers or texts as it is, and one of objects by these."""
        if value.dtype == object:
            return _packed("objects", [*value.shape], self(value.ravel().tolist()))
        if value.dtype.kind not in ARRAYS or not value.dtype.itemsize:
            raise ValueError(f"an array of {value.dtype} cannot be kept in a file of a model.")
        return value

    def _other(self, value: Any) -> Any:
        kind = type(value)
        if name_of(kind) in KEPT and isinstance(value, tuple):
            return tuple.__new__(kind, map(self, value))
        is_known = isinstance(value, BaseEstimator) and kind.__name__ in PREPARING
        if name_of(kind) in KEPT or (is_known and kind.__module__.startswith("sklearn.")):
            return self.object(value, {})
        if isinstance(value, np.dtype):
            return _packed("dtype", value.str)
        if kind is type and value.__module__ in ("builtins", "numpy"):
            return value
        if isinstance(value, Semimetric):
            return self._given("semimetric", kind)
        if callable(value) and not isinstance(value, type):
            return self._given("function", value)
        raise ValueError(f"an object of {name_of(kind)} cannot be kept in a file of a model.")

    def object(self, value: Any, others: dict[str, Any]) -> Any:
        """An object with what it knows, but not what it would find again."""
        made, kind = object.__new__(type(value)), type(value)
        for key, one in {**(value.__getstate__() or {}), **others}.items():
            if not isinstance(getattr(kind, key, None), cached_property) and key != _ADDRESS:
                vars(made)[key] = self(one)
        return made

    def _given(self, what: str, metric: Any) -> Any:
        """The name of what only its user has."""
        if self._metric not in (None, metric):
            raise ValueError(
                f"{metric!r} is a second function or semimetric that is not one of kgroups, and "
                "only one can be given again when the model is loaded."
            )
        self._metric = metric
        return _packed("metric", what, str(getattr(metric, "__name__", type(metric).__name__)))


def _in_order(values: Any) -> list[Any]:
    return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


def _members(pack: Packer, values: Any) -> Any:
    return _packed(type(values).__name__, pack(_in_order(values)))


def _day(pack: Packer, value: date) -> Any:
    return _packed(type(value).__name__, value.isoformat())


_PACK: dict[type, Callable[[Packer, Any], Any]] = {
    csr_array: lambda pack, rows: _packed(
        "csr_array", [*rows.shape], rows.data, rows.indices, rows.indptr
    ),
    date: _day,
    datetime: _day,
    dict: lambda pack, value: _packed("dict", pack([*value]), pack([*value.values()])),
    frozenset: _members,
    list: Packer.list,
    np.memmap: lambda pack, value: pack.array(np.asarray(value)),
    np.ndarray: Packer.array,
    set: _members,
    tuple: lambda pack, values: tuple(pack(value) for value in values),
}
