"""Models in files: kept by skops without pickle, checked before and after they are made.

skops makes objects of known classes alone, and trusts what a file says that they hold. So a file is
looked through first: no part takes more memory than it has bytes. Afterwards the numbers are
checked that compiled loops use as places.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from datetime import date, datetime
from functools import cached_property
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kgroups.exceptions import DataError
from kgroups.input.rows import n_rows
from kgroups.runtime.written_whole import written_whole
from kgroups.semimetrics.callables import PairFunction
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import short
from kgroups.version import __version__

#: A change of files that earlier versions cannot read makes a new number.
FORMAT = 2
_CLASSES = """
kgroups.answers.answers KeptDistances KeptRows
kgroups.certificate.certificate Certificate Step
kgroups.gram.nystroem NystroemMap
kgroups.gram.squared_rows Embedding
kgroups.graphs.free.hierarchy CommunityGraph Hierarchy
kgroups.graphs.neighbors.neighbor_table Frame NeighborTable
kgroups.input.negative_type Violation
kgroups.input.preparation NumberColumns TextColumn TypedColumns
kgroups.input.spaces DistanceSpace KernelSpace Origin PointSpace
kgroups.persistence Packed
kgroups.select.choose_n_clusters ClusterCount
kgroups.select.criterion Criterion
kgroups.semimetrics.angles Angular Cosine
kgroups.semimetrics.callables PairFunction
kgroups.semimetrics.column_sum ColumnSum
kgroups.semimetrics.coordinates DampedSquared Energy Gaussian Hamming Laplacian Manhattan
kgroups.semimetrics.coordinates SineSquared
kgroups.semimetrics.edit_distance EditDistance
kgroups.semimetrics.elastic_distance ElasticDistance
kgroups.semimetrics.gaps CategoryDistribution LineDistribution
kgroups.semimetrics.mixed Mixed MixedColumn SettledColumns
kgroups.semimetrics.other_spaces GreatCircle Hellinger Jaccard JensenShannon KendallTau
kgroups.semimetrics.sample_distance Samples
kgroups.semimetrics.scipy_distance ScipyDistance
kgroups.solvers.agglomerative Tree
kgroups.solvers.centroids Centroids FeatureCentroids RowsToBlockMeans RowsToCentroids RowsToMeans
kgroups.solvers.centroids RowsToSketchedCentroids RowsToSparseMeans
kgroups.solvers.one_dimensional Intervals
kgroups.estimators.energy_agglomerative EnergyAgglomerative
kgroups.estimators.kernel_kgroups KernelKGroups
kgroups.estimators.kernel_kmeans KernelKMeans
kgroups.estimators.kgroups_1d KGroups1D
kgroups.graphs.bethe_hessian_clustering BetheHessianClustering
kgroups.graphs.graph_kgroups GraphKGroups
"""
_LINES = (line.split() for line in _CLASSES.strip().splitlines())
#: The classes of kgroups whose objects a file may hold; to make one runs nothing.
KEPT = frozenset(f"{module}.{name}" for module, *names in _LINES for name in names)
_SCHEMA = "schema.json"
_ARRAYS = "biufcUmM"  # kinds that mean the same everywhere
_PLAIN = (type(None), bool, int, float, str)
_ADDRESS = "_stop_words_id"  # a place in memory, of scikit-learn
_SETS: dict[str, Any] = {"frozenset": frozenset, "set": set}
# More would take long to look through: skops needs 4 kB and 30 µs for each.
_MOST_VALUES = 200_000


class _MetricNeeded(Exception):
    """A file asks for a metric that is not given; the message is its name."""


#: What the user of a file gives as metric, and whether the file has asked for it.
_GIVEN: ContextVar[dict[str, Any]] = ContextVar("given")


def _metric(what: str, name: str) -> Any:
    given = _GIVEN.get()
    metric, given["is_used"] = given["metric"], True
    if what == "function" and isinstance(metric, PairFunction):
        return metric.function
    found = "semimetric" if isinstance(metric, Semimetric) else "function"
    if found != what or not (found == "semimetric" or callable(metric)):
        raise _MetricNeeded(name)
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


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


class _Packer:
    """Makes values such that skops keeps them; ValueError for what no file holds."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}
        self._metric: Any = None

    def __call__(self, value: Any) -> Any:
        if id(value) not in self._made:
            make = _PACK.get(type(value), _Packer._other)
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
        if value.dtype.kind not in _ARRAYS or not value.dtype.itemsize:
            raise ValueError(f"an array of {value.dtype} cannot be kept in a file of a model.")
        return value

    def _other(self, value: Any) -> Any:
        kind = type(value)
        if _name(kind) in KEPT and isinstance(value, tuple):
            return tuple.__new__(kind, map(self, value))
        is_known = kind.__module__.startswith("sklearn.") and isinstance(value, BaseEstimator)
        if _name(kind) in KEPT or is_known:
            return self.object(value, {})
        if isinstance(value, np.dtype):
            return _packed("dtype", value.str)
        if kind is type and value.__module__ in ("builtins", "numpy"):
            return value
        if isinstance(value, Semimetric):
            return self._given("semimetric", kind)
        if callable(value) and not isinstance(value, type):
            return self._given("function", value)
        raise ValueError(f"an object of {_name(kind)} cannot be kept in a file of a model.")

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


def _members(pack: _Packer, values: Any) -> Any:
    return _packed(type(values).__name__, pack(_in_order(values)))


def _day(pack: _Packer, value: date) -> Any:
    return _packed(type(value).__name__, value.isoformat())


_PACK: dict[type, Callable[[_Packer, Any], Any]] = {
    csr_array: lambda pack, rows: _packed(
        "csr_array", [*rows.shape], rows.data, rows.indices, rows.indptr
    ),
    date: _day,
    datetime: _day,
    dict: lambda pack, value: _packed("dict", pack([*value]), pack([*value.values()])),
    frozenset: _members,
    list: _Packer.list,
    np.memmap: lambda pack, value: pack.array(np.asarray(value)),
    np.ndarray: _Packer.array,
    set: _members,
    tuple: lambda pack, values: tuple(pack(value) for value in values),
}


def save(model: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator into a file, whole or not at all; see ``Estimator.save``."""
    with written_whole(Path(path)) as stream:
        write_model(model, stream)


def write_model(model: BaseEstimator, stream: IO[bytes]) -> None:
    """The same into a stream that can be written anywhere."""
    from skops import io as skops

    if _name(type(model)) not in KEPT or not isinstance(model, BaseEstimator):
        raise TypeError(
            f"{type(model).__name__} is not an estimator of kgroups, which a file could name; a "
            "subclass of one of them cannot be kept."
        )
    check_is_fitted(model)
    made = BytesIO()
    skops.dump(_Packer().object(model, _parameters(model)), made)
    numbers: dict[str, str] = {}
    with zipfile.ZipFile(made) as parts, zipfile.ZipFile(stream, "w") as file:
        # Places in memory become numbers, and what is not an array stands where it is used.
        schema = re.sub(r"\n *", "", parts.read(_SCHEMA).decode())
        schema = re.sub(r'(?<!\.npy"),"__id__": \d+', "", schema)
        schema = re.sub(
            r'(?<="file": ")\d+(?=\.npy")|(?<=\.npy","__id__": )\d+',
            lambda found: numbers.setdefault(found[0], str(len(numbers) + 1)),
            schema,
        )
        if schema.count('"__loader__"') > _MOST_VALUES:
            raise ValueError(f"the model holds more than {_MOST_VALUES:,} objects of Python.")
        about = json.dumps({"_kgroups_format": FORMAT, "_kgroups_version": __version__})
        file.writestr(_part(_SCHEMA), f"{schema[:-1]},{about[1:]}")
        for place, number in numbers.items():
            file.writestr(_part(f"{number}.npy"), parts.read(f"{place}.npy"))


def _part(name: str) -> zipfile.ZipInfo:
    """A part without a date, so that the same model gives the same bytes."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, 0o644 << 16
    return info


def _parameters(model: BaseEstimator) -> dict[str, Any]:
    """The parameters, without states and functions that only a fit needs."""
    found: dict[str, Any] = model.get_params(deep=False)
    for name, value in found.items():
        is_state = isinstance(value, (np.random.RandomState, np.random.Generator))
        if is_state or (callable(value) and name != "metric"):
            found[name] = signature(type(model)).parameters[name].default
            warnings.warn(
                f"{name}={value!r} is not kept, because only another fit would need it: the loaded "
                f"model has {name}={found[name]!r}.",
                RuntimeWarning,
                stacklevel=5,
            )
    return found


def load(path: str | os.PathLike[str], *, metric: Any = None) -> Any:
    """Read a model that its ``save`` wrote, on any machine, by this version or an older one.

    Nothing in a file is run: it holds numbers and texts, and objects of kgroups and scikit-learn
    alone are made of them. A file is as large as the memory that its arrays take, and reading takes
    no more than a few times that, whatever a header claims. O(size of the file).

    Parameters
    ----------
    path : path
    metric : function or semimetric, default=None
        The metric of the fit, if it was a function of two objects or a semimetric of your own, of
        which a file holds the name only. A semimetric needs the parameters that the data of the fit
        gave it.

    Returns
    -------
    estimator
        With the same parameters and attributes, so that ``predict`` gives the same labels.

    Raises
    ------
    DataError
        For a file that is damaged, altered, not of a model, or written by a later version in a
        way that this one does not know.
    ValueError
        If ``metric`` is needed and not given, or given and not needed.

    Examples
    --------
    >>> import tempfile
    >>> import kgroups
    >>> model = kgroups.KernelKGroups(2, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/groups.kg")
    ...     again = kgroups.load(f"{folder}/groups.kg")
    >>> bool((again.predict([[2.0], [9.0]]) == model.predict([[2.0], [9.0]])).all())
    True
    """
    given = {"metric": metric, "is_used": False}
    token = _GIVEN.set(given)
    try:
        with Path(path).open("rb") as stream:
            model = _read(stream, path)
    except _MetricNeeded as needed:
        found = "" if metric is None else f", and metric={metric!r} is another kind of metric"
        raise ValueError(
            f"{path} holds the name of its metric, {needed}, but not the metric itself, which is "
            f"not one of kgroups{found}; write kgroups.load({str(path)!r}, metric={needed})."
        ) from None
    except (DataError, OSError):
        raise
    except Exception as error:
        raise DataError(
            f"{path} is damaged, altered, or not a file that save() of a model wrote "
            f"({type(error).__name__}: {short(error, 300)})."
        ) from error
    finally:
        _GIVEN.reset(token)
    if metric is not None and not given["is_used"]:
        raise ValueError(
            f"{path} holds the metric of its model, {model.metric!r}; omit metric=."
            if hasattr(model, "metric")
            else f"{path} holds a model that has no metric; omit metric=."
        )
    return model


def _read(stream: IO[bytes], path: str | os.PathLike[str]) -> Any:
    from skops import io as skops

    with zipfile.ZipFile(stream) as file:
        sizes = {part.filename: part.file_size for part in file.infolist()}
        if sum(sizes.values()) > os.fstat(stream.fileno()).st_size or any(
            part.compress_type != zipfile.ZIP_STORED or part.compress_size != part.file_size
            for part in file.infolist()
        ):
            raise ValueError("its parts are compressed, or claim to be larger than the file")
        schema = json.loads(file.read(_SCHEMA))
        if schema["_kgroups_format"] > FORMAT:
            by = short(schema["_kgroups_version"], 20)
            raise DataError(
                f"{path} was written by kgroups {by} in a format that kgroups {__version__} does "
                f"not know; install kgroups {by} or later."
            )
        arrays, classes = _looked_through(schema)
        if [*sizes] != [_SCHEMA, *arrays] or len(file.infolist()) != len(sizes):
            raise ValueError("its parts are not those that it names")
        for name in arrays:
            with file.open(name) as part:
                _check_array(part, sizes[name])
    model = skops.load(stream, trusted=sorted(classes & KEPT))
    _check(model)
    return model


def _looked_through(schema: dict[str, Any]) -> tuple[list[str], set[str]]:
    """The files of arrays, and the names of classes; ValueError for what ``save`` never writes.

    Only arrays are named twice, each by one number, so that what stands once is made once.
    """
    arrays: dict[str, int] = {}
    classes, nodes, count = set(), [schema], 0
    while nodes:
        node, count = nodes.pop(), count + 1
        if count > _MOST_VALUES:
            raise ValueError(f"it holds more than {_MOST_VALUES:,} objects")
        loader = node["__loader__"]
        classes.add(f"{node['__module__']}.{node['__class__']}")
        if loader == "NdArrayNode" and node["type"] == "numpy":
            if f"{node['__id__']}.npy" != node["file"] or node["__id__"] is True:
                raise ValueError("an array has another number than its part")
            arrays[node["file"]] = node["__id__"]
        elif "__id__" in node or loader not in _CHILDREN:
            raise ValueError(f"it holds a {loader} that save() does not write")
        else:
            nodes += reversed(_CHILDREN[loader](node))
    return [*arrays], classes


_CHILDREN: dict[str, Callable[[Any], list[Any]]] = {
    "DictNode": lambda node: [*node["content"].values(), node["key_types"]],
    "JsonNode": lambda node: [],
    "ListNode": lambda node: node["content"],
    "ObjectNode": lambda node: [node["content"]],
    "SliceNode": lambda node: [],
    "TupleNode": lambda node: node["content"],
    "TypeNode": lambda node: [],
}


def _check_array(part: IO[bytes], size: int) -> None:
    """ValueError unless an array of numbers or texts takes all of its part of the file."""
    if npy.read_magic(part) != (1, 0):
        raise ValueError("an array has another version of NumPy's format than 1.0")
    shape, _, dtype = npy.read_array_header_1_0(part)
    is_known = dtype.kind in _ARRAYS and dtype.itemsize and min(shape, default=0) >= 0
    if not is_known or math.prod(shape) * dtype.itemsize != size - part.tell():
        raise ValueError(f"an array claims to be {dtype} of shape {shape}, and its part is not")


def _check(model: Any) -> None:
    """ValueError for numbers that would lead compiled loops out of their arrays."""
    kind = type(model)
    if _name(kind) not in KEPT or not isinstance(model, BaseEstimator):
        raise ValueError(f"it holds an object of {_name(kind)}, and no model")
    longest = 1
    for value in _inside(model):
        if isinstance(value, (np.ndarray, csr_array)):
            longest = max(longest, *value.shape, 0)
        if not all(_SOUND.get(type(value).__name__, lambda value: ())(value)):
            raise ValueError(f"the parts of its {type(value).__name__} do not fit together")
    for name, value in vars(model).items():
        is_count = isinstance(value, (int, np.integer)) and 0 <= value <= longest
        if hasattr(kind, name) or (name in _COUNTS and not is_count):
            raise ValueError(f"{name} is not what a fitted {kind.__name__} has")
        if name in _LABELS and not _places(value, len(value), len(value)):
            raise ValueError(f"{name} are not labels")


def _inside(value: Any) -> Iterator[Any]:
    """A value, and all that it holds."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, dict) or _name(type(value)) in KEPT:
            waiting += (value if isinstance(value, dict) else vars(value)).values()


def _places(values: Any, below: int, *shape: int) -> bool:
    """Whether these are integers in 0..below−1, in an array of that shape."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
        return False
    is_inside = not values.size or (values.min() >= 0 and values.max() < below)
    return values.shape == shape and bool(is_inside)


def _numbers(values: Any, *shape: int) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.shape == shape


# Attributes that are labels, and those that count columns, clusters and rows.
_LABELS = ("labels_", "_node_labels_")
_COUNTS = ("n_features_in_", "n_clusters_", "n_leaves_", "n_neighbors_", "_n_features_out")


def _rows(made: Any) -> tuple[bool, ...]:
    return (made.training is None or n_rows(made.training) == len(made.centroids.labels),)


_SOUND: dict[str, Callable[[Any], tuple[bool, ...]]] = {
    "Centroids": lambda c: (
        _places(c.labels, len(c.partition_weight), len(c.labels)),
        _numbers(c.weights, len(c.labels)),
        _numbers(c.partition_weight, len(c.partition_weight)),
        _numbers(c.partition_within, len(c.partition_weight)),
    ),
    "CommunityGraph": lambda c: (
        c.links.shape == (len(c.sizes), len(c.sizes)),
        _numbers(c.sizes, len(c.sizes)),
        _numbers(c.volumes, len(c.sizes)),
    ),
    "Hierarchy": lambda h: (
        h.n_clusters == len(h.resolutions) + 1,
        _places(h.merges, h.n_clusters, len(h.resolutions), 2),
    ),
    "Intervals": lambda i: (
        _numbers(i.values, len(i.values)),
        _numbers(i.weights, len(i.values)),
        _places(i.bounds, len(i.values) + 1, len(i.bounds)),
        (i.bounds[0], i.bounds[-1]) == (0, len(i.values)),
        bool((np.diff(i.bounds) > 0).all()),
    ),
    "KeptDistances": lambda d: (
        _places(d.rows, len(d.squared), len(d.rows)),
        _numbers(d.weights, len(d.squared)),
        _numbers(d.rho, len(d.rows), len(d.rows)),
    ),
    "KeptRows": lambda r: (
        _places(r.labels, 1 << 31, len(r.rows)),
        _numbers(r.weights, len(r.rows)),
        n_rows(r.data) == len(r.rows),
    ),
    "RowsToCentroids": _rows,
    "RowsToMeans": _rows,
    "RowsToSparseMeans": lambda m: (
        *_rows(m),
        _places(m.columns, m.training.shape[1], len(m.columns)),
        bool((np.diff(m.columns) > 0).all()),
        _numbers(m.shift, len(m.columns)),
        _numbers(m.means, len(m.columns), len(m.centroids.partition_weight)),
    ),
    "Tree": lambda t: (
        _places(t.children, 2 * len(t.weights) - 2, len(t.weights) - 1, 2),
        bool((t.children < np.arange(len(t.weights), 2 * len(t.weights) - 1)[:, None]).all()),
        _numbers(t.heights, len(t.weights) - 1),
    ),
}
