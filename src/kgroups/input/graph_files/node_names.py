"""Notes on names of nodes: those that look alike, and labels that cannot serve as names."""

import re
from collections.abc import Iterable
from typing import Any

from kgroups.text import quoted

# A whole number, perhaps with zeros in front or behind a decimal point, that a float can hold.
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}(\.0*)?")


def notes_on_lookalikes(names: Iterable[Any]) -> list[str]:
    """A note if two nodes have the same number for a name, written in different ways; O(n).

    >>> notes_on_lookalikes(["07", "7", "x"])[0][:38]
    "'07' and '7' are the same number, and "
    >>> notes_on_lookalikes(["7", "1.1", "1.10"])
    []
    """
    by_value: dict[float, Any] = {}
    for name in names:
        text = str(name)
        if _WHOLE.fullmatch(text) and (first := by_value.setdefault(float(text), name)) is not name:
            return [
                f"{_written(first)} and {_written(name)} are the same number, and different nodes, "
                "because they are written differently; write all ids alike if they are one node."
            ]
    return []


def note_on_labels(labels: Iterable[Any]) -> list[str]:
    """A note on labels that do not tell all nodes apart, unless there are none."""
    if all(label in (None, "") for label in labels):
        return []
    return ["labels are not used, because some nodes share one or have none."]


def _written(name: Any) -> str:
    return quoted(name) if isinstance(name, str) else repr(name)
