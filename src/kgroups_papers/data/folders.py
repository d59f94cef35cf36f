"""Where the data sets of the papers lie, and what to do when one does not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kgroups.exceptions import DataError
from kgroups_papers.data.bundled import bundled_graph, bundled_table, missing_package
from kgroups_papers.data.checks import check_graph, check_table
from kgroups_papers.data.content import BenchmarkGraph, BenchmarkTable, digest
from kgroups_papers.data.csv_files import read_benchmark_graph, read_benchmark_table
from kgroups_papers.data.entries import (
    Entry,
    GraphEntry,
    find_entry,
    find_graph,
    find_table,
)

# A file as it is now: its path, and when and how long it was last written.
_State = tuple[Path, int, int]


def cache_folder() -> Path:
    """``$KGROUPS_CACHE``, else ``kgroups`` in the user's folder for caches.

    Raises
    ------
    DataError
        When the home directory cannot be determined.
    """
    if own := os.environ.get("KGROUPS_CACHE"):
        return _expanded(own, "KGROUPS_CACHE")
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base, "kgroups")
    return _expanded("~/.cache/kgroups", "The cache folder, where KGROUPS_CACHE names none,")


def _expanded(folder: str | Path, called: str) -> Path:
    """The path with the home folder in place of ~."""
    try:
        return Path(folder).expanduser()
    except RuntimeError as error:
        raise DataError(
            f"{called} is {str(folder)!r}, but the home directory cannot be determined; write the "
            "whole path."
        ) from error


@dataclass(frozen=True)
class DataFolders:
    """The folders in which data sets are looked for, in their order.

    A table is ``uci/NAME.csv`` in one of them: a line of names, features first, the column
    ``label`` last, an empty field for a missing value. A graph is ``graphs/NAME.edges.csv`` with
    ``source,target[,weight]`` and ``graphs/NAME.labels.csv`` with ``node,label[,name]``. Files may
    also lie in the folder itself. Each is compared with the catalog when it is loaded: shape,
    classes, and a digest of its content. A process loads a file once.

    iris and wine come with scikit-learn, karate with networkx.

    >>> DataFolders.find().table("iris").X.shape
    (150, 4)
    """

    folders: tuple[Path, ...]
    #: The last to be searched, and where downloads are put.
    cache: Path

    @classmethod
    def find(cls, data_dir: str | Path | None = None) -> DataFolders:
        """``data_dir``, then ``$KGROUPS_DATA``, then ``data`` in the cache folder.

        Raises
        ------
        DataError
            When ``data_dir`` is given and is not a folder, and when the home directory cannot be
            determined.
        """
        folders = []
        if data_dir is not None:
            folders.append(_expanded(data_dir, "data_dir"))
            if not folders[0].is_dir():
                raise DataError(
                    f"data_dir is {str(data_dir)!r}, which is not a folder; name the folder that "
                    "holds uci/ and graphs/."
                )
        if named := os.environ.get("KGROUPS_DATA"):
            folders.append(_expanded(named, "KGROUPS_DATA"))
        cache = cache_folder() / "data"
        return cls(tuple(dict.fromkeys([*folders, cache])), cache)

    def table(self, name: str) -> BenchmarkTable:
        """A table with its classes.

        Raises
        ------
        DataError
            When there is no such set, when it is not found, and when a file of its name holds
            something else.
        """
        entry = find_table(name)
        if entry.package is not None:
            return _bundled_table(name)
        (state,) = self._states(entry)
        return _file_table(name, state, self._remedy(entry))

    def graph(self, name: str) -> BenchmarkGraph:
        """A graph with its classes.

        Raises
        ------
        DataError
            As for :meth:`table`.
        """
        entry = find_graph(name)
        if entry.package is not None:
            return _bundled_graph(name)
        edges, labels = self._states(entry)
        return _file_graph(name, edges, labels, self._remedy(entry))

    def missing(self, name: str) -> str | None:
        """Why a set is not here: which files, where they were looked for, how to get them.

        None when they are here; what is in them is looked at when they are loaded.

        Raises
        ------
        DataError
            When there is no such set.
        """
        entry = find_entry(name)
        if entry.package is not None:
            return missing_package(name)
        if self._place(entry) is not None:
            return None
        files = " and ".join(entry.files)
        looked = ", ".join(map(str, self._places(entry)))
        return (
            f"{files} not found{' side by side' if len(entry.files) > 1 else ''} in any of: "
            f"{looked}. {self.how_to_get(entry)}"
        )

    def digests(self, names: Iterable[str]) -> dict[str, str]:
        """The digests of the sets that are here, as keys of what is computed from them.

        Raises
        ------
        DataError
            When a set is here and is not what it should be.
        """
        here = [name for name in names if self.missing(name) is None]
        return {name: digest(self._load(find_entry(name))) for name in here}

    @staticmethod
    def how_to_get(entry: Entry) -> str:
        """What to do for a set that is not here."""
        files = " and ".join(str(Path(entry.folder, file)) for file in entry.files)
        by_hand = (
            f"put {files} ({entry.columns}) into a folder that --data-dir or KGROUPS_DATA names"
        )
        if not entry.urls:
            return f"There is no download: {entry.instead}. Once you have it, {by_hand}."
        return f"To get it: --download fetches it from {' and '.join(entry.urls)}; or {by_hand}."

    def _load(self, entry: Entry) -> BenchmarkTable | BenchmarkGraph:
        is_graph = isinstance(entry, GraphEntry)
        return self.graph(entry.name) if is_graph else self.table(entry.name)

    def _places(self, entry: Entry) -> Iterator[Path]:
        for folder in self.folders:
            yield from (folder / entry.folder, folder)

    def _place(self, entry: Entry) -> Path | None:
        """The first place that has all files of a set."""
        for place in self._places(entry):
            if all((place / file).is_file() for file in entry.files):
                return place
        return None

    def _states(self, entry: Entry) -> list[_State]:
        place = self._place(entry)
        if place is None:
            raise DataError(f"{entry.name} is not here: {self.missing(entry.name)}")
        paths = [place / file for file in entry.files]
        return [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]

    def _remedy(self, entry: Entry) -> str:
        return f"Take this file away or put the right one in its place. {self.how_to_get(entry)}"


@lru_cache(maxsize=64)
def _file_table(name: str, state: _State, remedy: str) -> BenchmarkTable:
    data = read_benchmark_table(name, state[0])
    check_table(data, find_table(name), str(state[0]), remedy)
    return data


@lru_cache(maxsize=64)
def _file_graph(name: str, edges: _State, labels: _State, remedy: str) -> BenchmarkGraph:
    entry = find_graph(name)
    data = read_benchmark_graph(name, edges[0], labels[0], directed=entry.directed)
    check_graph(data, entry, f"{edges[0]} with {labels[0].name}", remedy)
    return data


@lru_cache
def _bundled_table(name: str) -> BenchmarkTable:
    entry = find_table(name)
    data = bundled_table(name)
    check_table(data, entry, f"{name} of {entry.package}", f"Install another {entry.package}.")
    return data


@lru_cache
def _bundled_graph(name: str) -> BenchmarkGraph:
    entry = find_graph(name)
    data = bundled_graph(name)
    check_graph(data, entry, f"{name} of {entry.package}", f"Install another {entry.package}.")
    return data
