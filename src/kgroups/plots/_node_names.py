"""Names beside nodes, as many as can be read."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups._typing import Float64Array, IntArray
from kgroups.plots._style import INK

# So many names are tried, and so many written at most.
_TRIED, _WRITTEN = 200, 30
# Height of a line and width of a letter, as shares of the picture.
_LINE, _LETTER = 0.045, 0.016
_LONGEST = 24


def write_names(ax: Any, positions: Float64Array, names: list[str], degrees: IntArray) -> None:
    """Nodes of most edges come first; a name that would cross another one is left out."""
    from matplotlib.patheffects import withStroke

    places = positions / max(float(np.ptp(positions, axis=0).max()), 1e-9)
    halo = [withStroke(linewidth=1.8, foreground="white")]
    for node in _readable(places, [_short(name) for name in names], degrees):
        ax.annotate(
            _short(names[node]), positions[node], xytext=(0, 5), textcoords="offset points",
            ha="center", va="bottom", fontsize=7, color=INK, path_effects=halo, zorder=3,
        )  # fmt: skip


def _readable(places: Float64Array, names: list[str], degrees: IntArray) -> list[int]:
    written: list[int] = []
    for node in np.argsort(-degrees, kind="stable")[:_TRIED].tolist():
        if len(written) == _WRITTEN:
            break
        if not any(_cross(places, names, node, other) for other in written):
            written.append(node)
    return written


def _cross(places: Float64Array, names: list[str], a: int, b: int) -> bool:
    across, up = np.abs(places[a] - places[b])
    return bool(across < _LETTER * (len(names[a]) + len(names[b])) / 2 and up < _LINE)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
