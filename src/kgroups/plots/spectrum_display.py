"""The low end of the spectrum of the Bethe Hessian: each negative eigenvalue is a community."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedCommunities
from kgroups.graphs.bethe_hessian import bethe_hessian, regularizer
from kgroups.graphs.spectrum import count_negative, smallest_eigenpairs
from kgroups.input.networks import GraphLike
from kgroups.input.parameters import check_integer
from kgroups.plots._network import clean, communities_of
from kgroups.plots.style import INK, axes_for, cluster_colors, count_axis, require_matplotlib, tidy
from kgroups.runtime.blas import one_thread_a_product
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

# Eigenvalues that are shown beyond the negative ones.
_BEYOND = 10


@dataclass(kw_only=True, eq=False)
class SpectrumDisplay:
    """The smallest eigenvalues of the Bethe Hessian by rank; negative ones are filled.

    Make one with :meth:`from_estimator` or :meth:`from_graph`.

    Parameters
    ----------
    eigenvalues : array (m,)
        The smallest eigenvalues, ascending.
    n_negative : int
        Number of negative eigenvalues, which estimates the number of communities.
    r : float
        The parameter of the Bethe Hessian.

    Attributes
    ----------
    ax_, figure_, negative_, positive_
        The axes, the figure and the marks of both kinds.
    """

    eigenvalues: Float64Array
    n_negative: int
    r: float

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedCommunities,
        A: GraphLike,
        *,
        n_eigenvalues: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the spectrum that ``estimator`` counts communities by.

        Parameters
        ----------
        estimator : fitted GraphKGroups or BetheHessianClustering
            One with r="zeta", which has one r per eigenvector, is drawn at "average_degree".
        A : as in ``fit``
        n_eigenvalues, ax
            As for :meth:`from_graph`.
        """
        require_matplotlib()
        matrix = communities_of(estimator, A).matrix
        r = "average_degree" if isinstance(estimator.r, str) else estimator.r
        return cls.from_graph(matrix, r=r, n_eigenvalues=n_eigenvalues, ax=ax)

    @classmethod
    def from_graph(
        cls,
        A: GraphLike,
        *,
        r: float | str = "average_degree",
        n_eigenvalues: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Compute and draw the spectrum; the cost is that of ``GraphKGroups(n_clusters="auto")``.

        Parameters
        ----------
        A : sparse array (n, n), array (n, n), networkx graph or Graph
        r : float or "average_degree", default="average_degree"
            Parameter of the Bethe Hessian; "average_degree" is √(mean degree).
        n_eigenvalues : int or None
            How many to draw; None draws ten more than are negative.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        """
        require_matplotlib()
        matrix = clean(A)
        value = regularizer(matrix, r)
        H = bethe_hessian(matrix, value)
        with one_thread_a_product():
            negative = count_negative(H)
            wanted = negative + _BEYOND
            if n_eigenvalues is not None:
                wanted = check_integer(n_eigenvalues, "n_eigenvalues")
            values = smallest_eigenpairs(H, min(wanted, matrix.shape[0])).values
        return cls(eigenvalues=values, n_negative=negative, r=value).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        below = min(self.n_negative, len(self.eigenvalues))
        rank = np.arange(1, len(self.eigenvalues) + 1)
        self.ax_.axhline(0, color="#999999", lw=1, ls="--", zorder=1)
        self.negative_ = self._marks(rank[:below], self.eigenvalues[:below], filled=True)
        self.positive_ = self._marks(rank[below:], self.eigenvalues[below:], filled=False)
        self.ax_.text(
            0.03, 0.95, self._words(), transform=self.ax_.transAxes, va="top", color=INK,
            fontsize=10, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )  # fmt: skip
        of = f"eigenvalue of the Bethe Hessian, r = {self.r:.3g}"
        tidy(self.ax_, title="How many: eigenvalues below 0", x="rank", y=of)
        count_axis(self.ax_.xaxis)
        self._frame()
        return self

    def _marks(self, rank: IntArray, values: Float64Array, *, filled: bool) -> PathCollection:
        color = cluster_colors(1)[0] if filled else "#999999"
        area = float(np.clip(1_200 / len(self.eigenvalues), 8, 40))
        style: dict[str, Any] = {"facecolors": [color] if filled else "none", "edgecolors": [color]}
        return self.ax_.scatter(rank, values, s=area, linewidths=1.2, zorder=2, **style)

    def _frame(self) -> None:
        """Leave room above the marks for the words."""
        low, high = min(0.0, *self.eigenvalues), max(0.0, *self.eigenvalues)
        spread = (high - low) or 1.0
        self.ax_.set_ylim(low - 0.08 * spread, high + 0.2 * spread)

    def _words(self) -> str:
        """What the number of negative eigenvalues says about communities, at least one."""
        if self.n_negative > 1:
            return f"{self.n_negative:,} eigenvalues below 0"
        return f"{('no', '1')[self.n_negative]} eigenvalue below 0: one community"
