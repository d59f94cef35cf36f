"""Results as HTML tables and as data frames: hostile names, many rows, numbers by hand."""

import html5lib
import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers import each
from kgroups.bounds import Certificate, OptimalityGap, certify
from kgroups.runtime import data_frames
from kgroups.runtime.data_frames import data_frame
from kgroups.runtime.result_table import html_table
from kgroups.select import (
    ClusterCount,
    ClusterSignificance,
    ClusterStability,
    Criterion,
    PairSignificance,
    feature_contributions,
)
from kgroups.stats import disco, energy_test

XHTML = "{http://www.w3.org/1999/xhtml}"
HOSTILE = ["<script>alert(1)</script>", "\"'&<b>", "left\u202eright\u200f", "x" * 10_000, "a\nb"]


def parsed(html):
    """The caption, the head and the cells of a table, which has to be valid HTML5."""
    tree = html5lib.HTMLParser(strict=True).parseFragment(html)
    (table,) = tree
    assert table.tag == XHTML + "table"
    names = {node.tag.removeprefix(XHTML) for node in table.iter()}
    assert names <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    lines = [["".join(cell.itertext()) for cell in tr] for tr in table.iter(XHTML + "tr")]
    return "".join(table.find(XHTML + "caption").itertext()), lines[0], lines[1:]


def made_criterion(name, suggests, values, *, votes=True, **more):
    k = np.arange(1, len(values) + 1)
    return Criterion(
        name=name, n_clusters=suggests, k=k, values=np.array(values), rule="made", knows_one=votes,
        **more,
    )  # fmt: skip


def made_count(votes=(2, 2, 3)):
    names = ("separation", "gap", "prediction strength")
    criteria = [made_criterion(n, v, [0.5, 0.25, 1.0]) for n, v in zip(names, votes, strict=True)]
    criteria.append(made_criterion("silhouette", 2, [np.nan, 0.7, 0.1], votes=False))
    median = int(np.median(votes))
    return ClusterCount(n_clusters=median, criteria=tuple(criteria), n_samples=90, n_given=1200)


def made_stability(names):
    return ClusterStability(
        clusters=tuple(names),
        sizes=np.arange(1, len(names) + 1) * 1000,
        resampled=np.tile([[1.0], [0.5]], (1, len(names))),
        metric="precomputed",
    )


def made_pairs(n):
    pair = {"naive_pvalue": 0.005, "coefficient": 0.25, "n_splits": 10, "n_points": 40}
    pairs = [
        PairSignificance(first=i, second=i + 1, pvalue=None if i else 0.125, **pair)
        for i in range(n)
    ]
    groups = tuple(range(n + 1))
    return ClusterSignificance(groups=groups, pairs=tuple(pairs), n_samples=99)


# --- the table -------------------------------------------------------------------------------


def test_cells_by_hand():
    columns = {
        "name": [7, 8000], "n": [1234, 5], "share": [0.123456, float("nan")],
        "is": [True, False], "other": [None, "b & c"],
    }  # fmt: skip
    caption, head, cells = parsed(html_table(columns, "two <rows>", names=["name"]))
    assert caption == "two <rows>"
    assert head == list(columns)
    assert cells == [
        ["7", "1,234", "0.1235", "yes", "–"],
        ["8000", "5", "–", "no", "b & c"],
    ]


@each("name", HOSTILE)
def test_hostile_names_are_escaped_and_cut(name):
    html = html_table({name: [name, 1.0]}, name, names=[name])
    caption, (head,), cells = parsed(html)
    assert "<script" not in html
    assert "\u202e" not in html
    assert "\u200f" not in html
    assert len(html) < 1_500
    assert head == cells[0][0]
    assert len(head) <= 40
    assert head.endswith("…") == (len(name) > 40)
    assert head in (name, caption) or len(name) > 40
    assert len(caption) <= 400


# --- frames ----------------------------------------------------------------------------------


def test_number_of_clusters():
    count = made_count()
    expected = pd.DataFrame({
        "k": [1, 2, 3],
        "separation": [0.5, 0.25, 1.0],
        "gap": [0.5, 0.25, 1.0],
        "prediction strength": [0.5, 0.25, 1.0],
        "silhouette": [np.nan, 0.7, 0.1],
        "n_votes": [0, 2, 1],
        "suggested_by": ["", "separation, gap, silhouette", "prediction strength"],
        "chosen": [False, True, False],
    })  # fmt: skip
    pd.testing.assert_frame_equal(count.to_frame(), expected)
    caption, head, cells = parsed(count._repr_html_())
    assert caption == f"{count}, from 90 rows"
    assert head == list(expected)
    assert cells[0] == ["1", "0.5", "0.5", "0.5", "–", "0", "", "no"]


def test_criterion():
    plain = made_criterion("gap", 2, [0.5, 0.75])
    assert plain.to_frame().to_dict("list") == {
        "k": [1, 2], "value": [0.5, 0.75], "suggested": [False, True],
    }  # fmt: skip
    more = made_criterion("gap", 1, [0.5], errors=np.array([0.1]), n_splits=np.array([10]))
    assert more.to_frame().to_dict("list") == {
        "k": [1], "value": [0.5], "error": [0.1], "n_splits": [10], "suggested": [True],
    }  # fmt: skip


def test_significance():
    frame = made_pairs(2).to_frame()
    assert frame["first"].tolist() == [0, 1]
    assert frame["second"].tolist() == [1, 2]
    np.testing.assert_array_equal(frame["pvalue"], [0.125, np.nan])
    assert frame["coefficient"].tolist() == [0.25, 0.25]
    _, _, cells = parsed(made_pairs(2)._repr_html_())
    assert cells[1] == ["1", "2", "–", "0.005", "0.25", "10", "40"]


def test_stability():
    found = made_stability(["a", *HOSTILE])
    frame = found.to_frame()
    assert frame["cluster"].tolist() == ["a", *HOSTILE]
    assert frame["jaccard"].tolist() == [0.75] * 6
    assert frame["recovered"].tolist() == frame["dissolved"].tolist() == [0.5] * 6
    assert set(frame["reading"]) == {"stable"}
    _, _, cells = parsed(found._repr_html_())
    assert cells[0] == ["a", "1,000", "0.75", "0.25", "0.5", "0.5", "stable"]


def test_contributions_come_from_the_largest_on():
    X = [[0.0, 0.0], [3.0, 0.0], [0.0, 8.0], [3.0, 8.0]]
    found = feature_contributions(X, list("aabb"), metric="manhattan", names=["<i>", "y"])
    # Two and two points: S = 2·2/(2·4)·2·(mean distance between − half of those within) = 8 by y.
    assert found.to_frame().to_dict("list") == {
        "column": ["y", "<i>"], "contribution": [8.0, 0.0], "share": [1.0, 0.0],
        "explained": [1.0, 0.0],
    }  # fmt: skip
    _, _, cells = parsed(found._repr_html_())
    assert cells == [["y", "8", "1", "1"], ["<i>", "0", "0", "0"]]


def test_energy_test_and_disco():
    test = energy_test([[0.0], [0.0]], [[1.0], [1.0]], random_state=0)
    (row,) = test.to_frame().to_dict("records")
    # 𝓔 = 2·1 − 0 − 0 = 2, times 2·2/4; W = 0, so that all is explained.
    assert row["statistic"] == 2.0
    assert (row["within"], row["explained"], row["coefficient"]) == (0.0, 1.0, 1.0)
    assert (row["n_samples"], row["n_groups"]) == (4, 2)
    assert row["pvalue"] == test.pvalue
    found = disco([[0.0], [2.0], [5.0], [7.0]], ["<p>", "<p>", "b", "b"], random_state=0)
    (row,) = found.to_frame().to_dict("records")
    assert (row["total"], row["within"], row["between"]) == (6.0, 2.0, 4.0)
    assert (row["df_between"], row["df_within"], row["statistic"]) == (1, 2, 4.0)
    _, head, cells = parsed(found._repr_html_())
    assert dict(zip(head, cells[0], strict=True))["statistic"] == "4"


def test_gap():
    gap = OptimalityGap(within_dispersion=2.0, bound=1.5, gap=0.25, kind="spectral")
    assert gap.to_frame().to_dict("records") == [
        {"within_dispersion": 2.0, "bound": 1.5, "gap": 0.25, "kind": "spectral",
         "proves_optimal": False}
    ]  # fmt: skip
    assert parsed(gap._repr_html_())[2] == [["2", "1.5", "0.25", "spectral", "no"]]


def test_certificates():
    found = Certificate(False, 2, 3, 6, largest_gain=np.inf, rounds=1)
    (row,) = found.to_frame().to_dict("records")
    assert row == {
        "proved": False, "n_open": 2, "n_pairs": 3, "n_pairs_full": 6, "largest_gain": np.inf,
        "rounds": 1, "seconds": 0.0, "is_repeatable": True,
    }  # fmt: skip


def test_labels_that_can_be_improved():
    found = certify([[0.0], [1.0], [10.0], [12.0]], ["a", "b", "b", "b"])
    # W: b has 9 + 11 + 2 = 22, over 3; after row 1 has joined a: 1/2 + 2/2.
    frame = found.to_frame()
    assert frame["row"].tolist() == [1]
    assert frame["target"].tolist() == ["a"]
    assert frame["gain"][0] == pytest.approx(22 / 3 - 1.5)
    assert parsed(found._repr_html_())[2] == [["1", "a", "5.833"]]


@each("library", [pd, pl])
def test_the_library_that_is_wanted(library):
    like = library.DataFrame({"x": [1.0]})
    made = [made_count(), made_count()["gap"], made_pairs(2), made_stability(["a"])]
    for result in made:
        frame = result.to_frame(like)
        assert type(frame) is library.DataFrame
        assert len(frame) == len(parsed(result._repr_html_())[2])


COLUMNS = {"cluster": [0, 1], "size": [3, 2]}


def test_polars_where_there_is_no_pandas(monkeypatch):
    monkeypatch.setattr(data_frames, "find_spec", lambda name: None if name == "pandas" else name)
    assert type(data_frame(COLUMNS)) is pl.DataFrame
