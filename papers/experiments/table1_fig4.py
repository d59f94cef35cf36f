"""Table I and Fig. 4: Girvan and Newman's graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs import stochastic_block_model
from kgroups.plots import force_layout
from kgroups.typing import IntArray
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.graph_methods import Bethe, default, degree_weights, overlaps
from papers.plots import as_classes, draw_network, draw_overlaps, figure


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
    ) -> tuple[Bethe, dict[str, IntArray]]:
        """The Bethe Hessian with r = √d for the degree of the model and, from there, k-groups."""
        bethe = Bethe.of(A, self.k, rng, self.degree**0.5)
        groups = bethe.k_groups(degree_weights(A))
        return bethe, {"bethe": bethe.labels, "kgroups": groups.labels_}


def draw_girvan_newman(outcome: Outcome) -> Any:
    """Overlap against λ."""
    made, ax = figure()
    draw_overlaps(ax, outcome, "Table I: n = 128, k = 4, d = 16")
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


def _girvan_newman(*snrs: str) -> dict[str, BlockModel]:
    return {snr: BlockModel(128, 4, 16, float(snr)) for snr in snrs}


@experiment(
    "table1",
    cases=_girvan_newman("0.6", "1.1", "1.5", "1.8", "2.0", "2.5", "3.5"),
    quick_cases=("1.1", "1.5", "2.0"),
    runs=(500, 8),
    draw=draw_girvan_newman,
)
def run_girvan_newman(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Table I."""
    A, truth = model.sample(rng)
    bethe, labels = model.published_pair(A, rng)
    labels["bethe_unit_rows"] = bethe.unit_rows(rng)
    labels["kgroups_unit"] = bethe.k_groups("unit").labels_
    labels["default"] = default(A, model.k, rng)
    return overlaps(truth, labels)


@experiment("fig4", cases=_girvan_newman("1.1", "2.0", "3.5"), runs=(20, 2), draw=draw_graphs)
def run_pair(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the published pair and the defaults."""
    A, truth = model.sample(rng)
    _, labels = model.published_pair(A, rng)
    return overlaps(truth, {**labels, "default": default(A, model.k, rng)})
