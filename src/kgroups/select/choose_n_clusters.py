"""The number of clusters by several criteria together."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from kgroups.runtime.progress import Progress, adapted, listener, listening
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.select.criterion import Criterion, check_k_range, most_of_default
from kgroups.select.eigengap import eigengap_of
from kgroups.select.gap_statistic import N_FIRST, gap_of
from kgroups.select.halves import N_SPLITS
from kgroups.select.held_out import BATCH
from kgroups.select.outlook import Outlook, Phase, cost_of_partitions
from kgroups.select.prediction_strength import prediction_strength_of
from kgroups.select.separation import separation_of
from kgroups.select.silhouette import silhouette_of
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.semimetrics import Metric
from kgroups.text import counted
from kgroups.typing import Data, IntArray, RandomStateLike

# Number of standard errors by which the gap at k + 1 must exceed that at k. With 1, Tibshirani's
# rule, 4 of 100 data sets without clusters are divided; with 1.5 about 1 is, and no answer on the
# suite of comparisons.counts becomes wrong.
_GAP_SE_FACTOR = 1.5
# A split for separation takes so many times as long as its partitions, because of the tests.
_TESTS_TOO = 3.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterCount(ResultTable):
    """The number of clusters, and the criteria that it is based on.

    ``to_frame()`` has one row per number of clusters that was tried, with a column per criterion:
    ``k``, the values of each criterion by its name, ``n_votes`` for this k, ``suggested_by`` (names
    of criteria, separated by commas, those without a vote, too) and ``chosen``, which is true for
    ``n_clusters``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 7, 14)])
    >>> found = choose_n_clusters(X, k_max=4, random_state=0).to_frame()
    >>> found[["k", "n_votes", "chosen"]].values.tolist()
    [[1, 0, False], [2, 0, False], [3, 3, True], [4, 0, False]]
    """

    _ITEM = ("number of clusters", "numbers of clusters")

    n_clusters: int
    criteria: tuple[Criterion, ...]
    #: Number of rows used, and of rows of the input.
    n_samples: int
    n_given: int
    #: Criteria that suggest the largest number tried, where more clusters are possible; those
    #: without a vote only if separation does not suggest 1.
    at_limit: tuple[str, ...] = ()
    #: Rows far from all others, of which the criteria do not know.
    n_far: int = 0

    @property
    def votes(self) -> dict[str, int]:
        """The suggestion of each criterion that can suggest 1, by its name."""
        return {c.name: c.n_clusters for c in self.criteria if c.knows_one}

    @property
    def agrees(self) -> bool:
        """Whether all votes are the same."""
        return len(set(self.votes.values())) == 1

    @property
    def interval(self) -> tuple[int, int]:
        """The lowest and the highest vote, between which the number of clusters is."""
        votes = self.votes.values()
        return min(votes), max(votes)

    @property
    def certainty(self) -> str:
        """How sure ``n_clusters`` is, in words."""
        low, high = self.interval
        if len(self.k) == 1:
            return "no other number was tried"
        return "all votes agree" if self.agrees else f"votes lie between {low} and {high}"

    @property
    def limit(self) -> str:
        """What is not known because of the largest number tried, in words; empty if it is known."""
        if not self.at_limit:
            return ""
        does = "suggests" if len(self.at_limit) == 1 else "suggest"
        names = " and ".join(filter(None, [", ".join(self.at_limit[:-1]), self.at_limit[-1]]))
        return f"{names} {does} {self.k[-1]}, the largest number tried, so there may be more"

    @property
    def left_out(self) -> str:
        """Which rows are not counted, in words; empty if all are."""
        were = "was" if self.n_far == 1 else "were"
        far = f"{counted(self.n_far, 'row')} far from all others {were} left out"
        return far if self.n_far else ""

    @property
    def sentence(self) -> str:
        """The answer and how sure it is.

        >>> import numpy as np
        >>> choose_n_clusters(np.zeros((9, 1)), random_state=0).sentence
        '1 cluster was chosen: all votes agree'
        """
        were = "was" if self.n_clusters == 1 else "were"
        sure = "; ".join(filter(None, [self.certainty, self.limit, self.left_out]))
        return f"{counted(self.n_clusters, 'cluster')} {were} chosen: {sure}"

    @property
    def k(self) -> IntArray:
        """The numbers of clusters that were tried."""
        return self.criteria[0].k

    @property
    def rounded_columns(self) -> tuple[int, ...]:
        """Columns that separation and gap took for rounded, see :func:`cluster_significance`."""
        return self.criteria[0].rounded_columns

    @property
    def reason(self) -> str:
        """How ``n_clusters`` follows from the votes, in words."""
        if self.agrees:
            return self.certainty
        said = ", ".join(f"{name} {number}" for name, number in self.votes.items())
        if self.n_clusters == np.median(list(self.votes.values())):
            return f"the median of {said}"
        return f"that of separation, because only the gap rises up to the limit: {said}"

    def __getitem__(self, name: str) -> Criterion:
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        names = ", ".join(criterion.name for criterion in self.criteria)
        raise KeyError(f"there is no criterion {name!r}; there are {names}.")

    def __str__(self) -> str:
        answer = counted(self.n_clusters, "cluster")
        limit = "".join(f"; {said}" for said in (self.limit, self.left_out) if said)
        if self.agrees:
            return f"{answer} ({self.certainty}){limit}"
        return f"{answer}, {self.certainty} ({self.reason}){limit}"

    def _columns(self) -> Columns:
        numbers, votes = self.k.tolist(), list(self.votes.values())
        by = [[c.name for c in self.criteria if c.n_clusters == k] for k in numbers]
        return {
            "k": numbers,
            **{criterion.name: criterion.values.tolist() for criterion in self.criteria},
            "n_votes": [votes.count(k) for k in numbers],
            "suggested_by": [", ".join(names) for names in by],
            "chosen": [k == self.n_clusters for k in numbers],
        }

    def _caption(self) -> str:
        return f"{self}, from {counted(self.n_samples, 'row')}"


def choose_n_clusters(
    X: Data,
    k_range: Iterable[int] | None = None,
    *,
    k_max: int | None = None,
    metric: Metric = "energy",
    max_samples: int = MAX_SAMPLES,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
    verbose: int | Callable[[Progress], None] = 0,
) -> ClusterCount:
    r"""Number of clusters, which may be 1: the median of three kinds of evidence.

    :func:`separation` tests for valleys between clusters on held-out rows; :func:`gap_statistic`
    tests whether clusters are tighter than those of uniform data by 1.5 standard errors;
    :func:`prediction_strength` tests whether two halves of the rows have the same clusters. Each
    can answer 1, and each errs in its own way: the first finds too few clusters if they touch, the
    second too many if they are not round, the third too few if they are small. The answer is the
    median of the three, or that of separation if this is above 1 and only the gap goes on rising
    up to the largest number tried. :func:`silhouette` and :func:`eigengap` are reported too but
    have no vote, because they cannot answer 1. A few rows that are farther from all but two others
    than any two of the rest are from each other are left out, because no half of the rows finds
    them again.

    All criteria use the same partitions of the rows. Partitions of the same rows into 1, 2, 3, ...
    clusters are found from each other: that into k + 1 from splits of clusters of that into k, and
    that into k once more from merges of clusters of that into k + 1. Time: partitions of all rows
    and of four to ten reference sets (see :func:`gap_statistic`), of ten halves and of 10 to 120
    thirds of the rows (mostly 10 or 20, see :func:`separation`), each about seven short runs of the
    solver for each k; some ten products with an n × n matrix for the spectrum. Memory: n² numbers
    for each thread, and a few times as many for the n ≤ ``max_samples`` rows.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in :meth:`kgroups.KernelKGroups.fit`. Standardize columns of different units first.
    k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`; the result has the number of rows used as ``n_samples``.
    k_max : int or None, default=None
        Try 1 to ``k_max``; short for ``k_range=range(1, k_max + 1)``. None leaves it to
        ``k_range``. If neither is given, the limit is 10, or half of the rows if these are fewer
        than 20; below 8 rows only 1 is tried. The limit is doubled, up to 80 and a tenth of the
        rows, while a criterion suggests the largest number tried; silhouette and eigengap count
        here unless separation suggests 1.
    verbose : int or callable, default=0
        1 prints each step with the time left; a callable is called with a
        :class:`kgroups.solvers.Progress` for each.

    Returns
    -------
    ClusterCount
        ``n_clusters``, ``votes``, and the ``criteria`` with their values against k; ``at_limit``
        names the criteria that suggest the largest number tried.

    Raises
    ------
    ValueError
        As for :func:`gap_statistic`; if ``k_range`` and ``k_max`` are both given.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 7, 14)])
    >>> choose_n_clusters(X, k_max=5, random_state=0).votes
    {'separation': 3, 'gap': 3, 'prediction strength': 3}

    References
    ----------
    See the criteria.
    """
    drawn = Subject.of(X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs)
    k = check_k_range(k_range, drawn.n, k_max)
    subject = drawn.without_far_rows()
    most = most_of_default(subject.n) if k_range is None and k_max is None else int(k[-1])
    begun = time.perf_counter()
    with listening(listener(verbose)):
        count = _count(subject, k, 0.0)
        while count.at_limit and count.k[-1] < most:
            further = np.arange(1, min(2 * count.k[-1], most) + 1)
            count = _count(subject, further, time.perf_counter() - begun)
    return replace(count, n_samples=drawn.n, n_far=drawn.n - subject.n)


def _count(subject: Subject, k: IntArray, before: float) -> ClusterCount:
    """The choice among some numbers of clusters; ``before`` are the seconds passed."""
    with adapted(_outlook(subject, k, before)):
        gap = gap_of(subject, k, _GAP_SE_FACTOR)
        strength = prediction_strength_of(subject, k)
        separation = separation_of(subject, k)
        shape = silhouette_of(subject, k), eigengap_of(subject, k)
    criteria = separation, gap, strength, *shape
    # What cannot suggest 1 says something only where clusters stand apart.
    counting = [one for one in criteria if one.knows_one or separation.n_clusters > 1]
    may_be_more = k[-1] > 1 and subject.count_distinct(int(k[-1]) + 1) > k[-1]
    at_limit = [one.name for one in counting if may_be_more and one.n_clusters == k[-1]]
    votes = {one.name: one.n_clusters for one in criteria if one.knows_one}
    # A gap that rises up to the limit has no maximum. Of the others separation seldom says too
    # many, while halves of tied rows, such as categories, may share a cut through a cluster.
    only_gap = votes.keys() & set(at_limit) == {gap.name}
    decides = only_gap and separation.n_clusters > 1
    return ClusterCount(
        n_clusters=separation.n_clusters if decides else int(np.median(list(votes.values()))),
        criteria=criteria,
        n_samples=subject.n,
        n_given=subject.n_given,
        at_limit=tuple(at_limit),
    )


def _outlook(subject: Subject, k: IntArray, before: float) -> Outlook:
    """What is to be done, in order; further references and splits are not foreseen."""
    whole, half, third = (cost_of_partitions(subject.n // parts) for parts in (1, 2, 3))
    phases = {
        "gap": Phase(1 + N_FIRST, whole),
        "prediction strength": Phase(2 * N_SPLITS, half),
        "separation": Phase(BATCH, _TESTS_TOO * third),
        "silhouette": Phase(len(k), 0.01 * whole),
    }
    return Outlook(phases, before)
