"""Moves of whole clusters out of a local optimum, with gains predicted before any sweep.

If two groups share a cluster while a third group is cut in two, moving one point at a time cannot
repair it: every step on the way lowers Q, in Hartigan's method as in Lloyd's, although the former
has fewer such optima. Removing one cluster and opening another elsewhere can. Here the effect of
both halves of such a move is predicted in feature space, from the sums that the solver itself uses.

Sources: M. Telgarsky and A. Vattani, "Hartigan's Method: k-Means Clustering without Voronoi",
AISTATS 2010; for merge and split T. Kaukoranta, P. Fränti and O. Nevalainen, Optical Engineering
37, 1998; for the random swap P. Fränti, Journal of Big Data 5, 2018; for the centroids with the
largest error and the smallest utility B. Fritzke, "The Breathing k-Means Algorithm",
arXiv:2006.15666.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kgroups.gram.operator import RunningSums
from kgroups.runtime.threads import blocks
from kgroups.solvers.compiled.state import State
from kgroups.solvers.draws import drawn_by_potential
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.solvers.partition import Partition, Solver, begin
from kgroups.solvers.problem import Problem
from kgroups.typing import Float64Array, IntArray

# Points whose distances to all centroids are stored at a time.
_COLUMNS = 4096
# A predicted loss that sweeps cannot recover, in dispersions of an average cluster. On noise,
# digits and a uniform square no merge with a split succeeded from below −0.4; at the optimum of
# separate blobs nearly all proposals are below −1.
_OUT_OF_REACH = 1.0


class Proposal(NamedTuple):
    """Labels to start sweeps from, and the predicted increase of Q over the present state."""

    labels: IntArray
    foreseen: float


class Split(NamedTuple):
    """A cluster cut in two: the exact increase of Q, and the points of the new cluster."""

    gain: float
    leaving: IntArray


@dataclass(frozen=True, kw_only=True)
class Foresight:
    """Propose moves of whole clusters, sweep, and keep the result if Q increased.

    Proposals are merges with splits and swaps of a cluster for a seed, in turn, those with the
    largest predicted gain first. Proposals with too large a predicted loss are skipped, and none is
    repeated from the same state. A proposal costs a run of ``solver`` from labels that are wrong
    for about three clusters. A new state costs the operator's first sums, O(nk), and a run on two
    clusters for every cluster that changed and may be worth splitting. Memory: a few arrays of size
    n in addition to the operator's sums. The same seed gives the same labels.
    """

    solver: Solver
    #: Number of failed proposals in a row after which it stops.
    patience: int = 6
    max_proposals: int = 50
    #: Multiply-adds of the sweeps of all proposals, after which it stops.
    max_work: float = np.inf
    seed: int = 0
    #: A proposal is kept if it raises Q by more than this share of |Q|.
    margin: float = 1e-12
    note: str = "moves of whole clusters"

    def improve(self, problem: Problem, partition: Partition) -> Partition:
        """The best partition found; ``partition`` itself if no proposal raises Q."""
        if problem.n_clusters == 1:
            return partition
        rng = np.random.default_rng(self.seed)
        splits: dict[int, Split] = {}
        best, failures, work = partition, 0, 0.0
        of_sweep = problem.gram.sweep_work(problem.n_clusters)
        survey = Survey.of(problem, best)
        proposals = self._proposals(survey, splits, rng)
        for _ in range(self.max_proposals):
            may_go_on = failures < self.patience and work < self.max_work
            proposal = next(proposals, None) if may_go_on else None
            if proposal is None:
                break
            found = self.solver.solve(problem, proposal.labels, survey.sums_of(proposal.labels))
            work += found.n_iter * of_sweep
            if found.objective - best.objective > self.margin * abs(best.objective):
                splits = unaffected(splits, best.labels, found.labels)
                best, failures = followed_by(best, found), 0
                survey = Survey.of(problem, best)
                proposals = self._proposals(survey, splits, rng)
            else:
                failures += 1
        return best

    def _proposals(
        self, survey: Survey, splits: dict[int, Split], rng: np.random.Generator
    ) -> Iterator[Proposal]:
        merges = merges_with_splits(survey, splits, self.solver, rng)
        return in_turn(merges, swaps(survey, rng))


def followed_by(old: Partition, new: Partition) -> Partition:
    """The partition ``new`` with the history of ``old`` before its own.

    The history continues with the best Q known after each sweep, since the first sweeps from a
    proposal may be below the optimum that it left.
    """
    history = np.concatenate([old.history, np.maximum(new.history[1:], old.objective)])
    n_moves = old.n_moves + new.n_moves
    return replace(new, n_iter=len(history) - 1, n_moves=n_moves, history=history)


def unaffected(splits: dict[int, Split], before: IntArray, after: IntArray) -> dict[int, Split]:
    """The splits of clusters whose points have not changed."""
    changed = before != after
    touched = {*before[changed].tolist(), *after[changed].tolist()}
    return {cluster: split for cluster, split in splits.items() if cluster not in touched}


def in_turn(*iterators: Iterator[Proposal]) -> Iterator[Proposal]:
    """One proposal from each iterator in turn, until all have run out."""
    waiting = list(iterators)
    while waiting:
        for iterator in tuple(waiting):
            proposal = next(iterator, None)
            if proposal is None:
                waiting.remove(iterator)
            else:
                yield proposal


@dataclass(frozen=True)
class Survey:
    """A state with squared distances to the two nearest centroids and losses of merging clusters.

    Squared distances may be negative if G is indefinite; they are set to 0, and predictions from
    them are then rough.
    """

    problem: Problem
    diagonal: Float64Array
    state: State
    sums: RunningSums
    own: Float64Array  # (n,) squared distance to the centroid of the own cluster
    second: Float64Array  # (n,) squared distance to the nearest other centroid
    second_label: IntArray
    merging: Float64Array  # (k, k) loss of Q when two clusters become one

    @classmethod
    def of(cls, problem: Problem, partition: Partition) -> Survey:
        """Construct by one pass over the sums. O(nk) time, O(n + k²) memory."""
        work = begin(problem, partition.labels)
        state, sums, weights = work.state, work.sums, problem.weights
        diagonal = problem.gram.diagonal()
        own, second, second_label = two_nearest(sums, state, diagonal)
        merging = merging_losses(cross_sums(sums, state, weights), state)
        return cls(problem, diagonal, state, sums, own, second, second_label, merging)

    def sums_of(self, labels: IntArray) -> RunningSums | None:
        """The sums of other labels, where those of clusters that stay as they are save time."""
        gram, weights = self.problem.gram, self.problem.weights
        return gram.sums_near(self.sums, self.state.labels, labels, weights)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.state.weight)

    @property
    def n_candidates(self) -> int:
        """Number of points drawn for each seed: 2 + log k, as in greedy k-means++."""
        return 2 + int(np.log(self.k))

    def dispersions(self) -> Float64Array:
        """Dispersions Σ_{i ∈ C_j} w_i ||φ(i) − μ_j||², (k,), the largest gains of splits. O(n)."""
        return sum_by_cluster(self.state.labels, self.problem.weights * self.own, self.k)

    def hopeless(self, foreseen: float) -> bool:
        """Whether a predicted loss is too large to be recovered by sweeps. O(n)."""
        return foreseen < -_OUT_OF_REACH * float(self.problem.weights @ self.own) / self.k

    def squared_distances(self, point: int) -> Float64Array:
        """Squared distances from one point to all, negative ones set to 0."""
        return np.maximum(self.problem.gram.squared_distances(point), 0.0)


def two_nearest(
    sums: RunningSums, state: State, diagonal: Float64Array
) -> tuple[Float64Array, Float64Array, IntArray]:
    """Squared distances G_ii − 2 R_l(i)/s_l + Q_l/s_l² to the own and the nearest other centroid.

    A cluster without weight has no centroid and is infinitely far away. O(nk).
    """
    own, second = np.empty(sums.n), np.empty(sums.n)
    second_label = np.empty(sums.n, np.int64)
    empty = state.weight <= 0
    s = np.where(empty, 1.0, state.weight)[:, None]
    for start, stop in blocks(0, sums.n, _COLUMNS):
        columns, here = np.arange(stop - start), state.labels[start:stop]
        distances = diagonal[start:stop] - 2.0 * sums.block(start, stop) / s
        distances += state.within[:, None] / s**2
        np.maximum(distances, 0.0, out=distances)
        # Weightless points may be in an empty cluster; infinity times their weight would be NaN.
        own[start:stop] = distances[here, columns]
        distances[empty] = np.inf
        distances[here, columns] = np.inf
        second_label[start:stop] = nearest = distances.argmin(axis=0)
        second[start:stop] = distances[nearest, columns]
    return own, second, second_label


def cross_sums(sums: RunningSums, state: State, weights: Float64Array) -> Float64Array:
    """The sums Q_ab = Σ_{x ∈ a, y ∈ b} w_x w_y G(x, y), (k, k), exactly symmetric. O(nk)."""
    k = len(state.weight)
    cross = np.zeros(k * k)
    rows = k * np.arange(k)[:, None]
    for start, stop in blocks(0, sums.n, _COLUMNS):
        cells = rows + state.labels[start:stop]
        terms = weights[start:stop] * sums.block(start, stop)
        cross += np.bincount(cells.ravel(), weights=terms.ravel(), minlength=k * k)
    table = cross.reshape(k, k)
    return (table + table.T) / 2


def merging_losses(cross: Float64Array, state: State) -> Float64Array:
    """The losses s_a s_b / (s_a + s_b) ||μ_a − μ_b||² of all pairs; 0 without weight."""
    s = np.where(state.weight > 0, state.weight, 1.0)
    mean = cross / np.outer(s, s)
    square = np.diagonal(mean)
    apart = np.asarray(np.add.outer(square, square) - 2.0 * mean, np.float64)
    np.maximum(apart, 0.0, out=apart)
    apart *= np.outer(state.weight, state.weight) / np.add.outer(s, s)
    return apart


def merges_with_splits(
    survey: Survey, splits: dict[int, Split], solver: Solver, rng: np.random.Generator
) -> Iterator[Proposal]:
    """Proposals that merge two clusters and split a third, by decreasing exact gain − loss.

    A cluster is split, and the split stored in ``splits``, when an upper bound on its gain makes it
    the next best.
    """
    first, second = np.triu_indices(survey.k, 1)
    losses = survey.merging[first, second]
    order = np.argsort(losses, kind="stable")
    first, second, losses = first[order], second[order], losses[order]
    bounds = survey.dispersions()
    queue: list[tuple[float, int, int]] = []

    def enqueue(cluster: int, rank: int) -> None:
        """Queue the cluster with the cheapest pair, from a rank on, that does not contain it."""
        while rank < len(losses) and cluster in (first[rank], second[rank]):
            rank += 1
        if rank < len(losses):
            gain = splits[cluster].gain if cluster in splits else bounds[cluster]
            heapq.heappush(queue, (float(losses[rank] - gain), cluster, rank))

    for cluster in np.flatnonzero(survey.state.members > 1).tolist():
        enqueue(cluster, 0)
    while queue:
        loss, cluster, rank = heapq.heappop(queue)
        if survey.hopeless(-loss):
            return
        if cluster in splits:
            kept, freed = first[rank], second[rank]
            labels = np.where(survey.state.labels == freed, kept, survey.state.labels)
            labels[splits[cluster].leaving] = freed
            yield Proposal(labels, -loss)
            enqueue(cluster, rank + 1)
        else:
            split = split_in_two(survey, cluster, solver, rng)
            if split is not None:
                splits[cluster] = split
                enqueue(cluster, rank)


def split_in_two(
    survey: Survey, cluster: int, solver: Solver, rng: np.random.Generator
) -> Split | None:
    """The result of ``solver`` for two clusters on the points of one, from greedy seeds.

    All other points get weight zero. None if all points of the cluster coincide.
    """
    problem, members = survey.problem, np.flatnonzero(survey.state.labels == cluster)
    few = problem.gram.taken(members)
    if few is None:
        inside = survey.state.labels == cluster
        part = replace(problem, weights=np.where(inside, problem.weights, 0.0), n_clusters=2)
        own = survey.own
    else:
        part = Problem(few, problem.weights[members], 2)
        own = survey.own[members]
    near_first = greedy_seed(part, own, survey.n_candidates, rng)
    if near_first is None:
        return None
    near_second = greedy_seed(part, near_first, survey.n_candidates, rng)
    if near_second is None:
        return None
    labels = (near_second < near_first).astype(np.int64)
    if not in_two(labels, part.weights):
        return None
    found = solver.solve(part, labels)
    if not in_two(found.labels, part.weights):
        return None
    whole = over_weight(survey.state.within, survey.state.weight)[cluster]
    leaving = found.labels[members] if few is None else found.labels
    return Split(found.objective - float(whole), members[leaving == 1])


def in_two(labels: IntArray, weights: Float64Array) -> bool:
    """Whether both clusters have a point with weight."""
    return bool(np.bincount(labels[weights > 0], minlength=2).all())


def greedy_seed(
    problem: Problem, nearest: Float64Array, n_candidates: int, rng: np.random.Generator
) -> Float64Array | None:
    """Squared distances from the best of several candidates that are drawn by w · d².

    The best one lowers Σ w d² most. None if all points with weight are at distance 0. O(n log k).
    """
    best, lowest = None, np.inf
    for point in draw(problem.weights * nearest, n_candidates, rng):
        distances = np.maximum(problem.gram.squared_distances(point), 0.0)
        total = float(problem.weights @ np.minimum(distances, nearest))
        if total < lowest:
            best, lowest = distances, total
    return best


def draw(potential: Float64Array, size: int, rng: np.random.Generator) -> list[int]:
    """At most ``size`` distinct points with probability proportional to the potential. O(n)."""
    return [int(point) for point in np.unique(drawn_by_potential(potential, size, rng))]


def swaps(survey: Survey, rng: np.random.Generator) -> Iterator[Proposal]:
    """Proposals that dissolve a cluster and reuse its label around a seed drawn by w · d².

    The best of 2 + log k seeds is proposed, and no seed twice. O(n log k) per proposal.
    """
    potential = survey.problem.weights * survey.own
    alive = survey.problem.weights > 0
    while seeds := draw(potential, survey.n_candidates, rng):
        options = [(*foreseen_swap(survey, seed), seed) for seed in seeds]
        foreseen, dissolved, seed = max(options)
        if survey.hopeless(foreseen):
            return
        labels = swapped(survey, seed, dissolved)
        count = np.bincount(labels[alive], minlength=survey.k)
        if (count < np.minimum(survey.state.members, 1)).any():
            # Only where clipped distances mislead: no point is nearer than the mean to all members.
            return
        yield Proposal(labels, foreseen)
        potential[seed] = 0.0


def foreseen_swap(survey: Survey, seed: int) -> tuple[float, int]:
    r"""Rise of Q for a seed in place of the cluster that is then missed least, and that cluster.

    With the centroids where they are, Q rises by at least

    .. math:: \sum_i w_i (d_i - \min(d_i, e_i))
              - \sum_{i ∈ C_r} w_i (\min(d'_i, e_i) - \min(d_i, e_i))

    for squared distances d to the own centroid, d' to the next and e to the seed. A seed is itself
    one of the points that join it, so on average their mean halves Σ w e, which is added. O(n).
    """
    weights, labels = survey.problem.weights, survey.state.labels
    to_seed = survey.squared_distances(seed)
    kept = np.minimum(survey.own, to_seed)
    missed = sum_by_cluster(labels, weights * (np.minimum(survey.second, to_seed) - kept), survey.k)
    missed[labels[seed]] = np.inf  # replacing its own cluster by a seed changes almost nothing
    dissolved = int(np.argmin(missed))
    joins = to_seed < survey.own
    settling = weights[joins] @ to_seed[joins] / 2
    return float(weights @ (survey.own - kept) - missed[dissolved] + settling), dissolved


def swapped(survey: Survey, seed: int, dissolved: int) -> IntArray:
    """Labels that assign every point to the nearer of its remaining centroid and the seed."""
    homeless = survey.state.labels == dissolved
    labels = np.where(homeless, survey.second_label, survey.state.labels)
    reach = np.where(homeless, survey.second, survey.own)
    labels[survey.squared_distances(seed) < reach] = dissolved
    labels[seed] = dissolved
    return labels
