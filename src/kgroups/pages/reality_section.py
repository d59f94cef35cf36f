"""Are the clusters real: gaps between them, and whether they come back with other rows."""

from __future__ import annotations

from kgroups.pages.cluster_evidence import N_RESAMPLES
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.in_short import confidence
from kgroups.pages.parts import Cell, Details, Grid, Paragraph, Part, Section
from kgroups.select import ClusterSignificance, PairSignificance
from kgroups.select.cluster_stability import ClusterStability, reading
from kgroups.select.held_out import LEVEL
from kgroups.text import counted

# More pairs would hide what matters.
_PAIRS_SHOWN = 30
_SPECIALISTS = (
    "Gaps: in each of many splits a third of the rows is clustered again and the others are tested "
    "for a valley between neighboring clusters (Hartigan's dip test, adjusted by Holm); p is twice "
    "the median over the splits. Stability: mean Jaccard similarity over bootstrap samples, read "
    "as Hennig (2007) suggests: 0.85 highly stable, 0.75 stable, 0.6 a pattern. Weights of rows "
    "are not used here."
)

_ANSWERS = {"high": "Yes.", "medium": "Partly.", "low": "Hardly."}


def reality_section(facts: ClusterFacts) -> Section:
    """Two tables, or why there are none."""
    found = facts.evidence
    parts: list[Part] = []
    if found.stability is not None:
        parts.append(_stability(facts, found.stability))
    if found.significance is not None:
        parts += _gaps(facts, found.significance)
    if found.stability is None or found.significance is None:
        parts += [Paragraph(reason) for reason in found.reasons]
    if found.stability is not None:
        parts.append(Details(summary="For specialists", parts=[Paragraph(_SPECIALISTS)]))
    return Section(
        key="reality", heading="Are the clusters real?", sentence=_lead(facts), parts=parts
    )


def _lead(facts: ClusterFacts) -> str:
    found = facts.evidence
    if found.stability is None:
        return "This could not be examined."
    text = (
        f"{_ANSWERS[confidence(facts).word]} A division can be computed for any data, also "
        "without any clusters in them. Two checks tell: are there gaps between the clusters, and "
        "does the same cluster come back when the rows are drawn again at random?"
    )
    if found.n_rows < found.n_given:
        text += f" Both were made on {found.n_rows:,} of {found.n_given:,} rows, drawn at random."
    return text


def _stability(facts: ClusterFacts, found: ClusterStability) -> Grid:
    rows: list[list[str | Cell]] = []
    for cluster, jaccard in zip(found.clusters, found.jaccard.tolist(), strict=True):
        number = int(cluster)
        rows.append(
            [
                Cell(text=str(number), color=facts.colors[number]),
                Cell(text=f"{jaccard:.2f}", share=jaccard, color=facts.colors[number]),
                reading(jaccard),
            ]
        )
    return Grid(
        caption=f"How much of each cluster comes back in {N_RESAMPLES} samples: 1 is all of it.",
        head=["cluster", "similarity", "that is"],
        rows=rows,
        words=[2],
    )


def _gaps(facts: ClusterFacts, found: ClusterSignificance) -> list[Part]:
    tested = [pair for pair in found.pairs if pair.pvalue is not None]
    tested.sort(key=lambda pair: -(pair.pvalue or 0.0))
    rows: list[list[str | Cell]] = [
        [
            Cell(text=f"{pair.first} and {pair.second}"),
            _between(facts, found, pair),
            f"{pair.pvalue:.3f}",
        ]
        for pair in tested[:_PAIRS_SHOWN]
        if pair.pvalue is not None
    ]
    if not rows:
        return [Paragraph("No two clusters are neighbors, so no gap was looked for.")]
    caption = "Neighboring clusters, the least separate first; p at most 0.05 is a gap."
    if len(tested) > _PAIRS_SHOWN:
        caption += f" {_PAIRS_SHOWN} of {counted(len(tested), 'pair')} are shown."
    head = ["clusters", "between them", "p"]
    return [Grid(caption=caption, head=head, rows=rows, words=[1])]


def _between(facts: ClusterFacts, found: ClusterSignificance, pair: PairSignificance) -> str:
    if pair.pvalue is None or pair.pvalue > LEVEL:
        if facts.evidence.is_unjudged:
            return "not to be judged"
        return "too few rows" if facts.evidence.is_unseen(pair) else "no clear gap"
    is_cut = {pair.first, pair.second} <= set(found.cut_through)
    return "a gap, but not along the whole border" if is_cut else "a clear gap"
