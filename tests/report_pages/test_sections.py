"""Sections of the page about clusters: numbers in their tables, samples, and how sure it is."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

from helpers import each
from kgroups import GraphKGroups, KernelKGroups
from kgroups.answers.profiles import Grouping
from kgroups.bounds import OptimalityGap
from kgroups.pages import cluster_evidence, nearness
from kgroups.pages.cluster_evidence import Evidence, some_rows
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.nearness import Nearness
from kgroups.pages.reality_section import reality_section
from kgroups.pages.sizes_section import sizes_section
from kgroups.pages.uncertain_section import uncertain_section
from kgroups.semimetrics import Energy
from page_cases import facts_of, groups, report_of, without_pictures

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


def gap(share):
    W = 100.0
    return OptimalityGap(within_dispersion=W, bound=W * (1 - share), gap=share, kind="spectral")


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


def line():
    """Two groups on a line, a row halfway between them, and one far out."""
    values = [*np.linspace(0, 3, 31), 5.0, *np.linspace(7, 10, 31), 40.0]
    return np.array(values)[:, None]


def fitted(X, k=2, **options):
    model = KernelKGroups(k, random_state=0, **options).fit(X)
    return model, Nearness.of(model, X, 0)


def test_distances_and_probabilities_are_those_of_the_model():
    X = line()
    model, found = fitted(X)
    places = np.arange(len(X))
    own = model.transform(X)[places, model.labels_] ** 2
    np.testing.assert_allclose(found.own_squared, own)
    np.testing.assert_allclose(found.own, model.predict_proba(X)[places, model.labels_])
    assert found.other.tolist() == (1 - model.labels_).tolist()
    assert not found.is_sample


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(nearness, "MAX_ROWS", 20)
    monkeypatch.setattr(nearness, "MAX_OTHERS", 10)
    X = line()
    found = fitted(X)[1]
    assert len(found.rows) == 20
    assert found.is_sample
    assert found.n_given == len(X)
    distances = Energy().pairwise(X)
    assert len(fitted(distances, metric="precomputed")[1].rows) == 10
    monkeypatch.setattr(nearness, "_MOST_PAIRS", 15 * len(X))
    assert len(fitted(X)[1].rows) == 15


@each("form", ["table", "sample", "distances", "kernel", "neighbors"])
def test_other_rows_than_those_of_the_fit_are_refused(form):
    rng = np.random.default_rng(0)
    X, other = (np.concatenate([rng.normal(c, 1, (30, 2)) for c in (0, 9, 18)]) for _ in range(2))
    read = {
        "distances": lambda X: cdist(X, X),
        "kernel": lambda X: np.exp(-cdist(X, X)),
    }.get(form, np.array)
    options = {
        "sample": {"method": "nystroem"},
        "distances": {"metric": "precomputed"},
        "kernel": {"metric": "precomputed_kernel"},
    }
    model = (
        GraphKGroups(3, affinity="nearest_neighbors", random_state=0)
        if form == "neighbors"
        else KernelKGroups(3, random_state=0, **options.get(form, {}))
    ).fit(read(X))
    in_cluster = np.r_[rng.permutation(30), 30:90]
    for rows in (rng.permutation(X), X[in_cluster], other):
        with pytest.raises(ValueError, match="rows of the fit"):
            model.report(read(rows))


def evidence(X, k=3, seed=0, **options):
    return Evidence.of(KernelKGroups(k, random_state=0, **options).fit(X), X, seed)


def test_samples_are_drawn_by_the_seed_and_said(monkeypatch):
    monkeypatch.setattr(cluster_evidence, "MAX_ROWS", 50)
    X = groups(300)
    found = evidence(X)
    assert (found.n_rows, found.n_given) == (50, 300)
    again = evidence(X)
    assert found.stability.jaccard.tolist() == again.stability.jaccard.tolist()
    assert found.significance.n_samples == 50


@each(
    ("X", "k"),
    [
        (groups(), 1),
        (groups(200, 100), 100),
        (np.array([[0.0], [0.1], [0.2], [9.0]]), 2),
        (np.array([[0.0], [0.1], [9.0], [9.1]]), 2),
    ],
)
def test_what_cannot_be_examined_has_a_reason(X, k):
    found = evidence(X, k)
    assert found.stability is None
    assert found.significance is None
    assert len(found.reasons) >= 1


LABELS = np.array([0, 0, 1, 1])
GROUPS = Grouping(LABELS, np.ones(4), 2)


def test_a_frame_of_several_kinds():
    table = pd.DataFrame(
        {
            "age": [1.5, np.nan, 3.0, 123456.789],
            "town": ["a", None, "b", "b" * 100],
            "when": pd.to_datetime(
                ["2020-01-02 00:00", None, "2021-03-04 00:00", "2021-03-05 12:30"]
            ),
            "member": [True, False, True, True],
            "count": [1, 2, 3, 4],
        }
    )
    found = DescribedRows.of_table(table, GROUPS)
    assert [found.name(c) for c in range(5)] == list(table.columns)
    rows = [[found.text(row, c) for c in range(5)] for row in range(4)]
    assert rows[0] == ["1.5", "a", "2020-01-02", "True", "1"]
    assert rows[1] == ["missing", "missing", "missing", "False", "2"]
    assert rows[3][0] == "123457"
    assert rows[3][1] == "b" * 39 + "…"
    assert rows[3][2].startswith("2021-03-05T12:30") or rows[3][2].startswith("2021-03-05 12:30")
    kinds = [column.kind for column in found.profiles.columns]
    assert kinds == ["number", "category", "number", "category", "number"]


def test_the_text_none_is_not_a_gap():
    table = pd.DataFrame({"a": ["None", None, "nan", "b"]})
    found = DescribedRows.of_table(table, GROUPS)
    assert [found.text(row, 0) for row in range(4)] == ["None", "missing", "nan", "b"]


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


def test_similarities_have_probabilities_and_no_distances():
    X = line()
    model, found = fitted(X @ X.T, metric="precomputed_kernel")
    assert found.own_squared is None
    assert found.scores is None
    assert found.most_unusual(3).tolist() == []
    assert found.own.shape == model.labels_.shape
    assert len(found.nearest(0, 2)) == 2


def test_many_clusters_have_distances_and_no_probabilities(monkeypatch):
    monkeypatch.setattr(nearness, "MAX_FOUND_AGAIN", 2)
    X = line()
    model, found = fitted(X, 3)
    assert found.own is None
    assert found.n_uncertain == 0
    assert found.least_certain(3).tolist() == []
    squared = model.transform(X) ** 2
    squared[np.arange(len(X)), model.labels_] = np.inf
    assert found.other.tolist() == squared.argmin(axis=1).tolist()
    assert fitted(X @ X.T, 3, metric="precomputed_kernel")[1] is None


def flagged():
    """A column of two values is all that makes two clusters."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=200), "b": rng.normal(size=200)}
    return pd.DataFrame({**columns, "flag": rng.choice(["yes", "no"], 200)})


def test_clusters_by_a_column_of_two_values_are_no_sure_kinds():
    verdict = report_of(flagged(), 2, metric="mixed").to_html()
    assert set(re.findall(r"Confidence that these are real groups: (\w+)\.", verdict)) != {"high"}


def test_some_rows_of_anything():
    rows, X = np.array([2, 0]), groups(6)
    assert some_rows(X, rows).tolist() == X[rows].tolist()
    assert some_rows(csr_array(X), rows).toarray().tolist() == X[rows].tolist()
    assert some_rows(pd.DataFrame(X), rows).to_numpy().tolist() == X[rows].tolist()
    assert some_rows(["a", "b", "c"], rows) == ["c", "a"]
