"""The tables of an outcome: CSV for programs, Markdown for readers, each as a whole."""

from __future__ import annotations

import platform
import subprocess
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from io import StringIO
from math import isfinite
from pathlib import Path

import pandas as pd

from papers.experiment import Outcome
from papers.published import AGREES, BELOW, HIGHER, LOWER, NOT_BELOW, Row, causes, source

_PACKAGES = ("kgroups", "numpy", "scipy", "scikit-learn", "numba")
_ROOT = Path(__file__).resolve().parents[1]


def as_csv(outcome: Outcome) -> str:
    """One line for each number, after a comment that says what made them."""
    stream = StringIO()
    stream.write(f"# {outcome.experiment.name}; {made_by(outcome.seed)}\n")
    table = pd.DataFrame(outcome.rows(), columns=Row._fields)
    table.to_csv(stream, index=False, float_format="%.6g", lineterminator="\n")
    return stream.getvalue()


def as_markdown(outcome: Outcome) -> str:
    """What was done, and each published number next to ours with its standard error."""
    experiment = outcome.experiment
    rows = list(outcome.rows())
    numbers = source(experiment.name)
    return "\n\n".join([
        f"# {experiment.name}: {experiment.title}",
        f"{experiment.source}{f'; numbers: {numbers}' if numbers else ''}.\n{experiment.about}",
        f"{summary(rows)} {made_by(outcome.seed)}.",
        *(f"Missing: {case}. {why}" for case, why in outcome.missing.items()),
        table(outcome, rows),
        *_causes(experiment.name, rows),
    ]) + "\n"  # fmt: skip


def table(outcome: Outcome, rows: Iterable[Row]) -> str:
    """Rows as Markdown."""
    methods = {method.key: method for method in outcome.experiment.methods}
    several = len(outcome.experiment.measures) > 1
    titles = [outcome.experiment.axis, "method", "ours", "published", ""]
    if several:
        titles.insert(2, "measure")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for row in rows:
        error = f" ± {row.error:.3g}" if isfinite(row.error) and row.error else ""
        known = "" if row.published is None else f"{row.published:g}"
        method = methods[row.method]
        role = "" if method.title.startswith(row.role) else f" ({row.role})"
        cells = [row.case, f"{method.title}{role}", f"{row.ours:.5g}{error}", known, row.verdict]
        if several:
            cells.insert(2, row.measure)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(rows: Iterable[Row]) -> str:
    """How many of the published numbers came out."""
    found = Counter(row.verdict for row in rows)
    compared = sum(found[verdict] for verdict in (AGREES, HIGHER, LOWER))
    defaults = found[NOT_BELOW] + found[BELOW]
    if not compared:
        return "No numbers were published."
    held = f"; the defaults are not below in {found[NOT_BELOW]} of {defaults}" if defaults else ""
    return f"{found[AGREES]} of {compared} published numbers agree{held}."


def made_by(seed: int) -> str:
    """Commit, versions, processor and seed, as the header of a result has them."""
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"Commit {_commit()}, Python {platform.python_version()}, {versions}, seed {seed}"


def _commit() -> str:
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _causes(name: str, rows: list[Row]) -> list[str]:
    """Why numbers differ, where that is known."""
    outside = [row for row in rows if row.verdict in (HIGHER, LOWER, BELOW)]
    told = []
    for cause in causes(name):
        found = [f"{row.method} {row.case}" for row in outside if cause.covers(row)]
        if found:
            told.append(f"{', '.join(dict.fromkeys(found))}: {cause.text}")
    return told
