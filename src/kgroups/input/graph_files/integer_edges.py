"""Edges between integers, the usual case, parsed block by block by compiled code."""

from functools import partial
from typing import IO

import numpy as np

from kgroups.input.compiled.decimal_numbers import words_of
from kgroups.input.graph_files.compiled.integer_edges import parse_edges
from kgroups.input.graph_files.edge_columns import ranked
from kgroups.input.graph_files.edge_layout import Layout, to_weight
from kgroups.input.graph_files.edges import Edges, check_memory
from kgroups.input.graph_files.text_lines import LONGEST_LINE
from kgroups.input.table_files.line_blocks import Block, blocks_of_lines
from kgroups.runtime.threads import default_threads, run
from kgroups.typing import Float64Array, IntArray


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
    blocks = blocks_of_lines(stream, LONGEST_LINE)
    for part in run(partial(_parsed, layout=layout), blocks, default_threads()):
        if part is None:
            return None
        parts.append(part)
        n_edges += part[0].shape[1]
        check_memory(n_edges)
    if not n_edges:
        return None
    ends = np.concatenate([part[0] for part in parts], axis=1)
    weights = np.concatenate([part[1] for part in parts]) if layout.n_fields == 3 else None
    parts.clear()
    source, target, nodes = ranked(ends[0], ends[1])
    return Edges(source, target, weights, nodes)


def _parsed(block: Block, layout: Layout) -> tuple[IntArray, Float64Array] | None:
    """The ends (2, m) and weights of the edges in a block; None if it needs the other reader."""
    if not block.is_text("utf-8"):
        return None
    at_most, text, content = block.n_lines, block.text, block.content
    ends = np.empty((2, at_most), np.int64)
    weights = np.empty(at_most if layout.n_fields == 3 else 0)
    spans = np.zeros((len(weights), 2), np.int64)
    delimiter = ord(layout.delimiter) if layout.delimiter else 0
    count = parse_edges(text, words_of(text), delimiter, LONGEST_LINE, ends, weights, spans)
    if count < 0:
        return None
    weights, spans = weights[:count], spans[:count]
    for edge in np.flatnonzero(spans[:, 1] > spans[:, 0]):
        weight = to_weight(content[spans[edge, 0] : spans[edge, 1]].decode(), layout.decimal)
        if weight is None:
            return None
        weights[edge] = weight
    return ends[:, :count], weights
