"""Which way similarity is held: by size, memory and metric, with formulas worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from helpers import each
from kgroups.fit.block_plan import bytes_kept, plan_of_blocks, size_of_blocks
from kgroups.fit.plan import Size, Wish, make_plan, size_of
from kgroups.gram import DENSE_UP_TO
from kgroups.input.spaces import PointSpace
from kgroups.semimetrics import ColumnSum, DampedSquared, Energy, Hamming, PairFunction

pytestmark = pytest.mark.nojit


def size(n=1000, d=4, k=3, **changes):
    settings = {
        "n": n, "n_columns": d, "itemsize": 8, "n_clusters": k, "n_threads": 1,
        "is_compiled": True, "is_negative_type": True,
    }  # fmt: skip
    return Size(**{**settings, **changes})


def method(problem, limit=None, **wish):
    return make_plan(Wish(**wish), problem, limit).method


# --- bytes -------------------------------------------------------------------------------------


def test_bytes_of_a_matrix():
    """8 n² for the matrix and 32 n k for the sums of each of 32 starts, up to 2²⁶ in all."""
    assert size(100, k=2).dense_bytes() == 8 * 100**2 + 32 * 32 * 100 * 2
    # Few rows are compared in float64, whatever their type.
    assert size(100, k=2, itemsize=4).dense_bytes() == 8 * 100**2 + 32 * 32 * 100 * 2
    assert size(3000, k=2, itemsize=4).dense_bytes() == 4 * 3000**2 + 32 * 32 * 3000 * 2
    assert size(2000, k=100).dense_bytes() == 8 * 2000**2 + 2**26
    # The sums of a single start count in full.
    assert size(10_000, k=1000).dense_bytes() == 8 * 10_000**2 + 32 * 10_000 * 1000


def test_bytes_of_a_sketch():
    """Twice 4-byte features of a sample of 2,000, rows on their way, landmarks; then rows for W."""
    n, d, m = 5000, 4, 100
    starts = 8 * m * 2000 + 5000 * (24 * m + 16 * d) + 16 * m**2 + 64 * n
    assert size(n, d).sketch_bytes(m) == starts
    assert size(n, d).matrix_free_bytes(m) == starts
    wide = size(50_000, 2000, k=2)
    exact = 4 * 50_000 * 2000 * 8 + 16 * 50_000 * 2 + 64 * 50_000
    assert wide.matrix_free_bytes(10) == exact
    assert wide.row_for_w() == 4 * 2000 * 8 + 24 * 2


# --- the choice --------------------------------------------------------------------------------


@each(
    ("problem", "chosen"),
    [
        (size(DENSE_UP_TO), "dense"),
        (size(DENSE_UP_TO + 1), "matrix_free"),
        (size(49_999), "matrix_free"),
        (size(50_000), "certified"),
        (size(10**7), "certified"),
        (size(100_000, k=50), "certified"),
        (size(100_000, k=51), "matrix_free"),  # fewer than 2,000 rows per cluster
        (size(10**6, k=501), "nystroem"),
        # 4.9e11 pairs of 20 multiply-adds are just within 1e13; of sparse rows bounds do not hold.
        (size(440_000, n_shared=0.0), "matrix_free"),
        (size(460_000, n_shared=0.0), "nystroem"),
        (size(720_000, is_negative_type=False), "matrix_free"),
        (size(5_000, is_compiled=False), "dense"),
        (size(5_000, is_compiled=False, is_negative_type=False), "dense"),
    ],
)
def test_without_a_limit(problem, chosen):
    assert method(problem) == chosen


def test_a_limit_turns_the_choice_at_the_byte():
    problem = size(2000, 1, k=2, n_threads=1)
    needs = problem.dense_bytes(), problem.matrix_free_bytes(100)
    assert needs[0] > needs[1]
    assert method(problem, needs[0]) == "dense"
    assert method(problem, needs[0] - 1) == "matrix_free"


def test_slow_distances_are_sketched_where_the_matrix_does_not_fit():
    problem = size(20_000, 1, is_compiled=False)
    plan = make_plan(Wish(), problem, 10**8)
    assert plan.method == "nystroem"
    with pytest.raises(MemoryError, match="20000 x 20000"):
        make_plan(Wish(), size(20_000, 1, is_compiled=False, is_negative_type=False), 10**6)


@each(
    ("asked", "n", "k", "m"),
    [
        ("auto", 50, 3, 50),  # not more than points
        ("auto", 3000, 3, 100),  # the least
        ("auto", 22_500, 3, 150),  # √n
        ("auto", 10**6, 3, 200),  # the most
        ("auto", 10**6, 300, 600),  # twice as many as clusters
        (7, 3000, 3, 7),
        (7000, 3000, 3, 3000),
    ],
)
def test_numbers_of_landmarks(asked, n, k, m):
    plan = make_plan(Wish(method="nystroem", n_components=asked), size(n, k=k), None)
    assert plan.n_components == m


def test_features_are_held_in_what_memory_is_left():
    problem = size(5000, 4)
    needs = problem.sketch_bytes(100)
    sketch = Wish(method="nystroem")
    assert make_plan(sketch, problem, needs + 1234).feature_bytes == 1234
    assert make_plan(sketch, problem, needs).feature_bytes == 0
    assert make_plan(sketch, problem, None).feature_bytes == 2**30
    assert make_plan(Wish(method="matrix_free"), problem, None).feature_bytes == 2**25


def test_features_of_the_rows_on_which_starts_compete_are_held():
    """Those of hundreds of clusters would take minutes if they were made anew for every move."""
    plan = make_plan(Wish(method="matrix_free"), size(40_000, 16, k=400), None)
    assert plan.n_components == 400
    assert plan.feature_bytes == 4 * 400 * 40_000


def test_rows_from_which_w_is_estimated():
    """Half of the memory, between 1,000 and 20,000 rows of 4 D itemsize + 24 k bytes."""
    problem = size(100_000, 100, k=2)
    assert problem.row_for_w() == 3248
    sketch = Wish(method="nystroem", n_components=10)
    assert make_plan(sketch, problem, None).rows_for_w == 20_000
    assert make_plan(sketch, problem, 10**8).rows_for_w == 10**8 // (2 * 3248)


# --- spaces --------------------------------------------------------------------------------------


def test_sizes_of_tables_and_objects():
    X = np.zeros((7, 3), np.float32)
    found = size_of(PointSpace(Energy()), X, 2, 4)
    assert found == size(7, 3, k=2, itemsize=4, n_threads=4)
    mixed = ColumnSum([(Energy(), [0, 1]), (Hamming(), [2])])
    assert size_of(PointSpace(mixed), np.zeros((7, 3)), 2, 1).n_columns == 3
    words = size_of(PointSpace(PairFunction(max)), ["a", "b"], 1, 1)
    assert (words.n, words.n_columns, words.is_compiled, words.itemsize) == (2, 1, False, 8)
    assert not size_of(PointSpace(DampedSquared()), X, 2, 1).is_negative_type


# --- how many starts -----------------------------------------------------------------------------


@each(
    "changes",
    [{"is_negative_type": False}, {"is_compiled": False}, {"n_shared": 3.0}, {"has_gaps": True}],
)
def test_bounds_are_not_chosen_where_they_do_not_hold(changes):
    problem = size(60_000, **changes)
    assert method(problem) != "certified"
    with pytest.raises(ValueError, match='method="certified" needs'):
        method(problem, method="certified")


GIB = 1 << 30
SKETCH = Wish(method="nystroem", n_components=200)


def size_in_blocks(n, semimetric):
    few = np.zeros((1, 16), np.float32)
    return replace(size_of_blocks(PointSpace(semimetric), few, n, 10, 2), n=n)


def test_means_keep_less_than_a_sketch():
    n = 100_000_000
    assert bytes_kept(Wish(), size_in_blocks(n, Energy(2))) == 16 * n
    assert bytes_kept(Wish(), size_in_blocks(n, Energy(2)), has_weights=True) == 24 * n
    assert bytes_kept(SKETCH, size_in_blocks(n, Energy(2))) == 34 * n
    assert bytes_kept(Wish(), size_in_blocks(n, Energy())) == 34 * n


@each(
    ("n", "room", "on_workers", "kept"),
    [
        (1_000_000, np.inf, False, GIB),  # features of 0.75 GiB
        (5_000_000, np.inf, False, GIB),  # of 3.7 GiB: more than a quarter
        (20_000_000, np.inf, False, 0),  # of 15 GiB
        (1_000_000, 1 << 28, False, 1 << 28),
        (1_000_000, 1 << 27, False, 0),
        (5_000_000, 8 * GIB, False, GIB),
        (5_000_000, 8 * GIB, True, 8 * GIB),
    ],
)
def test_features_are_kept_where_a_quarter_of_them_has_room(n, room, on_workers, kept):
    size = size_in_blocks(n, Energy())
    plan = plan_of_blocks(SKETCH, size, Energy(), room, on_workers=on_workers)
    assert plan.n_components == 200
    assert plan.feature_bytes == kept
