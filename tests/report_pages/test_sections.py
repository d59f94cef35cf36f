"""Sections of the page about clusters: their sentences and the numbers in their tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kgroups import KernelKGroups
from kgroups.bounds import OptimalityGap
from kgroups.pages.distances_section import distances_section
from kgroups.pages.exemplars_section import exemplars_section
from kgroups.pages.map_section import map_section
from kgroups.pages.nearness import Nearness
from kgroups.pages.optimality_section import optimality_section
from kgroups.pages.profile_section import profile_section
from kgroups.pages.reality_section import reality_section
from kgroups.pages.scores_section import scores_section
from kgroups.pages.sizes_section import sizes_section
from kgroups.pages.starts_section import starts_section
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
    assert section.sentence == "The largest cluster has 20 rows, the smallest 20."
    (grid,) = grids(section)
    assert grid.head == ["cluster", "rows", "share", "mean spread"]
    spread = [cluster.dispersion for cluster in facts.report.clusters]
    for row, number in zip(cells(grid), range(3), strict=True):
        assert row[:3] == [str(number), "20", "33.3%"]
        assert float(row[3]) == pytest.approx(spread[number], abs=1e-3)
    assert [row[2].share for row in grid.rows] == [1.0] * 3  # as long as that of the largest
    assert [row[0].color for row in grid.rows] == facts.colors
    assert "half the average distance between two rows" in grid.caption


def test_small_clusters_are_pointed_out():
    X = np.concatenate([groups(40, 2), [[500.0, 500.0]]])
    section = sizes_section(facts_of(X))
    assert section.sentence == (
        "The largest cluster has 20 rows, the smallest 1. 1 is very small: look whether its rows "
        "are errors or rare cases."
    )


def test_one_cluster_has_all_rows():
    assert sizes_section(facts_of(groups(), 1)).sentence == "All rows are in one cluster."


# --- what sets clusters apart ----------------------------------------------------------------


def test_profile_in_words_and_numbers(facts):
    section = profile_section(facts)
    assert section.sentence == (
        "Each cluster is compared with all rows. The clusters differ most in height and width."
    ) or section.sentence.endswith("in width and height.")
    in_words, averages = grids(section)
    assert averages.head == ["column", "all rows", "cluster 0", "cluster 1", "cluster 2"]
    table = facts.described.columns
    for row in cells(averages):
        column = ["height", "width"].index(row[0])
        values = np.asarray(table[column])
        expected = [values.mean(), *(values[facts.report.labels == j].mean() for j in range(3))]
        assert [float(text) for text in row[1:]] == pytest.approx(expected, abs=0.5)
    assert len(in_words.rows) == 3
    assert any("is very" in text or "is low" in text or "is high" in text
               for _, text in cells(in_words))  # fmt: skip


def test_a_cluster_like_all_rows(facts):
    words = [text for _, text in cells(grids(profile_section(facts))[0])]
    assert words.count("close to all rows in every column") == 1  # the group in the middle


def test_categories_in_the_table_of_averages():
    X = groups()
    kind = np.repeat(["a", "b", "c"], 20)
    facts = facts_of(X, table=pd.DataFrame({"kind": kind, "same": ["s"] * 60}))
    rows = {row[0]: row[1:] for row in cells(grids(profile_section(facts))[1])}
    order = [kind[np.flatnonzero(facts.report.labels == j)[0]] for j in range(3)]
    assert rows["kind"] == ["", *(f"{letter} 100%" for letter in order)]
    assert rows["same"] == ["", *["as in all rows"] * 3]


def test_many_columns_and_clusters_are_cut_and_said():
    X = groups(90, 15)
    facts = facts_of(X, 15, table=np.tile(X, (1, 15)))
    averages = grids(profile_section(facts))[1]
    assert "The 24 of 30 columns that tell the clusters apart best." in averages.caption
    assert "The first 12 of 15 clusters." in averages.caption
    assert len(averages.rows) == 24
    assert len(averages.head) == 14


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


def test_typical_rows_of_many_clusters():
    X = groups(280, 70, apart=30.0)
    facts = facts_of(X, 70)
    (grid,) = grids(exemplars_section(facts, Nearness.of(facts.model, X, 0)))
    assert len(grid.rows) == 60
    assert "of the first 60 of 70 clusters" in grid.caption


def test_no_row_is_uncertain(facts):
    section = uncertain_section(facts, Nearness.of(facts.model, facts.X, 0))
    assert section.sentence == (
        "None of the 60 rows is uncertain: each is clearly nearest to its own cluster."
    )
    assert [part.summary for part in section.parts] == [
        "How probabilities are found",
        "How clearly rows belong to their clusters, as a picture",
    ]


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


def test_samples_are_said():
    facts = facts_of(between(), 2)
    near = Nearness.of(facts.model, facts.X, 0)
    sample = replace(near, n_given=1_000)
    assert (
        "82 rows that were looked at, drawn at random from 1,000,"
        in uncertain_section(facts, sample).sentence
    )
    (grid,) = grids(exemplars_section(facts, sample))
    assert "82 of 1,000 rows were looked at" in grid.caption


# --- the search and its result ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_starts", "best", "words"),
    [
        (1, 1, "There was one search, so there is nothing to compare."),
        (20, 20, "all of them ended with the same result."),
        (20, 0, "the best of them was improved afterwards, to the result shown here."),
        (20, 3, "3 ended with the result shown here, and the others with one that is no better."),
    ],
)
def test_starts(facts, n_starts, best, words):
    report = replace(facts.report, n_starts=n_starts, n_starts_at_best=best)
    section = starts_section(replace(facts, report=report))
    assert words in section.sentence
    assert len(section.parts) == (n_starts > 1)


def gap(share):
    W = 100.0
    return OptimalityGap(within_dispersion=W, bound=W * (1 - share), gap=share, kind="spectral")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "Not by moving a single row: that was checked."),
        (gap(0.0), "No: it is proved that no division of these rows into 3 clusters is tighter."),
        (gap(0.1234), "no division into 3 clusters is more than 12.4% tighter"),
    ],
)
def test_optimality(facts, found, words):
    report = replace(facts.report, optimality=found)
    section = optimality_section(replace(facts, report=report))
    assert words in section.sentence
    (numbers,) = section.parts[0].parts
    pairs = dict(numbers.pairs)
    assert pairs["spread within clusters (W)"] == f"{report.within_dispersion:.6g} (minimized)"
    assert ("lower bound on W" in pairs) == (found is not None)


def test_a_search_that_was_stopped(facts):
    report = replace(facts.report, converged=False, exactness="stopped at max_iter")
    section = optimality_section(replace(facts, report=report))
    assert section.sentence.startswith("Yes: the search was stopped before it came to its end")


def test_missing_values_are_counted(facts):
    report = replace(facts.report, n_missing={"age": 1234, "<b>": 2})
    (numbers,) = optimality_section(replace(facts, report=report)).parts[0].parts
    assert dict(numbers.pairs)["missing values"] == "age 1,234 and <b> 2"


# --- are they real ---------------------------------------------------------------------------


def test_reality_of_clear_groups(facts):
    section = reality_section(facts)
    assert section.sentence.startswith("Yes. A division can be computed for any data")
    stability, pairs = grids(section)
    assert [row[1:] for row in cells(stability)] == [["1.00", "highly stable"]] * 3
    tested = [p for p in facts.evidence.significance.pairs if p.pvalue is not None]
    assert len(pairs.rows) == len(tested)
    for name, between_them, pvalue in cells(pairs):
        first, second = map(int, name.split(" and "))
        found = facts.evidence.significance.pair(first, second)
        assert pvalue == f"{found.pvalue:.3f}"
        assert between_them == "a clear gap"


def test_reality_of_a_lump():
    X = np.random.default_rng(0).normal(size=(150, 2))
    section = reality_section(facts_of(X, 2))
    assert section.sentence.startswith("Hardly.")
    (row,) = cells(grids(section)[1])
    assert row[:2] == ["0 and 1", "no clear gap"]


def test_what_could_not_be_examined():
    section = reality_section(facts_of(groups(), 1))
    assert section.sentence == "This could not be examined."
    assert [part.text for part in section.parts] == [
        "There is one cluster, so there is nothing to tell apart."
    ]


def test_samples_of_the_evidence_are_said(facts):
    evidence = replace(facts.evidence, n_rows=2_000, n_given=100_000)
    section = reality_section(replace(facts, evidence=evidence))
    assert section.sentence.endswith("Both were made on 2,000 of 100,000 rows, drawn at random.")


# --- pictures and classes --------------------------------------------------------------------


def test_captions_of_pictures(facts):
    (made,) = map_section(facts).parts
    assert made.caption.startswith("The axes are ")  # two columns are a picture already
    wide = facts_of(groups(columns=4))
    (made,) = map_section(wide).parts
    assert made.caption.startswith("The axes have no unit; they show as much as two dimensions can")
    assert "dark squares along the diagonal" in distances_section(facts).sentence
    (pairs,) = distances_section(facts).parts
    assert pairs.caption == "The color is the distance ρ."
    X = groups()
    kernel = facts_of(X @ X.T, metric="precomputed_kernel")
    assert "light squares along the diagonal" in distances_section(kernel).sentence


def test_known_classes(facts):
    classes = np.array(["a", "b", "c"])[facts.report.labels]
    classes[:6] = "a" if classes[0] != "a" else "b"  # six rows of sixty
    scores = label_scores(classes, facts.report.labels)
    report = replace(facts.report, scores=scores, label_name="kind")
    section = scores_section(replace(facts, report=report), scores)
    assert section.sentence == (
        "90% of the rows are in the cluster that stands for their class by kind, which was not "
        "used for clustering."
    )
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
    assert "17% of its cells are empty" in text
