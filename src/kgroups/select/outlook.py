"""How long a choice of the number of clusters still takes, told while it is made."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kgroups.runtime.progress import Progress

# Rows of which all pairs take as long as what partitions cost whatever the number of rows.
_LEAST_ROWS = 350


class Phase(NamedTuple):
    """How many pieces are expected, and the cost of each, in a unit that all phases share."""

    n_pieces: int
    cost: float


def cost_of_partitions(n: int) -> float:
    """The cost of partitions of n rows, of which all pairs are read."""
    return float(n * n + _LEAST_ROWS * _LEAST_ROWS)


@dataclass(frozen=True)
class Outlook:
    """Adds the seconds left to events, from those passed and the costs of all phases in order.

    More pieces may follow when a phase ends; they are not foreseen.

    >>> outlook = Outlook({"gap": Phase(4, 2.0), "separation": Phase(2, 1.0)})
    >>> outlook(Progress(phase="gap", number=1, total=4, seconds=1.0)).seconds_left
    4.0
    >>> outlook(Progress(phase="separation", number=1, total=2, seconds=3.0)).seconds_left
    1.0
    """

    phases: dict[str, Phase]
    #: Seconds that had passed when the first phase began.
    before: float = 0.0
    #: How many pieces of each phase are done.
    made: dict[str, int] = field(default_factory=dict, init=False)

    def __call__(self, event: Progress) -> Progress:
        """The event with ``seconds_left``, if its phase is known."""
        if event.phase not in self.phases:
            return event
        self.made[event.phase] = event.number
        done, left, is_over = 0.0, 0.0, True
        for name, (n_pieces, cost) in self.phases.items():
            made = self.made.get(name, 0)
            done += made * cost
            if name == event.phase:
                is_over = False
                left += (max(n_pieces, event.total or 0) - made) * cost
            elif not is_over:
                left += (n_pieces - made) * cost
        return replace(event, seconds_left=(event.seconds - self.before) * left / done)
