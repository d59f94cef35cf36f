"""Blocks on a cluster: who works on which, what is asked again, and errors that name the stage."""

import time
from asyncio import CancelledError
from contextlib import nullcontext

import dask.array as da
import numpy as np
import pytest
from distributed.scheduler import KilledWorker

from kgroups.dask import dask_blocks, kept_blocks
from kgroups.dask.dask_blocks import ClusterError, DaskBlocks, results_of
from kgroups.runtime.row_blocks import Missing, all_blocks, without_rows

X = np.arange(80.0).reshape(40, 2)


def blocks_of(client, size=4, group=8, w=None, **settings):
    spans = [(a, min(a + size, 40)) for a in range(0, 40, size)]
    sizes = tuple(b - a for a, b in spans)
    rows = list(da.from_array(X, chunks=(sizes, 2)).to_delayed().ravel())
    weights = None if w is None else list(da.from_array(w, chunks=(sizes,)).to_delayed().ravel())
    how = {"n_columns": 2, "dtype": float, "given_dtype": np.dtype(float), "rows_kept": 1 << 20}
    return DaskBlocks(
        client, 40, size, group, **{**how, "rows": rows, "weights": weights, **settings}
    )


def total(block, constant, shared, arg):
    return float(block.rows().sum())


def seen(block, constant, shared, arg):
    return block.number, block.start, block.stop, constant, shared, arg


def calls(block, constant, shared, arg):
    block.kept["n"] = block.kept.get("n", 0) + 1
    return block.kept["n"]


def weighted(block, constant, shared, arg):
    return float(block.weights().sum())


def broken(block, constant, shared, arg):
    raise ZeroDivisionError(f"block {block.number}")


def unlabeled(block, constant, shared, arg):
    if arg != "whole":
        raise Missing("labels")
    return "whole"


@without_rows
def kept_or_read(block, constant, shared, arg):
    if "total" not in block.kept:
        block.kept["total"] = float(block.rows().sum())
    return block.kept["total"]


def never_there(block, constant, shared, arg):
    raise Missing("rows")


class Asked:
    """An argument that comes with less than may be needed."""

    def whole(self):
        return "whole"


@pytest.fixture(autouse=True)
def is_current(client):
    """As in a fit."""
    with client.as_current():
        yield


@pytest.fixture
def where(client):
    made = blocks_of(client)
    yield made
    made.close()


def test_results_come_in_the_order_of_the_arguments(where):
    args = [(7, "a"), (0, "b"), (3, "c")]
    found = list(where.map("stage", seen, "constant", "shared", args))
    assert found == [
        (7, 28, 32, "constant", "shared", "a"),
        (0, 0, 4, "constant", "shared", "b"),
        (3, 12, 16, "constant", "shared", "c"),
    ]
    assert list(where.map("stage", total, None, None, [])) == []


def test_rows_come_once_with_a_task(where, monkeypatch):
    sums = [float(X[a:b].sum()) for a, b in where.spans]
    assert list(where.map("stage", total, None, None, all_blocks(where))) == sums
    monkeypatch.setattr(where, "_rows", None)  # they need not come again
    assert list(where.map("stage", total, None, None, all_blocks(where))) == sums


def test_rows_that_workers_have_lost_come_again(where):
    list(where.map("stage", total, None, None, all_blocks(where)))
    kept_blocks._stores.clear()
    found = list(where.map("stage", total, None, None, all_blocks(where)))
    assert sum(found) == X.sum()


def test_weights_that_workers_have_lost_come_again(client):
    where = blocks_of(client, w=np.arange(40.0))
    for _ in range(2):
        found = list(where.map("stage", weighted, None, None, all_blocks(where)))
        assert sum(found) == 780.0
        kept_blocks._stores.clear()
    where.settle(np.dtype(float), 4.0)
    found = list(where.map("stage", weighted, None, None, all_blocks(where)))
    assert sum(found) == 195.0
    where.close()


def test_a_block_stays_with_its_worker(where):
    for n in (1, 2, 3):
        assert list(where.map("stage", calls, None, None, all_blocks(where))) == [n] * 10
    homes = [where._home(number) for number in range(10)]
    assert len(set(homes)) == 2
    group = homes[:2]
    assert homes == group * 5, "both share in each group"


def test_rows_come_only_with_work_that_asks_for_them(client, monkeypatch):
    where, sent = blocks_of(client, rows_kept=0), []
    plain = DaskBlocks._given

    def given(self, number, **how):
        rows, weights = plain(self, number, **how)
        sent.append(rows is not None)
        return rows, weights

    monkeypatch.setattr(DaskBlocks, "_given", given)
    expected = [float(X[a:b].sum()) for a, b in where.spans]
    for work, asked in ((total, [True] * 10), (kept_or_read, [False] * 10 + [True] * 10)):
        sent.clear()
        assert list(where.map("stage", work, None, None, all_blocks(where))) == expected
        assert sent == asked
    sent.clear()
    assert list(where.map("stage", kept_or_read, None, None, all_blocks(where))) == expected
    assert sent == [False] * 10  # what was made of them is still there
    where.close()


def test_a_new_worker_takes_the_place_of_one_that_has_gone(client, monkeypatch):
    """The others keep their blocks; until one comes nobody in particular has those of the lost."""
    workers = {"a": 1, "b": 2}
    monkeypatch.setattr(
        type(client),
        "scheduler_info",
        lambda *args, **more: {"workers": {a: {"nthreads": n} for a, n in workers.items()}},
    )
    where = blocks_of(client, size=4, group=12)

    def homes():
        where._look()
        return [where._home(number) for number in range(6)]

    assert homes() == ["a", "b", "b", "a", "b", "b"]
    del workers["a"]
    assert homes() == [None, "b", "b", None, "b", "b"]
    workers["0"] = 1
    assert homes() == ["0", "b", "b", "0", "b", "b"]
    workers["c"] = 1  # one more than before: all are shared out anew
    assert homes() == ["0", "b", "b", "c", "0", "b"]
    del workers["b"]  # and nobody comes, for long
    assert homes() == ["0", None, None, "c", "0", None]
    where._all_there -= dask_blocks._PATIENCE
    assert homes() == ["0", "0", "c", "0", "0", "c"]
    workers.clear()
    assert homes() == [None] * 6


def test_what_is_missing_is_sent_whole(where):
    found = list(where.map("stage", unlabeled, None, None, [(1, Asked()), (4, Asked())]))
    assert found == ["whole", "whole"]


def test_what_is_missing_for_ever_is_an_error(where, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_TRIES", 3)
    message = r"stage 'means': workers lost what they had of some blocks 3 times"
    with pytest.raises(ClusterError, match=message):
        list(where.map("means", never_there, None, None, all_blocks(where)))


def test_errors_of_work_are_raised_here(where):
    with pytest.raises(ZeroDivisionError, match="block 5"):
        list(where.map("stage", broken, None, None, [(5, None)]))


def slow(block, constant, shared, arg):
    time.sleep(1.5)
    return block.number


def test_a_task_may_take_as_long_as_it_takes(client, monkeypatch):
    """More than a thousand looks, of which none makes the next wait longer."""
    monkeypatch.setattr(dask_blocks, "_LOOK", 0.001)
    where = blocks_of(client)
    assert list(where.map("stage", slow, None, None, [(3, None)])) == [3]
    where.close()


def test_what_many_blocks_share_is_sent_once(client, where):
    large = np.ones(1 << 16)
    found = where.map("stage", seen, large, large, all_blocks(where))
    assert all((f[3] == 1).all() and f[4].shape == large.shape for f in found)
    assert where._sent(large) is where._sent(large)


def test_few_bytes_come_with_a_task(client, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_WITH_TASK", 2 * 4 * 16)  # two blocks of four rows
    where = blocks_of(client)
    sizes = [len(some) for _, some in where._tasks(all_blocks(where), whole=False, with_rows=True)]
    assert (max(sizes), sum(sizes)) == (2, 10)
    list(where.map("stage", total, None, None, all_blocks(where)))
    later = [len(some) for _, some in where._tasks(all_blocks(where), whole=False, with_rows=True)]
    assert max(later) == 3, "rows that are kept do not count"
    monkeypatch.setattr(dask_blocks, "_MOST_TASKS", 2)
    whole = [len(some) for _, some in where._tasks(all_blocks(where), whole=True, with_rows=True)]
    assert max(whole) == 5
    where.close()


def test_features_are_shared_out(client):
    where = blocks_of(client)
    where.reserve(1000)
    assert where._settings.features_kept == 500
    where.close()


def test_the_workers_drop_what_they_keep(where):
    list(where.map("stage", total, None, None, all_blocks(where)))
    assert len(kept_blocks._stores) == 1
    where.close()
    assert len(kept_blocks._stores) == 0


# --- errors of the cluster ------------------------------------------------------------------------


class Gone:
    """A client all of whose workers are gone."""

    status = "running"

    class scheduler:
        address = "tcp://somewhere:8786"

    def __init__(self, workers=()):
        self.there = dict.fromkeys(workers)

    def as_current(self):
        return nullcontext()

    def scheduler_info(self, n_workers):
        return {"workers": self.there}

    def sync(self, gathered, callback_timeout):
        return [1]


class Failed:
    """A future of a task that has failed."""

    status = "error"

    def __init__(self, error):
        self.error = error

    def exception(self):
        return self.error


@pytest.fixture
def after(monkeypatch):
    """The results of some tasks, where each look at them raises the next of some errors."""
    monkeypatch.setattr(dask_blocks, "_PATIENCE", 0.0)

    def found(*errors, futures=(), client=None, stage="sketch"):
        left = list(errors)

        def wait(futures, timeout):
            if left:
                raise left.pop(0)

        monkeypatch.setattr(dask_blocks, "wait", wait)
        return results_of(list(futures), client or Gone(), stage)

    return found


def test_a_cluster_without_workers_is_given_up(after):
    message = r"stage 'sweep': all workers of tcp://somewhere:8786 are gone, and none has come in"
    with pytest.raises(ClusterError, match=message):
        after(*[TimeoutError()] * 3, stage="sweep")


def test_workers_that_take_long_are_waited_for(after):
    assert after(*[TimeoutError()] * 5, client=Gone(workers=["tcp://a:1"])) == [1]


def test_a_client_that_was_closed_meanwhile(after):
    closed = Gone()
    closed.status = "closed"
    with pytest.raises(ClusterError, match="stage 'W': the client is closed"):
        after(TimeoutError(), client=closed, stage="W")


def test_a_task_that_ends_every_worker_names_the_last(after):
    class Worker:
        address = "tcp://b:2"

    failed = Failed(KilledWorker("kgroups-sketch", Worker(), 3))
    message = r"stage 'sketch': a task ended 4 workers one after the other, the last one at tcp://b"
    with pytest.raises(ClusterError, match=message):
        after(futures=[failed])


def test_errors_of_tasks_are_their_own(after):
    """Also one that looks like the end of somebody's patience."""
    for error in (ZeroDivisionError("block 3"), TimeoutError("no answer of a disk")):
        with pytest.raises(type(error), match=str(error)):
            after(futures=[Failed(error)])
    with pytest.raises(ClusterError, match="stage 'sketch': a task failed, and its error was lost"):
        after(futures=[Failed(None)])


def test_a_fit_that_was_canceled(after):
    with pytest.raises(ClusterError, match="stage 'sketch' was canceled, and the client is runn"):
        after(CancelledError())
