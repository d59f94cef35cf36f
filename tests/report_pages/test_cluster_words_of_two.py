"""In what a cluster differs from the one that is most like it."""

import numpy as np
import pandas as pd
import pytest

from kgroups import KernelKGroups
from kgroups.answers.profiles import profiles
from kgroups.pages.cluster_words import differences, told_apart_by, unlike_in_words

LABELS = np.repeat([0, 1, 2], 20)


def table():
    """Clusters 0 and 1 differ in one column of categories; cluster 2 is elsewhere."""
    rng = np.random.default_rng(0)
    age = np.where(LABELS < 2, 30.0, 60.0) + rng.normal(size=60)
    orders = np.where(LABELS < 2, 20.0, 5.0) + rng.normal(size=60)
    visits = np.where(LABELS < 2, 9.0, 1.0) + rng.normal(size=60)
    letter = np.where(LABELS == 1, "yes", "no")
    return pd.DataFrame({"age": age, "orders": orders, "visits": visits, "letter": letter})


def test_differences_by_hand():
    found = profiles(np.array([[0.0], [0.0], [4.0], [8.0]]), np.array([0, 0, 1, 2]), 3)
    sd = found.columns[0].sd
    np.testing.assert_allclose(differences(found, 0), [[0.0, 4 / sd, 8 / sd]])
    kinds = profiles(pd.DataFrame({"a": ["x", "x", "y", "y"]}), np.array([0, 0, 1, 1]), 2)
    np.testing.assert_allclose(differences(kinds, 0), [[0.0, 2.0]])


def test_the_column_that_tells_neighbors_apart_is_said():
    found = profiles(table(), LABELS, 3)
    assert (
        unlike_in_words(found, 0)
        == "unlike cluster 1, letter is always no, 100% (there always yes, 100%)"
    )
    assert unlike_in_words(found, 1) is None  # because its letter is named already
    assert told_apart_by(found, 0, 1) == "letter"
    assert told_apart_by(found, 0, 2) is None


def test_a_number_that_tells_neighbors_apart():
    frame = (
        table()
        .drop(columns="letter")
        .assign(height=np.where(LABELS == 1, 5.0, 1.0), weight=np.where(LABELS < 2, 3.0, 900.0))
    )
    found = profiles(frame, LABELS, 3)
    assert unlike_in_words(found, 0) == "unlike cluster 1, height is 1.0 on average (5.0 there)"
    assert told_apart_by(found, 0, 1) is None  # numbers may well make kinds


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
    X = np.concatenate([rng.normal(c, 0.1, (5, 2)) for c in (0, 8, 16)])
    text = KernelKGroups(3, random_state=0).fit(X).report(X).to_html()
    assert "There are too few rows to see whether there are gaps between the clusters" in text
    assert "Confidence: medium" in text
    assert "one cloud" not in text


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


def test_rows_of_another_table_are_refused():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (30, 2)) for c in (0, 9, 18)])
    model = KernelKGroups(3, random_state=0).fit(X)
    with pytest.raises(
        ValueError, match="does not seem to hold the rows of the fit in their order"
    ):
        model.report(rng.permutation(X))
