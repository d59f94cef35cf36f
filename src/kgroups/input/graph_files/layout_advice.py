"""What to write where a list of edges was not split as it was meant."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_layout import COMMENTS
from kgroups.input.graph_files.edge_names import end_columns
from kgroups.input.graph_files.text_lines import (
    NotUTF8Error,
    fields,
    is_substance,
    lines,
    sniffed,
)
from kgroups.input.table_files.sniffing import DELIMITERS
from kgroups.input.table_files.text_format import TextFormat

# Lines that are looked at, and how many of them may be titles.
_LINES, _MOST_ABOVE = 50, 5
_MARKS = (*DELIMITERS, ":")


def layout_advice(stream: IO[bytes], source: str, suffix: str, asked: TextFormat) -> str:
    """The delimiter and the lines above the edges that make all lines alike, as arguments.

    Empty if the lines are alike as they are read, or if nothing makes them so.

    Raises
    ------
    NotUTF8Error
        If the lines have to be decoded first.
    """
    try:
        stream.seek(0)
        found = ((i, line) for i, line in lines(stream, source) if is_substance(line, COMMENTS))
        head = list(islice(found, _LINES))
    except NotUTF8Error:
        raise
    except DataError:
        return ""
    if not head:
        return ""
    return next(_pieces_of_advice(head, source, suffix, asked), "")


def other_delimiter(head: Sequence[str], used: str | None) -> str | None:
    """Another usual delimiter that also divides all lines alike into edges; None if none does."""
    marks = (mark for mark in DELIMITERS if mark != used and mark in head[0])
    return next((mark for mark in marks if _are_alike(_divided(head, mark))), None)


def _pieces_of_advice(
    head: Sequence[tuple[int, str]], source: str, suffix: str, asked: TextFormat
) -> Iterator[str]:
    """What would do, with the fewest lines left out first."""
    texts = [line for _, line in head]
    marks = [mark for mark in _MARKS if mark != asked.decimal]
    for above in range(1 + max(0, min(_MOST_ABOVE, len(texts) - 2))):
        guess = sniffed(texts[above], suffix, asked)
        # Lines left out are enough of a guess, so what separates the others must be a usual mark.
        for mark in [guess, *marks] if above else [mark for mark in marks if mark != guess]:
            rows = _divided(texts, mark)
            if _are_alike(rows[above:]) and (above == 0 or _begins(rows, above)):
                yield _said(head[above - 1][0] if above else 0, mark, guess, asked)
                break


def _said(n_above: int, mark: str | None, guess: str | None, asked: TextFormat) -> str:
    """Both as arguments, in a sentence each."""
    parts, skipped = [], sorted({*asked.skip_lines, *range(1, n_above + 1)})
    if n_above:
        which = "line 1 is a title" if n_above == 1 else f"lines 1 to {n_above} are titles"
        parts.append(f" If {which}, write skip_lines={skipped}.")
    if mark is not None and mark != guess:
        shown = mark.replace("\t", "\\t")
        parts.append(f' If "{shown}" separates the fields, write delimiter="{shown}".')
    return "".join(parts)


def _divided(texts: Sequence[str], mark: str | None) -> list[list[str]]:
    """The fields of each line; none where quotes are not closed."""
    rows = []
    for line in texts:
        try:
            rows.append(fields(line.rstrip("\r\n"), mark, ""))
        except DataError:
            rows.append([])
    return rows


def _are_alike(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows have two or three fields, or as many as names of columns above them."""
    widths = {len(row) for row in rows}
    return len(widths) == 1 and (widths <= {2, 3} or end_columns(rows[0]) is not None)


def _begins(rows: Sequence[Sequence[str]], above: int) -> bool:
    """Whether the row after those above is the first of its kind, and these name no columns."""
    if any(end_columns(row) for row in rows[:above]):
        return False
    return len(rows[above - 1]) != len(rows[above]) or end_columns(rows[above]) is not None
