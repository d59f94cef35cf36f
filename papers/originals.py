"""The originals of the data sets: fetched, unpacked, and read as data.json says."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from contextlib import suppress
from http.client import HTTPException
from pathlib import PurePosixPath
from typing import Any, NoReturn
from urllib.error import URLError
from urllib.request import BaseHandler, Request, build_opener

import networkx as nx
import numpy as np
import pandas as pd

#: What damaged, encrypted and other unknown files raise, and connections that break.
UNREADABLE: tuple[type[Exception], ...] = (
    *(EOFError, LookupError, OSError, RuntimeError, ValueError, zlib.error),
    *(zipfile.BadZipFile, HTTPException, nx.NetworkXError),
)
# No original has a quarter of this, packed or unpacked.
_MOST_BYTES = 1 << 26


def original(facts: dict[str, Any]) -> list[pd.DataFrame]:
    """A table, or the edges and the nodes of a graph, from where they were published."""
    parts = [_unpacked(_fetched(url), facts.get("members", [])) for url in facts["urls"]]
    texts = [raw.decode(errors="replace") for part in parts for raw in part]
    return _FORMATS[facts.get("format", "table")](texts, facts)


class _HttpsOnly(BaseHandler):
    """Refuses plain addresses, also where one of https leads to them."""

    handler_order = 0  # before any other

    def http_open(self, request: Request) -> NoReturn:
        """Raise."""
        raise URLError(f"{request.full_url} is not https")

    ftp_open = http_open


def _fetched(url: str) -> bytes:
    opener = build_opener(_HttpsOnly)
    opener.addheaders = [("User-Agent", "kgroups")]
    with opener.open(url, timeout=30) as response:
        return _bounded(response)


def _bounded(stream: Any) -> bytes:
    raw: bytes = stream.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise ValueError(f"it is too large, or unpacks to more than {_MOST_BYTES >> 20} MiB")
    return raw


def _unpacked(raw: bytes, members: list[str]) -> list[bytes]:
    stream = io.BytesIO(raw)
    if not members:
        return [_bounded(gzip.open(stream)) if raw.startswith(b"\x1f\x8b") else raw]
    with zipfile.ZipFile(stream) as archive:
        # Files that are packed in any other way unpack without a bound.
        there = {
            PurePosixPath(file.filename).name.lower(): file
            for file in archive.infolist()
            if file.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        }
        return [_bounded(archive.open(there[member.lower()])) for member in members]


def _table(texts: list[str], facts: dict[str, Any]) -> list[pd.DataFrame]:
    """Lines of fields between commas or blanks; lines that are not numbers are headings.

    ``first`` is the field of the first feature, ``label`` that of the class; where no field has
    the class, ``blocks`` are the classes of equally many rows after each other.
    """
    features, first, rows = " ".join(facts["features"]).split(), facts.get("first", 0), []
    for line in filter(str.strip, "\n".join(texts).splitlines()):
        fields = re.split(r"[,\s]+", line.strip().replace("?", "nan"))
        with suppress(ValueError):
            numbers = map(float, fields[first : first + len(features)])
            rows.append([*numbers, fields[facts.get("label", -1)]])
    frame = pd.DataFrame(rows, columns=[*features, "label"])
    if "blocks" in facts:
        frame["label"] = np.repeat(facts["blocks"], len(frame) // len(facts["blocks"]))
    return [frame]


def _gml(texts: list[str], facts: dict[str, Any]) -> list[pd.DataFrame]:
    """A graph of Newman's collection: ``value`` is the class, edges may be there twice."""
    text = texts[0].replace("directed", "multigraph 1 directed", 1).replace("&", "&amp;")
    graph = nx.convert_node_labels_to_integers(nx.parse_gml(text, label="id"))
    nodes = [(i, str(of["value"]), of["label"]) for i, of in graph.nodes.items()]
    return [
        pd.DataFrame(list(graph.edges()), columns=["source", "target"]),
        pd.DataFrame(nodes, columns=["node", "label", "name"]),
    ]


def _pairs(texts: list[str], facts: dict[str, Any]) -> list[pd.DataFrame]:
    """A graph of the SNAP collection: lines of two numbers of nodes, no truth."""
    pairs = np.loadtxt(io.StringIO(texts[0]), np.int64)
    ids, ends = np.unique(pairs, return_inverse=True)
    nodes = pd.DataFrame({"node": range(len(ids)), "label": "", "name": ids.astype(str)})
    return [pd.DataFrame(ends.reshape(-1, 2), columns=["source", "target"]), nodes]


def _matrix(texts: list[str], facts: dict[str, Any]) -> list[pd.DataFrame]:
    """Weights from the node of a row to that of a column, and the classes of the nodes."""
    A, labels = np.loadtxt(io.StringIO(texts[0])), texts[1].split()
    source, target = np.nonzero(A)
    edges = {"source": source, "target": target, "weight": A[source, target]}
    return [pd.DataFrame(edges), pd.DataFrame({"node": range(len(labels)), "label": labels})]


_FORMATS = {"table": _table, "gml": _gml, "pairs": _pairs, "matrix": _matrix}
