"""Keeps a few extreme values from taking the whole scale of colors, or the whole frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgroups.plots.style import INK, SMALL
from kgroups.typing import BoolArray, Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Something is extreme that makes a scale this many times as long as it is without.
_TIMES = 3.0
# Scales end at the largest of these quantiles that leaves the extreme values out.
_QUANTILES = (0.99, 0.98, 0.95, 0.9)
# Points are few if they are this share of all, or so many in no more than a tenth of all.
_FEW, _ANY = 0.02, 3
# The bulk reaches from the quantiles 0.1 and 0.9 by so many times their distance.
_REACH = 2.0
_MARGIN = 0.06


class ColorScale(NamedTuple):
    """Where a scale of colors begins and ends, what its label adds, and which ends are open."""

    low: float
    high: float
    words: str
    extend: str


def color_scale(values: Float64Array, *, both_ends: bool = False) -> ColorScale:
    """From the smallest to the largest value, or to a quantile if few values lie far beyond.

    Only the upper end may be a quantile, or both: distances begin at 0.
    """
    low, high = float(values.min()), float(values.max())
    middle = float(np.median(values)) if both_ends else low
    top, share = _end(values - middle)
    bottom, share_below = _end(middle - values) if both_ends else (0.0, None)
    said = []
    if share is not None:
        said.append(f"clipped at {share:.0%}, largest {_brief(high)}")
    if share_below is not None:
        said.append(f"clipped at {1 - share_below:.0%}, smallest {_brief(low)}")
    kinds = {(False, False): "neither", (False, True): "max", (True, False): "min"}
    extend = kinds.get((share_below is not None, share is not None), "both")
    return ColorScale(middle - bottom, middle + top, "\n".join(said), extend)


def _end(beyond: Float64Array) -> tuple[float, float | None]:
    """Where a scale that begins at 0 ends, and which quantile that is if it is not the largest."""
    largest = float(beyond.max())
    for share in _QUANTILES:
        end = float(np.quantile(beyond, share, method="lower"))
        if 0 < end < largest / _TIMES:
            return end, share
    return largest, None


def _brief(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def frame_bulk(ax: Axes, coordinates: Float64Array) -> BoolArray:
    """Limit the axes to the bulk if few points lie far outside; returns which do, (m,)."""
    outside = far_outside(coordinates)
    if outside.any():
        inside = coordinates[~outside]
        low, high = inside.min(axis=0), inside.max(axis=0)
        # An axis along which all points inside agree shows them in its middle.
        margin = np.where(high > low, _MARGIN * (high - low), 1.0)
        ax.set_xlim(low[0] - margin[0], high[0] + margin[0])
        ax.set_ylim(low[1] - margin[1], high[1] + margin[1])
    return outside


def far_outside(coordinates: Float64Array) -> BoolArray:
    """Which points are far from the bulk, (m,): none unless they are few and take the frame."""
    low, high = np.quantile(coordinates, [0.1, 0.9], axis=0)
    reach = _REACH * (high - low)
    beyond = (coordinates < low - reach) | (coordinates > high + reach)
    outside: BoolArray = beyond[:, high > low].any(axis=1)
    count, n = int(outside.sum()), len(outside)
    if count > max(_FEW * n, min(_ANY, n / 10)):
        return np.zeros(n, bool)
    longer = np.ptp(coordinates, axis=0) > _TIMES * np.ptp(coordinates[~outside], axis=0)
    return outside if longer.any() else np.zeros(n, bool)


def mark_outside(ax: Axes, coordinates: Float64Array, colors: Float64Array) -> None:
    """Draw points outside the axes as diamonds at the edge, and say how many they are.

    A diamond stands where the line from the middle of the picture to its point leaves the frame.
    """
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    middle = (low + high) / 2
    ray = coordinates - middle
    x, y = (middle + ray / np.abs(ray / (high - middle)).max(axis=1, keepdims=True)).T
    ax.scatter(x, y, marker="D", s=22, facecolors="white", edgecolors=colors, clip_on=False)
    count = len(coordinates)
    words = f"{count:,} {'point' if count == 1 else 'points'} outside, marked at the edge"
    style: dict[str, Any] = {"fontsize": SMALL, "color": INK, "ha": "right", "va": "bottom"}
    ax.text(1.0, 1.03, words, transform=ax.transAxes, **style)
