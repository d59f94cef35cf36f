"""What a family of graphs is: cases, what is found on each, and the limits that are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Row = dict[str, Any]
References = dict[str, Row]


class Case(NamedTuple):
    """One graph, or one question about it: its cell of the table, its name and a seed."""

    cell: str
    name: str
    seed: int = 0

    @property
    def key(self) -> str:
        """What the case is called in the file of results."""
        return f"{self.cell} | {self.name} | {self.seed}"


class Line(NamedTuple):
    """One line of the table; ``missed`` says which limit is not reached."""

    cells: tuple[str, ...]
    missed: str = ""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Graphs of one kind, and what is asked of the answers.

    Parameters
    ----------
    name : str
        The name on the command line, and of the file of results.
    question : str
        The title of the table, with the limit.
    titles : sequence of str
        Titles of the columns.
    cases : callable
        All cases, in the order in which they are run.
    run : callable
        The row of one case, the same at all times but for seconds.
    lines : callable
        The table, from the rows that are there and the rows of the peers, by key.
    peers : callable or None
        The row of the other programs that are installed on one case, if their figures are limits.
    alone : bool
        Whether nothing else runs meanwhile, because seconds and memory count.
    """

    name: str
    question: str
    titles: Sequence[str]
    cases: Callable[[], list[Case]]
    run: Callable[[Case], Row]
    lines: Callable[[list[Row], References], list[Line]]
    peers: Callable[[Case], Row] | None = None
    alone: bool = False


def by_cell(rows: list[Row]) -> dict[str, list[Row]]:
    """Rows of each cell, in the order of the first."""
    cells: dict[str, list[Row]] = {}
    for row in rows:
        cells.setdefault(row["cell"], []).append(row)
    return cells
