"""What the rows of a document say together, and what all documents do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import nan, sqrt
from typing import Any

from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.verdict import AGREES, BY_CHANCE, Verdict, tolerance

#: A document as :func:`kgroups_papers.document.document` makes it, or JSON has kept it.
Document = Mapping[str, Any]


def rows_of(document: Document) -> list[Row]:
    """All rows of a document."""
    return [Row.read(row) for row in document["rows"]]


def claims(rows: Sequence[Row], *, is_curve: bool) -> list[Row]:
    """What is held against published numbers: each number, but the defaults by whole curves.

    Of equal means one in six is below by more than one standard error, so that points of a curve
    say little one by one, unless they are clearly below.
    """
    if not is_curve:
        return list(rows)
    defaults = [row for row in rows if row.is_default and row.verdict is not None]
    by_curve: dict[tuple[str, str, str], list[Row]] = {}
    for row in defaults:
        by_curve.setdefault((row.panel, row.method, row.measure), []).append(row)
    clearly = [row for row in defaults if row.is_outside and row.distance > AGREES]
    theirs = [row for row in rows if not row.is_default]
    return [*theirs, *map(_whole, by_curve.values()), *clearly]


def _whole(points: Sequence[Row]) -> Row:
    """A curve of the defaults as one number: the mean over its points, whose samples differ."""
    first, n = points[0], len(points)
    difference = sum(nan if p.difference is None else p.difference for p in points) / n
    error = sqrt(sum(point.combined_error**2 for point in points)) / n
    # What the printed digits leave open, as for a single number.
    left_open = sum(0.5 * 10.0 ** -(point.published_digits or 0) for point in points) / n
    is_level = difference >= -error - left_open  # false for NaN
    return replace(
        first,
        case=" ".join(filter(None, ["all", first.panel, "points"])),
        mean=_mean([point.mean for point in points]),
        error=sqrt(sum((point.error or 0.0) ** 2 for point in points)) / n,
        published=_mean([point.published for point in points]),
        published_error=sqrt(sum((point.published_error or 0.0) ** 2 for point in points)) / n,
        in_errors=difference / error if error else None,
        verdict=Verdict.NOT_BELOW if is_level else Verdict.BELOW,
        cause=_cause_of_all([point.cause for point in points if point.is_outside]),
    )


def _cause_of_all(causes: Sequence[str]) -> str:
    """A cause explains a curve when every point that is below has one."""
    return causes[0] if causes and all(causes) else ""


def counts(rows: Sequence[Row], *, is_curve: bool) -> dict[str, int | float]:
    """How many published numbers agree, and how many would not by chance alone.

    Chance has no part in numbers without an error.
    """
    judged = [row for row in claims(rows, is_curve=is_curve) if row.verdict is not None]
    theirs = [row for row in judged if not row.is_default]
    defaults = [row for row in judged if row.is_default]
    outside = [row for row in theirs if row.is_outside]
    below = [row for row in defaults if row.is_outside]
    unknown = [row for row in theirs if row.combined_error and not row.cause]
    return {
        "published": len(theirs),
        "agree": len(theirs) - len(outside),
        "inferred": sum(row.role is Role.INFERRED for row in theirs),
        "untested": sum(row.published is not None and row.mean is None for row in rows),
        "outside": len(outside),
        "outside_of_known_cause": sum(bool(row.cause) for row in outside),
        "outside_by_chance": BY_CHANCE * len(unknown),
        "defaults": len(defaults),
        "defaults_not_below": len(defaults) - len(below),
        "defaults_below_of_known_cause": sum(bool(row.cause) for row in below),
    }


@dataclass(frozen=True, kw_only=True)
class Overall:
    """What all documents say together of comparisons with published numbers."""

    n_compared: int
    #: Outside, with the document of each: for a known cause, by chance, and for neither reason.
    known: Sequence[tuple[Document, Row]]
    by_chance: Sequence[tuple[Document, Row]]
    unexplained: Sequence[tuple[Document, Row]]
    #: How many chance alone leaves outside.
    expected_by_chance: float

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Overall:
        """The sum of documents.

        Of as many equal means as there are, chance alone puts about one beyond a certain number of
        errors. A number that is farther off, and has no known cause, has no explanation.
        """
        expected = sum(document["counts"]["outside_by_chance"] for document in documents)
        chance = BY_CHANCE / max(expected, 1.0)  # of one number in as many as chance can move
        outside = [
            (document, row)
            for document in documents
            for row in claims(rows_of(document), is_curve=document["is_curve"])
            if row.is_outside and not row.is_default
        ]
        unknown = [pair for pair in outside if not pair[1].cause]
        return cls(
            n_compared=sum(document["counts"]["published"] for document in documents),
            known=[pair for pair in outside if pair[1].cause],
            by_chance=[pair for pair in unknown if not _is_beyond(pair[1], chance)],
            unexplained=[pair for pair in unknown if _is_beyond(pair[1], chance)],
            expected_by_chance=expected,
        )


def _is_beyond(row: Row, chance: float) -> bool:
    return row.distance > tolerance(row.runs or 1, chance)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A method over all cases of a panel, as a line for a curve."""

    panel: str
    method: str
    measure: str
    role: Role
    n_points: int
    #: Cases that are compared with a published number, and those that are not outside.
    n_judged: int
    n_inside: int
    #: Where it is farthest from the published number; None where nothing is compared.
    worst: Row | None
    #: Over the compared cases; where there are none, over all.
    mean: float | None
    published: float | None
    #: Mean of ours less published over the compared cases, and its standard error.
    difference: float | None
    difference_error: float


def lines(rows: Sequence[Row], methods: Sequence[str]) -> list[Line]:
    """A line for each panel, measure and method, in the order of the methods."""

    def place(row: Row) -> tuple[int, int, int]:
        """Panels and measures in the order of the rows."""
        return panels[row.panel], measures[row.measure], methods.index(row.method)

    panels = {row.panel: i for i, row in reversed(list(enumerate(rows)))}
    measures = {row.measure: i for i, row in reversed(list(enumerate(rows)))}
    order = sorted(rows, key=place)
    return [_line(list(group)) for _, group in groupby(order, key=place)]


def _line(rows: Sequence[Row]) -> Line:
    judged = [row for row in rows if row.verdict is not None]
    shown = judged or [row for row in rows if row.mean is not None]
    return Line(
        panel=rows[0].panel,
        method=rows[0].method,
        measure=rows[0].measure,
        role=rows[0].role,
        n_points=sum(row.mean is not None for row in rows),
        n_judged=len(judged),
        n_inside=sum(not row.is_outside for row in judged),
        worst=max(judged, key=_how_far, default=None),
        mean=_mean([row.mean for row in shown]),
        published=_mean([row.published for row in judged]),
        difference=_mean([row.difference for row in judged]),
        difference_error=sqrt(sum(row.combined_error**2 for row in judged)) / max(1, len(judged)),
    )


def _how_far(row: Row) -> tuple[bool, float, float]:
    return row.is_outside, row.distance, abs(row.difference or 0.0)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
