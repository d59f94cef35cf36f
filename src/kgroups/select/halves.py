"""Random halves of the rows, each clustered separately, and predictions between them."""

from dataclasses import dataclass

import numpy as np

from kgroups.runtime.seeds import seed_of
from kgroups.select.subject import Subject
from kgroups.select.successive import Successive
from kgroups.typing import IntArray

#: Number of times that the rows are split into halves.
N_SPLITS = 5


@dataclass(frozen=True, eq=False)
class Split:
    """A training half, a test half, and the seed of their partitions."""

    subject: Subject
    train: IntArray
    test: IntArray
    seed: int

    def most(self, limit: int) -> int:
        """The most clusters, up to a limit: two rows per cluster, and as many distinct ones."""
        limit = min(len(self.train) // 2, limit)
        both = (self.train, self.test)
        return min(self.subject.count_distinct(limit, part) for part in both) if limit else 0

    def partitions(self, half: IntArray, most: int) -> Successive:
        """Partitions of one of the halves, into as many clusters as ``most`` or fewer."""
        made = self.subject.partitions_of(half, self.seed)
        if most:
            made.partition(most)
        return made

    def predicted(self, train: Successive, most: int) -> list[IntArray]:
        """Labels of the test half that partitions of the training half into 1, 2, ... predict."""
        found = [train.partition(k) for k in range(1, most + 1)]
        return self.subject.predicted(found, self.train, self.test)


def splits(subject: Subject, n_splits: int) -> list[Split]:
    """Random splits; every number of clusters has the same halves."""
    rng = np.random.default_rng([subject.seed, 1])
    half, made = subject.n // 2, list[Split]()
    for _ in range(n_splits):
        order, seed = rng.permutation(subject.n), seed_of(rng)
        made.append(Split(subject, np.sort(order[:half]), np.sort(order[half:]), seed))
    return made
