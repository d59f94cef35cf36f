"""What columns of edges and of node labels may be called."""

from __future__ import annotations

from collections.abc import Sequence

from kgroups.input.table_files.table import listed

# Names of the two ends of an edge, in lower case and without blanks, dashes or underscores.
_END_NAMES = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("fromnodeid", "tonodeid"),
    ("fromnode", "tonode"),
    ("start", "end"),
    ("u", "v"),
)
# Names of the columns in a file of node labels.
NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})
LABEL_NAMES = frozenset({"label", "labels", "community", "class"})


def plain_name(name: str) -> str:
    """A name in lower case, without blanks, dashes and underscores."""
    return name.lower().translate(str.maketrans("", "", " _-"))


def end_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """The positions of source and target, if columns have such names."""
    plain = [plain_name(name) for name in names]
    for source, target in _END_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def weight_column(names: Sequence[str]) -> tuple[int, ...]:
    """The position of the column named weight; empty if there is none."""
    return tuple(c for c, name in enumerate(names) if plain_name(name) == "weight")[:1]


def ignored_columns(names: Sequence[str]) -> str:
    """A note on columns that are neither ends nor weights."""
    were = "column was" if len(names) == 1 else "columns were"
    return f"{were} ignored: {listed(names)}; only a column named 'weight' is used."
