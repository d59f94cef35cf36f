"""Which way to hold similarity: chosen from n, D, k and memory before any work, with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.gram.dense import DENSE_UP_TO
from kgroups.gram.low_rank import CHUNK, WIDE
from kgroups.gram.sorted_columns import is_column_sum
from kgroups.gram.squared_rows import squared_rank
from kgroups.input.matrices import check_made_distances
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import KernelSpace, PointSpace, Space
from kgroups.runtime.memory import human_bytes, memory_limit
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.semimetric import Semimetric, evenly_spaced
from kgroups.sketch.dispersion import LEAST_FOR_W, ROWS_FOR_W
from kgroups.sketch.sample import sample_size

# n² (D + 16) up to which the exact pass takes about a minute on two cores.
_EXACT_WORK = 1e13
# Features that are held rather than made anew in each sweep.
_FEATURES_HELD = 1 << 30
# The same where features serve the starts alone; at least those of the rows on which these compete.
_FEATURES_FOR_STARTS = 1 << 25
_LEAST_ROWS_FOR_W = 1_000
#: Rows up to which each start without pairs runs on all of them.
STARTS_ON_ALL = 50_000
# Points below which a start on a sketch takes a few milliseconds.
_FEW_ON_SKETCH = 5_000
#: Rows from which a proof from a share of the pairs takes less time than a pass over all of them.
CERTIFIED_FROM = 50_000
#: Rows per cluster from which landmarks and first members leave few clusters open.
CERTIFIED_PER_CLUSTER = 2_000
# Multiply-adds per row that a proof takes by default: about five times those of the sketch.
_PROOF_WORK = 3.2e6
# Rows from which sums over sorted columns take less time than a pass over all pairs.
COLUMNS_FROM = 20_000
#: Rows from which one failed round of new clusters is the last.
MANY_ROWS = 20_000
_LANDMARKS_LEAST, _LANDMARKS_MOST, _LANDMARKS_OF_STARTS = 100, 200, 400
# Bytes that an entry of a sparse row takes at most: itself, and in tiles of two orders.
_BYTES_OF_ENTRY = 128
# Sparse rows of which all pairs are looked at for columns that they share.
_SOME_SPARSE = 1_000
# Rows on which distances of a user's semimetric are checked when no matrix of all is made.
_SPOT_CHECK = 100


@dataclass(frozen=True, kw_only=True)
class Size:
    """What is known of a problem before any work."""

    n: int
    n_columns: int
    itemsize: int
    n_clusters: int
    n_threads: int
    #: Whether distances are made by compiled code, cheap enough to be made again and again.
    is_compiled: bool
    is_negative_type: bool
    #: The dimension in which distances are squared Euclidean ones; None if they are not.
    squared_rank: int | None = None
    #: Whether distances are sums over single columns of |x − y| or of equality.
    is_column_sum: bool = False
    #: Columns that two sparse rows share, on average; None for dense rows. The number of columns
    #: is that of entries in a row then.
    n_shared: float | None = None
    #: Columns that occur in sparse rows, at most.
    n_occurring: int = 0
    #: Whether distances are differences of larger terms, as those with missing entries are.
    has_gaps: bool = False

    def dense_bytes(self) -> int:
        """The matrix, in float64 if there are few points; the sums of starts that run at once."""
        itemsize = 8 if self.n <= DENSE_UP_TO else self.itemsize
        return self.n * self.n * itemsize + max(self._sums(1), min(self._sums(32), 1 << 26))

    def matrix_free_bytes(self, n_components: int) -> int:
        """Coordinates as rows and panels, in two orders, and two tables of sums; or the sketch.

        Without a sketch, as many starts as there are threads have these at the same time.
        Squared distances take a copy of the rows, bounds of as many starts as there are threads,
        distances to some candidates for seeds; sums over columns the rows, sorted and in bins.
        """
        if self.squared_rank is not None:
            vectors = 16 * self.n_threads * self.n_clusters * self.n_occurring
            rows = self.n * (8 * self.squared_rank + 24 * self.n_threads + 80)
            return rows + vectors + (1 << 26)
        if self.operator() == "columns":
            exact = self.n * (24 * self.n_columns + 64) + (1 << 26)
            return max(exact, self._starts_bytes(n_components))
        coordinates = self.n * self._row_bytes()
        exact = coordinates + 16 * self.n * self.n_clusters + 64 * self.n
        if not self.is_negative_type:
            exact *= self.n_threads
        return max(exact, self._starts_bytes(n_components))

    def certified_bytes(self, n_components: int) -> int:
        """Rows, laid out for one cluster after another, and a few numbers per row; or the sketch.

        About 2.5 pairs of a row and a cluster stay open after a first look, which has a table of
        bounds in each thread and up to four million pairs at the same time.
        """
        coordinates = 3 * self.n * self.n_columns * self.itemsize
        n_pairs = self.n * self.n_clusters
        first_look = 200 * min(n_pairs, 1 << 22) + 80 * self.n_threads * min(n_pairs, 1 << 20)
        exact = coordinates + self.n * 430 + first_look + 24 * n_components * (1 << 16)
        return max(exact, self.sketch_bytes(n_components))

    @property
    def is_certifiable(self) -> bool:
        """Whether bounds hold: dense rows, and a compiled metric of negative type."""
        has_sums = self.is_compiled and self.n_shared is None and not self.has_gaps
        return has_sums and self.is_negative_type

    def proof_pairs(self) -> float:
        """Distances that a proof may take by default."""
        return max(_EXACT_WORK / 2, _PROOF_WORK * self.n) / (self.n_columns + 16)

    def operator(self) -> str:
        """What stands in for a matrix that is not held: "squared" and "columns" need no pairs."""
        if self.squared_rank is not None:
            return "squared"
        return "columns" if self.is_column_sum and self.n > COLUMNS_FROM else "pairs"

    def sketch_bytes(self, n_components: int) -> int:
        """The starts, then the sample of rows from which W is estimated."""
        rows = min(self.n, max(_LEAST_ROWS_FOR_W, LEAST_FOR_W * self.n_clusters))
        return max(self._starts_bytes(n_components), rows * self.row_for_w() + 64 * self.n)

    def row_for_w(self) -> int:
        """A row of the sample from which W is estimated: coordinates and sums."""
        return self._row_bytes() + 24 * self.n_clusters

    def _row_bytes(self) -> int:
        """Coordinates of a row, laid out in two orders."""
        each = 4 * self.itemsize if self.n_shared is None else _BYTES_OF_ENTRY
        return self.n_columns * each

    def _starts_bytes(self, m: int) -> int:
        """Features of the sample, of chunks on their way, and a few numbers a point."""
        sample = sample_size(self.n, self.n_clusters)
        chunks = min(self.n, self.n_threads * CHUNK)
        row = 3 * m * self.itemsize + 2 * self.n_columns * self.itemsize
        return 4 * m * sample * 2 + chunks * row + 16 * m * m + 64 * self.n

    def _sums(self, n_starts: int) -> int:
        return 32 * self.n * self.n_clusters * n_starts

    def exact_work(self) -> float:
        """Multiply-adds of one pass, with 16 for what each pair costs besides its coordinates.

        Of sparse rows a pair costs as much as 32 coordinates, and 16 for each column shared.
        """
        if self.n_shared is not None:
            return float(self.n) ** 2 * (48 + 16 * self.n_shared)
        return float(self.n) ** 2 * (self.n_columns + 16)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a user asked for: the parameters of an estimator that bear on the method."""

    method: str = "auto"
    n_components: int | str = "auto"
    landmarks: str = "distant"
    memory_limit: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The method, why, and what it may take."""

    method: str
    reason: str
    n_components: int = 0
    feature_bytes: int = 0
    #: Rows from which W is estimated.
    rows_for_w: int = ROWS_FOR_W
    landmarks: str = "uniform"
    #: Whether starts compete on a sketch, because runs on the operator take long.
    starts_on_sketch: bool = False
    #: What stands in for a matrix that is not held: "pairs", "squared" or "columns".
    operator: str = "pairs"
    #: The dimension in which distances between dense rows are squared Euclidean ones, or 0.
    rank: int = 0
    #: Distances that a proof may take.
    proof_pairs: float = np.inf
    #: Whether a pass over all pairs takes minutes, and whether its sums fit the memory.
    is_large: bool = False
    fits_pairs: bool = True

    def on_pairs(self, reason: str) -> Plan:
        """The plan of a pass over all pairs in place of a proof."""
        return replace(self, method="matrix_free", reason=reason)

    def starts_on_sample(self, n: int) -> bool:
        """Whether starts compete on a sample of n rows, with the operator of all of them."""
        return self.operator == "squared" and n > STARTS_ON_ALL


def plan_for(wish: Wish, space: Space, data: Any, k: int, n_threads: int) -> Plan:
    """How similarity will be held; ValueError or MemoryError when it cannot be as asked."""
    if not isinstance(space, PointSpace):
        return _plan_for_matrix(wish, space, data)
    size = size_of(space, data, k, n_threads)
    semimetric = space.semimetric
    if not semimetric.is_symmetric_by_construction and wish.method != "dense":
        few = take(data, evenly_spaced(n_rows(data), _SPOT_CHECK))
        check_made_distances(np.asarray(semimetric.pairwise(few)), semimetric)
    return make_plan(wish, size, memory_limit(wish.memory_limit))


def _plan_for_matrix(wish: Wish, space: Space, data: Any) -> Plan:
    if wish.method not in ("auto", "dense"):
        metric = "precomputed_kernel" if isinstance(space, KernelSpace) else "precomputed"
        raise ValueError(
            f"method={wish.method!r} makes distances from points, and "
            f'metric="{metric}" gives a matrix; use method="auto".'
        )
    if issparse(data):
        return Plan(method="sparse", reason="X is sparse")
    return Plan(method="dense", reason="X is the matrix")


def size_of(space: PointSpace, data: Any, k: int, n_threads: int) -> Size:
    """What is known of a table or of objects before any work."""
    semimetric = space.semimetric
    terms = None if semimetric.takes_objects else semimetric.terms(data[:1])
    sparse, rank = issparse(data), squared_rank(terms)
    return Size(
        n=n_rows(data),
        n_columns=_entries(data) if sparse else _columns(terms),
        itemsize=_itemsize(semimetric, data, terms),
        n_clusters=k,
        n_threads=n_threads,
        is_compiled=terms is not None,
        is_negative_type=space.has_features,
        squared_rank=_entries(data) if sparse and rank is not None else rank,
        is_column_sum=is_column_sum(terms),
        n_shared=_shared(data) if sparse else None,
        n_occurring=min(data.shape[1], data.nnz) if sparse else 0,
        has_gaps=any(term.gap_scale is not None for term in terms or []),
    )


def _columns(terms: list[Term] | None) -> int:
    return 1 if terms is None else sum(term.coordinates.shape[1] for term in terms)


def _entries(rows: csr_array) -> int:
    """Entries in a sparse row, on average and not below 1."""
    return max(1, -(-rows.nnz // rows.shape[0]))


def _shared(rows: csr_array) -> float:
    """Columns that two sparse rows share, on average over the pairs of some."""
    some = rows[evenly_spaced(rows.shape[0], _SOME_SPARSE)]
    _, count = np.unique(some.indices, return_counts=True)
    return float(count @ count) / some.shape[0] ** 2


def _itemsize(semimetric: Semimetric, data: Any, terms: list[Term] | None) -> int:
    """Bytes of one coordinate, which some semimetrics hold in float64 for rows in float32.

    Without coordinates those of one distance.
    """
    if issparse(data):  # sums and distances of which are float64
        return 8
    if terms is None:
        return semimetric.matrix_type(data).itemsize
    return max(int(term.coordinates.itemsize) for term in terms)


def make_plan(wish: Wish, size: Size, limit: int | None) -> Plan:
    """The method asked for, or the best that fits; MemoryError when it does not."""
    m = _components(wish.n_components, size)
    # Labels that all pairs or a proof improve need not come from features for each cluster.
    of_starts = min(m, _LANDMARKS_OF_STARTS) if wish.n_components == "auto" else m
    room = np.inf if limit is None else float(limit)
    needs = {
        "dense": size.dense_bytes(),
        "matrix_free": size.matrix_free_bytes(of_starts),
        "certified": size.certified_bytes(of_starts),
        "nystroem": size.sketch_bytes(m),
    }
    method, reason = wish.method, f"as method={wish.method!r} asks"
    if method == "auto":
        method, reason = _choice(size, needs, room)
    elif method == "certified":
        method, reason = _certified(size, reason)
    if needs[method] > room:
        raise MemoryError(_refusal(method, needs, room, size))
    operator = size.operator() if method == "matrix_free" else "pairs"
    on_sketch = method in ("certified", "nystroem")
    of_sample = 4 * of_starts * sample_size(size.n, size.n_clusters)
    most = _FEATURES_HELD if on_sketch else max(_FEATURES_FOR_STARTS, of_sample)
    return Plan(
        method=method,
        reason=reason,
        n_components=m if method == "nystroem" else of_starts,
        feature_bytes=int(min(most, max(0.0, room - needs["nystroem"]))),
        rows_for_w=int(min(ROWS_FOR_W, max(_LEAST_ROWS_FOR_W, room / (2 * size.row_for_w())))),
        landmarks=wish.landmarks,
        starts_on_sketch=on_sketch
        or (method == "matrix_free" and size.is_negative_type and operator != "squared"),
        operator=operator,
        rank=(size.squared_rank or 0) if size.n_shared is None else 0,
        proof_pairs=size.proof_pairs() if wish.method == "auto" else np.inf,
        is_large=size.exact_work() > _EXACT_WORK,
        fits_pairs=needs["matrix_free"] <= room,
    )


def _certified(size: Size, reason: str) -> tuple[str, str]:
    """The way to a proof that was asked for; ValueError where bounds do not hold."""
    if size.squared_rank is not None or size.operator() == "columns":
        return "matrix_free", f"{reason}: this metric needs no pairs"
    if not size.is_certifiable:
        raise ValueError(
            'method="certified" needs dense rows of numbers and a metric of negative type that is '
            'compiled; use method="matrix_free" or "auto".'
        )
    return "certified", reason


def _choice(size: Size, needs: dict[str, int], room: float) -> tuple[str, str]:
    if needs["matrix_free"] <= room:
        if size.squared_rank is not None and size.squared_rank < size.n:
            return "matrix_free", "squared distances need no pairs: means of clusters say it all"
        if size.operator() == "columns":
            return "matrix_free", "sums over single columns need no pairs: the columns are sorted"
    proves = size.is_certifiable and needs["certified"] <= room
    if proves and size.n >= max(CERTIFIED_FROM, CERTIFIED_PER_CLUSTER * size.n_clusters):
        pairs = size.n * (size.n - 1) / 2
        return "certified", f"bounds should decide most rows without all {pairs:.2g} pairs"
    return _choice_with_pairs(size, needs, room)


def _choice_with_pairs(size: Size, needs: dict[str, int], room: float) -> tuple[str, str]:
    matrix = f"the full matrix would take {human_bytes(needs['dense'])}"
    if not size.is_compiled:
        if needs["dense"] <= room or not size.is_negative_type:
            return "dense", "computing distances of this metric twice would take too long"
        return "nystroem", f"{matrix}, and distances of this metric are slow"
    if size.n <= DENSE_UP_TO and needs["dense"] <= room:
        return "dense", f"up to {DENSE_UP_TO:,} rows every start runs on the matrix itself"
    cheap = size.exact_work() <= _EXACT_WORK
    if needs["matrix_free"] <= room and (cheap or not size.is_negative_type):
        beyond = f"more than {DENSE_UP_TO:,} rows: distances are computed on demand"
        return "matrix_free", f"{beyond}, because {matrix}"
    if not cheap:
        pairs = size.n * (size.n - 1) / 2
        return "nystroem", f"an exact pass over {pairs:.2g} pairs would take minutes"
    return "nystroem", f"the exact sums would take {human_bytes(needs['matrix_free'])}"


def default_n_init(plan: Plan, n: int, k: int) -> int:
    """Number of starts: more for more clusters, fewer where a start is slow.

    Local optima multiply with k: 16 starts for two clusters, 40 from eight on. On the operator a
    start costs about n² additions: beyond 1,000 points at most 40,000 / n, which is 8 at 5,000, and
    never under 4. Where no pairs are needed a start is cheap: at most 80,000 / n, fewer in
    proportion for 96 columns or more, and never under 8. On a sketch clusters that are grown anew
    repair what starts miss; they do so best for many clusters, and with few a second start is as
    good and as cheap. Below 5,000 points there are at least 20,000 / n, up to 10, which take less
    time than the starts on the last stored matrices.
    """
    if k == 1:
        return 1
    if plan.operator == "squared":
        return min(8 + 4 * k, max(8, 80_000 // (n * max(1, plan.rank // WIDE))), 40)
    if plan.starts_on_sketch:
        at_least = min(10, 20_000 // n) if n < _FEW_ON_SKETCH else 2
        return max(at_least, min(8, 40 // k))
    return min(8 + 4 * k, max(4, 40_000 // n), 40)


def default_effort(plan: Plan, n: int, k: int) -> dict[str, int]:
    """Settings of :class:`Regrowth`: more for more clusters, less where a run takes long.

    Clusters are grown anew for at most half the time of the starts.

    On a matrix three clusters at a time from 16 + 8k points, at most 48, and beyond 1,000 points at
    most 48,000 / n, never under 16. On up to 2,000 rows two clusters from 8 + 2k points, at most
    24. On more rows, or on their features, one cluster from 8 + 4k points, at most 32, and beyond
    5,000 rows at most 120,000 / n, fewer in proportion for 96 columns or more, never under 6: small
    gains on a sample are not to be trusted far. On sparse rows at most the larger of 4 + k and
    64,000 / n, at most 16, and beyond 20,000 rows 6.
    """
    if plan.method == "dense":
        return {"depth": 3, "n_drawn": min(16 + 8 * k, 48, max(16, 48_000 // n)), "patience": 2}
    if n <= DENSE_UP_TO:
        patience = 2 if plan.rank else 3  # a start on sparse rows takes longer
        return {"depth": 2, "n_drawn": min(8 + 2 * k, 24), "patience": patience}
    at_most = max(6, 120_000 // (n * max(1, plan.rank // WIDE)))
    if plan.operator == "squared" and plan.rank == 0:
        at_most = min(max(4 + k, 64_000 // n), 16) if n <= MANY_ROWS else 6
    patience = 1 if n > MANY_ROWS else 2
    return {"depth": 1, "n_drawn": min(8 + 4 * k, 32, at_most), "patience": patience}


def _components(n_components: int | str, size: Size) -> int:
    """√n landmarks within limits, and twice as many as clusters."""
    if n_components != "auto":
        return min(int(n_components), size.n)
    root = min(max(int(np.sqrt(size.n)), _LANDMARKS_LEAST), _LANDMARKS_MOST)
    return min(size.n, max(root, 2 * size.n_clusters))


def _refusal(method: str, needs: dict[str, int], room: float, size: Size) -> str:
    what = {
        "dense": f"The dense matrix of {size.n} x {size.n} distances",
        "matrix_free": f"An exact fit of {size.n} points with {size.n_clusters} clusters",
        "certified": f"A certified fit of {size.n} points",
        "nystroem": f"A sketch of {size.n} points",
    }[method]
    smaller = [name for name in needs if needs[name] <= room]
    if not size.is_negative_type:
        smaller = [name for name in smaller if name != "nystroem"]
    if not size.is_certifiable:
        smaller = [name for name in smaller if name != "certified"]
    if smaller:
        name = smaller[0]
        instead = f'method="{name}" takes {human_bytes(needs[name])}.'
    else:
        instead = (
            "Fewer n_components, fewer threads and float32 need less; or cluster a sample of the "
            "rows, and predict the others."
        )
    return (
        f"{what} needs at least {human_bytes(needs[method])}; the limit is {human_bytes(room)}. "
        f"{instead}"
    )
