"""Networks of Pajek: vertices with labels, arcs, edges, lists of them, and matrices."""

import re
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.input.adjacency import of_edges
from kgroups.input.edge_files import nodes_are_numbers
from kgroups.input.edges import node_ids
from kgroups.input.graph import Graph
from kgroups.runtime.memory import require
from kgroups.text import quoted

# The number of a vertex and its label, in quotes if it contains blanks.
_VERTEX = re.compile(r'(\d+)(?:\s+(?:"([^"]*)"|(\S+)).*)?')
# What may follow the ends of a line instead of its value: colors, widths and the like, and times.
_STYLES = re.compile(r"\[.*|c|w|p|s|a|ap|l|lp|lr|lphi|lc|la|fos|font|h1|h2|a1|a2|k1|k2", re.I)
_LINES = ("arcs", "edges", "arcslist", "edgeslist", "matrix")


class _Line(NamedTuple):
    source: str
    target: str
    weight: float
    number: int


def read_pajek(text: str, source: str) -> Graph:
    """The graph of a .net file, or of a .paj file with one network.

    Nodes keep the order of the vertices, and go by their labels if these differ, else by their
    numbers. Lines of several relations are added; edges count once, arcs as the directed edges of
    other lists. ValueError names the line that is wrong.
    """
    n, n_first, row = 0, 0, 0
    labels: dict[int, str] = {}
    lines: dict[bool, list[_Line]] = {True: [], False: []}
    part, ignored = "", set[str]()
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if line.startswith("*"):
            name, rest = (*line[1:].split(maxsplit=1), "", "")[:2]
            part, row = name.lower().partition(":")[0], 0
            if part == "vertices":
                n, n_first = _counts(rest, n, number)
            elif part not in (*_LINES, "network"):
                ignored.add(f"*{name}")
            continue
        fields = line.split()
        if part == "vertices":
            found = _VERTEX.fullmatch(line)
            vertex = int(found[1]) if found else 0
            if found is None or not 1 <= vertex <= n:
                raise ValueError(f"line {number}: {quoted(line)} is not one of vertices 1 to {n}.")
            if vertex in labels:
                raise ValueError(f"line {number}: vertex {vertex} was named before.")
            labels[vertex] = (found[2] or found[3] or found[1]).strip()
        elif part in ("arcs", "edges"):
            value = fields[2] if len(fields) > 2 and not _STYLES.fullmatch(fields[2]) else "1"
            lines[part == "arcs"].append(
                _Line(
                    fields[0],
                    fields[-1:][0] if len(fields) < 2 else fields[1],
                    _weight(value, number),
                    number,
                )
            )
        elif part in ("arcslist", "edgeslist"):
            lines[part == "arcslist"] += [_Line(fields[0], t, 1.0, number) for t in fields[1:]]
        elif part == "matrix":
            row += 1
            if len(fields) != n - n_first or row > (n_first or n):
                raise ValueError(f"line {number}: row {row} of *Matrix has {len(fields)} numbers.")
            weights = [_weight(field, number) for field in fields]
            lines[True] += [
                _Line(str(row), str(n_first + c), w, number) for c, w in enumerate(weights, 1) if w
            ]
        elif not ignored:
            raise ValueError(f"line {number}: {quoted(line)} stands before *Vertices.")
    if not n:
        raise ValueError("there are no vertices; it must have a line *Vertices.")
    notes = [f"parts that are not read: {', '.join(sorted(ignored))}."] if ignored else []
    adjacency = csr_array((n, n))
    for are_arcs, found_lines in lines.items():
        if found_lines:
            adjacency, notes = _added(adjacency, found_lines, notes, are_arcs)
    names = [labels.get(i, str(i)) for i in range(1, n + 1)]
    if len(set(names)) < n:
        notes.append("labels are not used, because some vertices share one.")
        names = [str(i) for i in range(1, n + 1)]
    nodes: Any = [int(name) for name in names] if nodes_are_numbers(names) else names
    return Graph(adjacency, node_ids(nodes), tuple(notes), source)


def _counts(rest: str, before: int, number: int) -> tuple[int, int]:
    """The numbers of vertices, and of those of the first of two kinds."""
    if before:
        raise ValueError(f"line {number} begins another network; save one of them as a .net file.")
    found = re.fullmatch(r"(\d+)(?:\s+(\d+))?", rest.strip())
    n, n_first = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    if not 0 <= n_first < n:
        raise ValueError(f"line {number}: {quoted(rest.strip())} is not a number of vertices.")
    require(200 * n, what=f"A network of {n:,} vertices", instead="Save a smaller one.")
    return n, n_first


def _weight(field: str, number: int) -> float:
    weight = float(field) if re.fullmatch(r"[-+.\deE]+", field) else np.nan
    if not np.isfinite(weight):
        raise ValueError(f"line {number}: the value {quoted(field)} is not a finite number.")
    return weight


def _added(
    adjacency: csr_array, lines: list[_Line], notes: list[str], are_arcs: bool
) -> tuple[csr_array, list[str]]:
    n = adjacency.shape[0]
    for line in lines:
        for end in (line.source, line.target):
            if not (end.isdecimal() and 1 <= int(end) <= n):
                raise ValueError(
                    f"line {line.number}: {quoted(end)} is not the number of a vertex, 1 to {n}."
                )
    ends = np.array([(int(line.source), int(line.target)) for line in lines]) - 1
    weights = np.array([line.weight for line in lines])
    more, of_it = of_edges(*ends.T, weights, n, has_directions=are_arcs)
    return csr_array(adjacency + more), [*notes, *of_it]
