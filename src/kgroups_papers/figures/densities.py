"""Densities on a line: those that points come from, and those that clusters suggest."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from math import pi, sqrt
from typing import Any

import numpy as np

from kgroups.plots import INK, SMALL, cluster_colors, tidy
from kgroups_papers.types import Float64Array

#: Values of a density at given places.
Density = Callable[[Float64Array], Float64Array]

_LINES = ("-", "--", "-.", ":")
_ROOT = sqrt(2 * pi)
# The distance of the quartiles of normal points in standard deviations, as Silverman rounds it.
_QUARTILES = 1.34


def normal(mean: float, deviation: float, share: float = 1.0, *, log: bool = False) -> Density:
    """The density of a normal distribution, times ``share``; with ``log``, of its exponential."""

    def density(at: Float64Array) -> Float64Array:
        """Heights at places; 0 where an exponential cannot be."""
        with np.errstate(divide="ignore", invalid="ignore"):
            places = np.log(at) if log else at
            heights = np.exp(-0.5 * ((places - mean) / deviation) ** 2)
            heights = share * heights / (_ROOT * deviation)
            return np.where(at > 0, heights / at, 0.0) if log else heights

    return density


def smoothed(points: Float64Array, share: float = 1.0) -> Density:
    """A density estimated from points with a normal kernel.

    The bandwidth is Silverman's (1986, eq. 3.31), which tails do not widen:
    .9 · min(deviation, quartile range / 1.34) · n^(−1/5).
    """
    low, high = np.quantile(points, [0.25, 0.75])
    width: float = 0.9 * min(points.std(), (high - low) / _QUARTILES) * len(points) ** -0.2

    def density(at: Float64Array) -> Float64Array:
        """The mean of a normal density around each point."""
        distances = (at[:, None] - points) / width
        heights: Float64Array = np.exp(-0.5 * distances**2).mean(axis=1)
        return share * heights / (_ROOT * width)

    return density


def draw_densities(
    ax: Any,
    at: Float64Array,
    *,
    classes: Sequence[Density],
    estimates: Mapping[str, Sequence[Density]],
    title: str,
) -> None:
    """What classes are, as areas, and what every method makes of them, as lines."""
    for number, density in enumerate(classes):
        label = "classes" if number == 0 else None
        ax.fill_between(at, density(at), color="#bbbbbb", alpha=0.5, lw=0, label=label)
    colors = cluster_colors(max(1, len(estimates)))
    for (label, densities), color, line in zip(
        estimates.items(), colors, cycle(_LINES), strict=False
    ):
        for number, density in enumerate(densities):
            name = label if number == 0 else None
            ax.plot(at, density(at), color=color, ls=line, lw=1.6, label=name)
    top = max(float(density(at).max()) for density in classes)
    ax.set_ylim(0, 1.25 * top)
    ax.set_xlim(float(at[0]), float(at[-1]))
    tidy(ax, title=title, x="x", y="density × share")
    ax.legend(fontsize=SMALL, labelcolor=INK, framealpha=0.9)
