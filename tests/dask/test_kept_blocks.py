"""What workers do, what they keep between two tasks, and what they say when it is gone."""

from collections import deque

import numpy as np
import pytest

from helpers import each
from kgroups.dask import kept_blocks
from kgroups.dask.kept_blocks import MISSING, Item, Job, Settings, forget, run_blocks
from kgroups.runtime.threads import default_threads

ROWS = np.arange(12.0).reshape(6, 2)


def settings(fit="one", **changes):
    plain = Settings(
        token=fit,
        dtype=np.dtype(float),
        given_dtype=np.dtype(float),
        n_columns=2,
        has_weights=False,
        weight_unit=1.0,
        rows_kept=1000,
        features_kept=1000,
    )
    return plain._replace(**changes)


@pytest.fixture(autouse=True)
def no_stores(monkeypatch):
    monkeypatch.setattr(kept_blocks, "_stores", type(kept_blocks._stores)())
    monkeypatch.setattr(kept_blocks, "_ended", deque(maxlen=2))


def total(block, constant, shared, arg):
    return float(block.rows().sum()), constant, shared, arg


def weights(block, constant, shared, arg):
    return block.weights().tolist()


def threads(block, constant, shared, arg):
    return default_threads()


def done(how, work, given=None, *, shared=None, source=None, spans=((0, 3), (3, 6)), constant="c"):
    items = [Item(number, a, b, number * 10) for number, (a, b) in enumerate(spans)]
    job = Job(how, work, "small", items)
    return run_blocks(job, constant, shared, source, given)


def halves(weights=None):
    parts = [None, None] if weights is None else np.split(weights, 2)
    return list(zip(np.split(ROWS, 2), parts, strict=True))


def test_rows_that_are_not_at_hand_are_missing():
    found = done(settings(), total)
    assert found.results == [MISSING, MISSING]
    assert found.kept == [False, False]
    # One of two.
    done(settings(), total, halves()[:1], spans=((0, 3),))
    found = done(settings(), total)
    assert found.results[1] == MISSING
    assert (found.results[0][0], found.kept) == (15.0, [True, False])


def test_no_more_rows_are_kept_than_may_be():
    how = settings(rows_kept=50)  # of 48 bytes for each block
    assert done(how, total, halves()).kept == [True, False]
    assert done(how, total).results[1] == MISSING
    assert done(how, total, halves()).results[1][0] == 51.0


@each(
    ("rows", "message"),
    [
        (ROWS[:2], r"rows 0 to 2 have shape \(3, 2\), and they have \(2, 2\)"),
        (ROWS[:3].astype("f4"), r"X says that it holds float64, and rows 0 to 2 hold float32"),
    ],
)
def test_rows_that_are_not_what_x_says_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        done(settings(), total, [(rows, None)], spans=((0, 3),))


def test_what_is_kept_of_a_fit_is_dropped_at_its_end():
    done(settings(fit="one"), total, halves())
    done(settings(fit="two"), total, halves())
    forget("one")
    forget("never begun")
    assert list(kept_blocks._stores) == ["two"]


def test_a_task_that_comes_after_the_end_of_its_fit_leaves_nothing():
    done(settings(), total, halves())
    forget("one")
    assert done(settings(), total, halves()) == ([], [])
    assert len(kept_blocks._stores) == 0


def test_fits_that_nobody_ends_make_room_for_others():
    for token in "abc":
        done(settings(fit=token), total, halves())
    done(settings(fit="a"), total)  # used again, so that b is the oldest
    done(settings(fit="d"), total, halves())
    assert list(kept_blocks._stores) == ["c", "a", "d"]


def test_features_may_take_what_is_settled_last():
    def keeps(block, constant, shared, arg):
        return block.budget.take(400)

    assert done(settings(features_kept=500), keeps).results == [True, False]
    assert done(settings(features_kept=500), keeps).results == [False, False]
    assert done(settings(features_kept=900), keeps).results == [True, False]  # 800 in all


def test_work_runs_on_one_thread():
    assert done(settings(), threads).results == [1, 1]
