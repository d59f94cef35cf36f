"""Edges between names, collected line by line, and the graph that they make."""

from array import array

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.canonical_order import in_canonical_order
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.edges import Edges, check_memory, graph_of_edges
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.node_names import notes_on_lookalikes
from kgroups.input.graph_files.text_lines import is_integer

# How many edges are added between two looks at the free memory.
_EDGES_PER_CHECK = 1 << 20


class NamedEdges:
    """Edges without weights; nodes are sorted at the end, also those without edges."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self._ends = array("q"), array("q")

    def node(self, name: str) -> int:
        """The number of a node, which is new if its name is."""
        return self.codes.setdefault(name, len(self.codes))

    def add(self, source: str, target: str) -> None:
        """Add one edge; MemoryError when too many have been added."""
        self._ends[0].append(self.node(source))
        self._ends[1].append(self.node(target))
        if len(self._ends[0]) % _EDGES_PER_CHECK == 0:
            check_memory(len(self._ends[0]))

    def graph(self, notes: list[str], source: str) -> Graph:
        """The undirected graph; names that are all integers become these."""
        if not self.codes:
            raise DataError(f"{source} is empty: it lists no nodes.")
        texts = list(self.codes)
        names = list(map(int, texts)) if all(map(is_integer, texts)) else texts
        ends = (np.frombuffer(end, np.int64) for end in self._ends)
        nodes, (first, second) = in_canonical_order(names, *ends)
        notes += notes_on_lookalikes(nodes)
        return graph_of_edges(Edges(first, second, None, node_ids(nodes)), notes, source)
