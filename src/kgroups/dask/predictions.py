"""Predictions for Dask arrays: one task per chunk, when they are asked for."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Future

from kgroups.runtime.blas import one_thread_a_product


def by_chunks(
    X: Any, work: Callable[[Any, Any], Any], model: Any, dtype: Any, more: tuple[int, ...]
) -> Any:
    """What ``work`` answers for each chunk of X, as a lazy array of shape (n, *more)."""
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    held = model if isinstance(model, Future) else dask.delayed(model, pure=False)
    made = [
        da.from_delayed(dask.delayed(work)(chunk, held), (n, *more), dtype=dtype)
        for chunk, n in zip(X.to_delayed().ravel(), X.chunks[0], strict=True)
    ]
    joined = da.concatenate(made, allow_unknown_chunksizes=True)
    # Chunks without rows are lost when others are joined.
    return joined.rechunk({0: X.chunks[0]}) if 0 in X.chunks[0] else joined


def without_labels(model: Any) -> Any:
    """A copy of a fitted estimator that is as small as its centroids."""
    small = copy.copy(model)
    small.labels_ = model.labels_[:0]
    return small


def predicted(rows: Any, model: Any) -> Any:
    """The nearest centroid of each row of a chunk, which may be empty."""
    return _on_one_thread(model.predict, rows) if len(rows) else np.empty(0, np.int64)


def transformed(rows: Any, model: Any) -> Any:
    """The distances of the rows of a chunk to the centroids."""
    k = len(model.cluster_weights_)
    return _on_one_thread(model.transform, rows) if len(rows) else np.empty((0, k))


def _on_one_thread(work: Any, rows: Any) -> Any:
    with warnings.catch_warnings(), one_thread_a_product():
        # Dask's blocks of a frame have no names.
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        return work(rows)
