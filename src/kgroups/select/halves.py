"""Random halves of the rows, each clustered on its own: what one half says of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgroups.runtime.seeds import seed_of
from kgroups.select.subject import Subject
from kgroups.typing import IntArray

#: Times that the rows are halved.
N_SPLITS = 5
# Starts of a fit on a half.
_N_INIT = 6


@dataclass(frozen=True, eq=False)
class Split:
    """One half to learn from, the other to be judged on, and k clusters."""

    subject: Subject
    train: IntArray
    test: IntArray
    k: int
    seed: int
    #: Whether both halves have k rows that differ, and two a cluster on average.
    is_possible: bool

    @property
    def labels(self) -> IntArray:
        """K-groups of the training half."""
        return self._learned[0]

    @property
    def predicted(self) -> IntArray:
        """What the training half says of the test half."""
        return self._learned[1]

    @cached_property
    def _learned(self) -> tuple[IntArray, IntArray]:
        """Both at once, so that no fitted model and its half of the rows is kept."""
        model = self.subject.fit(self.k, self.seed, _N_INIT, self.train)
        predicted = model.predict(self.subject.part(self.test, self.train))
        return np.array(model.labels_), np.array(predicted)

    @cached_property
    def found(self) -> IntArray:
        """What the test half says of itself."""
        return np.array(self.subject.fit(self.k, self.seed, _N_INIT, self.test).labels_)


def splits(subject: Subject, k: Sequence[int] | IntArray, n_splits: int) -> list[Split]:
    """All splits, the same halves for every k; those first that have the first halves."""
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
