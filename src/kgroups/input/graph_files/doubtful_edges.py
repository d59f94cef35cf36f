"""Lines that are read as edges, and may be column names, titles, descriptions or totals."""

from typing import NamedTuple

import numpy as np

from kgroups.input.graph_files.edge_layout import Layout, perhaps_labels
from kgroups.input.graph_files.edge_names import end_columns
from kgroups.input.table_files.field_table import Row
from kgroups.text import quoted
from kgroups.typing import IntArray

# First fields of a line below the edges that adds them up.
_TOTALS = frozenset({"total", "totals", "sum", "grand total", "summe", "gesamt", "insgesamt"})


class DoubtfulEdges(NamedTuple):
    """The first two lines below the header and the last one, with what their ends tell."""

    layout: Layout
    first: Row
    second: Row | None
    last: Row
    #: The ends of all edges, as numbers from 0.
    source: IntArray
    target: IntArray

    def notes(self, *, are_mixed: bool) -> list[str]:
        """Notes on lines that may not be edges; ``are_mixed`` if most ids are integers."""
        return [
            *(self._on_names() or ([] if are_mixed else self._perhaps_a_header())),
            *self._perhaps_no_edges(),
        ]

    def _on_names(self) -> list[str]:
        """A note if the names of the first line would be those of columns in another list."""
        first = self.first
        if self.layout.header is not None or end_columns(first.fields) is None:
            return []
        if self.layout.is_certain:
            return []
        why = "other lines hold these names as nodes"
        if len(first.fields) == 3:
            if self._times_below().any():
                return []
            why = "its third field is a number"
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge, because "
            f"{why}; if it holds column names, leave it out by {without(first, self.layout)}."
        ]

    def _times_below(self) -> IntArray:
        """How often each end of the first line stands in the others."""
        below = np.r_[self.source[1:], self.target[1:]]
        ends = self.source[0], self.target[0]
        return np.array([np.count_nonzero(below == end) for end in ends])

    def _perhaps_no_edges(self) -> list[str]:
        """Notes on a title, on a description of columns below their names, and on totals."""
        first, last, notes = self.first, self.last, []
        if self.layout.header is None and self.second and _are_words(self.second.fields):
            notes.append(self._leaves_out(first, "is a title above column names"))
        ends = np.r_[self.source, self.target]
        is_loop = self.source[0] == self.target[0] and np.count_nonzero(ends == self.source[0]) == 2
        if self.layout.header is not None and is_loop and len(self.source) > 1:
            notes.append(self._leaves_out(first, "describes the columns"))
        name = last.fields[self.layout.columns[0]]
        if name.lower() in _TOTALS and np.count_nonzero(ends == self.source[-1]) == 1:
            notes.append(self._leaves_out(last, "holds a total"))
        return notes

    def _perhaps_a_header(self) -> list[str]:
        """A note if the ids of the first line appear in no other, as column names would."""
        first, source, target = self.first, self.source, self.target
        if len(self.layout.columns) == 3 or self.layout.header is not None:
            return []
        if self.layout.is_certain:
            return []
        if len(source) < 2 or source[0] == target[0] or (np.r_[source[1:], target[1:]] <= 1).any():
            return []
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge; if it "
            f"holds column names, write {as_ends(first)}.",
            *perhaps_labels(first),
        ]

    def _leaves_out(self, row: Row, if_it: str) -> str:
        text = quoted(self._as_written(row))
        return (
            f"line {row.line}, {text}, is read as an edge; if it {if_it}, "
            f"{without(row, self.layout)} leaves it out."
        )

    def _as_written(self, row: Row) -> str:
        return (self.layout.delimiter or " ").join(row.fields)


def without(row: Row, layout: Layout) -> str:
    """The argument that leaves out a line, too."""
    return f"skip_lines={sorted({*layout.skipped, row.line})}"


def as_ends(names: Row) -> str:
    """The first two of these names as the arguments that choose the ends."""
    return f'source="{names.fields[0]}" and target="{names.fields[1]}"'


def _are_words(names: list[str]) -> bool:
    """Whether these are names of columns that nodes seldom have."""
    return end_columns(names) is not None and max(map(len, names)) > 1
