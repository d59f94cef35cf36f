"""Whether what was read is the data set of the catalog."""

import numpy as np

from kgroups.exceptions import DataError
from kgroups_papers.data.content import BenchmarkGraph, BenchmarkTable, digest
from kgroups_papers.data.entries import GraphEntry, TableEntry
from kgroups_papers.types import IntArray


def check_table(data: BenchmarkTable, entry: TableEntry, source: str, remedy: str) -> None:
    """Compare shape, classes and digest with the catalog's.

    Raises
    ------
    DataError
        With ``source``, what was expected and found, and the ``remedy``.
    """
    n, n_features = data.X.shape
    too_few = n_features < entry.n_features
    too_many = n_features > entry.n_features and not entry.at_least
    if n != entry.n_rows or too_few or too_many:
        least = "at least " if entry.at_least else ""
        raise DataError(
            f"{source} has {n} rows and {n_features} features; {entry.name} has {entry.n_rows} "
            f"rows and {least}{entry.n_features} features. {remedy}"
        )
    _check_classes(data.y, data.classes, entry.n_classes, entry.counts, source, remedy)
    _check_digest(data, entry.digest, source, remedy)


def check_graph(data: BenchmarkGraph, entry: GraphEntry, source: str, remedy: str) -> None:
    """The same for a graph."""
    n, m = data.n_nodes, len(data.source)
    if (n, m) != (entry.n_nodes, entry.n_edges):
        raise DataError(
            f"{source} has {n} nodes and {m} edges; {entry.name} has {entry.n_nodes} nodes and "
            f"{entry.n_edges} edges. {remedy}"
        )
    _check_classes(data.y, data.classes, len(entry.counts), entry.counts, source, remedy)
    _check_digest(data, entry.digest, source, remedy)


def _check_classes(
    y: IntArray | None,
    classes: tuple[str, ...],
    n_classes: int,
    counts: tuple[int, ...],
    source: str,
    remedy: str,
) -> None:
    if len(classes) != n_classes:
        found = ", ".join(map(repr, classes[:12])) or "none"
        raise DataError(
            f"{source} has {len(classes)} classes ({found}); expected {n_classes}. {remedy}"
        )
    if y is None or not counts:
        return
    found_counts = tuple(np.bincount(y, minlength=n_classes).tolist())
    if found_counts != counts:
        raise DataError(
            f"{source} has {_listed(classes, found_counts)} in its classes; expected "
            f"{_listed(classes, counts)}. {remedy}"
        )


def _listed(classes: tuple[str, ...], counts: tuple[int, ...]) -> str:
    return ", ".join(f"{name}: {n}" for name, n in zip(classes, counts, strict=True))


def _check_digest(
    data: BenchmarkTable | BenchmarkGraph, expected: str | None, source: str, remedy: str
) -> None:
    if expected is not None and (found := digest(data)) != expected:
        raise DataError(
            f"{source} has the right shape and other values: the digest of its content is "
            f"{found[:16]}…, expected {expected[:16]}…. {remedy}"
        )
