"""Random halves of the rows, each clustered on its own: what one half says of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgroups._typing import IntArray
from kgroups.estimators import KernelKGroups
from kgroups.select._subject import Subject

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

    @cached_property
    def is_possible(self) -> bool:
        """Whether both halves have k rows that differ, and two a cluster on average."""
        few = min(len(self.train), len(self.test)) < 2 * self.k
        return not few and all(self.subject.can_hold(self.k, r) for r in (self.train, self.test))

    @cached_property
    def model(self) -> KernelKGroups:
        """K-groups of the training half."""
        return self.subject.fit(self.k, self.seed, _N_INIT, self.train)

    @cached_property
    def predicted(self) -> IntArray:
        """What the training half says of the test half."""
        return self.model.predict(self.subject.part(self.test, self.train))

    @cached_property
    def found(self) -> IntArray:
        """What the test half says of itself."""
        return np.array(self.subject.fit(self.k, self.seed, _N_INIT, self.test).labels_)


def splits(subject: Subject, k: Sequence[int] | IntArray, n_splits: int) -> list[Split]:
    """All splits, the same halves for every k; those first that have the first halves."""
    rng = np.random.default_rng([subject.seed, 1])
    made = []
    for _ in range(n_splits):
        order, seed = rng.permutation(subject.n), int(rng.integers(2**31 - 1))
        half = subject.n // 2
        train, test = np.sort(order[:half]), np.sort(order[half:])
        made += [Split(subject, train, test, int(number), seed) for number in k]
    return made
