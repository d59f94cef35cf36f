"""Random halves of the rows, each clustered separately, and predictions between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgroups.runtime.seeds import seed_of
from kgroups.select.subject import Subject
from kgroups.typing import IntArray

#: Number of times that the rows are split into halves.
N_SPLITS = 5
# Starts of each fit.
_N_INIT = 6


@dataclass(frozen=True, eq=False)
class Split:
    """A training half, a test half, and k clusters."""

    subject: Subject
    train: IntArray
    test: IntArray
    k: int
    seed: int
    #: Whether both halves have at least k distinct rows, and 2k rows.
    is_possible: bool

    @cached_property
    def predicted(self) -> IntArray:
        """Labels of the test half that a fit to the training half predicts."""
        model = self.subject.fit(self.k, self.seed, _N_INIT, self.train)
        return np.array(model.predict(self.subject.part(self.test, self.train)))

    @cached_property
    def found(self) -> IntArray:
        """Labels of the test half by a fit of its own."""
        return np.array(self.subject.fit(self.k, self.seed, _N_INIT, self.test).labels_)


def splits(subject: Subject, k: Sequence[int] | IntArray, n_splits: int) -> list[Split]:
    """All splits, with the same halves for every k; splits with the same halves are adjacent."""
    rng = np.random.default_rng([subject.seed, 1])
    made = []
    half = subject.n // 2
    for _ in range(n_splits):
        order, seed = rng.permutation(subject.n), seed_of(rng)
        rows = np.sort(order[:half]), np.sort(order[half:])
        limit = min(half // 2, int(max(k)))
        most = min(subject.count_distinct(limit, part) for part in rows) if limit else 0
        made += [Split(subject, *rows, int(number), seed, int(number) <= most) for number in k]
    return made
