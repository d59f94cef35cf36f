"""What a fit found, short enough for a line of a file and long enough to show what changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from string import ascii_letters, digits
from typing import Any

import numpy as np

# One character per row, for so many rows and clusters; a digest and the sizes beyond.
_ROWS_KEPT = 400
_CHARACTERS = digits + ascii_letters


@dataclass(frozen=True)
class Outcome:
    """Numbers by name, a partition and a path if there are, or the error that came instead."""

    numbers: dict[str, float] = field(default_factory=dict)
    partition: str = ""
    error: str = ""
    #: Which way the fit went, see ``path.py``.
    path: str = ""

    @classmethod
    def of_labels(cls, labels: Any, path: str = "", **numbers: float) -> Outcome:
        """The partition that the labels describe, with its numbers."""
        return cls(as_floats(numbers), partition_text(np.asarray(labels)), path=path)

    @property
    def labels(self) -> list[str] | None:
        """One character per row, or None where the file does not keep them."""
        return None if not self.partition or ":" in self.partition else list(self.partition)


def as_floats(numbers: dict[str, float]) -> dict[str, float]:
    """Plain floats, which JSON keeps to the last bit."""
    return {name: float(number) for name, number in numbers.items()}


def partition_text(labels: np.ndarray) -> str:
    """The partition alone: clusters are numbered in the order of their first rows."""
    numbers = by_first_row(labels)
    sizes = np.bincount(numbers)
    if len(numbers) <= _ROWS_KEPT and len(sizes) <= len(_CHARACTERS):
        return "".join(_CHARACTERS[number] for number in numbers)
    digest = sha256(numbers.astype("<i4").tobytes()).hexdigest()[:16]
    return f"{digest}: {'+'.join(map(str, sizes))}"


def by_first_row(labels: np.ndarray) -> np.ndarray:
    """Labels renamed to 0, 1, 2 … in the order in which they first appear."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
