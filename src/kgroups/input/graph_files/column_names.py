"""What columns of edges and of node labels may be called."""

from __future__ import annotations

from collections.abc import Sequence

from kgroups.input.table_files.table import listed

# What the two ends of an edge are called, in lower case and without blanks, dashes or underscores.
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
# What the columns of a file of labels are called.
NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})
LABEL_NAMES = frozenset({"label", "labels", "community", "class"})


def plain_name(name: str) -> str:
    """A name in lower case, without blanks, dashes and underscores."""
    return name.lower().translate(str.maketrans("", "", " _-"))


def end_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """Where source and target stand, if the names say so."""
    plain = [plain_name(name) for name in names]
    for source, target in _END_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def weight_column(names: Sequence[str]) -> tuple[int, ...]:
    """Where the weight stands; nothing if no column is called so."""
    return tuple(c for c, name in enumerate(names) if plain_name(name) == "weight")[:1]


def ignored_columns(names: Sequence[str]) -> str:
    """A note on columns that are neither ends nor weights."""
    were = "column was" if len(names) == 1 else "columns were"
    return f"{were} ignored: {listed(names)}; one called weight is read."
