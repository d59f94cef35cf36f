"""A fault of one line, and the lists of them.

A list has blocks between blank lines. A block names a file below ``src/kgroups``, or in
``../native`` for loops in C++, which are then built again. It gives a line of the file after ``-``
and what stands in its place after ``+``, both without indentation; nothing after
``+`` deletes the line. Where the line occurs more than once, ``-1`` means the first and
``-2`` the second. A line that
begins with ``?`` says why no test finds the fault. Before the blocks, lines that begin with ``#``
name the tests that are run first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """One line of one file, and what is put in its place."""

    file: str
    old: str
    new: str
    occurrence: int | None = None
    excuse: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.old}  ->  {self.new or '(nothing)'}"

    def planted(self, text: str) -> str:
        """The text of the file with the fault; ValueError if the line is not there."""
        lines = text.splitlines()
        at = [i for i, line in enumerate(lines) if line.strip() == self.old]
        if len(at) < (self.occurrence or 1) or (self.occurrence is None and len(at) > 1):
            raise ValueError(f"{self.file} has {len(at)} lines: {self.old}")
        i = at[(self.occurrence or 1) - 1]
        indent = lines[i][: len(lines[i]) - len(lines[i].lstrip())]
        lines[i] = indent + (self.new or ("pass" if self.file.endswith(".py") else ""))
        return "\n".join([*lines, ""])


def faults_of(room: str) -> list[Fault]:
    """The faults of a package, in the order of its list."""
    lines = [line for line in _text(room).splitlines() if not line.startswith("#")]
    return [_parse(block) for block in re.split(r"\n\s*\n", "\n".join(lines).strip())]


def guards_of(room: str) -> list[str]:
    """The tests that should find the faults of a package, to be run before all others."""
    return [line[1:].strip() for line in _text(room).splitlines() if line.startswith("#")]


def _text(room: str) -> str:
    return (FOLDER / f"{room}.txt").read_text("utf-8")


def rooms() -> list[str]:
    """The packages that have a list."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def _parse(block: str) -> Fault:
    file, *lines = block.splitlines()
    removed, added, *rest = lines
    match = re.fullmatch(r"-(\d*) (.*)", removed)
    if not match or not added.startswith("+") or not all(line.startswith("?") for line in rest):
        raise ValueError(f"not a fault: {block}")
    excuse = " ".join(line[1:].strip() for line in rest)
    return Fault(
        file, match[2].strip(), added[1:].strip(), int(match[1]) if match[1] else None, excuse
    )
