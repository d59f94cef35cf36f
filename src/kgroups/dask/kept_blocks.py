"""What workers of a cluster do: work over blocks of rows, and what they keep between two tasks.

Tasks depend on nothing that a worker keeps. A block whose rows or labels are not at hand is
answered with :data:`MISSING`, and comes again with what is missing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.blocks.row_source import float_type
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.row_blocks import Budget, Missing, RowBlock, Work
from kgroups.runtime.threads import at_most
from kgroups.typing import Float64Array, FloatArray

#: The answer where a block is not at hand.
MISSING = "missing"
# Fits of which a worker keeps blocks; those of a client that has died are dropped at last.
_MOST_FITS = 3
_ROWS, _WEIGHTS = "rows", "weights"


class Settings(NamedTuple):
    """How rows are read, and what may be kept of them."""

    #: Which fit this is.
    token: str
    #: What rows become, and the type that they say they have.
    dtype: Any
    given_dtype: Any
    n_columns: int
    has_weights: bool
    weight_unit: float
    #: Bytes that one worker may keep of rows, and of what is made of them.
    rows_kept: int
    features_kept: int


class Item(NamedTuple):
    """One block of a task."""

    number: int
    start: int
    stop: int
    arg: Any


class Given(NamedTuple):
    """Rows and weights that come with a task."""

    rows: Any = None
    weights: Any = None


class Answers(NamedTuple):
    """What a task answers for its blocks, in order, and whether their rows are kept."""

    results: list[Any]
    kept: list[bool]


class _Store:
    """What a worker keeps of the blocks of one fit."""

    def __init__(self, settings: Settings) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.rows = Budget(settings.rows_kept)
        self.features = Budget(settings.features_kept)


_stores: OrderedDict[str, _Store] = OrderedDict()
#: Fits that have ended, the last ones.
_ended: deque[str] = deque(maxlen=100)
_lock = threading.Lock()


class Job:
    """What a task is to do; of a class that Dask does not look into for parts to compute."""

    def __init__(self, settings: Settings, work: Work, shared: Any, items: list[Item]) -> None:
        self.settings, self.work, self.shared, self.items = settings, work, shared, items


def run_blocks(
    job: Job,
    constant: Any,
    shared: Any,
    source: Any,
    given: Sequence[tuple[Any, Any]] | None,
) -> Answers:
    """Do work for some blocks, one after the other, on one thread.

    ``shared`` is given by itself where it is large, ``given`` holds rows and weights of each block.
    """
    settings = job.settings
    store = _store(settings)
    if store is None:
        return Answers([], [])  # which nobody waits for
    results, kept = [], []
    shared = job.shared if shared is None else shared
    with one_thread_a_product(), at_most(1):
        for place, item in enumerate(job.items):
            here = Given() if given is None else Given(*given[place])
            block = _block(store, settings, item, source, here)
            try:
                results.append(job.work(block, constant, shared, item.arg))
            except Missing:
                results.append(MISSING)
            kept.append(_ROWS in store.blocks[item.number])
    return Answers(results, kept)


def forget(token: str) -> None:
    """Drop what is kept of a fit that has ended; tasks of it that come late do nothing."""
    with _lock:
        _stores.pop(token, None)
        _ended.append(token)


def same(value: Any) -> Any:
    """The value itself, as a task, so that it can be made again wherever it was lost."""
    return value


def _store(settings: Settings) -> _Store | None:
    """What is kept for a fit; None where the fit has ended."""
    with _lock:
        if settings.token in _ended:
            return None
        store = _stores.get(settings.token)
        if store is None:
            store = _stores[settings.token] = _Store(settings)
            while len(_stores) > _MOST_FITS:
                _stores.popitem(last=False)
        _stores.move_to_end(settings.token)
        store.features.limit = max(store.features.limit, settings.features_kept)
        return store


def _block(store: _Store, settings: Settings, item: Item, source: Any, given: Given) -> RowBlock:
    kept = store.blocks.setdefault(item.number, {})

    def read() -> FloatArray:
        """Rows that are kept, came with the task, or lie in a file."""
        if _ROWS in kept:
            rows = kept[_ROWS]
        elif given.rows is not None:
            rows = checked(given.rows, item, settings)
            if store.rows.take(rows.nbytes):
                kept[_ROWS] = rows
        elif source is not None:
            rows = source.read(item.start, item.stop)
        else:
            raise Missing(_ROWS)
        return np.ascontiguousarray(rows, settings.dtype)

    def weights() -> Float64Array:
        """Weights, which are always kept."""
        if _WEIGHTS not in kept:
            if given.weights is None:
                raise Missing(_WEIGHTS)
            kept[_WEIGHTS] = np.asarray(given.weights, np.float64).reshape(-1)
        return np.asarray(kept[_WEIGHTS] / settings.weight_unit)

    return RowBlock(
        number=item.number,
        start=item.start,
        stop=item.stop,
        kept=kept,
        budget=store.features,
        read=read,
        read_weights=weights if settings.has_weights else None,
    )


def checked(rows: Any, item: Item, settings: Settings) -> FloatArray:
    """Rows as they came, if they are what X says; ValueError otherwise."""
    array = np.asarray(rows)
    expected = (item.stop - item.start, settings.n_columns)
    if array.shape != expected:
        raise ValueError(
            f"X says that rows {item.start} to {item.stop - 1} have shape {expected}, and they "
            f"have {array.shape}; all blocks of X must have the columns of the first."
        )
    if array.dtype != settings.given_dtype:
        raise ValueError(
            f"X says that it holds {settings.given_dtype}, and rows {item.start} to "
            f"{item.stop - 1} hold {array.dtype}; convert all blocks, as by X.astype(float)."
        )
    return np.asarray(array, float_type([array.dtype]))
