"""The comparison of mixed tables with imputation by hand."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import gaps

NAN = float("nan")


def test_by_hand():
    table = pd.DataFrame(
        {
            "x": [1.0, NAN, 3.0, 9.0],
            "grade": pd.Categorical(["a", "b", None, "b"], ordered=True),
            "town": pd.Series(["Ulm", None, "Ulm", "Bonn"], dtype=object),
            "sea": pd.Series(["A", "B", "C", None], dtype=object),
        }
    )
    made = gaps.by_hand(table)
    assert made.shape == (4, 6)  # one column for two towns, three for three seas
    expected = [[1, 0, 1, 1, 0, 0], [3, 1, 1, 0, 1, 0], [3, 1, 1, 0, 0, 1], [9, 1, 0, 1, 0, 0]]
    standard = np.array(expected, float)
    np.testing.assert_allclose(made, (standard - standard.mean(0)) / standard.std(0))


def test_removed_entries_are_a_fifth_and_the_same_for_a_seed():
    table = pd.DataFrame({"x": np.arange(4000.0), "b": np.arange(4000) % 2 == 0})
    once, again = gaps.with_gaps(table, 3), gaps.with_gaps(table, 3)
    pd.testing.assert_frame_equal(once, again)
    assert once.isna().to_numpy().mean() == pytest.approx(gaps.REMOVED, abs=0.02)


def test_sets_made_mixed_have_all_kinds():
    columns = {name: np.random.default_rng(0).normal(size=30) for name in "abcd"}
    made = gaps.made_mixed(pd.DataFrame({**columns, "flag": np.arange(30) % 2}))
    kinds = [dtype.name for dtype in made.dtypes]
    assert kinds == ["float64", "category", "object", "float64", "float64"]
    assert set(made["c"]) == {"low", "middle", "high"}


def rows(ours, theirs):
    return [
        {"set": name, gaps.OURS: a, gaps.ENERGY: b}
        for name, a, b in zip(gaps.LIMITED, ours, theirs, strict=True)
    ]


def test_what_is_missed_is_said():
    assert gaps.missed(rows([0.5] * 6, [0.4] * 6), gaps.OURS, gaps.ENERGY) == []
    nearly = rows([0.5] * 6, [0.505] * 3 + [0.4] * 3)
    assert gaps.missed(nearly, gaps.OURS, gaps.ENERGY) == []
    below = gaps.missed(rows([0.5] * 6, [0.6] + [0.5] * 5), gaps.OURS, gaps.ENERGY)
    assert len(below) == 2
    assert below[0].startswith("cmc: mixed is 0.100 below")
    assert below[1].endswith("on 0 sets only")
    others = [{"set": "seeds", gaps.OURS: 0.0, gaps.ENERGY: 1.0}]
    assert gaps.missed(others, gaps.OURS, gaps.ENERGY) == []
