"""Data sets from where they were published, into the cache folder."""

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from kgroups.exceptions import DataError
from kgroups_papers.data.checks import check_graph, check_table
from kgroups_papers.data.content import BenchmarkGraph, BenchmarkTable
from kgroups_papers.data.entries import Entry, GraphEntry, TableEntry, find_entry
from kgroups_papers.data.fetch import MOST_BYTES, Progress, fetch
from kgroups_papers.data.folders import DataFolders
from kgroups_papers.data.originals import Original, parse

_REMEDY = "The original has been changed, or damaged on its way."


def download(
    name: str, folders: DataFolders, progress: Progress | None = None, *, _base: str | None = None
) -> Path:
    """Fetch the original of a data set, check it, and write it into the cache folder.

    The digest of the content is the checksum, as archives are packed anew from time to time. An
    original that lies in ``originals`` of the cache folder is taken from there, for machines
    without a network.

    Parameters
    ----------
    name : str
        One of ``names()`` whose original gives the very same content.
    folders : DataFolders
        Its ``cache`` is written to.
    progress : callable or None
        Called with the address, the bytes that have come, and how many will come or None.

    Returns
    -------
    Path
        The table, or the edges of the graph; its labels are next to it.

    Raises
    ------
    DataError
        When the set cannot be downloaded, when it does not come, when something else comes, and
        when it cannot be written.
    """
    entry = find_entry(name)
    if entry.package is not None:
        raise DataError(f"{name} comes with {entry.package}; there is nothing to download.")
    if not entry.urls:
        raise DataError(f"{name} cannot be downloaded. {folders.how_to_get(entry)}")
    originals = [_original(url, folders, progress, _base) for url in entry.urls]
    data = parse(entry, originals)
    _check(data, entry, " and ".join(original.source for original in originals))
    return _write(data, entry, folders.cache)


def _original(
    url: str, folders: DataFolders, progress: Progress | None, base: str | None
) -> Original:
    """An original by hand, or else from the network."""
    parts = urlsplit(url)
    by_hand = folders.cache / "originals" / Path(parts.path).name
    if by_hand.is_file():
        return Original(_read(by_hand), str(by_hand))
    try:
        if base is None:
            return Original(fetch(url, progress), url)
        return Original(fetch(f"{base}{parts.path}", progress, prefix=base), url)
    except DataError as error:
        raise DataError(
            f"{error} Without a network: get {url} elsewhere, put it there as {by_hand} and run "
            "the same again."
        ) from error


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path} has more than {MOST_BYTES >> 20} MiB; it is not the file.")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def _check(data: BenchmarkTable | BenchmarkGraph, entry: Entry, source: str) -> None:
    if isinstance(data, BenchmarkTable) and isinstance(entry, TableEntry):
        check_table(data, entry, source, _REMEDY)
    elif isinstance(data, BenchmarkGraph) and isinstance(entry, GraphEntry):
        check_graph(data, entry, source, _REMEDY)


def _write(data: BenchmarkTable | BenchmarkGraph, entry: Entry, cache: Path) -> Path:
    place = cache / entry.folder
    rows = _table_rows(data) if isinstance(data, BenchmarkTable) else _graph_rows(data)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, lines in zip(entry.files, rows, strict=True):
            _write_whole(place / file, lines)
    except OSError as error:
        raise DataError(
            f"{place} cannot be written to: {error.strerror or error}. Name another folder with "
            "the environment variable KGROUPS_CACHE."
        ) from error
    return place / entry.files[0]


def _write_whole(path: Path, lines: Iterable[Iterable[str]]) -> None:
    """A CSV file that is there as a whole or not at all, readable for whom any file is."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(lines)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _table_rows(data: BenchmarkTable) -> list[list[list[str]]]:
    rows = [
        [*map(_number, x), data.classes[code]]
        for x, code in zip(data.X.tolist(), data.y, strict=True)
    ]
    return [[[*data.features, "label"], *rows]]


def _graph_rows(data: BenchmarkGraph) -> list[list[list[str]]]:
    columns = [data.source, data.target, *([] if data.weight is None else [data.weight])]
    edges = [list(map(_number, edge)) for edge in zip(*(c.tolist() for c in columns), strict=True)]
    labels = [""] * data.n_nodes if data.y is None else [data.classes[code] for code in data.y]
    nodes = [
        [str(node), label, name]
        for node, (label, name) in enumerate(zip(labels, data.node_names, strict=True))
    ]
    return [
        [["source", "target", "weight"][: len(columns)], *edges],
        [["node", "label", "name"], *nodes],
    ]


def _number(value: float) -> str:
    """A number that reads back as the same one; nothing for a missing value."""
    if np.isnan(value):
        return ""
    return str(int(value)) if float(value).is_integer() else repr(value)
