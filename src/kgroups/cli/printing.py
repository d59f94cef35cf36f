"""How a command ends: its report on standard output, as text or as JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from kgroups.cli.console import say, wants_color


class Report(Protocol):
    """A result that can be shown to a person or a program."""

    def to_text(self, *, color: bool) -> str:
        """The report for a terminal."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        ...


def print_report(
    report: Report, options: Namespace, written: Mapping[str, Path | None] | None = None
) -> None:
    """Print a report and, below its text, which files were written."""
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
        return
    files = [(what, path) for what, path in (written or {}).items() if path is not None]
    lines = [f"{what} written to {path}." for what, path in files]
    say("\n".join([report.to_text(color=wants_color()), *lines]))
