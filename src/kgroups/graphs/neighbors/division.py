r"""How many clusters a table has, by the random walk between neighboring rows.

A piece of the table is cut in two as long as there is evidence that it is two clusters; neighbors
are searched anew in each piece, so that scales may differ. There are three kinds of evidence, none
of which depends on the unit, the dimension or the number of rows:

*Apart.* The graph of the nearest 1½ n_neighbors is not connected.

*A valley.* The cut costs far less than in one cloud: its calmness ρ/(2√λ)
(:mod:`kgroups.graphs.neighbors.walk_cut`) on a graph of m = 3 n_neighbors √(n/300) neighbors is
below (m/3 n_neighbors)^½/16. Noise makes it smaller in thin clusters, of which a neighborhood
spans the width, the less the larger m. Of 300 lines of 300 random rows it was below the limit in 3,
of 300 rings and moons in none.

*A gap.* Clusters may be thinner than m neighbors reach, as the arms of spirals. Among pairs of
neighbors across the cut, count those by the first q = n_neighbors, O, and by the first 3q, T. Where
one cluster is cut in two, E = T/9 of them are expected to be that near on a line, and more in more
dimensions. The deviance 2(E − O + O log(O/E))/q, which counts each neighborhood of q rows once, is
above 7 with probability below 1 % in one cluster. The same with q halved.

The last two cuts have to be calm themselves (below .03 for the gap). A cluster has at least 2 % of
the rows, and n_neighbors of them; rows in smaller pieces belong to none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.neighbors.affinity import weighted
from kgroups.graphs.neighbors.nearest import Nearest, nearest_of, nearest_rows
from kgroups.graphs.neighbors.walk_cut import walk_cut
from kgroups.input.adjacency import components, rows_of
from kgroups.runtime.blas import one_thread_a_product
from kgroups.typing import BoolArray, Float64Array, IntArray

# Share of the rows that a cluster has at least.
_LEAST = 0.02
# Rows of a sample by which the number of clusters in more is decided.
_SAMPLE = 3_000
# Rows in which three times as many neighbors are the right smoothing, and its calmness.
_TYPICAL, _VALLEY, _RISE = 300, 0.0625, 0.5
# Weight that falls with density, between none (1) and a scale for all rows (0).
_LOCAL, _LOCAL_OF_GAP = 0.75, 0.5
_GAP, _CALM_GAP = 7.0, 0.03
_FEWEST = 3


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
        Number of clusters; there are fewer where no cut leaves enough rows on both sides.
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
    n = len(X)
    chosen = np.arange(n)
    if n > _SAMPLE:
        chosen = np.sort(np.random.default_rng(0).choice(n, _SAMPLE, replace=False))
    labels = np.full(n, -1)
    with one_thread_a_product():
        labels[chosen] = _of_sample(X[chosen], counts[chosen], n_neighbors, k, n_jobs)
    return _completed(X, labels, n_jobs)


def _of_sample(
    X: Float64Array, counts: IntArray, n_neighbors: int, k: int | None, n_jobs: int
) -> IntArray:
    n = len(X)
    least = least_rows(n, n_neighbors)
    whole = np.arange(n)
    open_ = [(whole, halved(X, counts, n_neighbors, least, n_jobs))]
    done: list[IntArray] = []
    while open_:
        best = max(range(len(open_)), key=lambda i: _evidence(open_[i][1]))
        rows, halves = open_.pop(best)
        enough = k is not None and len(open_) + len(done) + 1 >= k
        if halves is None or enough or (k is None and halves.evidence <= 1.0):
            done.append(rows)
            continue
        for part in (rows[halves.first], rows[halves.second]):
            open_.append((part, halved(X[part], counts[part], n_neighbors, least, n_jobs)))
    labels = np.full(n, -1)
    for number, rows in enumerate(sorted(done, key=lambda rows: (-len(rows), rows[0]))):
        labels[rows] = number
    return labels


def least_rows(n: int, n_neighbors: int) -> int:
    """How many of n rows a cluster has at least."""
    return max(int(np.ceil(_LEAST * n)), n_neighbors)


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


def halved(
    X: Float64Array, counts: IntArray, n_neighbors: int, least: int, n_jobs: int = 1
) -> Halves | None:
    """The two parts of a piece with the most evidence that they are two clusters.

    None if no cut leaves ``least`` rows on both sides. Of several kinds of evidence the first that
    suffices decides.
    """
    n = len(X)
    if n < 2 * least or n < _FEWEST:
        return None
    wide = min(round(3 * n_neighbors * np.sqrt(max(n / _TYPICAL, 1.0))), n - 1)
    piece = _Piece(nearest_rows(X, wide, n_jobs), counts, n_neighbors, least)
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
    n_neighbors: int
    least: int

    def cuts(self) -> Iterator[Halves | None]:
        """The best cut by each kind of evidence."""
        yield self._apart()
        yield self._valley()
        for q in (self.n_neighbors, self.n_neighbors // 2):
            if q >= _FEWEST and 2 * q <= self.near.indices.shape[1]:
                yield self._gap(q)

    def _apart(self) -> Halves | None:
        """The largest component and the other large ones."""
        _, of_row = components(self.near.first(3 * self.n_neighbors // 2).lengths())
        sizes = np.bincount(of_row)
        large = np.flatnonzero(sizes >= self.least)
        if len(large) < 2:
            return None
        largest = large[np.argmax(sizes[large])]
        others = np.isin(of_row, large) & (of_row != largest)
        return Halves(np.flatnonzero(of_row == largest), np.flatnonzero(others), np.inf)

    def _valley(self) -> Halves | None:
        cut = walk_cut(self._graph(self.near, self.near.indices.shape[1], _LOCAL), self.least)
        if cut is None:
            return None
        times = self.near.indices.shape[1] / (3 * self.n_neighbors)
        limit = _VALLEY * max(times, 1.0) ** _RISE
        return _halves(cut.side, limit / max(cut.calmness, np.finfo(np.float64).tiny))

    def _gap(self, q: int) -> Halves | None:
        near = self.near.first(3 * q)
        cut = walk_cut(
            self._graph(near, q, _LOCAL_OF_GAP), self.least, lambda z: _empty(near, z, q)
        )
        if cut is None or cut.calmness >= _CALM_GAP:
            return None
        return _halves(cut.side, _empty(near, cut.side, q) / _GAP)

    def _graph(self, near: Nearest, rank: int, local: float) -> csr_array:
        """Weights on the scale of the neighbor of a rank, times how often either row is there."""
        W = weighted(near.lengths(), near.distances[:, rank - 1], local)
        if (self.counts > 1).any():
            W.data *= self.counts[rows_of(W)] * self.counts[W.indices]
        return W


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
