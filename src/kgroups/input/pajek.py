"""Networks of Pajek: vertices with labels, arcs, edges, lists of them, and matrices."""

import re
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.input.adjacency import of_edges
from kgroups.input.edges import of_texts
from kgroups.input.graph import Graph
from kgroups.text import quoted

# The number of a vertex and its label, in quotes if it contains blanks.
_VERTEX = re.compile(r'(\d+)(?:\s+(?:"([^"]*)"|(\S+)).*)?')
# What may follow the ends of a line instead of its value: colors, widths and the like, and times.
_STYLES = re.compile(r"\[.*|c|w|p|s|a|ap|l|lp|lr|lphi|lc|la|fos|font|h1|h2|a1|a2|k1|k2", re.I)
_LINES = ("arcs", "edges", "arcslist", "edgeslist", "matrix")


class _Network:
    """What the lines of a file say so far."""

    def __init__(self, n_bytes: int) -> None:
        self.most = 10**6 + 100 * n_bytes
        self.n, self.n_first, self.row = 0, 0, 0
        self.labels: dict[int, str] = {}
        #: Source, target, value and line of arcs, and of edges.
        self.arcs: list[tuple[str, str, str, int]] = []
        self.edges: list[tuple[str, str, str, int]] = []
        self.part, self.ignored = "", set[str]()

    def begin(self, line: str) -> None:
        """Begin the part that a line with a star names."""
        name, rest = (*line[1:].split(maxsplit=1), "", "")[:2]
        self.part, self.row = name.lower().partition(":")[0], 0
        if self.part not in (*_LINES, "network", "vertices"):
            self.ignored.add(f"*{name}")
        if self.part != "vertices":
            return
        found = re.fullmatch(r"(\d+)(?:\s+(\d+))?", rest.strip())
        if self.n or found is None or not int(found[2] or 0) < int(found[1]):
            what = "begins another network" if self.n else "has no number of vertices"
            raise ValueError(f"{quoted(line)} {what}; save one network as a .net file.")
        self.n, self.n_first = int(found[1]), int(found[2] or 0)
        if self.n > self.most:
            raise ValueError(f"it declares {self.n:,} vertices, too many for its size.")

    def add(self, line: str, number: int) -> None:
        """Read a line by the part in which it stands."""
        into, fields = self.arcs if self.part.startswith("arcs") else self.edges, line.split()
        if self.part == "vertices":
            found = _VERTEX.fullmatch(line)
            if found is None or not 1 <= int(found[1]) <= self.n:
                raise ValueError(f"{quoted(line)} is not one of vertices 1 to {self.n}.")
            if int(found[1]) in self.labels:
                raise ValueError(f"vertex {found[1]} was named before.")
            self.labels[int(found[1])] = (found[2] or found[3] or found[1]).strip()
        elif self.part in ("arcs", "edges"):
            value = fields[2] if len(fields) > 2 and not _STYLES.fullmatch(fields[2]) else "1"
            into.append((fields[0], fields[1] if len(fields) > 1 else "", value, number))
        elif self.part in ("arcslist", "edgeslist"):
            into += [(fields[0], other, "1", number) for other in fields[1:]]
        elif self.part == "matrix":
            self.row += 1
            if len(fields) != self.n - self.n_first or self.row > (self.n_first or self.n):
                raise ValueError(f"row {self.row} of *Matrix has {len(fields)} numbers.")
            columns = enumerate(fields, self.n_first + 1)
            self.arcs += [(str(self.row), str(c), value, number) for c, value in columns]
        elif not self.ignored:
            raise ValueError(f"{quoted(line)} stands before *Vertices.")

    def ends_and_values(self, lines: list[tuple[str, str, str, int]]) -> tuple[Any, Any]:
        """Positions of vertices, and values; ValueError names the line that is wrong."""
        for source, target, value, number in lines:
            for end in (source, target):
                if not (end.isdecimal() and 1 <= int(end) <= self.n):
                    raise ValueError(f"line {number}: {quoted(end)} is no vertex, 1 to {self.n}.")
            if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?", value):
                raise ValueError(f"line {number}: {quoted(value)} is not a finite number.")
        ends = np.array([line[:2] for line in lines], np.int64).reshape(-1, 2) - 1
        values = np.array([float(line[2]) for line in lines])
        kept = values != 0
        return ends[kept].T, values[kept]


def read_pajek(text: str, source: str) -> Graph:
    """The graph of a .net file, or of a .paj file with one network.

    Nodes keep the order of the vertices, and go by their labels if these differ, else by their
    numbers. Lines of several relations are added; edges have no direction, and arcs follow the rule
    of other lists. ValueError names the line that is wrong.
    """
    network = _Network(len(text))
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        if line and not line.startswith("%"):
            try:
                network.begin(line) if line.startswith("*") else network.add(line, number)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    n, adjacency, notes = network.n, csr_array((network.n, network.n)), list[str]()
    if network.ignored:
        notes.append(f"parts that are not read: {', '.join(sorted(network.ignored))}.")
    for lines in (network.arcs, network.edges):
        ends, values = network.ends_and_values(lines)
        are_arcs = lines is network.arcs
        more, of_it = of_edges(ends[0], ends[1], values, n, has_directions=are_arcs)
        adjacency, notes = csr_array(adjacency + more), [*notes, *of_it]
    names = [network.labels.get(i, str(i)) for i in range(1, n + 1)]
    if len(set(names)) < n:
        notes.append("labels are not used, because some vertices share one.")
        names = [str(i) for i in range(1, n + 1)]
    return Graph(adjacency, of_texts(names), tuple(notes), source)
