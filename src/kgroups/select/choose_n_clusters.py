"""How many clusters: several criteria, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.runtime.progress import listening
from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.eigengap import eigengap_of
from kgroups.select.gap_statistic import gap_of
from kgroups.select.halves import N_SPLITS, splits
from kgroups.select.prediction_strength import prediction_strength_of
from kgroups.select.separation import separation_of
from kgroups.select.silhouette import silhouette_of
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.text import counted
from kgroups.typing import IntArray

# Standard errors by which the gap at k + 1 must exceed that at k. With one, Tibshirani's rule, 4 in
# 100 data sets without clusters are divided; with 1.5 it is about 1, and no answer on the suite of
# benchmarks.how_many becomes wrong.
_GAP_SE_FACTOR = 1.5


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterCount:
    """The number of clusters, and what each criterion has to say for it."""

    n_clusters: int
    criteria: tuple[Criterion, ...]
    #: Rows that were looked at, and rows of the input.
    n_samples: int
    n_given: int

    @property
    def votes(self) -> dict[str, int]:
        """What each criterion points to, of those that can say 1."""
        return {c.name: c.n_clusters for c in self.criteria if c.knows_one}

    @property
    def agrees(self) -> bool:
        """Whether all votes are the same."""
        return len(set(self.votes.values())) == 1

    @property
    def k(self) -> IntArray:
        """The numbers that were tried."""
        return self.criteria[0].k

    @property
    def reason(self) -> str:
        """Where ``n_clusters`` comes from, in words."""
        if self.agrees:
            return "all votes agree"
        said = ", ".join(f"{name} {number}" for name, number in self.votes.items())
        return f"the median of {said}"

    def __getitem__(self, name: str) -> Criterion:
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        names = ", ".join(criterion.name for criterion in self.criteria)
        raise KeyError(f"there is no criterion {name!r}; there are {names}.")

    def __str__(self) -> str:
        return f"{counted(self.n_clusters, 'cluster')} ({self.reason})"


def choose_n_clusters(
    X: Any,
    k_range: Any = None,
    *,
    metric: Any = "energy",
    max_samples: int = MAX_SAMPLES,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: Any = 0,
) -> ClusterCount:
    r"""Number of clusters, which may be 1: the median of three kinds of evidence.

    :func:`separation` asks whether there are valleys between clusters, on rows that did not make
    them; :func:`gap_statistic` whether clusters are tighter than those of uniform data, by 1.5
    standard errors; :func:`prediction_strength` whether two halves of the rows find the same ones.
    Each can answer 1, and errs in its own way: the first on the side of few where clusters touch,
    the second on the side of many where they are not round, the third on the side of few where
    they are small. The median of the three is the answer. :func:`silhouette` and :func:`eigengap`
    are shown beside them without a vote, for they cannot say 1. Time: 22 fits for each k, ten of
    them of half of the rows, and O(n³) for the spectrum; memory: n² numbers for the n ≤
    ``max_samples`` rows, a few times.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As :meth:`kgroups.KernelKGroups.fit` takes it. Columns of different units are to be
        standardized first.
    k_range : iterable of int, default 1 to 10, fewer below 100 rows
        Numbers to try.
    metric : as in :class:`kgroups.KernelKGroups`, default="energy"
    max_samples : int, default=2000
        Of more rows so many are drawn, and ``n_samples`` says so.
    random_state : int, RandomState or None
        The same seed gives the same answer for any ``n_jobs``.
    n_jobs : int or None
        Threads; None uses all cores.
    verbose : int or callable, default=0
        1 prints each step; a callable gets a :class:`kgroups.solvers.Progress` for each.

    Returns
    -------
    ClusterCount
        ``n_clusters``, ``votes``, and the ``criteria`` with their values against k.

    Raises
    ------
    ValueError
        When ``k_range`` goes beyond the rows, or X is not what the metric takes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 7, 14)])
    >>> choose_n_clusters(X, range(1, 6), random_state=0).votes
    {'separation': 3, 'gap': 3, 'prediction strength': 3}

    References
    ----------
    Those of the criteria.
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    k = check_k_range(k_range, subject.n)
    halves = splits(subject, k, N_SPLITS)
    with listening((verbose if callable(verbose) else print) if verbose else None):
        criteria = (
            separation_of(subject, k, halves),
            gap_of(subject, k, _GAP_SE_FACTOR),
            prediction_strength_of(subject, k, halves),
            silhouette_of(subject, k),
            eigengap_of(subject, k),
        )
    votes = [criterion.n_clusters for criterion in criteria if criterion.knows_one]
    return ClusterCount(
        n_clusters=int(np.median(votes)),
        criteria=criteria,
        n_samples=subject.n,
        n_given=subject.n_given,
    )
