"""Moves of whole clusters out of a local optimum, priced before anything is swept.

Moving one point at a time cannot undo two groups that share a cluster while a third is cut in two:
every step on the way lowers Q, in Hartigan's method as in Lloyd's, though the former has fewer such
optima [Telgarsky & Vattani, AISTATS 2010]. They are left by taking one cluster away and opening
another elsewhere: merge and split [Kaukoranta, Fränti & Nevalainen, Optical Engineering 37, 1998],
the random swap [Fränti, Journal of Big Data 5, 2018], the centroids of most error and least utility
of breathing k-means [Fritzke, arXiv:2006.15666]. Here both halves of such a move are priced in
feature space, from the sums that the solver itself works with.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kgroups.gram import GramOperator, RunningSums
from kgroups.runtime.threads import blocks
from kgroups.solvers.compiled.state import State
from kgroups.solvers.draws import drawn_by_potential
from kgroups.solvers.objective import over_weight, sum_by_cluster
from kgroups.solvers.partition import Partition, Solver, begin
from kgroups.typing import Float64Array, IntArray

# Points whose distances to all centroids are held at a time.
_COLUMNS = 4096
# A foreseen loss that no sweeps make up for, in dispersions of a mean cluster. On noise, digits and
# a uniform square no merge with a split succeeded from below −0.4; at the optimum of separate blobs
# nearly all proposals lie below −1.
_OUT_OF_REACH = 1.0


class Proposal(NamedTuple):
    """Labels to sweep from, and the rise of Q over the present state that is foreseen for them."""

    labels: IntArray
    foreseen: float


class Split(NamedTuple):
    """A cluster cut in two: the exact rise of Q, and the points that leave for the new cluster."""

    gain: float
    leaving: IntArray


@dataclass(frozen=True, kw_only=True)
class Foresight:
    """Propose, sweep, keep if Q rose: merges with splits and swaps of a cluster for a seed in turn.

    Proposals come best first by what is foreseen for them, those out of reach of any sweeps not at
    all, and no pair with a split and no seed twice from one state. A proposal costs a run of
    ``solver`` from labels that are wrong for about three clusters; a state that is new costs the
    operator's first sums, O(nk), and a run on two clusters for every cluster that changed and may
    be worth splitting. Memory: a few arrays of n beside the operator's sums. The same seed gives
    the same labels.
    """

    solver: Solver
    #: Proposals in a row that fail before it gives up.
    patience: int = 6
    max_proposals: int = 50
    seed: int = 0
    #: A proposal is kept when it raises Q by more than rounding, relative to |Q|.
    margin: float = 1e-12

    def improve(
        self, gram: GramOperator, partition: Partition, weights: Float64Array, k: int
    ) -> Partition:
        """The best partition found, which is ``partition`` itself when no proposal raises Q."""
        if k == 1:
            return partition
        rng = np.random.default_rng(self.seed)
        splits: dict[int, Split] = {}
        best, failures = partition, 0
        proposals = self._proposals(gram, best, weights, splits, rng)
        for _ in range(self.max_proposals):
            proposal = next(proposals, None) if failures < self.patience else None
            if proposal is None:
                break
            found = self.solver.solve(gram, proposal.labels, weights, k)
            if found.objective - best.objective > self.margin * abs(best.objective):
                splits = unaffected(splits, best.labels, found.labels)
                best, failures = followed_by(best, found), 0
                proposals = self._proposals(gram, best, weights, splits, rng)
            else:
                failures += 1
        return best

    def _proposals(
        self,
        gram: GramOperator,
        partition: Partition,
        weights: Float64Array,
        splits: dict[int, Split],
        rng: np.random.Generator,
    ) -> Iterator[Proposal]:
        survey = Survey.of(gram, partition, weights)
        merges = merges_with_splits(survey, splits, self.solver, rng)
        return in_turn(merges, swaps(survey, rng))


def followed_by(old: Partition, new: Partition) -> Partition:
    """``new`` with the sweeps that led to ``old`` before its own.

    The history goes on with the best Q known after each sweep: the first sweeps from a proposal may
    lie below the optimum that it left.
    """
    history = np.concatenate([old.history, np.maximum(new.history[1:], old.objective)])
    n_moves = old.n_moves + new.n_moves
    return replace(new, n_iter=len(history) - 1, n_moves=n_moves, history=history)


def unaffected(splits: dict[int, Split], before: IntArray, after: IntArray) -> dict[int, Split]:
    """The splits of clusters that no point has entered or left."""
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
    """What is known of a state: squared distances to the two nearest centroids, prices of merging.

    Squared distances of an indefinite G may be negative; they are cut at 0, and what is foreseen
    from them is then a guess.
    """

    gram: GramOperator
    weights: Float64Array
    diagonal: Float64Array
    state: State
    own: Float64Array  # (n,) squared distance to the own centroid
    second: Float64Array  # (n,) and to the nearest other one
    second_label: IntArray
    merging: Float64Array  # (k, k) loss of Q when two clusters become one

    @classmethod
    def of(cls, gram: GramOperator, partition: Partition, weights: Float64Array) -> Survey:
        """One pass over the sums: O(nk) time, O(n + k²) memory."""
        state, sums = begin(gram, partition.labels, weights, partition.n_clusters)
        diagonal = gram.diagonal()
        own, second, second_label = two_nearest(sums, state, diagonal)
        merging = merging_losses(cross_sums(sums, state, weights), state)
        return cls(gram, weights, diagonal, state, own, second, second_label, merging)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.state.weight)

    @property
    def n_candidates(self) -> int:
        """Points drawn for each seed, 2 + log k as in greedy k-means++."""
        return 2 + int(np.log(self.k))

    def dispersions(self) -> Float64Array:
        """Σ_{i ∈ C_j} w_i ||φ(i) − μ_j||², shape (k,): no split of a cluster gains more. O(n)."""
        return sum_by_cluster(self.state.labels, self.weights * self.own, self.k)

    def hopeless(self, foreseen: float) -> bool:
        """Whether no sweeps will make up for a loss foreseen. O(n)."""
        return foreseen < -_OUT_OF_REACH * float(self.weights @ self.own) / self.k

    def squared_distances(self, point: int) -> Float64Array:
        """From one point to all, cut at 0: one row."""
        row = np.asarray(self.gram.rows(np.array([point]))[0], np.float64)
        distances: Float64Array = self.diagonal[point] + self.diagonal - 2.0 * row
        return np.maximum(distances, 0.0, out=distances)


def two_nearest(
    sums: RunningSums, state: State, diagonal: Float64Array
) -> tuple[Float64Array, Float64Array, IntArray]:
    """Squared distances G_ii − 2 R_l(i)/s_l + Q_l/s_l² to the own and the nearest other centroid.

    A cluster without weight has no centroid and is infinitely far. O(nk).
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
    """Q_ab = Σ_{x ∈ a, y ∈ b} w_x w_y G(x, y), shape (k, k), symmetric to the last bit. O(nk)."""
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
    """s_a s_b / (s_a + s_b) ||μ_a − μ_b||² for all pairs, 0 for a cluster without weight."""
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
    """Two clusters become one and a third becomes two, by falling gain − loss, which is exact.

    A cluster is split, and the split noted in ``splits``, when an upper bound on its gain makes it
    the next best.
    """
    first, second = np.triu_indices(survey.k, 1)
    losses = survey.merging[first, second]
    order = np.argsort(losses, kind="stable")
    first, second, losses = first[order], second[order], losses[order]
    bounds = survey.dispersions()
    queue: list[tuple[float, int, int]] = []

    def enqueue(cluster: int, rank: int) -> None:
        """Wait for the cheapest pair, from the given rank on, that leaves the cluster alone."""
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
            labels = merged_and_split(survey, first[rank], second[rank], splits[cluster])
            yield Proposal(labels, -loss)
            enqueue(cluster, rank + 1)
        else:
            split = split_in_two(survey, cluster, solver, rng)
            if split is not None:
                splits[cluster] = split
                enqueue(cluster, rank)


def merged_and_split(survey: Survey, kept: int, freed: int, split: Split) -> IntArray:
    """Labels after one cluster has joined another and left its name to the new one. O(n)."""
    labels = np.where(survey.state.labels == freed, kept, survey.state.labels)
    labels[split.leaving] = freed
    return labels


def split_in_two(
    survey: Survey, cluster: int, solver: Solver, rng: np.random.Generator
) -> Split | None:
    """The optimum of ``solver`` for two clusters on the points of one, from greedy seeds.

    The other points have no weight meanwhile. None if all its points coincide.
    """
    inside = survey.state.labels == cluster
    weights = np.where(inside, survey.weights, 0.0)
    near_first = greedy_seed(survey, weights, survey.own, rng)
    if near_first is None:
        return None
    near_second = greedy_seed(survey, weights, near_first, rng)
    if near_second is None:
        return None
    labels = (near_second < near_first).astype(np.int64)
    if not in_two(labels, weights):
        return None
    parts = solver.solve(survey.gram, labels, weights, 2)
    if not in_two(parts.labels, weights):
        return None
    whole = over_weight(survey.state.within, survey.state.weight)[cluster]
    return Split(parts.objective - float(whole), np.flatnonzero(inside & (parts.labels == 1)))


def in_two(labels: IntArray, weights: Float64Array) -> bool:
    """Whether both clusters have a point with weight."""
    return bool(np.bincount(labels[weights > 0], minlength=2).all())


def greedy_seed(
    survey: Survey, weights: Float64Array, nearest: Float64Array, rng: np.random.Generator
) -> Float64Array | None:
    """Squared distances from the point, of several drawn by w · d², that lowers Σ w d² most.

    None if all points with weight are at distance 0. O(n log k).
    """
    best, lowest = None, np.inf
    for point in draw(weights * nearest, survey.n_candidates, rng):
        distances = survey.squared_distances(point)
        total = float(weights @ np.minimum(distances, nearest))
        if total < lowest:
            best, lowest = distances, total
    return best


def draw(potential: Float64Array, size: int, rng: np.random.Generator) -> list[int]:
    """At most ``size`` distinct points with probability proportional to the potential. O(n)."""
    return [int(point) for point in np.unique(drawn_by_potential(potential, size, rng))]


def swaps(survey: Survey, rng: np.random.Generator) -> Iterator[Proposal]:
    """A cluster is dissolved and named anew around a seed drawn elsewhere by w · d².

    The best of 2 + log k seeds is proposed, and no seed twice. O(n log k) a proposal.
    """
    potential = survey.weights * survey.own
    alive = survey.weights > 0
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
    weights, labels = survey.weights, survey.state.labels
    to_seed = survey.squared_distances(seed)
    kept = np.minimum(survey.own, to_seed)
    missed = sum_by_cluster(labels, weights * (np.minimum(survey.second, to_seed) - kept), survey.k)
    missed[labels[seed]] = np.inf  # a seed in place of its own cluster changes next to nothing
    dissolved = int(np.argmin(missed))
    joins = to_seed < survey.own
    settling = weights[joins] @ to_seed[joins] / 2
    return float(weights @ (survey.own - kept) - missed[dissolved] + settling), dissolved


def swapped(survey: Survey, seed: int, dissolved: int) -> IntArray:
    """Every point with the nearest of its own centroid, or the next if dissolved, and the seed."""
    homeless = survey.state.labels == dissolved
    labels = np.where(homeless, survey.second_label, survey.state.labels)
    reach = np.where(homeless, survey.second, survey.own)
    labels[survey.squared_distances(seed) < reach] = dissolved
    labels[seed] = dissolved
    return labels
