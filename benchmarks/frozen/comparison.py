"""What differs between frozen answers and those of today, and whether it is for the worse."""

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
    """One fit whose answer differs; the old one of a new fit is empty."""

    name: str
    old: Outcome
    new: Outcome

    @property
    def is_worse(self) -> bool:
        """Whether the fit fails now, or the number that it is to make small has risen."""
        old, new = self.old.numbers, self.new.numbers
        changed = [name for name in changed_numbers(old, new) if name in old and name in new]
        return bool(self.new.error) or any(
            (name in _SMALL and new[name] > old[name]) or (name in _LARGE and new[name] < old[name])
            for name in changed
        )

    def __str__(self) -> str:
        if self.new.error:
            return f"{self.name}: {self.new.error}"
        if self.old == Outcome():
            return f"{self.name}: new"
        old, new = self.old.numbers, self.new.numbers
        words = [_arrow(name, old.get(name), new.get(name)) for name in changed_numbers(old, new)]
        if self.old.partition != self.new.partition:
            words.append(_moved(self.old, self.new))
        if self.old.path != self.new.path:
            words.append(f"{self.old.path or 'no path'} -> {self.new.path or 'no path'}")
        return f"{self.name}: {', '.join(words)}"


def changes(old: Mapping[str, Outcome], new: Mapping[str, Outcome]) -> list[Change]:
    """The fits whose answers differ, sorted by name."""
    return [Change(n, old[n], new[n]) for n in sorted(new) if not _agree(old[n], new[n])]


def changed_numbers(old: Mapping[str, float], new: Mapping[str, float]) -> list[str]:
    """Names of the numbers that differ, or that only one side has."""
    return [
        name
        for name in dict.fromkeys([*old, *new])
        if name not in old or name not in new or not _close(old[name], new[name])
    ]


def _agree(old: Outcome, new: Outcome) -> bool:
    words = (old.partition, old.path) == (new.partition, new.path)
    return words and not new.error and not changed_numbers(old.numbers, new.numbers)


def _close(old: float, new: float) -> bool:
    return abs(new - old) <= TOLERANCE * max(abs(old), abs(new))


def _arrow(name: str, old: float | None, new: float | None) -> str:
    relative = f" ({(new - old) / abs(old):+.2g})" if old and new is not None else ""
    return f"{name} {old!r} -> {new!r}{relative}"


def _moved(old: Outcome, new: Outcome) -> str:
    """How two partitions differ: the share of rows where rows are kept."""
    if old.labels and new.labels and len(old.labels) == len(new.labels):
        moved = 1 - clustering_accuracy(old.labels, new.labels)
        return f"{moved:.1%} of the rows in another cluster"
    return f"partition {old.partition or 'none'} -> {new.partition or 'none'}"
