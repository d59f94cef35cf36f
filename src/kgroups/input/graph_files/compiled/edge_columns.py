"""Ranks of integers among those that occur."""

from kgroups.runtime.jit import jit
from kgroups.typing import BoolArray, IntArray


@jit
def mark(numbers: IntArray, low: int, seen: BoolArray) -> None:
    """OUT: ``seen``, True at each number less ``low``."""
    for i in range(len(numbers)):
        seen[numbers[i] - low] = True


@jit
def look_up(numbers: IntArray, low: int, table: IntArray, found: IntArray) -> None:
    """OUT: ``found``, the entry of a table at each number less ``low``."""
    for i in range(len(numbers)):
        found[i] = table[numbers[i] - low]
