"""Networks of Pajek: vertices with labels, arcs, edges, lists of them, and matrices."""

import re
from array import array
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of, both_directions
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.edge_layout import to_weight
from kgroups.input.graph_files.edges import check_memory
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.node_names import note_on_labels
from kgroups.input.graph_files.text_lines import is_integer, is_substance, lines
from kgroups.input.networks import repeats
from kgroups.input.parallel_edges import summed
from kgroups.runtime.memory import require
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array, IntArray

_COMMENTS = "%"
_EDGES_PER_CHECK = 1 << 20
# The number of a vertex and its label, in quotes if it contains blanks.
_VERTEX = re.compile(r'(\S+)(?:\s+(?:"([^"]*)"|([^"\s]\S*))(?:\s.*)?)?')
# What may follow the ends of a line instead of its value: colors, widths and the like, and times.
_STYLES = re.compile(r"\[.*|c|w|p|s|a|ap|l|lp|lr|lphi|lc|la|fos|font|h1|h2|a1|a2|k1|k2", re.I)
# Parts of project files that hold no lines of the network.
_OTHER_PARTS = ("partition", "vector", "permutation", "cluster", "hierarchy")


def read_pajek(stream: IO[bytes], source: str) -> Graph:
    """The graph of a .net file, or of a .paj file with one network.

    Nodes keep the order of the vertices, and go by their labels if these differ, else by their
    numbers. An edge stands for arcs in both directions; lines of several relations are added.
    """
    reader = _Reader(source)
    stream.seek(0)
    for number, line in lines(stream, source):
        if is_substance(line, _COMMENTS):
            reader.add(number, line.strip())
    return reader.graph()


class _Lines:
    """Ends and values of the lines between vertices."""

    def __init__(self) -> None:
        self._ends = array("q"), array("q")
        self._weights = array("d")

    def add(self, source: int, target: int, weight: float) -> None:
        """Add one line; MemoryError when too many have been added."""
        self._ends[0].append(source)
        self._ends[1].append(target)
        self._weights.append(weight)
        if len(self._weights) % _EDGES_PER_CHECK == 0:
            check_memory(len(self._weights))

    def arrays(self) -> tuple[IntArray, IntArray, Float64Array]:
        """Sources, targets and values."""
        source, target = (np.frombuffer(end, np.int64) for end in self._ends)
        return source, target, np.frombuffer(self._weights, np.float64)


class _Reader:
    """Reads one line after another, by the part in which it stands."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.n = 0
        self.n_first = 0
        self.labels: dict[int, str] = {}
        self.arcs, self.edges = _Lines(), _Lines()
        self.n_networks = 0
        self.relations: set[str] = set()
        self.ignored: set[str] = set()
        self.row = 0
        self.where = ""
        self._read: Callable[[str], None] = self._before

    def add(self, number: int, line: str) -> None:
        """Read a line, which may begin a part."""
        self.where = f"{self.source}, line {number}"
        if line.startswith("*"):
            self._begin(line)
        else:
            self._read(line)

    def _begin(self, line: str) -> None:
        """Begin the part that a line with a star names."""
        name, rest = (*line[1:].split(maxsplit=1), "", "")[:2]
        part = name.lower().partition(":")[0]
        if part in ("network", "vertices"):
            self._begin_network(part, rest)
            return
        if part in _OTHER_PARTS:
            self.ignored.add(f"*{name}")
            self._read = _ignore
            return
        reads: dict[str, Callable[[str], None]] = {
            "arcs": partial(self._pair, self.arcs),
            "edges": partial(self._pair, self.edges),
            "arcslist": partial(self._list, self.arcs),
            "edgeslist": partial(self._list, self.edges),
            "matrix": self._matrix_row,
        }
        if part not in reads:
            raise DataError(
                f"{self.where}: {quoted(line)} begins no part that is known; these are *Vertices, "
                "*Arcs, *Edges, *Arcslist, *Edgeslist and *Matrix."
            )
        if not self.n:
            raise DataError(f"{self.where}: *Vertices must come before {quoted('*' + name)}.")
        self.relations.add((name + rest).partition(":")[2].strip())
        self.row, self._read = 0, reads[part]

    def _begin_network(self, part: str, rest: str) -> None:
        if part == "network":
            self.n_networks += 1
        if self.n_networks > 1 or (part == "vertices" and self.n):
            raise DataError(
                f"{self.where} begins another network; save the one that is meant as a .net file."
            )
        self._read = self._before
        if part == "network":
            return
        counts = rest.split()
        if not 1 <= len(counts) <= 2 or not all(map(is_integer, counts)) or int(counts[0]) < 1:
            raise DataError(
                f"{self.where}: *Vertices must be followed by the number of vertices, as in "
                f"*Vertices 34; got {quoted(rest.strip())}."
            )
        self.n = int(counts[0])
        self.n_first = int(counts[1]) if len(counts) == 2 else 0
        if not 0 <= self.n_first < self.n:
            raise DataError(
                f"{self.where}: the first of two kinds of vertices are {self.n_first} of {self.n}; "
                "there must be some of each kind."
            )
        require(
            200 * self.n,
            what=f"Reading {self.source}, a network of {self.n:,} vertices,",
            instead="Save a smaller network.",
        )
        self._read = self._vertex

    def _before(self, line: str) -> None:
        raise DataError(
            f"{self.where}: {quoted(line)} stands before *Vertices, with which a network of Pajek "
            "begins."
        )

    def _vertex(self, line: str) -> None:
        found = _VERTEX.fullmatch(line)
        if found is None:
            raise DataError(
                f"{self.where}: {quoted(line)} is not a vertex; write its number and its label, in "
                'double quotes if it contains blanks, as in 1 "Ann Lee".'
            )
        vertex = self._number(found[1])
        label = found[2] if found[2] is not None else found[3]
        if vertex in self.labels:
            raise DataError(f"{self.where}: vertex {found[1]} was named before; remove one line.")
        self.labels[vertex] = found[1] if label is None else label.strip()

    def _number(self, text: str) -> int:
        """The position of a vertex with a number from 1."""
        vertex = int(text) if is_integer(text) else 0
        if not 1 <= vertex <= self.n:
            raise DataError(
                f"{self.where}: {quoted(text)} is not the number of a vertex; these are 1 to "
                f"{self.n:,}, as *Vertices says."
            )
        return vertex - 1

    def _pair(self, into: _Lines, line: str) -> None:
        fields = line.split()
        if len(fields) < 2:
            raise DataError(
                f"{self.where}: {quoted(line)} is not a line of the network; write two vertices "
                "and perhaps a value."
            )
        into.add(self._number(fields[0]), self._number(fields[1]), self._value(fields[2:3]))

    def _list(self, into: _Lines, line: str) -> None:
        first, *others = map(self._number, line.split())
        for other in others:
            into.add(first, other, 1.0)

    def _value(self, fields: list[str]) -> float:
        """The value of a line: 1 where it has none."""
        if not fields or _STYLES.fullmatch(fields[0]):
            return 1.0
        return self._number_of(fields[0])

    def _number_of(self, field: str) -> float:
        weight = to_weight(field)
        if weight is None:
            raise DataError(
                f"{self.where}: the value {quoted(field)} is not a finite number; write one "
                f"{'in each place' if self.row else 'after the two vertices'}."
            )
        return weight

    def _matrix_row(self, line: str) -> None:
        fields, first = line.split(), self.n_first
        n_rows, n_columns = (first, self.n - first) if first else (self.n, self.n)
        self.row += 1
        if len(fields) != n_columns or self.row > n_rows:
            raise DataError(
                f"{self.where}: row {self.row} of *Matrix has {counted(len(fields), 'number')}; "
                f"expected {n_rows:,} rows of {n_columns:,}."
            )
        for column, field in enumerate(fields):
            if (value := self._number_of(field)) != 0:
                self.arcs.add(self.row - 1, first + column, value)

    def graph(self) -> Graph:
        """The undirected graph of all lines."""
        if not self.n:
            raise DataError(f"{self.source} has no vertices; it must have a line *Vertices.")
        source, target, values = self.arcs.arrays()
        arcs = summed(source, target, values, self.n)
        first, second, weights = self.edges.arrays()
        half = summed(np.minimum(first, second), np.maximum(first, second), weights, self.n)
        again = len(values) - arcs.nnz + len(weights) - half.nnz
        nodes, on_labels = self._nodes()
        notes = [*self._notes(), *on_labels, *repeats(again, "edge", "edges", self.source)]
        try:
            found = adjacency_of(
                arcs + both_directions(half), name=self.source, allow_negative=True
            )
        except ValueError as error:
            raise DataError(str(error)) from error
        return Graph(found.matrix, nodes, (*notes, *found.notes), self.source)

    def _notes(self) -> list[str]:
        notes = []
        if self.ignored:
            notes.append(f"ignored: {', '.join(sorted(self.ignored))}.")
        if len(self.relations) > 1:
            notes.append(f"the edges of {len(self.relations)} relations are added.")
        return notes

    def _nodes(self) -> tuple[NDArray[Any], list[str]]:
        """The labels if they tell all vertices apart, else numbers from 1 with a note."""
        numbers = range(1, self.n + 1)
        if not self.labels:
            return np.arange(1, self.n + 1), []
        labels = [self.labels.get(vertex - 1, str(vertex)) for vertex in numbers]
        if len(set(labels)) < self.n or "" in labels:
            return np.array(numbers), note_on_labels(self.labels.values())
        return node_ids(list(map(int, labels)) if all(map(is_integer, labels)) else labels), []


def _ignore(_: str) -> None:
    """A line of a part that is not read."""
