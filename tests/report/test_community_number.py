"""The sentence on the number of communities, for each way in which it is decided."""

from dataclasses import replace

import networkx as nx
import pytest

from kgroups.report import CommunityReport
from kgroups.report.community_number import Decision, bits
from report_cases import fitted

DECISION = Decision(
    decided_by="evidence", chosen_by="auto", evidence=84.2, agreement=0.984,
    alternatives=((7, 50.0),), asked="auto", resolution=1.0,
)  # fmt: skip


def said(k=4, **changes):
    return replace(DECISION, **changes).in_words(k)


def test_evidence_is_said_with_its_bits_and_the_agreement():
    assert said() == (
        "4 communities, chosen automatically: they shorten the description of the graph by 84 "
        "bits, and independent searches agree on them (0.98)"
    )
    assert said(asked="normalized_cut") == (
        "4 communities, chosen automatically: as many as the division has that shortens the "
        "description of the graph most, and on which independent searches agree (0.98)"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"decided_by": "random graphs"},
            "random graphs with the same degrees are less modular, and",
        ),
        (
            {"decided_by": "weak"},
            "a weak sign, because the graph is very small: most random graphs",
        ),
        (
            {"decided_by": "objective", "asked": "modularity"},
            "the largest modularity that searches fo",
        ),
        (
            {"decided_by": "objective", "asked": "cpm", "resolution": 0.05},
            "the largest value of the constant Potts model that searches found at resolution 0.05",
        ),
        (
            {"decided_by": "spectrum", "chosen_by": "bethe_hessian"},
            "the Bethe Hessian has 4 negative eigenvalues",
        ),
    ],
)
def test_each_way_to_decide(changes, words):
    assert f"4 communities, chosen automatically: {words}" in said(**changes).replace(
        "no division shortens the description of so small a graph, but ", ""
    )


def test_none_says_which():
    assert said(1, decided_by="one", agreement=0.43) == (
        "no communities found: independent searches do not agree on a division (0.43)"
    )
    assert said(1, decided_by="one", agreement=0.94) == (
        "no communities found: no division on which independent searches agree shortens the "
        "description of the graph"
    )


def test_a_number_that_was_given():
    assert said(decided_by="given", chosen_by="asked") == "4 communities, as requested"
    assert said(decided_by="given", chosen_by="init") == "4 communities, as in the initial labels"


def test_the_keys_of_json():
    assert DECISION.to_dict() == {
        "chosen_by": "auto",
        "decided_by": "evidence",
        "evidence": 84.2,
        "agreement": 0.984,
        "alternatives": [{"n_communities": 7, "evidence": 50.0}],
    }


def test_few_bits_have_decimals():
    assert [bits(b) for b in (84.3, 4.25, 1.0, -36.4, 0.0)] == [
        "84 bits", "4.2 bits", "1 bit", "-36 bits", "0 bits",
    ]  # fmt: skip


def test_the_report_of_a_ring_of_cliques():
    graph, model = fitted(nx.ring_of_cliques(10, 5))
    text = CommunityReport.of(model, graph).to_text(width=200)
    assert "10 communities, chosen automatically: they shorten the description of the graph" in text
    assert f"evidence        {model.evidence_:.0f} bits (how much communities shorten" in text
    assert f"agreement       {model.agreement_:.2f} (mean adjusted Rand index" in text


def test_modularity_at_another_resolution_is_not_the_score_of_that_name():
    graph, model = fitted(nx.karate_club_graph(), objective="modularity", resolution=2.0)
    report = CommunityReport.of(model, graph)
    assert report.to_dict()["objective"]["resolution"] == 2.0
    text = report.to_text(width=200)
    assert f"modularity at resolution 2  {model.objective_:.6g} (the objective)" in text
    assert f"modularity                  {report.scores.modularity:.4f} (edges inside" in text


def test_negative_weights_have_no_count_of_eigenvalues():
    """Seven communities may come of six eigenvalues."""
    signed = {"decided_by": "spectrum", "chosen_by": "bethe_hessian", "evidence": None}
    assert "has 7 negative" not in said(7, agreement=None, **signed)
    assert "so many follow from the eigenvalues" in said(7, agreement=None, **signed)
