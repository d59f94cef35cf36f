"""A document as text for the terminal."""

import textwrap
from collections.abc import Mapping, Sequence

from kgroups.report import bold, joined
from kgroups.text import aligned
from kgroups_papers import wording
from kgroups_papers.summary import Document, lines, rows_of

_WIDTH = 88
# Rows that a reader goes through; of more, each method is one line, unless cases are few.
_MOST_ROWS = 40
_FEW_CASES = 4


def text(
    found: Document,
    *,
    missing: Mapping[str, str] | None = None,
    color: bool = False,
    all_rows: bool = False,
) -> str:
    """A document for people; of many rows, one line per method unless ``all_rows`` is set.

    ``missing`` also says where data were looked for, which a document does not.
    """
    return joined(
        _head(found, color),
        _table(found, color, all_rows=all_rows),
        _agreement(found),
        _listed("Known to differ, and the likely cause:", _causes(found), color),
        _listed("Outside by chance, or for an unknown reason:", _unknown(found), color),
        _listed("Notes:", found["notes"], color),
        _listed("Missing data:", _missing(missing or found["missing"]), color),
    )


def _head(found: Document, color: bool) -> list[str]:
    published = found["numbers_source"]
    return [
        bold(f"{found['experiment']}: {found['title']}", color),
        *textwrap.wrap(found["source"] + (f"; numbers: {published}" if published else ""), _WIDTH),
        *textwrap.wrap(found["about"], _WIDTH),
        *textwrap.wrap(wording.settings(found), _WIDTH),
    ]


def _table(found: Document, color: bool, *, all_rows: bool) -> list[str]:
    every = rows_of(found)
    if not every:
        return []
    if all_rows or not is_long(found):
        cells = wording.table(found, every)
    else:
        cells = wording.curve(found, lines(every, list(wording.method_titles(found))))
    words = {found["axis"], "panel", "method", "role", "measure", "verdict", "farthest off"}
    left = [c for c, title in enumerate(cells[0]) if title in words]
    head, *body = aligned(cells, left=left)
    return [bold(head, color), *body]


def is_long(found: Document) -> bool:
    """Whether one line per method says more than all rows: for a curve, not for a table."""
    is_curve = found["is_curve"] and len(found["cases"]) > _FEW_CASES
    return is_curve and len(found["rows"]) > _MOST_ROWS


def _agreement(found: Document) -> list[str]:
    return [line for said in wording.agreement(found) for line in textwrap.wrap(said, _WIDTH)]


def _causes(found: Document) -> list[str]:
    return [
        f"{wording.which(found, rows)}: {wording.by_how_much(rows)}: {cause}"
        for cause, rows in wording.known(found)
    ]


def _unknown(found: Document) -> list[str]:
    rows = wording.unknown(found)
    return [f"{wording.which(found, [row])}: {wording.verdict(row)}" for row in rows]


def _missing(found: Mapping[str, str]) -> list[str]:
    """What is said of several cases is said once."""
    cases: dict[str, list[str]] = {}
    for case, why in found.items():
        cases.setdefault(why, []).append(case)
    return [f"{', '.join(named)}: {why}" for why, named in cases.items()]


def _listed(title: str, items: Sequence[str], color: bool) -> list[str]:
    if not items:
        return []
    told = (
        line
        for item in items
        for line in textwrap.wrap(item, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    )
    return [bold(title, color), *told]
