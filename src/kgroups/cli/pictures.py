"""Figures as bytes, where matplotlib is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from kgroups.cli.errors import OutputError

_DOTS_PER_INCH = 150


def has_matplotlib() -> bool:
    """Whether pictures can be drawn; matplotlib itself is not loaded."""
    return find_spec("matplotlib") is not None


def require_matplotlib(option: str) -> None:
    """Say how to install matplotlib when it is missing."""
    if not has_matplotlib():
        raise OutputError(f'{option} needs matplotlib; run: pip install "kgroups[plot]"')


def saved(figure: Any, suffix: str) -> bytes:
    """A figure in the format of a file extension; an SVG is the same whenever it is made."""
    from matplotlib import rc_context

    buffer, kind = io.BytesIO(), suffix.lower().lstrip(".")
    undated = {"metadata": {"Date": None}} if kind == "svg" else {}
    with rc_context({"svg.hashsalt": "kgroups"}):
        figure.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH, **undated)
    return buffer.getvalue()
