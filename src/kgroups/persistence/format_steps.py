"""Formats of files of models by their numbers, and how what an older one holds is brought up.

A change of what a file holds that this version could not read without knowing of it makes a new
number: a field with another name, or another meaning. The step from the old number is a function
of the content; all steps after the number of a file are taken, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: The number of the files that this version writes.
FORMAT = 1

#: From each older number to the next one. There is none yet.
STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def brought_up(content: dict[str, Any], number: int, to: int = FORMAT) -> dict[str, Any]:
    """The content of ``model.json`` of an older format as a later one has it."""
    for step in range(number, to):
        content = STEPS[step](content)
    return content
