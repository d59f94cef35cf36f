"""How rows in blocks are fitted: which metrics can be, and whether the rows are gathered first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kgroups.fit.plan import STARTS_ON_ALL, Plan, Size, Wish, make_plan, size_of
from kgroups.input.spaces import PointSpace, Space
from kgroups.runtime.memory import human_bytes
from kgroups.semimetrics.angles import Cosine
from kgroups.typing import FloatArray

# Bytes that are kept of every row: its label and bounds, and its weight if it has one; of a sketch,
# its norm and what draws need as well.
_OF_MEANS, _OF_WEIGHTS, _OF_SKETCH = 16, 8, 34
# The share of all features that is worth keeping.
_WORTH_KEEPING = 0.25

_IN_MEMORY = "read all rows into memory, as by source.read(0, source.n_rows)"


def space_of_blocks(space: Space) -> PointSpace:
    """The space of rows that are read block by block; ValueError for a metric that needs more."""
    if not isinstance(space, PointSpace):
        raise ValueError(
            "a precomputed matrix has one row and one column per point, and its rows are not read "
            "in blocks; give it as an array."
        )
    semimetric = space.semimetric
    if needs_all_rows(space):
        raise ValueError(
            f"metric={semimetric!r} looks at all rows before the first distance, and rows in "
            f"blocks are numbers that are looked at one block at a time; {_IN_MEMORY}, or choose "
            "another metric."
        )
    return space


def needs_all_rows(space: Space) -> bool:
    """Whether a metric looks at all rows, or at their types, before the first distance."""
    known = space.semimetric
    return known is not None and (known.takes_objects or known.reads_types or known.takes_missing)


def resolved(space: PointSpace, some: FloatArray, names: list[str] | None) -> PointSpace:
    """The space with all parameters as numbers, from evenly spaced rows; ValueError as above."""
    semimetric = space.semimetric.resolve(some, names)
    if semimetric.terms(some[:1]) is None or not semimetric.is_negative_type:
        raise ValueError(
            f"metric={semimetric!r} has no sketch, because it is not compiled or not of negative "
            f"type, and other methods hold all rows; {_IN_MEMORY}."
        )
    return PointSpace(semimetric)


def size_of_blocks(space: PointSpace, few: FloatArray, n: int, k: int, n_threads: int) -> Size:
    """What is known before any work, from a few of the rows."""
    return replace(size_of(space, few, k, n_threads), n=n)


def is_without_proof(wish: Wish, size: Size, semimetric: Any) -> bool:
    """Whether a fit needs no pairs: a sketch alone was asked for, or means say it all."""
    is_mean = size.squared_rank is not None and not isinstance(semimetric, Cosine)
    return wish.method == "nystroem" or (is_mean and wish.method in ("auto", "certified"))


def is_gathered(wish: Wish, size: Size, semimetric: Any, limit: int | None) -> bool:
    """Whether rows are read into memory and fitted there; MemoryError where they must and cannot.

    They are where they are few, and where a proof or all pairs, which need them, fit the memory
    with them.
    """
    if size.n <= STARTS_ON_ALL:
        return True
    if is_without_proof(wish, size, semimetric):
        return False
    table = size.n * size.n_columns * size.itemsize
    room = None if limit is None else limit - table
    try:
        if room is not None and room <= 0:
            raise MemoryError(
                f"The rows alone take {human_bytes(table)}, and the limit is "
                f"{human_bytes(limit or 0)}."
            )
        plan = make_plan(wish, size, room)
    except MemoryError:
        if wish.method not in ("auto", "certified"):
            raise
        return False
    return plan.method != "nystroem"


def bytes_kept(wish: Wish, size: Size, *, has_weights: bool = False) -> int:
    """What a fit by blocks keeps of all rows, besides rows and features for which there is room."""
    is_mean = size.squared_rank is not None and wish.method != "nystroem"
    return size.n * (_OF_MEANS + _OF_WEIGHTS * has_weights if is_mean else _OF_SKETCH)


def plan_of_blocks(
    wish: Wish,
    size: Size,
    semimetric: Any,
    room: float,
    *,
    is_ordinary: bool = True,
    on_workers: bool = False,
) -> Plan:
    """The plan of a fit that holds no rows: means where these say it all, else a sketch.

    A proof follows the sketch unless the sketch alone was asked for. ``room`` is for features, of
    which this process holds little even where there is more; ``on_workers`` says that others do.
    """
    if size.squared_rank is not None and wish.method != "nystroem":
        plan = make_plan(replace(wish, method="matrix_free"), size, None)
        if wish.method != "matrix_free":
            plan = replace(plan, reason=f"{_by_block(size)}: means of clusters say it all")
    elif wish.method == "nystroem" or not (is_ordinary and size.is_certifiable):
        plan = make_plan(replace(wish, method="nystroem"), size, None)
        if wish.method != "nystroem":
            plan = replace(plan, reason=f"{_by_block(size)}, and bounds do not hold for them")
    else:
        # Sums over sorted columns need all rows, and a proof serves instead.
        plan = make_plan(
            replace(wish, method="certified"), replace(size, is_column_sum=False), None
        )
        pairs = size.proof_pairs() if wish.method == "auto" else np.inf
        plan = replace(plan, reason=f"{_by_block(size)}, without all pairs", proof_pairs=pairs)
    most = max(0.0, room if on_workers else min(plan.feature_bytes, room))
    every = 4 * size.n * plan.n_components
    return replace(plan, feature_bytes=int(most) if most >= _WORTH_KEEPING * every else 0)


def _by_block(size: Size) -> str:
    rows = human_bytes(size.n * size.n_columns * size.itemsize)
    return f"rows of {rows} are read block by block"
