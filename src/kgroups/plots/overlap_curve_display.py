"""How well methods find planted communities, against how clearly these stand out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from kgroups.exceptions import GraphNotice
from kgroups.graphs import stochastic_block_model
from kgroups.input.parameters import check_integer
from kgroups.metrics import overlap
from kgroups.plots.style import INK, SMALL, axes_for, cluster_colors, require_matplotlib, tidy
from kgroups.runtime.seeds import check_random_state
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SNR = (0.5, 0.7, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7)
_MARKS = "osD^vP*X"


@dataclass(kw_only=True, eq=False)
class OverlapCurveDisplay:
    """Overlap with the planted communities against λ: one line per method, with standard errors.

    Make one from numbers and :meth:`plot` it, or with :meth:`from_block_models`. Below the
    Kesten-Stigum threshold λ = 1, the dashed line, no quick method is known that does better than
    chance, whose overlap is 0.

    Parameters
    ----------
    snr : array (p,)
        Signal-to-noise ratios λ.
    overlaps : dict of str to array (p, runs)
        The overlaps in each run, by the name of the method.
    subtitle : str
        What the title says about the graphs.

    Attributes
    ----------
    ax_, figure_, lines_, bands_
        The axes, the figure, and by name the line of each method and the band around it.
    """

    snr: Float64Array
    overlaps: dict[str, Float64Array]
    subtitle: str = ""

    def __post_init__(self) -> None:
        self.snr = np.asarray(self.snr, np.float64)
        self.overlaps = {name: np.asarray(runs, float) for name, runs in self.overlaps.items()}
        for name, runs in self.overlaps.items():
            if runs.ndim != 2 or len(runs) != len(self.snr) or runs.shape[1] == 0:
                raise ValueError(
                    f"overlaps[{name!r}] must have a row for each of the {len(self.snr)} values of "
                    f"snr and one column per run; got shape {runs.shape}."
                )

    @classmethod
    def from_block_models(
        cls,
        estimators: Mapping[str, Any],
        *,
        n: int = 1_000,
        n_clusters: int = 2,
        degree: float = 3.0,
        snr: Sequence[float] = _SNR,
        n_graphs: int = 10,
        random_state: int | np.random.RandomState | None = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Draw block models, fit each estimator to the same ones, and draw the overlaps.

        Parameters
        ----------
        estimators : dict of str to estimator
            Clones are fitted; those without a seed get that of the graph.
        n, n_clusters, degree
            Nodes, communities and mean degree, as for
            :func:`kgroups.graphs.stochastic_block_model`.
        snr : sequence of float
            Values of λ, at most √degree.
        n_graphs : int, default=10
            Graphs for each λ.
        random_state : int, RandomState or None, default=0
            Seed of the graphs.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        """
        require_matplotlib()
        if not isinstance(estimators, Mapping):
            raise TypeError(
                "estimators must be a dict from names to estimators, such as "
                f'{{"k-groups": GraphKGroups(2)}}; got {type(estimators).__name__}.'
            )
        rng = check_random_state(random_state)
        seeds = rng.randint(2**31 - 1, size=(len(snr), check_integer(n_graphs, "n_graphs")))
        found = {name: np.empty(seeds.shape) for name in estimators}
        for place, seed in np.ndenumerate(seeds):
            A, z = stochastic_block_model(
                n, n_clusters, degree, snr[place[0]], random_state=int(seed)
            )
            for name, labels in _fitted(estimators, A, int(seed)):
                found[name][place] = overlap(z, labels)
        words = f"n = {n:,}, k = {n_clusters}, mean degree {degree:g}"
        return cls(snr=np.asarray(snr, float), overlaps=found, subtitle=words).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.lines_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        colors = cluster_colors(max(1, len(self.overlaps)))
        for (name, runs), color, mark in zip(self.overlaps.items(), colors, cycle(_MARKS)):
            self._draw(name, runs, color, mark)
        self._mark_threshold()
        title = "Overlap with planted communities"
        tidy(self.ax_, title=title, x="signal-to-noise ratio λ", y="overlap")
        self.ax_.set_title(self.subtitle, loc="right", fontsize=SMALL, color="#666666")
        if self.overlaps:
            self.ax_.legend(loc="upper left", fontsize=SMALL, labelcolor=INK, framealpha=0.9)
        return self

    def _draw(self, name: str, runs: Float64Array, color: Float64Array, mark: str) -> None:
        order = np.argsort(self.snr, kind="stable")
        at, mean, error = self.snr[order], runs.mean(axis=1)[order], _standard_error(runs)[order]
        self.bands_[name] = self.ax_.fill_between(
            at, mean - error, mean + error, color=color, alpha=0.2, lw=0
        )
        style: dict[str, Any] = {"color": color, "marker": mark, "ms": 4, "lw": 1.5}
        self.lines_[name] = self.ax_.plot(at, mean, label=name, **style)[0]

    def _mark_threshold(self) -> None:
        """Mark λ = 1, with words to the right and low, where curves have risen above them."""
        self.ax_.axvline(1, color="#666666", lw=1, ls="--", zorder=1)
        self.ax_.annotate(
            "Kesten–Stigum\nthreshold λ = 1", (1, 0), xycoords=("data", "axes fraction"),
            xytext=(4, 5), textcoords="offset points", fontsize=SMALL, color="#666666",
        )  # fmt: skip


def _standard_error(runs: Float64Array) -> Float64Array:
    """Standard error of the mean over the runs; 0 for one run, which says nothing about it."""
    count = runs.shape[1]
    if count == 1:
        return np.zeros(len(runs))
    return np.asarray(runs.std(axis=1, ddof=1) / np.sqrt(count))


def _fitted(estimators: Mapping[str, Any], A: csr_array, seed: int) -> Iterator[tuple[str, Any]]:
    """Labels by each estimator, without the notice that sparse graphs fall into components."""
    for name, estimator in estimators.items():
        model = clone(estimator)
        if model.get_params().get("random_state", seed) is None:
            model.set_params(random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphNotice)
            yield name, model.fit(A).labels_
