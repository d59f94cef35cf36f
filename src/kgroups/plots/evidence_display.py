"""How many communities: the evidence for divisions into few and into many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from kgroups.fit.fitted import FittedGraphKGroups
from kgroups.plots._arguments import check_fitted
from kgroups.plots.style import INK, axes_for, cluster_colors, count_axis, require_matplotlib, tidy
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

# Where numbers of communities differ by a larger factor, their axis is logarithmic.
_FAR = 20
# Share of the height of the best point that is shown below zero; points further down are cut off.
_BELOW = 0.6
_LEAST = 10.0
_WORDS = {
    "evidence": "{k}: {bits} bits shorter",
    "spectrum": "{k}: found again without\na tenth of the edges",
    "random graphs": "{k}: more modular\nthan random graphs",
    "weak": "{k}: a weak sign",
    "one": "no communities",
}


@dataclass(kw_only=True, eq=False)
class EvidenceDisplay:
    """Bits by which each division that was looked at shortens the description of a graph.

    Make one with :meth:`from_estimator`. The answer is filled. It is the highest point among those
    on which independent searches agree, so points on which they do not may lie higher.

    Parameters
    ----------
    n_communities : array (m,)
        Number of communities of each division, ascending.
    bits : array (m,)
        The evidence for each, above one community.
    answer : (int, float)
        Number of communities of the answer, and the evidence for it.
    decided_by : str
        "evidence", "spectrum", "random graphs", "weak" or "one".

    Attributes
    ----------
    ax_, figure_, points_, answer_
        The axes, the figure, and the marks of all divisions and of the answer.
    """

    n_communities: IntArray
    bits: Float64Array
    answer: tuple[int, float]
    decided_by: str = "evidence"

    @classmethod
    def from_estimator(cls, estimator: FittedGraphKGroups, *, ax: Axes | None = None) -> Self:
        """Draw the divisions among which ``estimator`` has decided; nothing is computed.

        Parameters
        ----------
        estimator : fitted GraphKGroups
            With n_clusters="auto" and objective="auto", on a graph without negative weights.
        ax : matplotlib axes or None
            None makes a pyplot figure.

        Raises
        ------
        ValueError
            If the number of communities was not decided by evidence.
        """
        require_matplotlib()
        check_fitted(estimator, "GraphKGroups", "candidates_")
        if not estimator.candidates_ or estimator.evidence_ is None:
            raise ValueError(
                "estimator has weighed no evidence for the number of communities: it was decided "
                f'by "{estimator.decided_by_}". Fit GraphKGroups() with n_clusters="auto" and '
                'objective="auto".'
            )
        answer = (int(estimator.n_clusters_), float(estimator.evidence_))
        points = np.array(sorted({(1, 0.0), *estimator.candidates_, answer}), np.float64)
        return cls(
            n_communities=points[:, 0].astype(np.int64),
            bits=points[:, 1],
            answer=answer,
            decided_by=estimator.decided_by_,
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(0, color="#999999", lw=1, ls="--", zorder=1)
        self.points_ = self._marks(self.n_communities, self.bits, filled=False)
        self.answer_ = self._marks(*self.answer, filled=True)
        self.ax_.text(
            0.97, 0.95, self._words(), transform=self.ax_.transAxes, va="top", ha="right",
            color=INK, fontsize=10,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )  # fmt: skip
        tidy(
            self.ax_,
            title="How many: bits that communities save",
            x="number of communities",
            y="shorter description of the graph (bits)",
        )
        self._frame()
        return self

    def _marks(
        self, numbers: IntArray | int, bits: Float64Array | float, *, filled: bool
    ) -> PathCollection:
        color = cluster_colors(1)[0] if filled else "#999999"
        return self.ax_.scatter(
            numbers, bits, s=55 if filled else 30, linewidths=1.2, zorder=3 if filled else 2,
            facecolors=[color] if filled else "none", edgecolors=[color],
        )  # fmt: skip

    def _frame(self) -> None:
        """Leave room above the marks for the words, and little for what lies far below."""
        from matplotlib.ticker import StrMethodFormatter

        high = max(float(self.bits.max()), _LEAST)
        low = max(float(self.bits.min()), -_BELOW * high)
        low = min(low, self.answer[1])
        spread = high - low
        self.ax_.set_ylim(low - 0.08 * spread, high + 0.3 * spread)
        self.ax_.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
        shown = self.n_communities[self.bits >= low]
        if shown.max() > _FAR:
            self._log_axis(int(shown.max()))
        else:
            self.ax_.set_xlim(0.5, shown.max() + 0.5)
            count_axis(self.ax_.xaxis)

    def _log_axis(self, most: int) -> None:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        self.ax_.set_xscale("log")
        self.ax_.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        self.ax_.set_xlim(0.8, 1.25 * most)
        self.ax_.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        self.ax_.xaxis.set_minor_formatter(NullFormatter())

    def _words(self) -> str:
        """The answer, and what decided."""
        k, bits = self.answer
        number = counted(k, "community", "communities")
        return _WORDS[self.decided_by].format(k=number, bits=f"{bits:,.0f}")
