"""Fits of rows that are read block by block, for the estimators of rows in memory and beyond."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.answers.answers import KeptRows
from kgroups.answers.membership import sample_size
from kgroups.estimators.number_of_clusters import (
    are_weights_equal,
    asking_for,
    number_of_clusters,
)
from kgroups.fit.answer import Answer
from kgroups.fit.block_fit import BlockFit
from kgroups.fit.block_plan import (
    bytes_kept,
    is_gathered,
    needs_all_rows,
    plan_of_blocks,
    resolved,
    size_of_blocks,
    space_of_blocks,
)
from kgroups.fit.checkpoint import Checkpoint, check_place
from kgroups.fit.plan import default_n_init
from kgroups.gram.low_rank import CHUNK
from kgroups.input.block_input import scanned
from kgroups.input.parameters import check_weights
from kgroups.input.spaces import PointSpace, space_for
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.memory import human_bytes, memory_limit
from kgroups.runtime.row_blocks import Blocks, LocalBlocks, RowBlock, all_blocks
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import Executor, Threads, effective_n_jobs
from kgroups.semimetrics.coordinates import MEDIAN_SAMPLE, Energy
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.solvers.block_draws import rows_of
from kgroups.solvers.block_search import block_size
from kgroups.solvers.centroids import RowsToBlockMeans
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.starts import Starts
from kgroups.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from kgroups.estimators.kernel_clustering import KernelClustering


# How many times rows have to fit the memory whose metric looks at all of them first.
_COPIES = 4


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What is known of the columns, and where a row is."""

    n: int
    names: list[str] | None
    place: Callable[[int], str]


def deadline_of(model: KernelClustering) -> float:
    """When a proof stops, on the clock."""
    return np.inf if model.time_limit is None else time.monotonic() + float(model.time_limit)


def check_init(init: Any) -> str:
    """The name of a start; ValueError for labels and functions, which need all rows."""
    if isinstance(init, str):
        return init
    raise ValueError(
        "init must be a name for rows that are read in blocks, because labels and functions need "
        f"all of them; got {type(init).__name__}."
    )


def fit_blocks(
    model: KernelClustering,
    where: Blocks,
    columns: Columns,
    executor: Executor,
    *,
    k: int,
    room: float,
    on_workers: bool = False,
    checkpoint: str | None = None,
) -> tuple[PointSpace, FloatArray, Answer]:
    """Carry out a fit over blocks; the estimator learns of its columns, and nothing else yet.

    Evenly spaced rows, which the fit has read, are returned too.
    """
    n = where.n_rows
    init, solver = check_init(model.init), model._solver()
    if not isinstance(solver, Hartigan):
        raise ValueError(
            f"{type(model).__name__} holds the rows in memory, and {n:,} rows are read in blocks; "
            "use KernelKGroups, or a memory_limit that the rows fit."
        )
    space = space_of_blocks(space_for(model.metric))
    if checkpoint is not None:
        check_place(checkpoint)
    digests = checkpoint is not None
    seen = scanned(where, columns.names, columns.place, k, digests=digests)
    unit = power_of_two(seen.heaviest)
    where.settle(seen.dtype, unit)
    some = rows_of(where, evenly_spaced(n, MEDIAN_SAMPLE), "scan")
    space = resolved(space, some, columns.names)
    wish, semimetric = model._wish(), space.semimetric
    size = size_of_blocks(space, some[:1], n, k, executor.n_workers)
    how = {"is_ordinary": seen.is_ordinary, "on_workers": on_workers}
    plan = plan_of_blocks(wish, size, semimetric, room, **how)
    where.reserve(plan.feature_bytes)
    starts = Starts.asked(init, model.n_init, default_n_init(plan, n, k), None, model.random_state)
    rows = f"{n} of {columns.n} columns, {seen.digest}"
    fit = BlockFit(
        where=where,
        semimetric=semimetric,
        alive=seen.alive,
        heaviest=seen.heaviest / unit,
        weight_unit=unit,
        k=k,
        plan=plan,
        starts=starts,
        solver=solver,
        improver=model._improver(starts.seeds[0], plan, n, k),
        executor=executor,
        deadline=deadline_of(model),
        checkpoint=None if checkpoint is None else _checkpoint(checkpoint, model, k, starts, rows),
    )
    answer = fit.run()
    _keep_columns(model, columns)
    return space, some, answer


def _checkpoint(
    path: str, model: KernelClustering, k: int, starts: Starts, rows: str
) -> Checkpoint:
    """The checkpoint of a fit; ValueError where it could not be found to be of the same fit."""
    if model.random_state is None or not isinstance(model.random_state, (int, np.integer)):
        raise ValueError(
            "checkpoint= needs an integer random_state, so that a later fit draws the same random "
            f"numbers; got random_state={model.random_state!r}."
        )
    settings = {
        "rows": rows,
        "n_clusters": k,
        "metric": repr(model.metric),
        "method": model.method,
        "n_components": str(model.n_components),
        "landmarks": model.landmarks,
        "init": str(model.init),
        "tol": float(model.tol),
        "max_iter": int(model.max_iter),
        "seeds": [int(seed) for seed in starts.seeds],
    }
    return Checkpoint(path=path, settings=settings)


def _keep_columns(model: KernelClustering, columns: Columns) -> None:
    """What scikit-learn has of the columns of a fit."""
    model.__dict__.pop("feature_names_in_", None)
    model.n_features_in_ = columns.n
    if columns.names is not None:
        model.feature_names_in_ = np.array(columns.names, dtype=object)


def fit_row_source(model: KernelClustering, source: Any, sample_weight: Any) -> None:
    """Fit rows of this machine: gathered where they fit the memory, else block by block."""
    n = source.n_rows
    executor = Threads(effective_n_jobs(model.n_jobs))
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    where = LocalBlocks(source, n, block_size(n), executor, weights=weights)
    columns = Columns(n=source.n_columns, names=source.names, place=source.place)
    limit = memory_limit(model.memory_limit)
    if needs_all_rows(space_for(model.metric)) and _fits(source, limit):
        _fit_gathered(model, source, sample_weight, columns)
        return
    number = number_of_clusters(model, source, n, are_weights_equal(weights))
    k = number.k
    space = space_of_blocks(space_for(model.metric))
    few = source.read(0, 1)
    size = size_of_blocks(space, few, n, k, executor.n_workers)
    source.check_unchanged()
    if is_gathered(model._wish(), size, space.semimetric, limit):
        scanned(where, source.names, source.place, k)
        with asking_for(model, number):
            _fit_gathered(model, source, sample_weight, columns)
        return
    need = bytes_kept(model._wish(), size, has_weights=weights is not None)
    room = np.inf if limit is None else limit - need
    if room < 0:
        raise MemoryError(
            f"{n:,} rows that are read block by block need at least "
            f"{human_bytes(need)}, and the limit is {human_bytes(limit or 0)}; "
            "cluster a sample of the rows, and predict the others."
        )
    with one_thread_a_product():
        space, some, answer = fit_blocks(model, where, columns, executor, k=k, room=room)
        source.check_unchanged()
        keep_block_answer(model, where, space, some, answer)
    model.cluster_count_ = number.chosen_by


def _fits(source: Any, limit: int | None) -> bool:
    """Whether all rows fit the memory a few times."""
    return limit is None or _COPIES * 8 * source.n_rows * source.n_columns <= limit


def _fit_gathered(
    model: KernelClustering, source: Any, sample_weight: Any, columns: Columns
) -> None:
    """The fit of all rows in memory."""
    table = source.read(0, source.n_rows)
    source.check_unchanged()
    model.fit(table, sample_weight=sample_weight)
    _keep_columns(model, columns)


def keep_block_answer(
    model: KernelClustering, where: Blocks, space: PointSpace, some: FloatArray, answer: Answer
) -> None:
    """Keep what a fit over blocks has found; rows without weight go where ``predict`` puts them.

    ``some`` are the rows by which the fit answers questions, whatever their weights.
    """
    labels: Any = answer.partition.labels.astype(np.int32)
    if where.has_weights:
        for rows, there in where.map(
            "labels", _weightless, answer.nearest, None, all_blocks(where)
        ):
            labels[rows] = there
    model._keep_answer(answer, space)
    model.labels_ = labels
    rows = evenly_spaced(where.n_rows, MEDIAN_SAMPLE)
    few = evenly_spaced(len(rows), sample_size(len(rows), answer.partition.n_clusters))
    model._keep_some(KeptRows(rows[few], some[few], labels[rows[few]], np.ones(len(few))))
    semimetric, nearest = space.semimetric, answer.nearest
    if isinstance(semimetric, Energy) and isinstance(nearest, RowsToBlockMeans):
        model.cluster_centers_ = nearest.embedding.places(nearest.means)
        model.inertia_ = model.within_dispersion_


def _weightless(block: RowBlock, nearest: Any, shared: None, arg: None) -> tuple[Any, Any]:
    """Rows of weight zero, and the nearest centroid of each."""
    index = np.flatnonzero(block.weights() == 0)
    labels = [
        np.argmin(nearest.squared_distances(block.rows()[some]), axis=1)
        for some in in_chunks(index)
    ]
    return block.start + index, np.concatenate([np.empty(0, np.int64), *labels])


def in_chunks(rows: IntArray) -> list[IntArray]:
    """Rising numbers of rows, cut where canonical chunks are.

    Features of a sketch are rounded in a unit of the rows that are looked at together.
    """
    if not len(rows):
        return []
    return np.split(rows, np.flatnonzero(np.diff(rows // CHUNK)) + 1)
