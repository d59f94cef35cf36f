"""Figures as bytes, if matplotlib is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kgroups.cli.console import OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150


def has_matplotlib() -> bool:
    """Whether pictures can be drawn; matplotlib is not imported."""
    return find_spec("matplotlib") is not None


def require_matplotlib(option: str) -> None:
    """OutputError, with how to install matplotlib, if it is missing."""
    if not has_matplotlib():
        raise OutputError(f'{option} needs matplotlib; run: pip install "kgroups[plot]"')


def saved(figure: Figure, suffix: str) -> bytes:
    """A figure in the format of a file extension; an SVG does not depend on the date."""
    from matplotlib import rc_context

    buffer, kind = io.BytesIO(), suffix.lower().lstrip(".")
    metadata = {"Date": None} if kind == "svg" else None
    with rc_context({"svg.hashsalt": "kgroups"}):
        figure.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()
