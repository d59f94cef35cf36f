"""What differs between frozen answers and those of today, and whether it is for the worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.frozen.outcome import Outcome
from kgroups.metrics import clustering_accuracy

#: Numbers that differ by less, relative to the larger, are the same.
TOLERANCE = 1e-10
#: Numbers that a search makes small, and large. Others have no better and worse: they are computed,
#: or decided by something else.
_SMALL, _LARGE = ("W", "ratio_cut", "normalized_cut"), ("ratio_association", "modularity")


@dataclass(frozen=True)
class Change:
    """One fit whose answer differs; None stands for a fit that is new, or gone."""

    name: str
    old: Outcome | None
    new: Outcome | None

    @property
    def is_worse(self) -> bool:
        """Whether the fit fails now, or the number that it is to make small has risen."""
        if self.new is None or self.old is None:
            return self.new is not None and bool(self.new.error)
        if self.new.error:
            return True
        old, new = self.old.numbers, self.new.numbers
        return any(
            (name in _SMALL and new[name] > old[name]) or (name in _LARGE and new[name] < old[name])
            for name in changed_numbers(old, new)
            if name in old and name in new
        )

    def __str__(self) -> str:
        if self.new is None:
            return f"{self.name}: gone"
        if self.new.error:
            return f"{self.name}: {self.new.error}"
        if self.old is None:
            return f"{self.name}: new"
        old, new = self.old.numbers, self.new.numbers
        numbers = [_arrow(name, old.get(name), new.get(name)) for name in changed_numbers(old, new)]
        words = [*_partitions(self.old, self.new), *_paths(self.old, self.new)]
        return f"{self.name}: {', '.join([*numbers, *words])}"


def changes(old: Mapping[str, Outcome], new: Mapping[str, Outcome]) -> list[Change]:
    """The fits whose answers differ, sorted by name."""
    names = sorted(old.keys() | new.keys())
    return [Change(n, old.get(n), new.get(n)) for n in names if not _agree(old.get(n), new.get(n))]


def changed_numbers(old: Mapping[str, float], new: Mapping[str, float]) -> list[str]:
    """Names of the numbers that differ, or that only one side has."""
    return [
        name
        for name in dict.fromkeys([*old, *new])
        if name not in old or name not in new or not _close(old[name], new[name])
    ]


def _agree(old: Outcome | None, new: Outcome | None) -> bool:
    if old is None or new is None or new.error:
        return False
    words = (old.partition, old.path) == (new.partition, new.path)
    return words and not changed_numbers(old.numbers, new.numbers)


def _close(old: float, new: float) -> bool:
    return abs(new - old) <= TOLERANCE * max(abs(old), abs(new))


def _arrow(name: str, old: float | None, new: float | None) -> str:
    relative = f" ({(new - old) / abs(old):+.2g})" if old and new is not None else ""
    return f"{name} {old!r} -> {new!r}{relative}"


def _partitions(old: Outcome, new: Outcome) -> list[str]:
    """How the partitions differ, if they do: the share of rows where rows are kept."""
    if old.partition == new.partition:
        return []
    if old.labels and new.labels and len(old.labels) == len(new.labels):
        moved = 1 - clustering_accuracy(old.labels, new.labels)
        return [f"{moved:.1%} of the rows in another cluster"]
    return [f"partition {old.partition or 'none'} -> {new.partition or 'none'}"]


def _paths(old: Outcome, new: Outcome) -> list[str]:
    """Another way of the fit, if it took one."""
    return [] if old.path == new.path else [f"{old.path or 'no path'} -> {new.path or 'no path'}"]
