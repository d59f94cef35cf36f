"""In what a cluster differs from the one that is most like it."""

import numpy as np
import pandas as pd

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
