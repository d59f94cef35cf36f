"""Numbers of a document in words, the same in the terminal and on the page."""

from collections.abc import Mapping, Sequence

from kgroups.text import counted
from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.summary import Document, Line, Overall, claims, rows_of
from kgroups_papers.verdict import AGREES, tolerance

_NOTHING = "-"
_NOTHING_TO_COMPARE = "Nothing was published as numbers; there is nothing to compare."
# Of runs that are nearly alike an error is next to nothing.
_MANY = 100


def number(value: float | None, digits: int | None = None) -> str:
    """Four decimals of shares and scores, six digits of anything larger or counted.

    >>> number(0.5), number(165.0), number(2.0, digits=0), number(None)
    ('0.5000', '165', '2', '-')
    """
    if value is None:
        return _NOTHING
    return f"{value:.4f}" if abs(value) < 10 and digits != 0 else f"{value:.6g}"


def ours(row: Row) -> str:
    """A mean and its standard error."""
    if row.mean is None:
        return "no data"
    mean = number(row.mean, row.published_digits)
    return mean if row.error is None else f"{mean} ± {_small(row.error)}"


def theirs(row: Row) -> str:
    """As many digits as were published."""
    if row.published is None or row.published_digits is None:
        return number(row.published)
    return f"{row.published:.{row.published_digits}f}"


def verdict(row: Row) -> str:
    """Agreement, or on which side and how far, and whether it is known why."""
    if row.verdict is None:
        return ""
    if not row.is_outside:
        return row.verdict.value
    known = ", known" if row.cause else ""
    return f"{row.verdict.value}, {distance(row)}{known}"


def distance(row: Row) -> str:
    """The difference, in standard errors too where there are any."""
    errors = ""
    if row.combined_error > 0 and row.in_errors is not None:
        many = f"over {_MANY}" if abs(row.in_errors) > _MANY else f"{row.in_errors:+.1f}"
        errors = f" ({many} errors)"
    return f"{row.difference or 0.0:+.4f}{errors}"


def table(document: Document, rows: Sequence[Row]) -> list[list[str]]:
    """A head and a line for every number; columns that say nothing are left out."""
    titles = method_titles(document)
    head = [document["axis"], "method", "role", "measure", "published", "ours ± s.e.", "verdict"]
    keep = [True] * len(head)
    keep[2] = any(row.role is not Role.PAPER for row in rows)
    keep[3] = len(document["measures"]) > 1
    cells = [
        [
            row.case,
            titles[row.method],
            row.role.value,
            row.measure,
            theirs(row),
            ours(row),
            verdict(row),
        ]
        for row in rows
    ]
    return [
        [cell for cell, kept in zip(line, keep, strict=True) if kept] for line in (head, *cells)
    ]


def crossed(document: Document, rows: Sequence[Row]) -> list[list[str]]:
    """One line per case and measure, one column per method; published numbers in brackets."""
    titles = method_titles(document)
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        known = "" if row.published is None or row.is_default else f" ({theirs(row)})"
        star = " *" if row.is_outside else ""
        cells.setdefault((row.case, row.measure), {})[row.method] = f"{ours(row)}{known}{star}"
    has_measures = len(document["measures"]) > 1
    head = [document["axis"], *(["measure"] if has_measures else []), *titles.values()]
    return [
        head,
        *(
            [case, *([measure] if has_measures else []), *(found.get(key, "") for key in titles)]
            for (case, measure), found in cells.items()
        ),
    ]


def curve(document: Document, rows: Sequence[Line]) -> list[list[str]]:
    """A head and a line for every method."""
    titles = method_titles(document)
    head = [
        "panel", "method", "role", "measure", "points", "agree", "ours − published",
        "farthest off",
    ]  # fmt: skip
    keep = [True] * len(head)
    keep[0] = any(line.panel for line in rows)
    keep[3] = len(document["measures"]) > 1
    cells = [
        [
            line.panel,
            titles[line.method],
            line.role.value,
            line.measure,
            str(line.n_points),
            _inside(line),
            _mean_difference(line),
            _farthest(document, line.worst),
        ]
        for line in rows
    ]
    return [
        [cell for cell, kept in zip(line, keep, strict=True) if kept] for line in (head, *cells)
    ]


def _inside(line: Line) -> str:
    if not line.n_judged:
        return _NOTHING
    what = " not below" if line.role is Role.DEFAULT else ""
    return f"{line.n_inside} of {line.n_judged}{what}"


def _mean_difference(line: Line) -> str:
    if line.difference is None:
        return f"ours {number(line.mean)}"
    return f"{line.difference:+.4f} ± {_small(line.difference_error)}"


def _farthest(document: Document, worst: Row | None) -> str:
    return _NOTHING if worst is None else f"{distance(worst)} at {place(document, worst)}"


def place(document: Document, row: Row) -> str:
    """The case, named by the axis where it is a number."""
    is_number = row.case.replace(".", "", 1).replace("-", "", 1).isdigit()
    return f"{document['axis']} {row.case}" if is_number else row.case


def method_titles(document: Document) -> Mapping[str, str]:
    """What methods are called, by their keys."""
    return {method["key"]: method["title"] for method in document["methods"]}


def settings(document: Document) -> str:
    """Cases, runs, seed, time."""
    runs = f"{counted(document['runs'], 'run')} each" if document["runs"] > 1 else "one run each"
    cases = f"{counted(len(document['cases']), 'case')}, {runs}"
    quick = "; the quick form, with fewer runs than the paper" if document["quick"] else ""
    kept = document["runs_kept"]
    before = f" ({counted(kept, 'run')} from before)" if kept else ""
    return f"{cases}, seed {document['seed']}, {document['seconds']:,.1f} s{before}{quick}"


def agreement(document: Document) -> list[str]:
    """How many numbers agree, as sentences."""
    found, said = document["counts"], []
    if found["published"]:
        chance = found["outside_by_chance"]
        said.append(
            f"{found['agree']} of {counted(found['published'], 'comparison')} with published "
            f"numbers agree within {tolerance(document['runs']):.1f} standard errors of the "
            f"difference{_of_few_runs(document)}; chance alone leaves about {chance:.1f} outside."
        )
        if found["inferred"]:
            said.append(
                f"{found['inferred']} of them use settings that the paper does not state, inferred "
                "from its programs or because they reproduce the numbers."
            )
    if found["untested"]:
        said.append(f"{counted(found['untested'], 'published number')} could not be tested.")
    if found["defaults"]:
        whole = (
            " (a curve counts once, and each point that is far below once more)"
            if document["is_curve"]
            else ""
        )
        said.append(
            "kgroups' defaults are not below published k-groups by more than one standard error "
            f"in {found['defaults_not_below']} of {found['defaults']}{whole}."
        )
    if not said:
        said.append(_NOTHING_TO_COMPARE)
    return said


def overall(found: Overall) -> str:
    """All comparisons in a few sentences, and which of them have no explanation."""
    if not found.n_compared:
        return _NOTHING_TO_COMPARE
    known, chance, far = (len(each) for each in (found.known, found.by_chance, found.unexplained))
    said = (
        f"Of {counted(found.n_compared, 'comparison')} with published numbers, "
        f"{_that(found.n_compared - known - chance - far, 'agrees', 'agree')} and "
        f"{_that(known, 'differs', 'differ')} for a cause that is known or likely. "
        f"{_that(chance, 'more lies', 'more lie')} outside; about {found.expected_by_chance:.1f} "
        "would by chance, and none of them is farther off than the largest difference expected "
        "among so many."
    )
    if not far:
        return f"{said} None is without an explanation."
    places = (f"{d['experiment']} at {place(d, row)}" for d, row in found.unexplained)
    which = ", ".join(dict.fromkeys(places))
    return f"{said} {_that(far, 'has', 'have')} no explanation: {which}."


def _that(n: int, one: str, many: str) -> str:
    """A number and its verb."""
    return f"{n:,} {one if n == 1 else many}"


def claimed(document: Document) -> list[Row]:
    """What is held against published numbers."""
    return claims(rows_of(document), is_curve=document["is_curve"])


def _of_few_runs(document: Document) -> str:
    """What a comparison of few runs is worth."""
    n = document["runs"]
    if tolerance(n) == AGREES:
        return ""
    return f" (Student's t of {counted(n, 'run')}; few runs show only large differences)"


def known(document: Document) -> list[tuple[str, list[Row]]]:
    """Numbers that are outside for a known cause, by the cause."""
    found: dict[str, list[Row]] = {}
    for row in rows_of(document):
        if row.is_outside and row.cause:
            found.setdefault(row.cause, []).append(row)
    return list(found.items())


def unknown(document: Document) -> list[Row]:
    """Numbers that are outside by chance, or for a cause that is not known."""
    return [row for row in claimed(document) if row.is_outside and not row.cause]


def which(document: Document, rows: Sequence[Row]) -> str:
    """Methods and measures, and how many numbers of them or where."""
    titles = method_titles(document)
    methods = ", ".join(dict.fromkeys(titles[row.method] for row in rows))
    if len(document["measures"]) > 1:
        methods += f", {' and '.join(dict.fromkeys(row.measure for row in rows))}"
    places = list(dict.fromkeys(place(document, row) for row in rows))
    where = ", ".join(places) if len(places) <= 3 else f"{len(places)} of the cases"
    return f"{methods}: {where}"


def by_how_much(rows: Sequence[Row]) -> str:
    """The difference, or the two that bound all."""
    if len(rows) == 1:
        return distance(rows[0])
    order = sorted(rows, key=lambda row: row.difference or 0.0)
    return f"{distance(order[0])} to {distance(order[-1])}"


def _small(error: float) -> str:
    if error == 0:
        return "0"
    return f"{error:.4f}" if error < 1 else f"{error:.3g}"
