"""Edges between integers, the usual case, parsed block by block by compiled code."""

from collections.abc import Iterator
from typing import IO

import numpy as np

from kgroups.input.graph_files.compiled.integer_edges import parse_edges
from kgroups.input.graph_files.edge_columns import ranked
from kgroups.input.graph_files.edge_layout import Layout, to_weight
from kgroups.input.graph_files.edges import Edges, check_memory
from kgroups.input.graph_files.text_lines import LONGEST_LINE
from kgroups.typing import Float64Array, IntArray

_BYTES_AT_ONCE = 1 << 23


def read_integers(stream: IO[bytes], layout: Layout) -> Edges | None:
    """The edges of a file; None if some line needs the reader for ids of any kind."""
    if layout.decimal == ",":  # the compiled reader takes every point for a decimal one
        return None
    stream.seek(0)
    if layout.header is not None:
        for _ in range(layout.header.line):
            stream.readline(LONGEST_LINE + 1)
    elif stream.read(3) != b"\xef\xbb\xbf":  # the byte order mark
        stream.seek(0)
    parts, n_edges = [], 0
    for block in _blocks(stream):
        part = _parsed(block, layout)
        if part is None:
            return None
        parts.append(part)
        n_edges += part[0].shape[1]
        check_memory(n_edges)
    if not any(part[0].size for part in parts):
        return None
    ends = np.concatenate([part[0] for part in parts], axis=1)
    weights = np.concatenate([part[1] for part in parts]) if layout.n_fields == 3 else None
    parts.clear()
    source, target, nodes = ranked(ends[0], ends[1])
    return Edges(source, target, weights, nodes)


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Blocks of whole lines, some megabytes each."""
    rest = b""
    while block := stream.read(_BYTES_AT_ONCE):
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        else:
            rest += tail
        if len(rest) > LONGEST_LINE:
            break  # the line is too long, and is refused as part of a block
    if rest:
        yield rest + b"\n"


def _parsed(block: bytes, layout: Layout) -> tuple[IntArray, Float64Array] | None:
    """The ends (2, m) and weights of the edges in a block; None if it needs the other reader."""
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return None
    at_most = block.count(b"\n")
    ends = np.empty((2, at_most), np.int64)
    weights = np.empty(at_most if layout.n_fields == 3 else 0)
    spans = np.zeros((len(weights), 2), np.int64)
    delimiter = ord(layout.delimiter) if layout.delimiter else 0
    text = np.frombuffer(block, np.uint8)
    count = parse_edges(text, delimiter, LONGEST_LINE, ends, weights, spans)
    if count < 0:
        return None
    weights, spans = weights[:count], spans[:count]
    for edge in np.flatnonzero(spans[:, 1] > spans[:, 0]):
        weight = to_weight(block[spans[edge, 0] : spans[edge, 1]].decode(), layout.decimal)
        if weight is None:
            return None
        weights[edge] = weight
    return ends[:, :count], weights
