"""The catalogue of hostile files: each must be refused in a clear message, quickly."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.hunt import hostile_graphs, hostile_rows, hostile_tables
from benchmarks.hunt.hostile_tables import Content, sparse
from kgroups.names import TABLE_SUFFIXES

#: Names of folders, with the command that reads the files in each; FILE stands for the file.
COMMANDS: dict[str, tuple[str, ...]] = {
    "tables": ("cluster", "FILE", "-k", "2"),
    "arrays": ("cluster", "FILE", "-k", "2"),
    "archives": ("choose-k", "FILE"),
    "parquet": ("cluster", "FILE", "-k", "2"),
    "compressed": ("cluster", "FILE", "-k", "2"),
    "feather": ("cluster", "FILE", "-k", "2"),
    "excel": ("cluster", "FILE", "-k", "2"),
    "sparse-rows": ("cluster", "FILE", "-k", "2", "--metric", "cosine"),
    "json": ("cluster", "FILE", "-k", "2"),
    "words": ("cluster", "FILE", "-k", "2", "--metric", "levenshtein"),
    "places": ("test", "FILE", "FILE"),
    "edges": ("communities", "FILE"),
    "compressed-graphs": ("communities", "FILE"),
    "matrix-market": ("communities", "FILE"),
    "gml": ("communities", "FILE"),
    "graphml": ("communities", "FILE"),
    "exchange": ("communities", "FILE"),
    "sparse": ("communities", "FILE"),
    "graph-places": ("communities", "FILE"),
    "labels": ("communities", "GRAPH", "--labels", "FILE"),
    "label-places": ("communities", "GRAPH", "--labels", "FILE"),
}


class Hostile(NamedTuple):
    """A file, and the arguments of ``kgroups`` that have it read."""

    path: Path
    command: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its folder and its name."""
        return f"{self.path.parent.name}/{self.path.name}"


def hostile_files(folder: Path, names: Collection[str] | None = None) -> list[Hostile]:
    """Write the catalogue, or the files of it with certain names, into an empty folder.

    Large files are sparse where the disk allows it; in all they take some 200 MB.
    """
    graph = folder / "graph.csv"
    graph.write_bytes(hostile_graphs.GOOD)
    written = []
    for group, contents in _catalogue().items():
        for name, content in contents.items():
            found = Hostile(folder / group / name, ())
            if names is not None and found.name not in names:
                continue
            found.path.parent.mkdir(exist_ok=True)
            _write(found.path, content)
            standing = {"FILE": str(found.path), "GRAPH": str(graph)}
            command = tuple(standing.get(word, word) for word in COMMANDS[group])
            written.append(found._replace(command=command))
    return written


def small_files() -> list[str]:
    """The names of those files that are written and refused in no time."""
    return [
        f"{group}/{name}"
        for group, contents in _catalogue().items()
        for name, content in contents.items()
        if isinstance(content, bytes) and len(content) < 100_000
    ]


def _catalogue() -> dict[str, Mapping[str, Content]]:
    return {
        "tables": hostile_tables.text_tables(),
        "arrays": hostile_tables.arrays(),
        "archives": hostile_tables.archives(),
        "parquet": hostile_tables.parquets(),
        "compressed": hostile_tables.compressed(),
        "feather": hostile_tables.feathers(),
        "excel": hostile_tables.workbooks(),
        "sparse-rows": hostile_rows.sparse_rows(),
        "json": hostile_rows.json_lines(),
        "words": hostile_rows.words(),
        "places": _places((*TABLE_SUFFIXES, ".csv.gz", ".tsv.bz2", ".csv.zst")),
        "edges": hostile_graphs.edge_lists(),
        "compressed-graphs": hostile_graphs.compressed(),
        "matrix-market": hostile_graphs.matrix_market(),
        "gml": hostile_graphs.gml(),
        "graphml": hostile_graphs.graphml(),
        "exchange": hostile_graphs.exchange(),
        "sparse": hostile_graphs.sparse_arrays(),
        "graph-places": _places(
            (".csv", ".mtx", ".gml", ".graphml", ".npz", ".txt.gz", ".gml.bz2")
        ),
        "labels": hostile_graphs.node_labels(),
        "label-places": _places((".csv",)),
    }


def _places(suffixes: Collection[str]) -> dict[str, Content]:
    """Folders, pipes and missing files under names that tables and graphs have."""
    kinds: dict[str, Callable[[Path], None]] = {
        "folder": Path.mkdir,
        "pipe": os.mkfifo,
        "socket": _socket,
        "endless": lambda path: path.symlink_to("/dev/zero"),
        "full": lambda path: path.symlink_to("/dev/full"),
        "link-to-nothing": lambda path: path.symlink_to("nothing"),
        "link-to-itself": lambda path: path.symlink_to(path.name),
        "none": lambda path: None,
        "\x1b[2J\nnone": lambda path: None,
        "n" * 300: lambda path: None,
        "without-extension": lambda path: path.with_suffix("").touch(),
        "zeros": sparse(100_000),
    }
    return {f"{kind}{suffix}": make for kind, make in kinds.items() for suffix in suffixes}


def _socket(path: Path) -> None:
    """The end of a connection that nobody makes; its address may not be long."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path.name)
    finally:
        os.chdir(before)


def _write(path: Path, content: Content) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
