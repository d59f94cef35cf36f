"""Tables with missing entries whose distances are known exactly.

A missing entry is a draw Y from a column of four known numbers: ρ_d(x, ?) = E ρ_d(x, Y) −
½E ρ_d(Y, Y'), which is a multiple of 1/32 where numbers are whole, so that all sums are exact.
"""

import numpy as np

from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term


def between(a, b, is_line):
    """ρ_d of two columns of entries, without gaps."""
    apart = a[:, None] - b[None, :]
    return np.abs(apart) if is_line else (apart != 0).astype(float)


def gapped_terms(X, known, n_lines, scale=1.0):
    """Terms of a table with NaN for gaps: lines, then categories. 0 stands in for gaps."""
    m = np.isnan(X)
    full = np.where(m, 0.0, X)
    c = np.zeros(X.shape)
    for d, (x, y) in enumerate(zip(full.T, known.T, strict=True)):
        is_line = d < n_lines
        to_gap = between(x, y, is_line).mean(axis=1) - between(y, y, is_line).mean() / 2
        c[:, d] = np.where(m[:, d], 0.0, to_gap - between(x, np.zeros(1), is_line)[:, 0])
    made = [
        Term(full[:, :n_lines], codes.ABSOLUTE, codes.SCALE, 1.0, scale),
        Term(full[:, n_lines:], codes.MISMATCH, codes.SCALE, scale, 1.0),
        Term(np.hstack([c, m]), codes.GAPS, codes.SCALE, 2.0, scale / 2),
    ]
    return [term for term in made if term.coordinates.shape[1]]


def gapped_distances(X, known, n_lines):
    """The same by the definition, entry by entry."""
    rho = np.zeros((len(X), len(X)))
    for d, y in enumerate(known.T):
        is_line, gone = d < n_lines, np.isnan(X[:, d])
        there = X[~gone, d]
        to_gap = between(there, y, is_line).mean(axis=1) - between(y, y, is_line).mean() / 2
        rho[np.ix_(~gone, ~gone)] += between(there, there, is_line)
        rho[np.ix_(~gone, gone)] += to_gap[:, None]
        rho[np.ix_(gone, ~gone)] += to_gap[None, :]
    return rho


def gapped_problem(seed):
    """A table of whole numbers or not, with gaps; weights, k and a start, as seeds vary.

    Rows of gaps only, columns with one gap, and few different rows are among them.
    """
    rng = np.random.default_rng(seed)
    n, n_lines = int(rng.integers(4, 250)), int(rng.integers(0, 4))
    D = n_lines + int(rng.integers(n_lines == 0, 4))
    is_whole = seed % 2 == 0
    draw = rng.integers(-3, 4, size=(n + 4, D)).astype(float)
    if not is_whole:
        draw[:, :n_lines] = rng.standard_cauchy((n + 4, n_lines)) * 10.0 ** rng.integers(-4, 5)
    X, known = draw[:n], draw[n:]
    if seed % 3 == 0:
        X = X[rng.integers(int(rng.integers(1, n + 1)), size=n)]
    gone = rng.random(X.shape) < rng.choice([0.02, 0.2, 0.8])
    gone[:, rng.random(D) < 0.3] = False
    gone[rng.integers(n), 0] = True
    if seed % 5 == 0:
        gone[rng.random(n) < 0.1] = True
    w = rng.integers(0, 4, n).astype(float) if is_whole else rng.exponential(size=n)
    w[rng.integers(n)] = 1.0
    k = int(rng.integers(2, 9))
    k = min(k, int((w > 0).sum()))
    start = rng.integers(k, size=n)
    start[np.flatnonzero(w > 0)[:k]] = np.arange(k)
    return np.where(gone, np.nan, X), known, n_lines, w, k, start
