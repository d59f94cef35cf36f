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
from kgroups.persistence.values import (
    ARRAYS,
    GIVEN,
    KEPT,
    PREPARING,
    MetricNeeded,
    Packer,
    name_of,
)
from kgroups.runtime.written_whole import written_whole
from kgroups.text import short
from kgroups.version import __version__

#: A change of files that earlier versions cannot read makes a new number.
FORMAT = 2
_SCHEMA = "schema.json"
# More would take long to look through: skops needs 4 kB and 30 µs for each.
_MOST_VALUES = 200_000


def save(model: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator into a file, whole or not at all; see ``Estimator.save``."""
    with written_whole(Path(path)) as stream:
        write_model(model, stream)


def write_model(model: BaseEstimator, stream: IO[bytes]) -> None:
    """The same into a stream that can be written anywhere."""
    from skops import io as skops

    if name_of(type(model)) not in KEPT or not isinstance(model, BaseEstimator):
        raise TypeError(
            f"{type(model).__name__} is not an estimator of kgroups, which a file could name; a "
            "subclass of one of them cannot be kept."
        )
    check_is_fitted(model)
    made = BytesIO()
    skops.dump(Packer().object(model, _parameters(model)), made)
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
    from skops import io as skops

    given = {"metric": metric, "is_used": False}
    token = GIVEN.set(given)
    try:
        with Path(path).open("rb") as stream:
            model = skops.load(stream, trusted=_looked_through(stream, path))
        _check(model)
    except MetricNeeded as needed:
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
        GIVEN.reset(token)
    if metric is not None and not given["is_used"]:
        raise ValueError(
            f"{path} holds the metric of its model, {model.metric!r}; omit metric=."
            if hasattr(model, "metric")
            else f"{path} holds a model that has no metric; omit metric=."
        )
    return model


def _looked_through(stream: IO[bytes], path: str | os.PathLike[str]) -> list[str]:
    """The classes of kgroups in a file; ValueError for what ``save`` never writes."""
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
        arrays, classes = _named(schema)
        if {*sizes} != {_SCHEMA, *arrays} or len(file.infolist()) != len(sizes):
            raise ValueError("its parts are not those that it names")
        for name in arrays:
            with file.open(name) as part:
                _check_array(part, sizes[name])
    others = {name for name in classes if name.startswith("sklearn.")}
    if unknown := [name for name in others if name.rpartition(".")[2] not in PREPARING]:
        raise ValueError(f"it holds a {unknown[0]}, which prepares no columns")
    return sorted(classes & KEPT)


def _named(schema: dict[str, Any]) -> tuple[set[str], set[str]]:
    """The files of arrays and the classes that a schema names; ValueError as above.

    Only arrays are named twice, each by one number, so that what stands once is made once.
    """
    arrays, classes = set(), set()
    nodes, count = [schema], 0
    while nodes:
        node, count = nodes.pop(), count + 1
        loader = node["__loader__"]
        classes.add(f"{node['__module__']}.{node['__class__']}")
        if loader == "NdArrayNode" and node["type"] == "numpy":
            if f"{node['__id__']}.npy" != node["file"] or node["__id__"] is True:
                raise ValueError("an array has another number than its part")
            arrays.add(node["file"])
        elif "__id__" in node or loader not in _CHILDREN or count > _MOST_VALUES:
            raise ValueError(f"it holds a {loader} that save() does not write")
        else:
            nodes += _CHILDREN[loader](node)
    return arrays, classes


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
    is_known = dtype.kind in ARRAYS and dtype.itemsize and min(shape, default=0) >= 0
    if not is_known or math.prod(shape) * dtype.itemsize != size - part.tell():
        raise ValueError(f"an array claims to be {dtype} of shape {shape}, and its part is not")


def _check(model: Any) -> None:
    """ValueError for numbers that would lead compiled loops out of their arrays."""
    kind = type(model)
    if name_of(kind) not in KEPT or not isinstance(model, BaseEstimator):
        raise ValueError(f"it holds an object of {name_of(kind)}, and no model")
    if type(getattr(model, "metric", None)).__module__.startswith("sklearn."):
        raise ValueError("its metric is none")
    longest = 1
    for value in _inside(model):
        if isinstance(value, (np.ndarray, csr_array)):
            longest = max(longest, *value.shape, 0)
        is_sound = _SOUND.get(type(value).__name__)
        if is_sound is not None and not is_sound(value):
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
        elif isinstance(value, (dict, BaseEstimator)) or name_of(type(value)) in KEPT:
            waiting += (value if isinstance(value, dict) else vars(value)).values()


def _places(values: Any, below: int, *shape: int) -> bool:
    """Whether these are integers in 0..below−1, in an array of that shape."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
        return False
    is_inside = not values.size or (values.min() >= 0 and values.max() < below)
    return values.shape == shape and bool(is_inside)


def _alike(*arrays: Any) -> bool:
    """Whether these are floating-point numbers in arrays of one dimension and one length."""
    kinds = {(type(a), a.dtype.kind, a.shape) for a in arrays}
    return kinds == {(np.ndarray, "f", (len(arrays[0]),))}


def _fit_rows(made: Any) -> bool:
    return made.training is None or n_rows(made.training) == len(made.centroids.labels)


# Attributes that are labels, and those that count columns, clusters and rows.
_LABELS = ("labels_", "_node_labels_")
_COUNTS = ("n_features_in_", "n_clusters_", "n_leaves_", "n_neighbors_", "_n_features_out")
# The pattern of scikit-learn's words; to search others could take years.
_WORD = r"(?u)\b\w\w+\b"
_SOUND: dict[str, Callable[[Any], bool]] = {
    "Centroids": lambda c: (
        _places(c.labels, len(c.partition_weight), len(c.weights))
        and _alike(c.weights)
        and _alike(c.partition_weight, c.partition_within)
    ),
    "CommunityGraph": lambda c: (
        c.links.shape == (len(c.sizes), len(c.sizes)) and _alike(c.sizes, c.volumes)
    ),
    "Hierarchy": lambda h: (
        h.n_clusters == len(h.resolutions) + 1
        and _places(h.merges, h.n_clusters, len(h.resolutions), 2)
    ),
    "Intervals": lambda i: (
        _alike(i.values, i.weights)
        and _places(i.bounds, len(i.values) + 1, len(i.bounds))
        and (i.bounds[0], i.bounds[-1]) == (0, len(i.values))
        and bool((np.diff(i.bounds) > 0).all())
    ),
    "KeptDistances": lambda d: (
        _places(d.rows, len(d.squared), len(d.rows))
        and _alike(d.weights, d.squared[:, 0])
        and _alike(d.rho.ravel())
        and d.rho.shape == (len(d.rows), len(d.rows))
    ),
    "KeptRows": lambda r: (
        _places(r.labels, 1 << 31, len(r.rows))
        and _alike(r.weights)
        and len(r.weights) == len(r.rows) == n_rows(r.data)
    ),
    "RowsToCentroids": _fit_rows,
    "RowsToMeans": _fit_rows,
    "RowsToSparseMeans": lambda m: (
        _fit_rows(m)
        and _places(m.columns, m.training.shape[1], len(m.shift))
        and bool((np.diff(m.columns) > 0).all())
        and _alike(m.shift, m.means[:, 0])
        and m.means.shape == (len(m.shift), len(m.centroids.partition_weight))
    ),
    "TfidfVectorizer": lambda v: v.token_pattern == _WORD,
    "Tree": lambda t: (
        _places(t.children, 2 * len(t.weights) - 2, len(t.heights), 2)
        and bool((t.children < np.arange(len(t.weights), 2 * len(t.weights) - 1)[:, None]).all())
        and _alike(t.heights)
        and len(t.heights) == len(t.weights) - 1
    ),
}
