"""Every claim of docs/how-large.md that needs no clock, and arithmetic on those that do."""

import numpy as np
import pytest

from kgroups import KernelKGroups
from kgroups.fit import plan
from kgroups.fit.plan import Wish, make_plan
from kgroups.gram.dense import DENSE_UP_TO
from kgroups.semimetrics import all_pairs
from pages import number, page, said, size, table

PAGE = page("how-large")
RATES = {int(n): number(rate) for n, rate in table(PAGE, "| columns | ordered pairs")}


def method(n, limit=None, **known):
    return make_plan(Wish(), size(n, **known), limit).method


def test_which_method_is_used_by_size():
    rows = {cells[0].strip("`"): cells[3] for cells in table(PAGE, "| `method_` | in memory")}
    assert list(rows) == ["dense", "matrix_free", "certified", "nystroem"]
    (most,) = said(rows["dense"], r"up to ([\d,]+) points")
    assert most == DENSE_UP_TO
    assert [method(int(most)), method(int(most) + 1)] == ["dense", "matrix_free"]
    assert method(int(most) + 1, is_compiled=False) == "dense"
    least, each = said(rows["certified"], r"from ([\d,]+) points on, with ([\d,]+) per cluster")
    assert said(rows["matrix_free"], r"up to ([\d,]+) points, or ([\d,]+)") == (least, each)
    assert method(int(least), k=int(least / each)) == "certified"
    assert method(int(least), k=int(least / each) + 1) == "matrix_free"
    assert [method(int(least) - 1), method(int(least))] == ["matrix_free", "certified"]
    extra, work = said(rows["matrix_free"], r"n² \(D \+ (\d+)\) ≤ (10[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
    assert work == plan._EXACT_WORK
    assert size(1_000, columns=16).exact_work() == 1e6 * (16 + extra)
    # A pair of sparse rows that share no column counts as much as 32 columns do.
    edge = int((work / 48) ** 0.5)
    assert method(edge - 1, n_shared=0.0) == "matrix_free"
    assert method(edge + 1, n_shared=0.0) == "nystroem"


def test_how_far_a_proof_goes_by_default():
    """As many distances as all pairs of half a million points, or so many per row."""
    (each, columns) = said(PAGE, r"or ([\d,]+) per row with (\d+) columns")
    for n in (10**6, 10**8):
        least = plan._EXACT_WORK / 2 / (columns + 16)
        assert size(n).proof_pairs() == pytest.approx(max(least, each * n), rel=0.01)
    assert (2 * plan._EXACT_WORK / 2 / (columns + 16)) ** 0.5 == pytest.approx(5e5, rel=0.2)
    assert make_plan(Wish(method="certified"), size(10**6), None).proof_pairs == np.inf


def test_short_memory_is_a_method_that_needs_less_or_an_error():
    assert method(1_000, limit=200_000_000) == "dense"
    assert method(1_000_000, limit=200_000_000) == "nystroem"
    with pytest.raises(MemoryError, match=r"\d"):
        method(100_000, limit=1_000)


def test_what_a_fit_says_of_itself():
    X = np.random.default_rng(0).normal(size=(300, 4))
    model = KernelKGroups(3, method="nystroem", random_state=0).fit(X)
    assert model.method_ == "nystroem"
    assert model.method_reason_
    assert model.exactness_ == "one-move optimal on the sketch"
    assert 0 < model.sketch_error_ < 1
    exact = KernelKGroups(3, random_state=0).fit(X)
    assert exact.sketch_error_ is None or exact.method_ != "dense"
    assert exact.exactness_ == "one-move optimal"


def test_columns_from_which_squares_are_expanded():
    (least,) = said(PAGE, r"From (\d+) columns on, ‖x − y‖² is expanded")
    assert least == all_pairs._EXPAND_FROM


def test_times_of_the_exact_pass_follow_from_the_rates():
    seconds, hours = said(PAGE, r"([\d,]+) s for a million points with 16 columns, ([\d.]+) hours")
    assert 1e12 / RATES[16] == pytest.approx(seconds, rel=0.05)
    assert 1e14 / RATES[16] / 3600 == pytest.approx(hours, rel=0.2)


def test_memory_of_the_exact_method():
    copies, each, gigabytes = said(
        PAGE,
        r"(\d+) copies of the coordinates and (\d+) k n bytes, .*?: ([\d.]+) GB for a million",
    )
    need = size(1_000_000).matrix_free_bytes(200)
    assert need == pytest.approx(copies * 1e6 * 16 * 4 + each * 10 * 1e6, rel=0.2)
    assert need / 1e9 == pytest.approx(gigabytes, rel=0.2)
    below, megabytes = said(PAGE, r"Below about ([\d,]+) points the starts .*?: up to (\d+) MB")
    for share in (0.2, 0.9, 1.1, 2):
        some = size(int(share * below))
        starts = some._starts_bytes(200)
        assert (some.matrix_free_bytes(200) == starts) == (share < 1)
    assert size(int(below))._starts_bytes(200) / 1e6 == pytest.approx(megabytes, rel=0.02)


def test_landmarks_and_features_of_the_sketch():
    most, n = said(PAGE, r"m = (\d+) by default from ([\d,]+) points on")
    landmarks = [make_plan(Wish(), size(int(m)), None).n_components for m in (n - 500, n, 9 * n)]
    assert landmarks[0] < landmarks[1] == landmarks[2] == most
    (gib,) = said(PAGE, r"Up to (\d+) GiB of features are stored")
    assert gib * 2**30 == plan._FEATURES_HELD


def test_hartigan_needs_one_pass_over_the_pairs_and_lloyd_one_for_each_sweep():
    """The exact sums are made once: the moves after it cost n distances each."""
    X = np.random.default_rng(1).normal(size=(2_500, 3))
    model = KernelKGroups(4, random_state=0).fit(X)
    assert model.method_ == "matrix_free"
    assert model.exactness_ == "one-move optimal"
