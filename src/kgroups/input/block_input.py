"""What a fit learns from one pass over blocks of rows: whether they are numbers, and how large."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.input.columns import column_label
from kgroups.input.parameters import no_weight, wrong_weight
from kgroups.input.tables import check_distinct, not_finite
from kgroups.runtime.row_blocks import Blocks, RowBlock, all_blocks, in_block
from kgroups.runtime.threads import blocks
from kgroups.semimetrics.finite import is_finite
from kgroups.semimetrics.units import few_rows, has_tiny, unit_of_extent
from kgroups.typing import Float64Array, FloatArray

# Coordinates below this have distances whose sums are far from the largest float.
_SQUARES_ARE_FAR = 1e100
#: The share of the largest weight below which squares of weights may underflow.
LIGHTEST = 1e-120


class Scan(NamedTuple):
    """What is known of all rows."""

    #: Rows with weight in each block.
    alive: list[int]
    #: The largest weight, as given.
    heaviest: float
    #: What the rows become: float64 where squares of float32 would over- or underflow.
    dtype: np.dtype[Any]
    #: Sixteen hexadecimal digits of all rows and weights, where they were asked for.
    digest: str
    #: Whether squares of differences are normal numbers, and those of weights next to the largest.
    is_ordinary: bool


class _Bad(NamedTuple):
    """Entries of a block that are not numbers: the first one, and how many there are."""

    row: int
    column: int
    value: float
    n_bad: int


class _Seen(NamedTuple):
    """What a block says of its rows."""

    bad: _Bad | None
    low: FloatArray
    high: FloatArray
    has_tiny: bool
    alive: int
    heaviest: float
    #: The least weight above 0, infinity if there is none.
    lightest: float
    #: The message on the first weight that is none.
    bad_weight: str
    #: Of the chunks of the block.
    digests: list[bytes]


def scanned(
    where: Blocks,
    names: list[str] | None,
    place: Callable[[int], str],
    k: int,
    *,
    digests: bool = False,
) -> Scan:
    """One pass over all rows; ValueError for the first entry or weight that is not a number.

    ``place`` says where a row is. O(nD).
    """
    seen: list[_Seen] = list(where.map("scan", _scan, None, digests, all_blocks(where)))
    _check_entries([s.bad for s in seen if s.bad is not None], names, place)
    heaviest = max(s.heaviest for s in seen)
    wrong = next((s.bad_weight for s in seen if s.bad_weight), no_weight(heaviest))
    if wrong:
        raise ValueError(wrong)
    low = np.min([s.low for s in seen], axis=0)
    high = np.max([s.high for s in seen], axis=0)
    largest = max(-float(low.min()), float(high.max()))
    if largest >= _SQUARES_ARE_FAR:
        raise ValueError(
            f"X holds numbers up to {largest:.3g}, and sums of distances of rows in blocks may "
            "overflow; divide the columns by their largest entry."
        )
    _check_distinct(where, k)
    places = list(in_block(where, few_rows(where.n_rows)))
    few = np.concatenate(list(where.map("scan", _some, None, None, places)))
    in_unit = unit_of_extent(low, high, few) == 1.0
    single = low.dtype == np.float32 and in_unit and not any(s.has_tiny for s in seen)
    return Scan(
        alive=[s.alive for s in seen],
        heaviest=heaviest,
        digest=hashlib.blake2b(
            b"".join(digest for s in seen for digest in s.digests), digest_size=8
        ).hexdigest(),
        dtype=np.dtype(np.float32 if single else np.float64),
        is_ordinary=in_unit and min(s.lightest for s in seen) >= LIGHTEST * heaviest,
    )


def check_entries(rows: FloatArray, names: list[str] | None, place: Callable[[int], str]) -> None:
    """ValueError for the first entry of rows in memory that is not a number. O(nD)."""
    bad = _first_bad(rows, 0)
    _check_entries([] if bad is None else [bad], names, place)


def _check_entries(found: list[_Bad], names: list[str] | None, place: Callable[[int], str]) -> None:
    if not found:
        return
    first, where = found[0], place(found[0].row)
    count, label = sum(bad.n_bad for bad in found), column_label(first.column, names)
    message = not_finite(first.value, first.row, label, count, "X")
    raise ValueError(message if where == f"row {first.row}" else f"{where}: {message}")


def _check_distinct(where: Blocks, k: int) -> None:
    """At least k rows with weight that differ: those of the first blocks, mostly."""
    found: set[bytes] = set()
    for number in range(len(where.spans)):
        (some,) = where.map("scan", _distinct, None, k, [(number, None)])
        found |= some
        if len(found) >= k:
            return
    check_distinct(len(found), k)


def _scan(block: RowBlock, constant: None, digests: bool, arg: None) -> _Seen:
    rows, weights = block.rows(), block.weights()
    return _Seen(
        bad=_first_bad(rows, block.start),
        low=rows.min(axis=0),
        high=rows.max(axis=0),
        has_tiny=rows.dtype == np.float32 and has_tiny(rows),
        alive=int((weights > 0).sum()),
        heaviest=float(weights.max(initial=0.0)),
        lightest=float(weights.min(initial=np.inf, where=weights > 0)),
        bad_weight=wrong_weight(weights, start=block.start),
        digests=_digests_of(rows, weights) if digests else [],
    )


def _digests_of(rows: FloatArray, weights: Float64Array) -> list[bytes]:
    """Of each chunk, so that they do not depend on how rows are cut into blocks."""
    pieces = (rows[a:b].tobytes() + weights[a:b].tobytes() for a, b in blocks(0, len(rows), CHUNK))
    return [hashlib.blake2b(piece, digest_size=16).digest() for piece in pieces]


def _first_bad(rows: FloatArray, start: int) -> _Bad | None:
    if is_finite(rows):
        return None
    bad = np.argwhere(~np.isfinite(rows))
    row, column = bad[0].tolist()
    return _Bad(start + row, column, float(rows[row, column]), len(bad))


def _distinct(block: RowBlock, constant: None, k: int, arg: None) -> set[bytes]:
    """Up to k different rows with weight."""
    rows, found = block.rows(), set()
    for row in np.flatnonzero(block.weights() > 0):
        found.add((rows[row] + 0.0).tobytes())  # + 0.0, because -0.0 is 0.0
        if len(found) == k:
            break
    return found


def _some(block: RowBlock, constant: None, shared: None, index: Any) -> FloatArray:
    return np.asarray(block.rows()[index])
