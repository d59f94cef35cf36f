"""The labels as a page carries them, so that it can write them to a file: short text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kgroups.typing import IntArray

#: Characters of labels and names of rows that fit a page of two megabytes next to its pictures.
ROOM = 900_000
_DIGITS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)


@dataclass(frozen=True, kw_only=True)
class LabelData:
    """Labels of n rows, as numbers of a fixed width in base 36, and names of the rows."""

    n_rows: int
    width: int
    #: ``n_rows * width`` digits; empty where they do not fit the page.
    digits: str
    #: Names of the rows; None where there are none, or where they do not fit.
    ids: Sequence[str] | None
    #: What rows and groups are called in the header.
    row_name: str = "row"
    group_name: str = "cluster"
    #: Whether names of rows were left out.
    lacks_ids: bool = False

    @classmethod
    def of(
        cls,
        labels: IntArray,
        ids: Sequence[object] | None = None,
        *,
        row_name: str = "row",
        group_name: str = "cluster",
    ) -> Self:
        """Labels 0..k−1 and names as they fit into ``ROOM`` characters. O(n).

        >>> data = LabelData.of(np.array([0, 2, 35, 36]))
        >>> data.width, data.digits
        (2, '00020z10')
        """
        width = len(np.base_repr(int(labels.max(initial=0)), 36))
        digits = _in_base_36(labels, width) if len(labels) * width <= ROOM else ""
        names = None if ids is None or not digits else [str(name) for name in ids]
        lacks = names is not None and len(digits) + len(_within_script(names)) > ROOM
        return cls(
            n_rows=len(labels),
            width=width,
            digits=digits,
            ids=None if lacks else names,
            row_name=row_name,
            group_name=group_name,
            lacks_ids=lacks,
        )

    @property
    def head(self) -> list[str]:
        """Names of the columns: numbers of rows, their names, and their groups.

        Names that identify their rows, such as those of nodes, need no numbers.
        """
        if self.ids is None:
            return ["row", self.group_name]
        is_numbered = self.row_name == "row"
        return [*(["row", "name"] if is_numbered else [self.row_name]), self.group_name]

    def to_json(self) -> str:
        r"""What stands in the page: JSON in which no ``<`` and no ``&`` begins any markup.

        >>> "</script>" in LabelData.of(np.array([0]), ["</script>"]).to_json()
        False
        """
        data: dict[str, Any] = {
            "n": self.n_rows,
            "width": self.width,
            "digits": self.digits,
            "ids": self.ids,
            "head": self.head,
        }
        return _within_script(data)


def _within_script(value: Any) -> str:
    """JSON without the characters that could end the script in which it stands."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _in_base_36(labels: IntArray, width: int) -> str:
    """All labels, one after the other, each of the same width."""
    powers = 36 ** np.arange(width - 1, -1, -1)
    places = labels[:, None] // powers % 36
    return str(_DIGITS[places].tobytes(), "ascii")
