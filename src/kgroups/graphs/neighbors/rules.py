"""How many neighbors are used, and what a cut must show, in tables of many rows and of few."""

from typing import NamedTuple

import numpy as np

from kgroups.graphs.neighbors.walk_cut import Least

# Different rows from which the number of neighbors is as asked for.
_MANY = 100
# In fewer there are so many for each neighbor, and at least these neighbors.
_FOR_EACH, FEWEST = 8, 3
# Neighbors from which on chance seldom leaves pieces of one cloud apart; with fewer, power of q.
_USUAL, _STEEP = 10, 1.25
_NO_VALLEY = FEWEST / _USUAL
# Share of the rows on each side of a cut between clusters that touch.
_LEAST = 0.02
# The largest calmness of a valley, which by the fewest neighbors is none, and limits of gaps.
_VALLEY = 0.3
_GAP, _CALM_GAP = 7.0, 0.03
_GAP_IN_FEW, _CALM_GAP_IN_FEW = 6.0, 0.06


class Rules(NamedTuple):
    """What decides whether a piece of a table is cut in two.

    ``reach`` is the factor by which distances to neighbors grow before pieces are apart, ``valley``
    and ``calm_gap`` bound calmness from above, and ``gap`` bounds the deviance from below.
    """

    n_neighbors: int
    least: Least
    least_apart: int
    reach: float
    valley: float
    gap: float
    calm_gap: float

    @classmethod
    def of(cls, n_rows: int, n_different: int, n_neighbors: int) -> "Rules":
        """The rules for a table of which ``n_different`` rows are different.

        In less than 100 rows, valleys and pieces that fewer than 10 neighbors leave apart must show
        more, and gaps less, because few rows hold few places where chance could make one. Of 100
        Gaussian clouds in 1, 2 and 5 dimensions, lines, rings and squares each, of 20, 30, 50 and
        80 rows, at most 3 were cut.
        """
        is_small = n_different < _MANY
        strict = min(n_neighbors / _USUAL, 1.0) if is_small else 1.0
        return cls(
            n_neighbors=n_neighbors,
            least=Least(int(np.ceil(_LEAST * n_rows)), n_neighbors),
            least_apart=least_apart(n_rows, n_neighbors),
            reach=strict**-_STEEP,
            valley=_VALLEY * max(strict - _NO_VALLEY, 0.0) / (1.0 - _NO_VALLEY),
            gap=_GAP_IN_FEW if is_small else _GAP,
            calm_gap=_CALM_GAP_IN_FEW if is_small else _CALM_GAP,
        )


def least_apart(n_rows: int, n_neighbors: int) -> int:
    """How many of the rows a cluster has at least that is apart from the others."""
    return min(max(int(np.ceil(_LEAST * n_rows)), n_neighbors), 2 * n_neighbors)


def neighbors_used(n_different: int, n_neighbors: int) -> int:
    """The number of neighbors in a table of so many different rows, at least two.

    All that are asked for from 100 rows on; in fewer one for eight rows, but at least 3.
    """
    most = n_different - 1
    if n_different < _MANY:
        most = min(most, max(FEWEST, n_different // _FOR_EACH))
    return min(n_neighbors, most)
