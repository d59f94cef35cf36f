"""Operators of metrics that need no pairs of rows, by the kind of rows and metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgroups.gram.directions import direction_gram
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import RowsGram, SquaredGram
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array


def squared_gram(
    data: Any,
    semimetric: Semimetric | None,
    terms: Sequence[Term],
    weights: Float64Array,
    n_threads: int,
) -> RowsGram | SparseRowsGram:
    """The operator of squared Euclidean distances, from features that rows have as they are."""
    if terms[0].is_sparse:
        (term,) = terms
        return SparseRowsGram(term.coordinates, term.scale, n_threads=n_threads)
    gram = direction_gram(data, semimetric, n_threads)
    return gram or SquaredGram(list(terms), weights, n_threads=n_threads)
