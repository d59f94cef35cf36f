"""How the clusters compare with classes that are known."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.cluster_words import percent
from kgroups.pages.parts import Pairs, Section
from kgroups.pages.shown_names import in_sentence
from kgroups.report.clustered_rows import named_scores
from kgroups.report.known_labels import Scores


def scores_section(facts: ClusterFacts, scores: Scores) -> Section:
    """One sentence, and the scores."""
    sentence = (
        f"{percent(scores.accuracy)} of the rows are in the cluster that stands for their class "
        f"by {in_sentence(facts.report.label_name)}, which was not used for clustering."
    )
    return Section(
        key="classes",
        heading="Compared with known classes",
        sentence=sentence,
        parts=[Pairs(named_scores(facts.report))],
    )
