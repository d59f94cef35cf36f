"""How sure a page is of clusters that are clear, blurred or not there."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

from page_cases import groups, report_of, without_pictures

pytestmark = pytest.mark.usefixtures("undrawn")


def blurred():
    """Two groups that touch, and one that is far away."""
    X = groups(240, 3, apart=1.0)
    X[160:] += 30.0
    X[80:160] += 0.4
    return X


def small(*places):
    """Groups of five rows."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.1, (5, 2)) for c in places])


def coins():
    """Columns of two categories that depend on nothing."""
    return np.array(["a", "b"])[np.random.default_rng(1).integers(0, 2, (200, 7))]


def categories():
    """Three groups of categories, which are seldom another's."""
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 60)[:, None]
    return np.where(rng.random((180, 6)) < 0.85, kinds, rng.integers(0, 3, (180, 6)))


def halves(n=600):
    """Two clouds, which five clusters cut into pieces."""
    X = np.random.default_rng(0).normal(size=(n, 6))
    X[: n // 2, 0] += 10.0
    return X


def flagged():
    """A column of two values is all that makes two clusters."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=200), "b": rng.normal(size=200)}
    return pd.DataFrame({**columns, "flag": rng.choice(["yes", "no"], 200)})


MOONS = make_moons(300, noise=0.06, random_state=0)[0]
LUMP = np.random.default_rng(0).normal(size=(200, 2))
SURE = {
    "clear groups": (groups(), 3, {}, "high"),
    "a lump cut in two": (LUMP, 2, {}, "low"),
    "two that touch": (blurred(), 3, {}, "medium"),
    "three groups of few rows": (small(0, 8, 16), 3, {}, "medium"),
    "two groups of few rows": (small(0, 20), 2, {}, "medium"),
    "a cluster of two rows": (
        np.concatenate([groups(160, 2, apart=20.0), 60.0 + np.eye(2)]), 3, {}, "medium"
    ),
    "a cluster of one row": (
        np.concatenate([groups(120, 2, apart=20.0), [[200.0, 200.0]]]), 3, {}, "medium"
    ),
    "independent coins": (coins(), 2, {"metric": "hamming"}, "low"),
    "groups of categories": (categories(), 3, {"metric": "hamming"}, "medium"),
    "two halves of moons": (MOONS, 2, {}, "low"),
    "four parts of moons": (MOONS, 4, {}, "low"),
    "pieces of two clouds": (halves(), 5, {}, "low"),
}  # fmt: skip


def test_how_sure_a_page_is():
    for name, (X, k, options, level) in SURE.items():
        verdict = without_pictures(report_of(X, k, **options).to_html())
        said = re.findall(r"Confidence that these are real groups: (\w+)\.", verdict)
        assert set(said) == {level}, name


def test_clusters_by_a_column_of_two_values_are_no_sure_kinds():
    verdict = report_of(flagged(), 2, metric="mixed").to_html()
    assert set(re.findall(r"Confidence that these are real groups: (\w+)\.", verdict)) != {"high"}


def test_means_of_clusters_are_in_units_of_the_table():
    """By hand: means 10, 20 and 60 around 30, of which the first is below all rows."""
    table = np.repeat([[10.0], [20.0], [60.0]], 20, axis=0)
    page = report_of(groups(60, 3, columns=1), table=table)
    items = [item for part in page.verdict.parts for item in getattr(part, "items", ())]
    found = [re.search(r"is .*?(low|high) \((\d+) on average; all rows (\d+)\)", i) for i in items]
    assert sorted(f.groups() for f in found if f) == [
        ("high", "60", "30"), ("low", "10", "30"), ("low", "20", "30"),
    ]  # fmt: skip
