"""The verdict: what the clusters are, how sure that is, and what to do next."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from kgroups.pages.cluster_evidence import MAX_TESTED
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.cluster_words import (
    AS_ALL,
    listed,
    percent,
    size_in_words,
    told_apart_by,
    unlike_in_words,
)
from kgroups.pages.parts import Bullets, Details, Heading, Paragraph, Part, Section
from kgroups.pages.shown_names import in_sentence
from kgroups.select.cluster_stability import HIGHLY_STABLE, PATTERN, STABLE
from kgroups.text import counted

#: Clusters that are described one by one; more are in the table.
DESCRIBED = 10
# Of fewer searches than this share that end alike, better results may be missed.
_AGREEING = 0.25
# Shares of empty cells from which on they are mentioned.
_WORTH_A_WORD = 0.01
# A gap to the best possible result that is worth another search.
_ROOM = 0.05
_HIGH, _MEDIUM, _LOW, _UNKNOWN = "high", "medium", "low", "not examined"
_RULES = (
    "High: there is a gap between every two neighboring clusters that chance does not explain "
    f"(p at most 0.05), and each cluster is found again with a similarity of at least {STABLE} "
    "on random samples of the rows.",
    "Low: there is no such gap at all, or most clusters come back with a similarity below "
    f"{PATTERN}, or clusters cut through groups of rows that are linked from neighbor to neighbor, "
    f"or gaps cannot be judged and not even most clusters come back with {HIGHLY_STABLE}.",
    "Medium: everything in between, where gaps could not be judged, where a cluster has too few "
    "rows, and where two clusters differ in the categories of one column alone.",
    "A gap means fewer rows between two clusters than at their centers, checked on rows that did "
    "not determine the clusters (dip test, adjusted for the number of pairs). The similarity is "
    "Jaccard's: shared rows divided by all rows of both.",
)


class Confidence(NamedTuple):
    """How sure it is that the clusters are in the data, and not only in the result."""

    word: str
    sentence: str


def in_short(facts: ClusterFacts) -> Section:
    """The first thing that is read, in words for everybody."""
    sure = confidence(facts)
    parts: list[Part] = [Heading("The clusters"), Bullets(_clusters(facts)), *_left_out(facts)]
    reasons = Paragraph(f"{sure.sentence} {_search(facts)}".strip())
    rules = Details(summary="How confidence is judged", parts=[Bullets(_RULES)])
    parts += [Heading(f"How sure is that? Confidence: {sure.word}"), reasons, rules]
    steps = _next(facts, sure)
    if len(steps) > 1:
        parts += [Heading("What else to do next"), Bullets(steps[1:])]
    return Section(key="verdict", heading="In short", sentence=_head(facts, sure), parts=parts)


def _head(facts: ClusterFacts, sure: Confidence) -> str:
    """What, how sure, and the first thing to do, in one paragraph."""
    report = facts.report
    rows = (
        f"The {counted(report.n_samples, 'row')} of {in_sentence(report.source)}{_gaps_in(facts)}"
    )
    if facts.n_clusters == 1:
        why = "as was asked for" if report.cluster_count is None else "because no groups were found"
        return f"{rows} were put into one cluster, {why}."
    text = f"{rows} were divided into {facts.n_clusters:,} clusters of similar rows."
    if report.cluster_count is not None:
        known = filter(None, [report.cluster_count.certainty, report.cluster_count.limit])
        text += f" Their number was chosen automatically ({'; '.join(known)})."
    if sure.word != _UNKNOWN:
        text += f" Confidence that these are real groups: {sure.word}."
    return f"{text} {_next(facts, sure)[0]}"


def _gaps_in(facts: ClusterFacts) -> str:
    """How much of the table is empty, where that is worth a word."""
    share = 0.0 if facts.described is None else facts.described.share_missing
    return f" ({percent(share)} of its cells are empty)" if share >= _WORTH_A_WORD else ""


def confidence(facts: ClusterFacts) -> Confidence:
    """The word, and a sentence with the reasons."""
    found = facts.evidence
    if found.stability is None:
        return Confidence(_UNKNOWN, " ".join(found.reasons))
    jaccard = found.stability.jaccard
    stable, doubtful = int((jaccard >= STABLE).sum()), int((jaccard < PATTERN).sum())
    word = _MEDIUM
    if found.is_unjudged:
        word = _MEDIUM if 2 * int((jaccard >= HIGHLY_STABLE).sum()) > len(jaccard) else _LOW
    elif found.n_neighbors:
        if found.n_apart == 0:
            # Few rows cannot show a gap: whether clusters come back has to do.
            few = found.n_unseen == found.n_neighbors and stable == len(jaccard)
            word = _MEDIUM if few or found.has_gap else _LOW
        elif found.n_apart == found.n_neighbors and stable == facts.n_clusters:
            word = _HIGH
    if 2 * doubtful > len(jaccard) or found.cuts_through:
        word = _LOW
    if word == _HIGH and _by_one_column(facts):
        word = _MEDIUM
    said = [_gaps(facts), *_left_unexamined(found.left_out), _again(stable, facts)]
    return Confidence(word, " ".join(said))


def _left_unexamined(clusters: tuple[int, ...]) -> list[str]:
    if not clusters:
        return []
    names = listed([str(cluster) for cluster in clusters])
    what = counted(len(clusters), "cluster")
    return [f"Not examined, because of too few rows: {what} ({names})."]


def _gaps(facts: ClusterFacts) -> str:
    found = facts.evidence
    if found.significance is None:
        return " ".join(found.reasons)
    total, apart = found.n_neighbors, found.n_apart
    if found.cuts_through:
        return (
            "The clusters cut through groups of rows that are linked from neighbor to neighbor, as "
            "curved or long groups are: their borders run where rows are dense."
        )
    if apart == 0:
        return _no_pair_apart(facts)
    unseen = found.n_unseen
    if apart + unseen < total:
        few = f"{unseen} have too few rows to show one, and " if unseen else ""
        return (
            f"The clusters partly overlap: there is a clear gap between {apart} of {total} pairs "
            f"of neighboring clusters, {few or 'and '}the others shade into each other."
        )
    if unseen:
        return (
            f"There is a clear gap between {apart} of {total} pairs of neighboring clusters; the "
            "others have too few rows to show one."
        )
    between = "the two clusters" if total == 1 else "all neighboring clusters"
    return f"The clusters are separate: there is a clear gap between {between}."


def _no_pair_apart(facts: ClusterFacts) -> str:
    if facts.evidence.has_gap:
        return (
            "There is a clear gap in the data, but between groups of clusters, not single ones: "
            "groups of rows were cut into pieces, so that there may be fewer than "
            f"{facts.n_clusters:,}."
        )
    if facts.evidence.is_unjudged:
        return (
            "Gaps cannot be judged here: distances take few different values, as those of "
            "categories do, so that there is empty space between any two of them."
        )
    if facts.evidence.n_unseen == facts.evidence.n_neighbors:
        return "There are too few rows to see whether there are gaps between the clusters."
    return (
        "No clear gap separates the clusters: the rows look like one cloud that was cut into "
        "pieces. The pieces can still be useful, but their borders are a choice."
    )


def _again(stable: int, facts: ClusterFacts) -> str:
    k = facts.n_clusters - len(facts.evidence.left_out)
    if stable == k:
        every = "every cluster" if k == facts.n_clusters else f"the other {k}"
        return f"Repeated on random samples of the rows, the analysis finds {every} again."
    return (
        f"Repeated on random samples of the rows, the analysis reliably finds {stable} of {k} "
        "clusters again."
    )


def _search(facts: ClusterFacts) -> str:
    """Whether the search for the best clustering can be relied on."""
    report = facts.report
    if report.optimality is not None and report.optimality.proves_optimal:
        return f"It is proved that no division into {facts.n_clusters:,} clusters is tighter."
    if facts.n_clusters == 1 or report.n_starts == 1:
        return ""
    best, starts = report.n_starts_at_best, report.n_starts
    if best == starts:
        return f"All {starts} searches from different starting points gave this result."
    if best == 0:
        return (
            f"The best of {starts} searches from different starting points was improved afterwards "
            "to this result: a better one may exist."
        )
    if best >= _AGREEING * starts:
        return f"{best} of {starts} searches from different starting points gave this result."
    return (
        f"Only {best} of {starts} searches from different starting points gave this result, the "
        "best one found: a better one may exist."
    )


def _clusters(facts: ClusterFacts) -> list[str]:
    lines = []
    for number, cluster in enumerate(facts.report.clusters[:DESCRIBED]):
        what = listed(facts.apart(number))
        if facts.described is not None and what:
            unlike = unlike_in_words(facts.described.profiles, number)
            what += f"; {unlike}" if unlike else ""
        if not what and facts.described is not None and facts.n_clusters > 1:
            what = AS_ALL
        lines.append(f"Cluster {number} ({size_in_words(cluster)}){f': {what}' if what else ''}.")
    return lines


def _left_out(facts: ClusterFacts) -> list[Part]:
    rest = facts.n_clusters - DESCRIBED
    return [Paragraph(f"And {counted(rest, 'cluster')} more, see below.")] if rest > 0 else []


def _next(facts: ClusterFacts, sure: Confidence) -> list[str]:
    steps = [*_on_one_column(facts), *_on_confidence(facts, sure), *_on_clusters(facts)]
    steps += _on_search(facts)
    if facts.described is not None and facts.n_clusters > 1:
        steps.append(
            "Give each cluster a name: read what sets it apart and look at its typical rows."
        )
    steps.append("Before deciding about a single row, see whether it is among the uncertain ones.")
    return (
        steps
        if facts.n_clusters > 1
        else ["If groups are needed all the same, ask for two or more."]
    )


def _on_confidence(facts: ClusterFacts, sure: Confidence) -> list[str]:
    n_curved = facts.evidence.n_curved
    if n_curved is not None:
        # The number that was given is that of pieces; where the graph has groups, it counts them.
        k = f"{facts.n_clusters}" if n_curved == 1 else ""
        return [
            "Cluster by nearest neighbors instead, which finds groups of any shape: kgroups "
            f"cluster --curved{k and f' -k {k}'} (GraphKGroups({k and f'{k}, '}"
            'affinity="nearest_neighbors") in Python).'
        ]
    if sure.word == _HIGH:
        return ["You can build on them: they are patterns in the data, not an accident."]
    if sure.word == _LOW:
        return [
            "Do not treat the clusters as natural kinds. Let kgroups choose-k (choose_n_clusters "
            "in Python) say how many there are, and check that the columns measure what should "
            "make rows similar."
        ]
    return [
        "Compare this with one cluster more and one less; kgroups choose-k (choose_n_clusters in "
        "Python) suggests a number."
    ]


def _by_one_column(facts: ClusterFacts) -> list[tuple[int, int, str]]:
    """Pairs of clusters that differ in nothing but the categories of one column."""
    if facts.described is None or facts.n_clusters > MAX_TESTED:
        return []
    profiles = facts.described.profiles
    return [
        (one, other, name)
        for one, other in combinations(range(facts.n_clusters), 2)
        if (name := told_apart_by(profiles, one, other)) is not None
    ]


def _on_one_column(facts: ClusterFacts) -> list[str]:
    return [
        f"Clusters {one} and {other} differ in {in_sentence(name)} alone. If that is not what "
        "makes rows different kinds, leave the column out (--drop) and cluster again."
        for one, other, name in _by_one_column(facts)[:3]
    ]


def _on_clusters(facts: ClusterFacts) -> list[str]:
    """Clusters of which one should be careful."""
    found = facts.evidence.stability
    if found is None:
        return []
    weak = [str(c) for c, j in zip(found.clusters, found.jaccard, strict=True) if j < STABLE]
    if not weak or len(weak) == facts.n_clusters:
        return []
    what = "cluster" if len(weak) == 1 else "clusters"
    return [f"Be careful with {what} {listed(weak)}, which may not come back with other rows."]


def _on_search(facts: ClusterFacts) -> list[str]:
    report, found = facts.report, facts.report.optimality
    is_far = found is None or found.gap > _ROOM
    if is_far and report.n_starts > 1 and report.n_starts_at_best < _AGREEING * report.n_starts:
        more = 10 * report.n_starts
        return [f"Search again from more starting points: --n-init {more} (n_init={more})."]
    return []
