r"""How many clusters a table has, by the random walk between neighboring rows.

A piece of the table is cut in two as long as there is evidence that it is two clusters; neighbors
are searched anew in each piece, so that scales may differ. There are three kinds of evidence, none
of which depends on the unit, the dimension or the number of rows:

*Apart.* The graph of the nearest 1½ n_neighbors is not connected.

*A valley.* The cut costs less than in one cloud: its calmness ρ/(2√λ)
(:mod:`kgroups.graphs.neighbors.walk_cut`) on a graph of m = 3 n_neighbors √(n/300) neighbors is
below .3 e^(−8.6/√r). Chance makes it smaller than in the cloud, the less the more rows the border
passes: r is the number of rows with a neighbor across it, in the largest connected part of the
border, and at least m. Where a neighborhood spans the width of a cluster, r is about m, and the
limit 1/16 for m = 30. By all kinds of evidence 3 of 300 lines of 300 random rows are cut, 3 of 300
half circles and none of 300 rings. Clouds in many dimensions have borders of most of their rows,
and a limit near .3. So many neighbors may reach across the space between narrow clusters, so from
300 rows on two thirds of them are tried, too; chance then has more play, and the limit is a fifth.

*A gap.* Clusters may be thinner than m neighbors reach, as the arms of spirals. Among pairs of
neighbors across the cut, count those by the first q = n_neighbors, O, and by the first 3q, T. Where
one cluster is cut in two, E = T/9 of them are expected to be that near on a line, and more in more
dimensions. The deviance 2(E − O + O log(O/E))/q, which counts each neighborhood of q rows once, is
above 7 with probability below 1 % in one cluster. In less than 300 rows the same with q halved.

A gap has to be calm itself, below .03, and these two cuts leave at least 2 % of the rows and
n_neighbors different ones on both sides. A piece apart has 2 n_neighbors rows, or n_neighbors
if these are 2 %; rows in smaller pieces belong to none. Tables of less than 100 different rows have
rules of their own, see :mod:`kgroups.graphs.neighbors.rules`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.neighbors.affinity import weighted
from kgroups.graphs.neighbors.nearest import Nearest, nearest_of, nearest_rows
from kgroups.graphs.neighbors.rules import FEWEST, Rules
from kgroups.graphs.neighbors.walk_cut import walk_cut
from kgroups.input.adjacency import components, rows_of
from kgroups.runtime.blas import one_thread_a_product
from kgroups.typing import BoolArray, Float64Array, IntArray

#: Different rows of a sample by which the number of clusters in more is decided.
SAMPLE = 3_000
# Rows in which three times as many neighbors are the right smoothing.
_TYPICAL = 300
# How much smaller calmness is by chance, on borders of r rows; the fewest rows of a border.
_CHANCE, _NARROW = 8.6, 30
# The share of these neighbors by which narrow valleys are seen, and how much calmer they must be.
_NARROWER, _STRICTER = 2 / 3, 5.0
# Weight that falls with density, between none (1) and a scale for all rows (0).
_LOCAL, _LOCAL_OF_GAP = 0.75, 0.5
# Rows that are there often have links to others within twice the distance to few neighbors.
_TWICE = 2.0
# The share of the rows that may be in the smallest groups, and a few rows more.
_STRAY = 0.02


class Halves(NamedTuple):
    """Rows on the two sides of a cut, and the evidence for it: above 1 they are two clusters."""

    first: IntArray
    second: IntArray
    evidence: float


def divided(
    X: Float64Array, counts: IntArray, n_neighbors: int, k: int | None = None, n_jobs: int = 1
) -> IntArray:
    """A cluster for each of the different rows: as many as there is evidence for, or k at most.

    Parameters
    ----------
    X : array (n, d)
        Rows that are different from each other.
    counts : array (n,)
        How often each is there.
    n_neighbors : int
    k : int or None
        Number of clusters; there are fewer where no cut leaves enough rows on both sides. What
        there is evidence for comes first, then small groups far from all others, then the cut
        with the most evidence.
    n_jobs : int

    Returns
    -------
    array (n,)
        Clusters, the largest first. A sample of 3,000 rows is divided where there are more; rows
        that are not in it, or in no cluster, have that of the nearest row that is.

    Notes
    -----
    Two or three sparse factorizations for each cut of at most 3,000 rows, tenths of a second; and
    a search for one neighbor of each row.
    """
    chosen = _sampled(len(X))
    labels = np.full(len(X), -1)
    with one_thread_a_product():
        labels[chosen] = _of_sample(X[chosen], counts[chosen], n_neighbors, k, n_jobs)
    return _completed(X, labels, n_jobs)


def small_groups(
    X: Float64Array, counts: IntArray, n_neighbors: int, n_jobs: int = 1
) -> list[IntArray]:
    """Different rows far from all others, too few for a cluster unless the number allows one.

    The largest group first; of a sample of 3,000 rows where there are more.
    """
    chosen = _sampled(len(X))
    rules = Rules.of(int(counts[chosen].sum()), len(chosen), n_neighbors)
    found = _small_groups(X[chosen], counts[chosen], rules, n_jobs)
    return [chosen[group] for group in found]


def _sampled(n: int) -> IntArray:
    if n <= SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))


def _of_sample(
    X: Float64Array, counts: IntArray, n_neighbors: int, k: int | None, n_jobs: int
) -> IntArray:
    n = len(X)
    rules = Rules.of(int(counts.sum()), n, n_neighbors)

    def halving(rows: IntArray) -> tuple[IntArray, Halves | None]:
        return rows, halved(X[rows], counts[rows], rules, n_jobs)

    open_, done = [halving(np.arange(n))], list[IntArray]()
    small = [] if k is None else _small_groups(X, counts, rules, n_jobs)
    while open_:
        best = max(range(len(open_)), key=lambda i: _evidence(open_[i][1]))
        rows, halves = open_.pop(best)
        left = None if k is None else k - len(open_) - len(done) - 1
        is_plain = _evidence(halves) > 1.0
        if small and left and not is_plain:
            done += small[:left]
            pieces = [rows, *(piece for piece, _ in open_)]
            rest = [np.setdiff1d(piece, np.concatenate(small[:left])) for piece in pieces]
            open_, small = [halving(piece) for piece in rest if len(piece)], []
        elif halves is None or left == 0 or (left is None and not is_plain):
            done.append(rows)
        else:
            open_ += [halving(rows[halves.first]), halving(rows[halves.second])]
    labels = np.full(n, -1)
    done.sort(key=lambda rows: (-counts[rows].sum(), rows[0]))
    for number, rows in enumerate(done):
        labels[rows] = number
    return labels


def _small_groups(X: Float64Array, counts: IntArray, rules: Rules, n_jobs: int) -> list[IntArray]:
    """Rows apart from all others, but too few for a piece that is cut off, the largest first.

    No row outside is within twice the distance from a row inside to its fourth neighbor. Groups of
    two to four rows have that neighbor outside; it must be more than twice as far as that of any
    row that is in no such group, and twice that distance counts for them.
    """
    few = 3 * FEWEST // 2
    # Of so many neighbors of a row in a small group one is outside.
    near = nearest_rows(X, min(max(rules.least_apart, few + 1), len(X) - 1), n_jobs)
    if near.indices.shape[1] <= few:
        return []
    reach = near.distances[:, few - 1]
    groups = _within(near, reach, few + 1, rules.least_apart, counts)
    longest = -np.sort(-reach)[: int(_STRAY * len(X)) + few + 1]
    jumps = np.flatnonzero(longest[:-1] > _TWICE * longest[1:])
    if len(jumps):
        groups += _within(near, np.minimum(reach, longest[jumps[-1] + 1]), 2, few + 1, counts)
    # Where most rows are in such groups, none of them is small next to the others.
    n_rows = sum(counts[group].sum() for group in groups)
    return groups if 2 * n_rows < counts.sum() else []


def _within(
    near: Nearest, reach: Float64Array, least: int, below: int, counts: IntArray
) -> list[IntArray]:
    """Components of so many rows of links up to twice the reach of a row, the largest first."""
    n = len(reach)
    row, place = np.nonzero(near.distances <= _TWICE * reach[:, None])
    links = (np.ones(len(row)), (row, near.indices[row, place]))
    _, of_row = components(csr_array(links, shape=(n, n)))
    sizes = np.bincount(of_row, counts)
    order = np.argsort(-sizes, kind="stable")
    return [np.flatnonzero(of_row == j) for j in order if least <= sizes[j] < below]


def _evidence(halves: Halves | None) -> float:
    return -1.0 if halves is None else halves.evidence


def _completed(X: Float64Array, labels: IntArray, n_jobs: int) -> IntArray:
    """Labels in which rows without one have that of the nearest row that has one."""
    without = np.flatnonzero(labels < 0)
    if not len(without):
        return labels
    known = np.flatnonzero(labels >= 0)
    found = labels.copy()
    found[without] = labels[known[nearest_of(X[known], X[without], 1, n_jobs).indices[:, 0]]]
    return found


def halved(X: Float64Array, counts: IntArray, rules: Rules, n_jobs: int = 1) -> Halves | None:
    """The two parts of a piece with the most evidence that they are two clusters.

    None if no cut leaves enough rows on both sides. Of several kinds of evidence the first that
    suffices decides.
    """
    n = len(X)
    if n < 2:
        return None
    wide = min(round(3 * rules.n_neighbors * np.sqrt(max(n / _TYPICAL, 1.0))), n - 1)
    piece = _Piece(nearest_rows(X, wide, n_jobs), counts, rules)
    best: Halves | None = None
    for halves in piece.cuts():
        if halves is not None and halves.evidence > _evidence(best):
            best = halves
        if _evidence(best) > 1.0:
            break
    return best


@dataclass(frozen=True)
class _Piece:
    """Rows with their neighbors, and how they may be cut."""

    near: Nearest
    counts: IntArray
    rules: Rules

    def cuts(self) -> Iterator[Halves | None]:
        """The best cut by each kind of evidence."""
        yield self._apart()
        n_neighbors = self.rules.n_neighbors
        if len(self.counts) < max(2 * n_neighbors, FEWEST):
            return
        wide = self.near.indices.shape[1]
        yield self._valley(wide, 1.0)
        ranks = [n_neighbors, n_neighbors // 2]
        if len(self.counts) >= _TYPICAL:
            yield self._valley(round(_NARROWER * wide), _STRICTER)
            ranks.pop()
        for q in ranks:
            if q >= FEWEST and 2 * q <= wide:
                yield self._gap(q)

    def _apart(self) -> Halves | None:
        """The largest component and the other large ones."""
        _, of_row = components(self._links())
        sizes = np.bincount(of_row, self.counts)
        large = np.flatnonzero(sizes >= self.rules.least_apart)
        if len(large) < 2:
            return None
        largest = large[np.argmax(sizes[large])]
        others = np.isin(of_row, large) & (of_row != largest)
        return Halves(np.flatnonzero(of_row == largest), np.flatnonzero(others), np.inf)

    def _links(self) -> csr_array:
        """Pairs of rows of which one is among the nearest 1½ n_neighbors of the other.

        Equal rows are neighbors too, so that rows that are there often need few others or none;
        they have links only to neighbors near by on the scale of both.
        """
        m = 3 * self.rules.n_neighbors // 2
        distances, indices = self.near
        n, wide = indices.shape
        counts = self.counts[indices]
        needed = self.counts[:, None] - 1 + np.cumsum(counts, axis=1) - counts < m
        last = needed.sum(axis=1)
        own = np.where(last, distances[np.arange(n), last - 1], 0.0)
        few = np.maximum(last, min(3 * FEWEST // 2, wide))
        scale = _TWICE * distances[np.arange(n), few - 1]
        chosen = distances <= np.minimum(scale[:, None], scale[indices])
        chosen[:, m:] = False
        chosen |= needed
        if self.rules.reach > 1.0:
            chosen |= distances <= self.rules.reach * own[:, None]
        rows = np.repeat(np.arange(n), chosen.sum(axis=1))
        return csr_array((np.ones(len(rows)), (rows, indices[chosen])), shape=(n, n))

    def _valley(self, m: int, stricter: float) -> Halves | None:
        near = self.near.first(m)
        cut = walk_cut(self._graph(near, m, _LOCAL), self.counts, self.rules.least)
        if cut is None:
            return None
        rows = max(_border(near, cut.side), m, _NARROW)
        limit = self.rules.valley * np.exp(-_CHANCE / np.sqrt(rows)) / stricter
        return _halves(cut.side, limit / max(cut.calmness, np.finfo(np.float64).tiny))

    def _gap(self, q: int) -> Halves | None:
        near = self.near.first(3 * q)
        cut = walk_cut(
            self._graph(near, q, _LOCAL_OF_GAP),
            self.counts,
            self.rules.least,
            lambda z: _empty(near, z, q),
        )
        if cut is None or cut.calmness >= self.rules.calm_gap:
            return None
        return _halves(cut.side, _empty(near, cut.side, q) / self.rules.gap)

    def _graph(self, near: Nearest, rank: int, local: float) -> csr_array:
        """Weights on the scale of the neighbor of a rank, times how often either row is there."""
        W = weighted(near.lengths(), near.distances[:, rank - 1], local)
        if (self.counts > 1).any():
            W.data *= self.counts[rows_of(W)] * self.counts[W.indices]
        return W


def _border(near: Nearest, side: BoolArray) -> int:
    """The number of rows in the largest connected part of the links across a cut."""
    row, place = np.nonzero(side[near.indices] != side[:, None])
    ends = (row, near.indices[row, place])
    _, part = components(csr_array((np.ones(len(row)), ends), shape=(len(side), len(side))))
    return int(np.bincount(part).max())


def _halves(side: BoolArray, evidence: float) -> Halves:
    return Halves(np.flatnonzero(side), np.flatnonzero(~side), evidence)


def _empty(near: Nearest, side: BoolArray, q: int) -> float:
    """The deviance of the number of near pairs across a cut, 0 where they are not too few."""
    across = side[near.indices] != side[:, None]
    total, observed = float(across.sum()), float(across[:, :q].sum())
    expected = total * (q / near.indices.shape[1]) ** 2
    if observed >= expected:
        return 0.0
    log_ratio = np.log(observed / expected) if observed else 0.0
    return float(2.0 * (expected - observed + observed * log_ratio) / q)
