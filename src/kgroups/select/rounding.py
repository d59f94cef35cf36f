"""Smoothing of rounded numbers, because a value that many rows share is not a cluster.

Unless it is: a table of a few heavy atoms has not been rounded, and its atoms are its clusters.
"""

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from kgroups.text import counted
from kgroups.typing import Float64Array, FloatArray

# A table consists of atoms if each different row is at least this share of the rows, and no column
# has more than so many values. A distribution that is log-concave before it is rounded, to an
# interval of at most its standard deviation, has more values than this: on three intervals even
# the uniform distribution has a standard deviation of 0.87 of one.
_HEAVY, _VALUES_OF_ATOMS = 0.2, 3
# A small sample of rounded numbers may have two or three values by chance: exponential ones, at an
# interval of their standard deviation, in one of twenty samples of 20 or 60 rows.
_ROWS_OF_TWO, _ROWS_OF_ATOMS = 20, 60
# Atoms are spread over this share of their distance, so that what is between them stays empty.
_WIDTH_OF_ATOMS = 0.1

# Rows whose distances are counted, and how many different ones there are at most on a lattice.
_ROWS_COUNTED, _FEW_DISTANCES = 100, 50


def smoothed(table: Float64Array) -> Float64Array:
    """A copy of the table in which repeated values are spread evenly over their rounding interval.

    Rounded numbers have a mode at every value, which says nothing about clusters. The interval of a
    column is the lower median of the distances between neighboring values; atoms are spread over a
    tenth of it. The random shifts are the same on every call.
    """
    rng = np.random.default_rng(0)
    out, share = table.copy(), _WIDTH_OF_ATOMS if consists_of_atoms(table) else 1.0
    for column in _repeating(table):
        gaps = np.diff(np.unique(table[:, column]))
        width = share * float(np.quantile(gaps, 0.5, method="lower"))
        out[:, column] += rng.uniform(-0.5, 0.5, len(table)) * width
    return out


def longest_edge(rho: FloatArray) -> float | None:
    """The longest edge of the lattice on whose corners rows are; None for many distances. O(n²).

    Rows are corners of a lattice where distances add up differences of single categories, as far as
    few different ones tell; without the columns, the longest edge that joins all rows is one that
    no column exceeds if each category is with the same others somewhere.
    """
    largest = float(rho.max())
    some = rho[np.linspace(0, len(rho) - 1, min(_ROWS_COUNTED, len(rho))).astype(np.int64)]
    if not 1 < len(np.unique(np.round(some / (largest or 1.0), 9))) <= _FEW_DISTANCES:
        return None
    return float(linkage(squareform(rho, checks=False), "single")[-1, 2])


def spread_over_edges(coordinates: Float64Array, rho: FloatArray, edge: float) -> Float64Array:
    r"""Coordinates of classical scaling, spread where rows are corners of a lattice. O(n²).

    A cut between two categories has a gap that says nothing. The longest edge, ρ = e, has length c,

    .. math:: c^2 = e \frac{\sum_{ij} \|x_i - x_j\|^2}{\sum_{ij} ρ_{ij}}

    Normal shifts of standard deviation c/2 leave no gap in it: the categories of a column are
    points at most c apart, so that their variance is at most c²/4 in each direction, and their
    shifted sum is log-concave, whatever their shares; that of independent columns is, too.
    """
    squares = 2.0 * len(rho) * float(((coordinates - coordinates.mean(axis=0)) ** 2).sum())
    length = np.sqrt(edge * squares / float(rho.sum(dtype=np.float64)))
    shifts = np.random.default_rng(0).normal(size=coordinates.shape)
    return np.asarray(coordinates + 0.5 * length * shifts)


def rounded_columns(table: Float64Array) -> tuple[int, ...]:
    """The columns whose values :func:`smoothed` takes for rounded ones."""
    return () if consists_of_atoms(table) else tuple(_repeating(table))


def spread_in_words(n_columns: int) -> str:
    """What was done to rounded columns, for people.

    >>> spread_in_words(1)
    'repeated values of 1 column were treated as rounded: spread over their rounding interval'
    """
    return (
        f"repeated values of {counted(n_columns, 'column')} were treated as rounded: spread over "
        "their rounding interval"
    )


def consists_of_atoms(table: Float64Array) -> bool:
    """Whether two or more different rows are all that there is, and each is heavy.

    >>> consists_of_atoms(np.array([[0.0], [1.0]] * 50)), consists_of_atoms(np.zeros((9, 1)))
    (True, False)
    """
    if len(np.unique(table[:, 0])) > _VALUES_OF_ATOMS:
        return False
    _, count = np.unique(table, axis=0, return_counts=True)
    few = all(len(np.unique(column)) <= _VALUES_OF_ATOMS for column in table.T)
    enough = len(table) >= (_ROWS_OF_TWO if len(count) == 2 else _ROWS_OF_ATOMS)
    return few and enough and len(count) > 1 and bool(count.min() >= _HEAVY * len(table))


def _repeating(table: Float64Array) -> list[int]:
    """Columns with repeated values, and more than one."""
    numbers = [len(np.unique(column)) for column in table.T]
    return [column for column, number in enumerate(numbers) if 1 < number < len(table)]
