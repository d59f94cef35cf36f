"""What sections read: colors as in the pictures, and words where there are no columns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from kgroups.answers.characteristic_words import Characteristic
from kgroups.plots import cluster_colors
from page_cases import facts_of, groups


def test_colors_are_those_of_the_pictures():
    facts = facts_of(groups())
    assert facts.n_clusters == 3
    assert facts.colors == [to_hex(color) for color in cluster_colors(3)]
    assert len(set(facts.colors)) == 3


def test_columns_set_clusters_apart():
    X = groups(40, 2)
    facts = facts_of(X, 2, table=pd.DataFrame(X, columns=["a", "b"]))
    for cluster in (0, 1):
        mean = X[facts.report.labels == cluster].mean(axis=0)
        side = "low" if mean[0] < X[:, 0].mean() else "high"
        assert all(f" is {side} (" in said for said in facts.apart(cluster))
        assert any(f"a is {side} ({mean[0]:.1f} on average" in s for s in facts.apart(cluster))


def test_words_set_clusters_apart_where_there_are_no_columns():
    facts = facts_of(groups(40, 2), 2)
    words = (Characteristic("wine", 0.5, 0.2), Characteristic("<b>", 0.4, 0.1))
    first, second = facts.report.clusters
    report = replace(facts.report, clusters=(replace(first, words=words), second))
    told = replace(facts, report=report)
    assert told.apart(0) == ["wine", "<b>"]
    assert told.apart(1) == []


@pytest.mark.parametrize("k", [13, 40])
def test_many_clusters_have_colors_that_differ(k):
    rng = np.random.default_rng(0)
    facts = facts_of(rng.normal(size=(2 * k, 2)), k)
    assert len(set(facts.colors)) == k
