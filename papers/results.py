"""The tables of an outcome: CSV for programs, Markdown for readers, each as a whole."""

from __future__ import annotations

import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from papers.experiment import Outcome, Row
from papers.verdicts import AGREES, BELOW, HIGHER, LOWER, NOT_BELOW


def as_csv(outcome: Outcome) -> str:
    """One line for each number, after a comment that says what made them."""
    table = pd.DataFrame(outcome.rows(), columns=Row._fields)
    text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return f"# {outcome.experiment.name}; {made_by(outcome.seed)}\n{text}"


def as_markdown(outcome: Outcome) -> str:
    """What was done, and each published number next to ours with its standard error."""
    facts, rows = outcome.experiment.facts, list(outcome.rows())
    titles = {m.key: m.title for m in facts.methods}
    numbers = f"; numbers: {facts.source}" if facts.source else ""
    runs = f"Means over {rows[0].runs} runs of each case ± their standard errors."
    parts = [
        f"# {outcome.experiment.name}: {facts.title}",
        f"{facts.figure}{numbers}.\n{facts.about}",
        f"{summary(rows)} {runs} {made_by(outcome.seed)}.",
        *(f"Not run, without its data: {case}." for case in outcome.missing),
        "\n".join(_lines(facts.axis, titles, rows)),
    ]
    for cause in facts.causes:
        outside = [r for r in rows if r.verdict in (HIGHER, LOWER, BELOW) and cause.covers(*r[:3])]
        if outside:
            where = dict.fromkeys(f"{titles[row.method]}, {row.case}" for row in outside)
            parts.append(f"{'; '.join(where)}: {cause.text}")
    return "\n\n".join(parts) + "\n"


def _lines(axis: str, titles: Mapping[str, str], rows: Iterable[Row]) -> Iterable[str]:
    yield f"| {axis} | method | measure | ours | published | verdict |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        title = titles[row.method]
        title += "" if title.startswith(row.role) else f" ({row.role})"
        ours = f"{row.ours:.5g}" + (f" ± {row.error:.3g}" if row.error > 0 else "")
        known = "" if row.published is None else f"{row.published:g}"
        yield f"| {row.case} | {title} | {row.measure} | {ours} | {known} | {row.verdict} |"


def summary(rows: Iterable[Row]) -> str:
    """How many of the published numbers came out."""
    found = Counter(row.verdict for row in rows)
    compared = found[AGREES] + found[HIGHER] + found[LOWER]
    defaults = found[NOT_BELOW] + found[BELOW]
    if not compared:
        return "No published number was compared."
    held = f"; the defaults are not below in {found[NOT_BELOW]} of {defaults}" if defaults else ""
    return f"{found[AGREES]} of {compared} published numbers agree{held}."


def made_by(seed: int) -> str:
    """Commit, versions and seed, as the header of a result has them."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    return f"Commit {commit}, {versions()}, seed {seed}"


def versions() -> str:
    """Python and the packages that compute."""
    packages = ("kgroups", "numpy", "scipy", "scikit-learn", "numba")
    found = [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in packages)]
    return ", ".join(found)
