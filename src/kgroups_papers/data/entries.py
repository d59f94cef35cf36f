"""What each data set of the papers is: its shape, its classes, its digest and where it is from.

The facts are in entries.json; of the data sets themselves nothing is kept in this package.
"""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Any

from kgroups.exceptions import DataError


@dataclass(frozen=True, kw_only=True)
class Entry(ABC):
    """What is known of a data set."""

    name: str
    #: SHA-256 of the content; None if it was never seen.
    digest: str | None
    #: The original files; none where they do not give the set.
    urls: tuple[str, ...] = ()
    #: The package that brings the set along.
    package: str | None = None
    #: Why there is nothing to download, and what to do instead.
    instead: str = ""

    @property
    @abstractmethod
    def files(self) -> tuple[str, ...]:
        """The files in which the set lies."""

    @property
    @abstractmethod
    def folder(self) -> str:
        """The part of a data folder where they lie."""

    @property
    @abstractmethod
    def columns(self) -> str:
        """What a message says of their columns."""


@dataclass(frozen=True, kw_only=True)
class TableEntry(Entry):
    """Rows of features with a class."""

    n_rows: int
    n_features: int
    #: Whether ``n_features`` is all that must be there at least.
    at_least: bool = False
    n_classes: int
    #: Rows of each class, in the order of the classes; empty where this is not known.
    counts: tuple[int, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """One table."""
        return (f"{self.name}.csv",)

    @property
    def folder(self) -> str:
        """Most of them are from the repository of the University of California, Irvine."""
        return "uci"

    @property
    def columns(self) -> str:
        """The class is last."""
        return "a line of names, features first, 'label' last"


@dataclass(frozen=True, kw_only=True)
class GraphEntry(Entry):
    """Edges, and nodes with a class where a truth is known."""

    n_nodes: int
    n_edges: int
    directed: bool = False
    #: Nodes of each class, in the order of the classes; empty where no truth is known.
    counts: tuple[int, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Edges and labels."""
        return (f"{self.name}.edges.csv", f"{self.name}.labels.csv")

    @property
    def folder(self) -> str:
        """Where graphs lie."""
        return "graphs"

    @property
    def columns(self) -> str:
        """Nodes are numbered from 0 on."""
        return "source,target[,weight] and node,label[,name]"


def names() -> tuple[str, ...]:
    """All data sets of the papers, tables first.

    >>> names()[:2], names()[-1]
    (('dermatology', 'libras_movement'), 'polblogs')
    """
    return tuple(_entries())


def find_entry(name: str) -> Entry:
    """The entry of that name.

    Raises
    ------
    DataError
        When there is none, with the nearest name.
    """
    catalog = _entries()
    if name in catalog:
        return catalog[name]
    near = get_close_matches(name, catalog, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise DataError(
        f"There is no data set {name!r}.{hint} The data sets are: {', '.join(catalog)}."
    )


def find_table(name: str) -> TableEntry:
    """The entry of a table; an error for a graph."""
    entry = find_entry(name)
    if isinstance(entry, TableEntry):
        return entry
    raise DataError(f"{name} is a graph, not a table; load it with graph({name!r}).")


def find_graph(name: str) -> GraphEntry:
    """The entry of a graph; an error for a table."""
    entry = find_entry(name)
    if isinstance(entry, GraphEntry):
        return entry
    raise DataError(f"{name} is a table, not a graph; load it with table({name!r}).")


@lru_cache
def _entries() -> dict[str, Entry]:
    text = files("kgroups_papers.data").joinpath("entries.json").read_text("utf-8")
    facts = json.loads(text)
    return {
        **{name: TableEntry(name=name, **_frozen(of)) for name, of in facts["tables"].items()},
        **{name: GraphEntry(name=name, **_frozen(of)) for name, of in facts["graphs"].items()},
    }


def _frozen(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(of) if isinstance(of, list) else of for key, of in facts.items()}
