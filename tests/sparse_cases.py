"""Sparse rows that many tests share, each with the dense table that says what they mean."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.semimetrics import (
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    Laplacian,
    Manhattan,
    SineSquared,
)

#: Every kind of φ and δ of which sparse rows are compared.
SEMIMETRICS = [
    Energy(0.5),
    Energy(1),
    Energy(1.3),
    Energy(1.5),
    Energy(2),
    Manhattan(),
    Laplacian(2.0),
    Gaussian(1.5),
    Hamming(),
    DampedSquared(),
    SineSquared(),
]


def random_rows(seed, n=40, n_columns=25, share=0.2):
    """Numbers of both signs, a few rows without entries, and rows that occur twice."""
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((n, n_columns)) < share, rng.normal(size=(n, n_columns)), 0.0)
    table[1] = 0.0
    table[-1] = table[0]
    return table, csr_array(table)


def counts_with_topics(seed, n=60, n_columns=40, k=3):
    """Small counts, in which the rows of a topic share a third of the columns, and the topics."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(k, size=n)
    rate = np.full((n, n_columns), 0.05)
    rate[np.arange(n_columns) % k == topic[:, None]] = 0.6
    return rng.poisson(rate).astype(np.float64), topic
