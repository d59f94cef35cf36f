"""What a data set is once it is read: arrays and labels, and a digest of nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array

from kgroups_papers.types import Float64Array, IntArray

Array = TypeVar("Array", Float64Array, IntArray)


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchmarkTable:
    """Rows of numbers with their true classes, as raw as they were published.

    The arrays are shared by everybody in the process who loads the set, so they are read-only.
    """

    name: str
    #: (n, D), NaN where a value is missing.
    X: Float64Array
    #: The position in ``classes`` of each row's class.
    y: IntArray
    classes: tuple[str, ...]
    features: tuple[str, ...]

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return len(self.classes)


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchmarkGraph:
    """Edges as they were published, with the true classes of the nodes where there are any.

    The arrays are shared by everybody in the process who loads the set, so they are read-only.
    """

    name: str
    #: Ends of the edges, in the order of the nodes; an undirected edge is there once.
    source: IntArray
    target: IntArray
    weight: Float64Array | None
    n_nodes: int
    #: The position in ``classes`` of each node's class; None where no truth is known.
    y: IntArray | None
    classes: tuple[str, ...]
    node_names: tuple[str, ...]

    @property
    def n_clusters(self) -> int:
        """Number of classes; 0 where no truth is known."""
        return len(self.classes)

    def adjacency(self) -> csr_array:
        """Who is joined with whom in either direction: symmetric, of zeros and ones.

        Weights are left out. A self-loop is a one on the diagonal; a node without edges stays.
        """
        # scikit-learn takes indices of 32 bits alone.
        source, target = self.source.astype(np.int32), self.target.astype(np.int32)
        ends = (np.r_[source, target], np.r_[target, source])
        shape = (self.n_nodes, self.n_nodes)
        A = csr_array((np.ones(len(ends[0])), ends), shape=shape)
        A.sum_duplicates()
        A.data[:] = 1.0
        return A


def table_content(
    name: str, X: Float64Array, labels: Sequence[str], features: Sequence[str]
) -> BenchmarkTable:
    """A table from its labels as text."""
    classes = _classes(labels)
    return BenchmarkTable(
        name=name,
        X=_fixed(X),
        y=_codes(labels, classes),
        classes=classes,
        features=tuple(features),
    )


def graph_content(
    name: str,
    edges: Float64Array,
    labels: Sequence[str] | None,
    node_names: Sequence[str],
    *,
    directed: bool,
) -> BenchmarkGraph:
    """A graph from rows (source, target) or (source, target, weight), put in order."""
    ends = edges[:, :2].astype(np.int64)
    if not directed:
        ends.sort(axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    classes = () if labels is None else _classes(labels)
    return BenchmarkGraph(
        name=name,
        source=_fixed(ends[order, 0]),
        target=_fixed(ends[order, 1]),
        weight=_fixed(edges[order, 2]) if edges.shape[1] > 2 else None,
        n_nodes=len(node_names),
        y=None if labels is None else _codes(labels, classes),
        classes=classes,
        node_names=tuple(node_names),
    )


def digest(data: BenchmarkTable | BenchmarkGraph) -> str:
    """SHA-256 of shapes, numbers and labels: the same however the file was written.

    Names of features and nodes are left out; nothing is computed from them.
    """
    if isinstance(data, BenchmarkTable):
        arrays: list[Float64Array | IntArray | None] = [data.X]
    else:
        arrays = [np.array([data.n_nodes]), data.source, data.target, data.weight]
    found = sha256()
    for array in arrays:
        if array is not None:
            found.update(f"{array.shape};".encode())
            found.update(_canonical(array))
    if data.y is not None:
        found.update("\n".join(data.classes[code] for code in data.y).encode())
    return found.hexdigest()


def _canonical(array: Float64Array | IntArray) -> bytes:
    """The bytes of an array on every machine, with one zero and one NaN."""
    values = np.asarray(array, "<f8") + 0.0
    return np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes()


def _classes(labels: Sequence[str]) -> tuple[str, ...]:
    """The different labels, by number where all of them are numbers."""
    distinct = sorted(set(labels))
    return tuple(sorted(distinct, key=int) if all(map(str.isdecimal, distinct)) else distinct)


def _codes(labels: Sequence[str], classes: Sequence[str]) -> IntArray:
    code = {label: position for position, label in enumerate(classes)}
    return _fixed(np.array([code[label] for label in labels], np.int64))


def _fixed(array: Array) -> Array:
    """A copy of the array, read-only."""
    array.setflags(write=False)
    return array
