"""One Markdown page of many documents: every sentence about a result is made from its numbers."""

from collections.abc import Iterable, Iterator, Sequence

from kgroups.text import counted
from kgroups_papers import wording
from kgroups_papers.catalog import catalog
from kgroups_papers.row import Row
from kgroups_papers.summary import Document, Overall, lines, rows_of
from kgroups_papers.text import is_long
from kgroups_papers.verdict import AGREES

# A longer table has cases as lines and methods as columns, and all its lines on request.
_MOST_LINES = 60

_READING = f"""\
Each experiment of the papers was run again: methods *as published*; *as inferred* where settings
that the paper does not state, named in the notes, give the published numbers; *corrected* where the
published recipe has a defect; some *beyond the paper*; and what a user of kgroups gets by default.
*ours* is a mean over the runs with its standard error. A published number *agrees* when the
difference is within {AGREES} combined standard errors (of both means, where the published one rests
on a known number of runs), apart from what rounding leaves open; below 30 runs, within the equally
rare quantile of Student's t. kgroups' defaults are *not below* when they reach the published number
less one combined standard error. A curve is judged by the mean over its points, because one in six
of equal points is below by chance. Long curves have one line for each method; the linked JSON
document has every number.

[FRV] is França, Rizzo & Vogelstein, *Kernel k-Groups via Hartigan's Method*, IEEE TPAMI 43 (2020);
[FRV-a] its earlier version, *Clustering via Generalized Energy Statistics*; [FRV-b] the draft
*Nonparametric Clustering from Energy Statistics*."""


def page(documents: Iterable[Document], *, folder: str = "") -> str:
    """The page, in the order of the catalog; pictures and documents lie in ``folder``."""
    found = sorted(documents, key=_order)
    prefix = f"{folder.rstrip('/')}/" if folder and folder != "." else ""
    blocks = [
        "# The papers, reproduced",
        _READING,
        *_origin(found),
        *_contents(found),
        wording.overall(Overall.of(found)),
        *(block for document in found for block in _experiment(document, prefix)),
        *_discrepancies(found),
        *_trades(found),
        *_without_cause(found),
        *_missing(found),
    ]
    return "\n\n".join(blocks) + "\n"


def _order(document: Document) -> tuple[int, str]:
    names = list(catalog())
    name = document["experiment"]
    return (names.index(name) if name in names else len(names)), name


# --- where it comes from -------------------------------------------------------------------------


def _origin(found: Sequence[Document]) -> Iterator[str]:
    """Each way of running, machine and set of versions once, with the experiments it made."""
    origins: dict[str, list[str]] = {}
    for document in found:
        origins.setdefault(_made_by(document), []).append(document["experiment"])
    yield "## Machine, versions, seed"
    for origin, names in origins.items():
        which = "All experiments" if len(origins) == 1 else ", ".join(names)
        yield f"{which}: {origin}"


def _made_by(document: Document) -> str:
    here, quick = document["machine"], " --quick" if document["quick"] else ""
    packages = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    return (
        f"{here['cpu']}, {counted(here['cores'], 'core')}, {here['system']}; {packages}; seed "
        f"{document['seed']}. To repeat one: "
        f"`kgroups reproduce NAME{quick} --seed {document['seed']} -o DIR`; `all` stands for all "
        "of them."
    )


def _contents(found: Sequence[Document]) -> Iterator[str]:
    head = ["experiment", "title", "source", "runs", "agree", "defaults not below", "missing"]
    rows = [
        [
            f"[{document['experiment']}](#{document['experiment']})",
            document["title"],
            document["source"],
            f"{document['runs']}{' (quick)' if document['quick'] else ''}",
            _share([document], "agree", "published"),
            _share([document], "defaults_not_below", "defaults"),
            str(len(document["missing"]) or ""),
        ]
        for document in found
    ]
    shares = (_share(found, *keys) for keys in (("agree", "published"), _DEFAULTS))
    rows.append(["all", "", "", "", *shares, str(sum(len(d["missing"]) for d in found) or "")])
    yield "## Contents"
    yield _markdown([head, *rows])


_DEFAULTS = ("defaults_not_below", "defaults")


def _share(found: Sequence[Document], part: str, whole: str) -> str:
    total = sum(document["counts"][whole] for document in found)
    return f"{sum(document['counts'][part] for document in found)} of {total}" if total else "-"


# --- one experiment ------------------------------------------------------------------------------


def _experiment(document: Document, prefix: str) -> Iterator[str]:
    name = document["experiment"]
    yield f"## {name}"
    numbers = f"; numbers: {document['numbers_source']}" if document["numbers_source"] else ""
    yield f"**{_cell(document['title'])}** ({document['source']}{numbers})"
    yield document["about"]
    yield f"{_capital(wording.settings(document))}. [All numbers]({prefix}{name}.json)."
    if len(document["missing"]) < len(document["cases"]):
        yield f"![{_cell(document['title'])}]({prefix}{name}.png)"
    yield from _tables(document)
    yield " ".join(wording.agreement(document))
    if document["notes"]:
        yield "\n".join(f"- {note}" for note in document["notes"])


def _tables(document: Document) -> Iterator[str]:
    rows = rows_of(document)
    if not rows:
        return
    if not is_long(document):
        full = _markdown(wording.table(document, rows))
        if len(rows) <= _MOST_LINES:
            yield full
            return
        yield _markdown(wording.crossed(document, rows))
        yield f"<details><summary>All {len(rows)} numbers</summary>\n\n{full}\n\n</details>"
        return
    yield _markdown(wording.curve(document, lines(rows, list(wording.method_titles(document)))))


# --- what differs --------------------------------------------------------------------------------


def _discrepancies(found: Sequence[Document]) -> Iterator[str]:
    yield "## Discrepancies"
    rows = _causes(found, defaults=False)
    if rows:
        yield _markdown([["experiment", "what differs", "by how much", "likely cause"], *rows])
    else:
        yield "No published number differs for a known cause."


def _trades(found: Sequence[Document]) -> Iterator[str]:
    rows = _causes(found, defaults=True)
    if rows:
        yield "## Where the defaults are below, and what for"
        yield _markdown([["experiment", "what is below", "by how much", "trade"], *rows])


def _causes(found: Sequence[Document], *, defaults: bool) -> list[list[str]]:
    return [
        [document["experiment"], wording.which(document, some), wording.by_how_much(some), cause]
        for document in found
        for cause, rows in wording.known(document)
        if (some := [row for row in rows if row.is_default is defaults])
    ]


def _without_cause(found: Sequence[Document]) -> Iterator[str]:
    """What chance may have done to published numbers, and what has no explanation."""
    together = Overall.of(found)
    yield "## Without a cause"
    yield wording.overall(together)
    for title, pairs in (
        ("No explanation", together.unexplained),
        ("Outside, with no known cause", together.by_chance),
        ("kgroups' defaults", _defaults_without_cause(found)),
    ):
        if pairs:
            head = ["experiment", "what", "published", "ours", "verdict"]
            yield f"### {title}"
            yield _markdown([head, *(_outside(document, row) for document, row in pairs)])


def _defaults_without_cause(found: Sequence[Document]) -> list[tuple[Document, Row]]:
    pairs = ((document, row) for document in found for row in wording.unknown(document))
    return [pair for pair in pairs if pair[1].is_default]


def _outside(document: Document, row: Row) -> list[str]:
    return [
        document["experiment"],
        wording.which(document, [row]),
        wording.theirs(row),
        wording.ours(row),
        wording.verdict(row),
    ]


def _missing(found: Sequence[Document]) -> Iterator[str]:
    rows = [
        [document["experiment"], case, why]
        for document in found
        for case, why in document["missing"].items()
    ]
    if rows:
        yield "## Missing data"
        yield _markdown([["experiment", "case", "why"], *rows])


# --- Markdown ------------------------------------------------------------------------------------


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(map(_cell, row))} |" for row in rows)
    return "\n".join([head, "|" + "---|" * len(rows[0]), *body])


def _cell(text: str) -> str:
    """Text for a cell, without line breaks or bars that would end it."""
    return " ".join(text.split()).replace("|", "\\|")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
