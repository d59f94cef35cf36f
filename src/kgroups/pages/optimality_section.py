"""How much better another clustering into as many clusters could be."""

from __future__ import annotations

import math

from kgroups.certificate.proof_text import proof_text
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.cluster_words import listed
from kgroups.pages.parts import Details, Pairs, Section
from kgroups.pages.shown_names import shown
from kgroups.report.clustered_rows import explained_text, method_text
from kgroups.report.in_words import end_text, metric_text

# More columns with missing values would hide the rest.
_COLUMNS_SHOWN = 12


def optimality_section(facts: ClusterFacts) -> Section:
    """What is proved, in words, and the numbers behind it."""
    numbers = Details(summary="The numbers, for specialists", parts=[Pairs(_numbers(facts))])
    return Section(
        key="optimality",
        heading="Could another division be better?",
        sentence=_lead(facts),
        parts=[numbers],
    )


def _lead(facts: ClusterFacts) -> str:
    report, k = facts.report, facts.n_clusters
    found = report.optimality
    if found is not None and found.proves_optimal:
        return f"No: it is proved that no division of these rows into {k:,} clusters is tighter."
    if not report.converged:
        return "Yes: the search was stopped before it came to its end, see below."
    text = "Not by moving a single row: that was checked."
    if found is None:
        return text
    return (
        f"{text} It is proved that no division into {k:,} clusters is more than "
        f"{math.ceil(1000 * found.gap) / 10:.1f}% tighter; usually far less is possible."
    )


def _end(facts: ClusterFacts) -> str:
    report = facts.report
    return end_text(
        report.n_iter, report.n_moves, exactness=report.exactness, converged=report.converged,
        unit="row",
    )  # fmt: skip


def _numbers(facts: ClusterFacts) -> list[tuple[str, str]]:
    report = facts.report
    pairs = [
        ("end of the search", _end(facts)),
        ("what makes rows similar", metric_text(report.metric)),
        ("spread within clusters (W)", f"{report.within_dispersion:.6g} (minimized)"),
        ("separation between clusters (S)", f"{report.between_statistic:.6g}"),
        ("share explained", explained_text(report.explained)),
        ("method", method_text(report.method)),
    ]
    if report.optimality is not None:
        found = report.optimality
        pairs.append(("lower bound on W", f"{found.bound:.6g} ({found.kind})"))
    if report.n_missing:
        gaps = [f"{shown(name)} {count:,}" for name, count in report.n_missing.items()]
        pairs.append(("missing values", listed(gaps[:_COLUMNS_SHOWN])))
    if report.certificate is not None:
        pairs.append(("proof", proof_text(report.certificate)))
    return pairs
