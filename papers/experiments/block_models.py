"""Random graphs with communities: Table I and Fig. 4 of Girvan and Newman's kind, and Fig. 5."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups import BetheHessianClustering
from kgroups.gram import DenseGram
from kgroups.graphs import bethe_hessian, stochastic_block_model
from kgroups.metrics import overlap
from kgroups.plots import INK, force_layout
from kgroups.solvers import OnlineLloyd, Problem
from kgroups.typing import Float64Array, IntArray
from papers import graph_methods as methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.graph_methods import default, overlaps
from papers.methods import PRINTED
from papers.plots import GRAY, as_classes, draw_curves, draw_network, figure
from papers.published import Facts

# Twenty λ from 1/2 to 5/2.
_SNRS = [0.5 + 2 * i / 19 for i in range(20)]
_KEYS = [f"{round(snr, 4):g}" for snr in _SNRS]
# What is drawn next to the published curves, and what in a panel of its own.
_COMPARED = ("bethe", "kgroups", "kgroups_unit", "default")
_ASKED = ("bethe_unit_rows", "kgroups_random", "kkmeans", "kkmeans_online", "kgroups")
# Where corrected kernel k-means runs too: it takes all its sweeps; k-groups needs fewer than 15.
_WITH_ONLINE, _ONLINE = (_SNRS[5], _SNRS[10], _SNRS[19]), OnlineLloyd(max_iter=100)


class BlockModel(NamedTuple):
    """Nodes in k communities of random sizes, of mean degree d, with λ = (a − b)/k√d.

    [FRV eq. 62] prints √(kd); the published numbers are for k√d.
    """

    n: int
    k: int
    degree: float
    snr: float

    def sample(self, rng: np.random.Generator) -> tuple[csr_array, IntArray]:
        """Adjacency matrix and communities, with self-loops as the published graphs had them."""
        return stochastic_block_model(*self, loops=True, random_state=rng)

    def published_pair(
        self, A: csr_array, rng: np.random.Generator
    ) -> tuple[BetheHessianClustering, dict[str, IntArray]]:
        """The Bethe Hessian with r = √d for the degree of the model and, from there, k-groups."""
        bethe = methods.bethe_hessian(A, self.k, rng, self.degree**0.5)
        return bethe, {"bethe": bethe.labels_, "kgroups": self.k_groups(A, bethe.labels_)}

    def k_groups(
        self, A: csr_array, start: IntArray, weights: Float64Array | str | None = None
    ) -> IntArray:
        """Kernel k-groups with r = √d, from a start; with 𝒲 = D for None."""
        weights = methods.degree_weights(A) if weights is None else weights
        return np.asarray(methods.k_groups(A, start, weights, self.degree**0.5).labels_)


def _girvan_newman(*snrs: str) -> dict[str, BlockModel]:
    return {snr: BlockModel(128, 4, 16, float(snr)) for snr in snrs}


def _sparse(k: int) -> dict[str, BlockModel]:
    return {key: BlockModel(1000, k, 3, snr) for key, snr in zip(_KEYS, _SNRS, strict=True)}


def draw(outcome: Outcome) -> Any:
    """Overlap against λ: what was published, and what else may be asked."""
    made, axes = figure(2)
    model = outcome.experiment.cases[outcome.cases[0]]
    title = f"{outcome.experiment.name}: k = {model.k}, n = {model.n}, d = {model.degree}"
    panels = {title: _COMPARED, "Other starts and rules": _ASKED}
    # The published curve of k-groups for two communities.
    two = {5: "kgroups", 15: "kgroups", 25: "kgroups_unit"}.get(model.k)
    numbers = Facts.read("fig5a").numbers.items()
    known = sorted((float(case), number.value) for (case, key, _), number in numbers if key == two)
    if known:
        axes[0].plot(*zip(*known, strict=True), "--", color=INK, lw=1.1, label="k = 2, published")
    for ax, (name, drawn) in zip(axes, panels.items(), strict=True):
        ax.axvline(1, color=GRAY, lw=0.8, ls=":", zorder=1)
        draw_curves(ax, outcome, title=name, x="λ", methods=drawn)
    return made


def draw_graphs(outcome: Outcome) -> Any:
    """The first graph of each λ: communities as planted above, as found below."""
    made, axes = figure(len(outcome.cases), (2.2, 2.1), 2, squeeze=False)
    for case, (above, below) in zip(outcome.cases, axes.T, strict=True):
        rng, model = outcome.rng(case), outcome.experiment.cases[case]
        A, truth = model.sample(rng)
        _, labels = model.published_pair(A, rng)
        # The layout does not use the communities.
        layout = force_layout(A, np.zeros(model.n, np.int64))
        found = as_classes(truth, labels["kgroups"])
        wrong = np.count_nonzero(found != truth)
        draw_network(above, A, truth, f"λ = {case}: planted", layout=layout)
        draw_network(below, A, found, f"found: {wrong} of {model.n} elsewhere", layout=layout)
    return made


_COMMON: dict[str, Any] = {"runs": (100, 3), "quick_cases": (_KEYS[7], _KEYS[10], _KEYS[13])}


@experiment(
    "table1",
    cases=_girvan_newman("0.6", "1.1", "1.5", "1.8", "2.0", "2.5", "3.5"),
    quick_cases=("1.1", "1.5", "2.0"),
    runs=(500, 8),
    draw=draw,
)
@experiment("fig5c-k25", cases=_sparse(25), draw=draw, **_COMMON)
def run(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Table I."""
    A, truth = model.sample(rng)
    bethe, labels = model.published_pair(A, rng)
    labels["bethe_unit_rows"] = methods.unit_cluster(bethe.embedding_, rng)
    labels["kgroups_unit"] = model.k_groups(A, bethe.labels_, "unit")
    labels["default"] = default(A, model.k, rng)
    return overlaps(truth, labels)


@experiment("fig4", cases=_girvan_newman("1.1", "2.0", "3.5"), runs=(20, 2), draw=draw_graphs)
def run_pair(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the published pair and the defaults."""
    A, truth = model.sample(rng)
    _, labels = model.published_pair(A, rng)
    return overlaps(truth, {**labels, "default": default(A, model.k, rng)})


@experiment("fig5a", cases=_sparse(2), draw=draw, **_COMMON)
@experiment("fig5b", cases=_sparse(5), draw=draw, **_COMMON)
@experiment("fig5c", cases=_sparse(15), draw=draw, **_COMMON)
def run_sparse(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Fig. 5; Algorithm 1 has G = −H_r and 𝒲 = D."""
    A, truth = model.sample(rng)
    bethe, labels = model.published_pair(A, rng)
    chance = rng.permutation(np.arange(model.n) % model.k)
    gram = DenseGram(-bethe_hessian(A, model.degree**0.5).toarray())
    problem = Problem(gram, methods.degree_weights(A), model.k)
    labels["bethe_unit_rows"] = methods.unit_cluster(bethe.embedding_, rng)
    labels["kgroups_unit"] = model.k_groups(A, bethe.labels_, "unit")
    labels["kgroups_random"] = model.k_groups(A, chance)
    labels["kkmeans"] = PRINTED.solve(problem, bethe.labels_).labels
    labels["default"] = default(A, model.k, rng)
    if model.snr not in _WITH_ONLINE:
        return overlaps(truth, labels)
    end = _ONLINE.solve(problem, bethe.labels_)
    found = {"overlap": overlap(truth, end.labels), "converged": float(end.converged)}
    return {**overlaps(truth, labels), "kkmeans_online": found}
