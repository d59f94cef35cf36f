"""Gram matrices of few dimensions: G = F Fᵀ with features F of shape (n, rank)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from kgroups.gram.held_rows import Held, Rows
from kgroups.gram.operator import GramOperator, Moves, RunningSums
from kgroups.native import kernels
from kgroups.runtime.threads import at_most, blocks, run
from kgroups.typing import Float32Array, Float64Array, FloatArray, IntArray

#: Points whose features are made or read at a time.
CHUNK = 1 << 13
# Bytes of features of a few points that are held although those of all are not.
_MADE_AT_ONCE = 1 << 26
# The largest squared norm is between these where no product in float32 over- or underflows.
_LEAST, _MOST = 2.0**-60, 2.0**60
#: Features of which products in float32 are quicker than differences.
WIDE = 48


def product_rounding(rank: int) -> float:
    """Error of ‖x‖² + ‖y‖² − 2xy with the product in float32, relative to both squared norms.

    A sum of D products, in whatever order, is off by D roundings of the product of both norms; the
    features are rounded, too.
    """
    roundings = (rank + 8) * float(np.finfo(np.float32).eps) / 2
    return roundings / (1.0 - roundings) if roundings < 0.5 else np.inf


class Features(Protocol):
    """Features of n points, held or made when asked for."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, rank)."""
        ...

    def __getitem__(self, rows: slice | IntArray) -> FloatArray:
        """Features of some points, shape (len, rank)."""
        ...


class FactorGram(GramOperator):
    """G = F Fᵀ, never formed: sums of features stand for sums of similarities.

    The sums of a cluster are one vector of ``rank`` numbers, so a visit costs O(k · rank), a move
    O(rank), and the first sums O(n · rank). Features may be an array, or made chunk by chunk.
    """

    def __init__(
        self, features: Features, diagonal: Float64Array | None = None, *, n_threads: int = 1
    ) -> None:
        self.features = features
        self.n, self.rank = features.shape
        self.n_threads = n_threads
        self._diagonal = self._squared_norms() if diagonal is None else diagonal

    def diagonal(self) -> Float64Array:
        """Squared norms of the features."""
        return self._diagonal

    def sweep_work(self, k: int) -> float:
        """A product with each vector for every point."""
        return float(self.n) * k * self.rank

    def in_memory(self) -> Held | None:
        """The rows that features are read from by compiled loops.

        None where features are made when asked for.
        """
        if isinstance(self.features, np.ndarray):
            return Rows(np.ascontiguousarray(self.features), np.zeros(self.rank), 1.0)
        return None

    def squared_distances(self, index: int) -> Float64Array:
        """Made by differences where features are held, so that equal rows are at distance 0.

        O(n · rank).
        """
        held = self.in_memory()
        if held is None:
            return super().squared_distances(index)
        out = np.empty(self.n)
        kernels.fill_squared_distances(held, index, out)
        return out

    def nearly_squared_distances(self, index: IntArray) -> Float32Array | None:
        """From a few points to all by products in float32, (n, few); those within rounding are 0.

        None where differences are as quick. O(n · rank) each.
        """
        held = self.in_memory()
        if held is None or (self.rank < WIDE and isinstance(held, Rows)):
            return None
        out, norms = self._products_with(held, np.asarray(index, np.int64))
        if not _LEAST < norms.max() < _MOST:
            return None
        norms = norms[:, None] + norms[index]
        squared = (norms - 2.0 * out).astype(np.float32)
        squared[squared <= product_rounding(self.rank) * norms] = 0.0
        return squared

    def _products_with(self, held: Held, index: IntArray) -> tuple[Float32Array, Float64Array]:
        """Products of all features with those of some points, and the squared norms of all."""
        if isinstance(self.features, np.ndarray) and self.features.dtype == np.float32:
            with at_most(1):
                return self.features @ self.features[index].T, self._diagonal
        out, norms = np.empty((self.n, len(index)), np.float32), np.empty(self.n)
        few = np.empty((len(index), self.rank), np.float32)
        kernels.fill_features(held, index, few)
        kernels.fill_products(held, 0, few, out, norms)
        return out, norms

    def taken(self, index: IntArray) -> FactorGram | None:
        """The features of some points; None where these are made when asked for and are many."""
        is_held = isinstance(self.features, np.ndarray)
        if not is_held and 4 * len(index) * self.rank > _MADE_AT_ONCE:
            return None
        return FactorGram(self.features[index], self._diagonal[index], n_threads=self.n_threads)

    def dispersions(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """W_j from differences to the centroids, so that nothing cancels. O(n · rank)."""
        vectors = self.running_sums(labels, weights, k).vectors
        totals = np.bincount(labels, weights=weights, minlength=k)[:, None]
        centers = np.divide(vectors, totals, out=np.zeros_like(vectors), where=totals > 0)
        squared = np.empty(self.n)
        for a, features in self.chunks():
            some = slice(a, a + len(features))
            apart = features - centers[labels[some]]
            squared[some] = np.einsum("ij,ij->i", apart, apart)
        return np.asarray(np.bincount(labels, weights=weights * squared, minlength=k))

    def chunks(self) -> Iterator[tuple[int, FloatArray]]:
        """Where each chunk of points begins, and its features; made ahead on other threads."""
        pieces = blocks(0, self.n, CHUNK)
        held = isinstance(self.features, np.ndarray)
        made = run(lambda ab: self.features[slice(*ab)], pieces, 1 if held else self.n_threads)
        yield from zip((a for a, _ in pieces), made, strict=True)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows: products of their features with all others."""
        few = self.features[index]
        out = np.empty((len(index), self.n), few.dtype)
        for a, features in self.chunks():
            # BLAS may compute with what lies next to small arrays, too: such flags mean nothing.
            with np.errstate(invalid="ignore"):
                out[:, a : a + len(features)] = few @ features.T
        return out

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """Products of some features with those of the block."""
        some = self.features[start:stop].astype(np.float64)
        few = some if points is None else self.features[points].astype(np.float64)
        return np.asarray(few @ some.T)

    def matmul(self, right: Float64Array) -> Float64Array:
        """F (Fᵀ right)."""
        inner = np.zeros((self.rank, right.shape[1]))
        for a, features in self.chunks():
            inner += features.astype(np.float64).T @ right[a : a + len(features)]
        out = np.empty((self.n, right.shape[1]))
        for a, features in self.chunks():
            out[a : a + len(features)] = features.astype(np.float64) @ inner
        return out

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> FactorSums:
        """One vector per cluster."""
        vectors = np.zeros((k, self.rank))
        for a, features in self.chunks():
            some = slice(a, a + len(features))
            kernels.add_by_cluster(features, labels[some], weights[some], vectors)
        return FactorSums(self, vectors)

    def _squared_norms(self) -> Float64Array:
        out = np.empty(self.n)
        for a, features in self.chunks():
            norms = np.einsum("ij,ij->i", features, features, dtype=np.float64)
            out[a : a + len(features)] = norms
        return out


class FactorSums(RunningSums):
    """Σ_{y ∈ C_l} w_y f_y for each cluster, shape (k, rank): R_l(i) is its product with f_i."""

    def __init__(self, gram: FactorGram, vectors: Float64Array) -> None:
        self.gram = gram
        self.vectors = vectors
        self.n = gram.n

    def block(self, start: int, stop: int) -> Float64Array:
        """Products with the features of some points."""
        return self.vectors @ self.gram.features[start:stop].astype(np.float64).T

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Move features from vector to vector."""
        some = self.gram.features[moves.points].astype(np.float64) * moves.weights[:, None]
        np.subtract.at(self.vectors, moves.sources, some)
        np.add.at(self.vectors, moves.targets, some)

    def within(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Q_j is the squared norm of a vector."""
        return np.asarray(np.einsum("ij,ij->i", self.vectors, self.vectors))

    def everything(self, weights: Float64Array) -> float:
        """The squared norm of the sum of all vectors."""
        total = self.vectors.sum(axis=0)
        return float(total @ total)

    def largest(self, weights: Float64Array) -> Float64Array:
        """A bound by the Cauchy–Schwarz inequality."""
        reach = np.sqrt((weights**2 * self.gram.diagonal()).max())
        return np.asarray(reach * np.linalg.norm(self.vectors, axis=1))
