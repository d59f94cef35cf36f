"""Single rows in a table: their number, their name, and the columns that say most."""

from __future__ import annotations

from collections.abc import Sequence

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.parts import Cell, Grid
from kgroups.pages.shown_names import shown

# More columns do not fit next to each other.
_N_COLUMNS = 8


def row_grid(
    facts: ClusterFacts,
    rows: Sequence[int],
    *,
    caption: str,
    told: Sequence[tuple[str, Sequence[str]]] = (),
) -> Grid:
    """Rows with their clusters, what is told of each of them, and their most telling columns.

    Parameters
    ----------
    facts : ClusterFacts
    rows : sequence of int
        Numbers of rows, from 0.
    caption : str
    told : sequence of (head, texts)
        Further columns, next to the cluster.
    """
    described, ids = facts.described, facts.report.ids
    columns = [] if described is None else described.most_telling(_N_COLUMNS)
    head = ["row", *(["name"] if ids is not None else []), "cluster", *(name for name, _ in told)]
    if described is not None:
        head += [described.name(column) for column in columns]
    elif facts.texts is not None:
        head.append("text")
    cells: list[list[str | Cell]] = []
    for place, row in enumerate(rows):
        cluster = int(facts.report.labels[row])
        line: list[str | Cell] = [f"{row + 1}"]
        line += [] if ids is None else [shown(ids[row], 40)]
        line.append(Cell(text=str(cluster), color=facts.colors[cluster]))
        line += [texts[place] for _, texts in told]
        if described is not None:
            line += [described.text(row, column) for column in columns]
        elif facts.texts is not None:
            line.append(shown(facts.texts[row], 80))
        cells.append(line)
    n_fixed = len(head) - (len(columns) or (facts.texts is not None))
    words = [1] if ids is not None else []
    return Grid(caption=caption, head=head, rows=cells, words=[*words, *range(n_fixed, len(head))])
