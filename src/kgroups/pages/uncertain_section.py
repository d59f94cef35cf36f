"""Rows that could as well be in another cluster, and rows that are far from everything."""

from __future__ import annotations

from math import floor

from kgroups.answers.membership import UNCERTAIN
from kgroups.pages.cluster_evidence import MAX_FOUND_AGAIN
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.cluster_words import percent
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.nearness import UNUSUAL, Nearness
from kgroups.pages.parts import Bullets, Details, Part, Section
from kgroups.pages.row_grid import row_grid
from kgroups.plots import SeparationDisplay
from kgroups.plots.style import blank
from kgroups.text import counted

_N_ROWS = 12
# Rows of the picture.
_DRAWN = 1_000


def uncertain_section(facts: ClusterFacts, found: Nearness) -> Section:
    """Two tables, as far as there are such rows, and a picture of all."""
    parts: list[Part] = [*_uncertain(facts, found), *_unusual(facts, found), *_rule(facts, found)]
    if found.own_squared is not None and facts.n_clusters <= MAX_FOUND_AGAIN:
        parts.append(_separation(facts))
    return Section(
        key="uncertain",
        heading="Uncertain and unusual rows",
        sentence=_lead(found),
        parts=parts,
    )


def _lead(found: Nearness) -> str:
    if found.own is None:
        return f"Uncertain rows are told for at most {MAX_FOUND_AGAIN} clusters."
    count, total = found.n_uncertain, len(found.rows)
    where = f"the {total:,} rows"
    if found.is_sample:
        where = f"{total:,} rows that were looked at, drawn at random from {found.n_given:,},"
    if not count:
        return f"None of {where} is uncertain: each is clearly nearest to its own cluster."
    are = "is" if count == 1 else "are"
    return (
        f"{count:,} of {where} ({percent(count / total)}) {are} uncertain: they lie between "
        "clusters and could be in another one as well."
    )


def _uncertain(facts: ClusterFacts, found: Nearness) -> list[Part]:
    places = found.least_certain(_N_ROWS)
    if not len(places) or found.own is None:
        return []
    sure = [f"{floor(100 * found.own[place])}%" for place in places]
    other = [str(found.other[place]) for place in places]
    caption = f"The least certain rows: the label has a probability below {UNCERTAIN:.0%}."
    if found.n_uncertain > len(places):
        caption += f" {len(places)} of {counted(found.n_uncertain, 'row')}."
    rows = [int(row) for row in found.rows[places]]
    told = [("probability", sure), ("or cluster", other)]
    return [row_grid(facts, rows, caption=caption, told=told)]


def _unusual(facts: ClusterFacts, found: Nearness) -> list[Part]:
    places, scores = found.most_unusual(_N_ROWS), found.scores
    if not len(places) or scores is None:
        return []
    total = int((scores >= UNUSUAL).sum())
    caption = (
        "Rows far from the center of their cluster, the farthest first: look whether they are "
        "errors or rare cases. Times the usual squared distance."
    )
    if total > len(places):
        caption += f" {len(places)} of {counted(total, 'row')}."
    rows = [int(row) for row in found.rows[places]]
    told = [("times", [f"{scores[place]:.1f}" for place in places])]
    return [row_grid(facts, rows, caption=caption, told=told)]


def _rule(facts: ClusterFacts, found: Nearness) -> list[Part]:
    """How probabilities are made, and where labels are not those of the nearest centers."""
    if found.own is None:
        return []
    temperature = facts.model.temperature_
    sentences = [
        f"On average the label of a row has a probability of {percent(float(found.own.mean()))}.",
        "Probabilities fall with the squared distance d² to the center of a cluster, as e^(−d²/T); "
        f"T = {temperature:.4g} is such that they are on average as uncertain as a model of one "
        "half of the rows is about the other half.",
    ]
    if found.n_elsewhere:
        sentences.append(
            f"{found.n_elsewhere:,} of {len(found.rows):,} rows are nearer to the center of "
            "another cluster than to that of their own, as happens where the metric is not of "
            "negative type."
        )
    return [Details(summary="How probabilities are found", parts=[Bullets(sentences)])]


def _separation(facts: ClusterFacts) -> Part:
    with drawing():
        figure = blank(7.0, 4.6)
        display = SeparationDisplay.from_estimator(
            facts.model, facts.X, max_points=_DRAWN, ax=figure.add_subplot()
        )
        made = picture(
            figure,
            key="separation",
            title="Separation of the rows",
            description=f"One bar per row by cluster; their mean is {display.mean_:.2f}",
            caption="One bar per row, sorted: 1 is at the center of its cluster, 0 halfway between "
            "two, below 0 nearer to another one.",
        )
    return Details(summary="How clearly rows belong to their clusters, as a picture", parts=[made])
