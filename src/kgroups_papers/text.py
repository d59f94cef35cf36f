"""A document as text for the terminal."""

from collections.abc import Mapping, Sequence

from kgroups.layout import Block, Heading, Table
from kgroups_papers import wording
from kgroups_papers.summary import Document, lines, rows_of

# Rows that a reader goes through; of more, each method is one line, unless cases are few.
_MOST_ROWS = 40
_FEW_CASES = 4


def blocks(
    found: Document, *, missing: Mapping[str, str] | None = None, all_rows: bool = False
) -> list[Block]:
    """A document for people; of many rows, one line per method unless ``all_rows`` is set.

    ``missing`` also says where data were looked for, which a document does not.
    """
    return [
        _head(found),
        _table(found, all_rows=all_rows),
        wording.agreement(found),
        _listed("Known to differ, and the likely cause:", _causes(found)),
        _listed("Outside by chance, or for an unknown reason:", _unknown(found)),
        _listed("Notes:", found["notes"]),
        _listed("Missing data:", _missing(missing or found["missing"])),
    ]


def _head(found: Document) -> Block:
    published = found["numbers_source"]
    return [
        Heading(f"{found['experiment']}: {found['title']}"),
        found["source"] + (f"; numbers: {published}" if published else ""),
        found["about"],
        wording.settings(found),
    ]


def _table(found: Document, *, all_rows: bool) -> Block:
    every = rows_of(found)
    if not every:
        return []
    if all_rows or not is_long(found):
        cells = wording.table(found, every)
    else:
        cells = wording.curve(found, lines(every, list(wording.method_titles(found))))
    words = {found["axis"], "panel", "method", "role", "measure", "verdict", "farthest off"}
    left = [c for c, title in enumerate(cells[0]) if title in words]
    broken = [c for c in left if cells[0][c] in ("method", "verdict", "farthest off")]
    keys = [c for c, title in enumerate(cells[0]) if title in (cells[0][0], "method", "measure")]
    return [Table(cells, left=left, words=broken, keys=keys)]


def is_long(found: Document) -> bool:
    """Whether one line per method says more than all rows: for a curve, not for a table."""
    is_curve = found["is_curve"] and len(found["cases"]) > _FEW_CASES
    return is_curve and len(found["rows"]) > _MOST_ROWS


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


def _listed(title: str, items: Sequence[str]) -> Block:
    return [Heading(title), *(f"  {item}" for item in items)] if items else []
