"""The verdict: what is said of clusters that are clear, blurred or not there."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

from kgroups import KernelKGroups
from page_cases import groups, report_of

pytestmark = pytest.mark.usefixtures("undrawn")


def lump(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def blurred(seed=0):
    """Two groups that touch, and one that is far away."""
    X = groups(240, 3, apart=1.0, seed=seed)
    X[160:] += 30.0
    X[80:160] += 0.4
    return X


def said(page):
    """The words of the verdict."""
    items = [page.verdict.sentence]
    for part in page.verdict.parts:
        items += [*getattr(part, "items", ()), getattr(part, "text", "")]
    return " ".join(items)


def test_clear_groups(page):
    words = said(page)
    assert "Confidence that these are real groups: high." in words
    assert "there is a clear gap between all neighboring clusters" in words
    assert "the analysis finds every cluster again" in words
    assert "Do not treat" not in words


def test_one_lump_cut_in_two():
    words = said(report_of(lump(), 2))
    assert "Confidence that these are real groups: low." in words
    assert "No clear gap separates the clusters" in words
    assert "Do not treat the clusters as natural kinds" in words


def test_two_that_touch_and_one_apart():
    words = said(report_of(blurred()))
    assert "Confidence that these are real groups: medium." in words
    assert "Compare this with one cluster more and one less" in words


def test_sizes_and_what_sets_apart():
    X = groups(60, 3, columns=1)
    table = np.repeat([[10.0], [20.0], [60.0]], 20, axis=0)  # mean 30, sd √466.7 = 21.6
    words = said(report_of(X, table=table))
    assert "(20 rows, 33%)" in words
    assert "column 1 is low (10 on average; all rows 30)" in words  # −0.93 sd
    assert "column 1 is somewhat low (20 on average; all rows 30)" in words  # −0.46 sd
    assert "column 1 is high (60 on average; all rows 30)" in words  # 1.39 sd


def test_the_rules_are_stated(page):
    rules = [part for part in page.verdict.parts if part.kind == "details"]
    (bullets,) = rules[0].parts
    assert [rule.split(":")[0] for rule in bullets.items][:3] == ["High", "Low", "Medium"]


def test_clusters_by_a_column_of_two_values_are_no_sure_kinds():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=200),
            "b": rng.normal(size=200),
            "flag": rng.choice(["yes", "no"], 200),
        }
    )
    page = KernelKGroups(2, metric="mixed", random_state=0).fit(frame).report(frame)
    text = page.to_html()
    assert "Clusters 0 and 1 differ in flag alone" in text
    assert "Confidence: high" not in text


def test_few_rows_show_no_gap_and_are_not_one_cloud():
    rng = np.random.default_rng(0)
    for places in ((0, 8, 16), (0, 20)):
        X = np.concatenate([rng.normal(c, 0.1, (5, 2)) for c in places])
        text = report_of(X, len(places)).to_html()
        assert "There are too few rows to see whether there are gaps between the clusters" in text
        assert "Confidence: medium" in text
        assert "too few rows</td>" in text
        for denied in ("one cloud", "no clear gap"):
            assert denied not in text


def test_some_clusters_have_too_few_rows():
    X = np.concatenate([groups(160, 2, apart=20.0), 60.0 + np.eye(2)])
    words = said(report_of(X, 3))
    assert "Confidence that these are real groups: medium." in words
    assert "a clear gap between 1 of 2 pairs of neighboring clusters; the others have too" in words
    assert "shade into" not in words


def test_a_cluster_of_one_row_is_left_out():
    X = np.concatenate([groups(120, 2, apart=20.0), [[200.0, 200.0]]])
    page = report_of(X, 3)
    words = said(page)
    assert "Confidence that these are real groups: medium." in words
    assert "there is a clear gap between the two clusters" in words
    assert "Not examined, because of too few rows: 1 cluster (2)." in words
    assert "finds the other 2 again" in words


def test_independent_coins_are_not_separate():
    X = np.array(["a", "b"])[np.random.default_rng(1).integers(0, 2, (200, 7))]
    page = report_of(X, 2, metric="hamming")
    words = said(page)
    assert "Confidence that these are real groups: low." in words
    assert "Gaps cannot be judged here" in words
    assert "a clear gap" not in page.to_html()
    assert "--curved" not in words


def test_clear_groups_of_categories_are_not_noise():
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 60)[:, None]
    X = np.where(rng.random((180, 6)) < 0.85, kinds, rng.integers(0, 3, (180, 6)))
    words = said(report_of(X, 3, metric="hamming"))
    assert "Confidence that these are real groups: medium." in words
    assert "the analysis finds every cluster again" in words
    assert "one cloud" not in words


@pytest.mark.parametrize("k", [2, 4])
def test_parts_of_moons_are_not_sure_and_the_method_for_moons_is_named(k):
    X = make_moons(300, noise=0.06, random_state=0)[0]
    page = report_of(X, k)
    words = said(page)
    assert "Confidence that these are real groups: low." in words
    assert "The clusters cut through groups of rows" in words
    # Nearest neighbors count two moons, whatever number was given here.
    assert "kgroups cluster --curved (GraphKGroups(affinity=" in words
    assert "You can build on them" not in words
    html = page.to_html()
    assert k > 2 or "a gap, but not along the whole border" in html
    assert k > 2 or "a clear gap" not in html


def test_groups_that_are_cut_into_pieces_are_not_one_cloud():
    X = np.random.default_rng(0).normal(size=(600, 6))
    X[:300, 0] += 10.0
    words = said(report_of(X, 5))
    assert "one cloud" not in words
    assert "There is a clear gap in the data, but between groups of clusters" in words
    assert "there may be fewer than 5" in words
    assert "Confidence that these are real groups: low." in words  # no piece is found again
