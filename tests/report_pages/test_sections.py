"""Sections of the page about clusters: their sentences and the numbers in their tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kgroups import KernelKGroups
from kgroups.bounds import OptimalityGap
from kgroups.pages.exemplars_section import exemplars_section
from kgroups.pages.nearness import Nearness
from kgroups.pages.profile_section import profile_section
from kgroups.pages.reality_section import reality_section
from kgroups.pages.scores_section import scores_section
from kgroups.pages.sizes_section import sizes_section
from kgroups.pages.uncertain_section import uncertain_section
from kgroups.report import label_scores
from page_cases import facts_of, groups

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def facts():
    """Three groups of twenty rows, with a table in units that people know."""
    X = groups()
    return facts_of(X, table=pd.DataFrame(X * 10 + 100, columns=["height", "width"]))


def grids(section):
    """The tables of a section, also those that are closed at first."""
    found = []
    for part in section.parts:
        found += [part] if part.kind == "grid" else grids(part) if part.kind == "details" else []
    return found


def cells(grid):
    """The text of every cell."""
    return [[getattr(cell, "text", cell) for cell in row] for row in grid.rows]


# --- sizes ---------------------------------------------------------------------------------------


def test_sizes(facts):
    section = sizes_section(facts)
    (grid,) = grids(section)
    assert grid.head == ["cluster", "rows", "share", "mean spread"]
    spread = [cluster.dispersion for cluster in facts.report.clusters]
    for row, number in zip(cells(grid), range(3), strict=True):
        assert row[:3] == [str(number), "20", "33.3%"]
        assert float(row[3]) == pytest.approx(spread[number], abs=1e-3)
    assert [row[2].share for row in grid.rows] == [1.0] * 3  # as long as that of the largest
    assert [row[0].color for row in grid.rows] == facts.colors


# --- what sets clusters apart ----------------------------------------------------------------


def test_averages_of_the_profile(facts):
    section = profile_section(facts)
    in_words, averages = grids(section)
    assert averages.head == ["column", "all rows", "cluster 0", "cluster 1", "cluster 2"]
    table = facts.described.columns
    for row in cells(averages):
        column = ["height", "width"].index(row[0])
        values = np.asarray(table[column])
        expected = [values.mean(), *(values[facts.report.labels == j].mean() for j in range(3))]
        assert [float(text) for text in row[1:]] == pytest.approx(expected, abs=0.5)
    assert len(in_words.rows) == 3


def test_categories_in_the_table_of_averages():
    X = groups()
    kind = np.repeat(["a", "b", "c"], 20)
    facts = facts_of(X, table=pd.DataFrame({"kind": kind, "same": ["s"] * 60}))
    rows = {row[0]: row[1:] for row in cells(grids(profile_section(facts))[1])}
    order = [kind[np.flatnonzero(facts.report.labels == j)[0]] for j in range(3)]
    assert rows["kind"] == ["", *(f"{letter} 100%" for letter in order)]
    assert rows["same"] == ["", *["as in all rows"] * 3]


# --- rows ------------------------------------------------------------------------------------


def test_typical_rows_are_the_exemplars_of_the_model(facts):
    near = Nearness.of(facts.model, facts.X, 0)
    section = exemplars_section(facts, near)
    (grid,) = grids(section)
    expected = [int(row) + 1 for rows in facts.model.exemplars(3) for row in rows]
    assert [int(row[0]) for row in cells(grid)] == expected
    assert grid.head == ["row", "cluster", "height", "width"]
    first = cells(grid)[0]
    assert float(first[2]) == pytest.approx(facts.described.columns[0][expected[0] - 1], rel=1e-5)


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_rows_have_names_and_texts():
    words = ["cat", "cats", "cast", "dog", "dogs", "doge"]
    facts = facts_of(words, 2, metric="levenshtein", texts=words, ids=list("uvwxyz"))
    (grid,) = grids(exemplars_section(facts, Nearness.of(facts.model, words, 0)))
    assert grid.head == ["row", "name", "cluster", "text"]
    for row, name, cluster, text in cells(grid):
        assert (name, text) == ("uvwxyz"[int(row) - 1], words[int(row) - 1])
        assert int(cluster) == facts.report.labels[int(row) - 1]


def between():
    """Two groups with one row halfway, and a row far away."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (40, 1)), rng.normal(5, 1, (40, 1)), [[2.55], [60.0]]])


def test_rows_between_and_far_away():
    facts = facts_of(between(), 2, ids=[f"r{i}" for i in range(82)])
    near = Nearness.of(facts.model, facts.X, 0)
    section = uncertain_section(facts, near)
    assert f"{near.n_uncertain:,} of the 82 rows" in section.sentence
    uncertain, unusual = grids(section)
    assert cells(uncertain)[0][:2] == ["81", "r80"]
    row = dict(zip(uncertain.head, cells(uncertain)[0], strict=True))
    assert {row["cluster"], row["or cluster"]} == {"0", "1"}
    assert float(row["probability"].strip("%")) == pytest.approx(100 * near.own[80], abs=0.51)
    assert cells(unusual)[0][:2] == ["82", "r81"]
    times = float(dict(zip(unusual.head, cells(unusual)[0], strict=True))["times"])
    assert times == pytest.approx(near.scores[81], abs=0.06)
    assert times > 20


# --- the search and its result ---------------------------------------------------------------


def gap(share):
    W = 100.0
    return OptimalityGap(within_dispersion=W, bound=W * (1 - share), gap=share, kind="spectral")


# --- are they real ---------------------------------------------------------------------------


def test_reality_of_clear_groups(facts):
    section = reality_section(facts)
    stability, pairs = grids(section)
    assert [row[1:] for row in cells(stability)] == [["1.00", "highly stable"]] * 3
    tested = [p for p in facts.evidence.significance.pairs if p.pvalue is not None]
    assert len(pairs.rows) == len(tested)
    for name, between_them, pvalue in cells(pairs):
        first, second = map(int, name.split(" and "))
        found = facts.evidence.significance.pair(first, second)
        assert pvalue == f"{found.pvalue:.3f}"
        assert between_them == "a clear gap"


# --- pictures and classes --------------------------------------------------------------------


def test_known_classes(facts):
    classes = np.array(["a", "b", "c"])[facts.report.labels]
    classes[:6] = "a" if classes[0] != "a" else "b"  # six rows of sixty
    scores = label_scores(classes, facts.report.labels)
    report = replace(facts.report, scores=scores, label_name="kind")
    section = scores_section(replace(facts, report=report), scores)
    (pairs,) = section.parts
    assert dict(pairs.pairs)["accuracy against kind"] == "0.9000"


def test_typical_rows_are_not_the_empty_ones():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.normal(size=(90, 4)) + 6 * np.repeat([0, 1, 2], 30)[:, None], columns=list("abcd")
    )
    frame.iloc[::3, 1:3] = np.nan
    model = KernelKGroups(3, metric="mixed", random_state=0).fit(frame)
    text = model.report(frame).to_html()
    typical = text.partition('id="typical"')[2].partition("</section>")[0]
    assert "missing" not in typical
