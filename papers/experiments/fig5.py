"""Fig. 5: sparse block models through the phase transition."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram import DenseGram
from kgroups.graphs import bethe_hessian
from kgroups.metrics import overlap
from kgroups.solvers import OnlineLloyd, Partition, Problem, Solver
from kgroups.typing import IntArray
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.experiments.table1_fig4 import BlockModel, run_girvan_newman
from papers.graph_methods import default, degree_weights, k_groups, overlaps
from papers.methods import PRINTED
from papers.plots import draw_overlaps, figure

# Sweeps in which kernel k-means is given the chance to end; k-groups needs fewer than 15.
_SWEEPS = 100
# Twenty λ from 1/2 to 5/2.
_SNRS = [0.5 + 2 * i / 19 for i in range(20)]
_KEYS = [f"{round(snr, 4):g}" for snr in _SNRS]
# Where corrected kernel k-means runs too: it takes all its sweeps.
_WITH_ONLINE = (_SNRS[5], _SNRS[10], _SNRS[19])


def draw_sparse(outcome: Outcome) -> Any:
    """Overlap against λ: what was published, and what else may be asked."""
    made, (left, right) = figure(2)
    name, k = outcome.experiment.name, outcome.experiment.cases[outcome.cases[0]].k
    title = f"Fig. {name.removeprefix('fig')}: k = {k}, n = 1000, d = 3"
    compared = ("bethe", "kgroups", "kgroups_unit", "default")
    draw_overlaps(left, outcome, title, compared, "" if k == 2 else "kgroups")
    asked = ("bethe_unit_rows", "kgroups_random", "kkmeans", "kkmeans_online", "kgroups")
    draw_overlaps(right, outcome, "Other starts and rules", asked)
    return made


def draw_without_weights(outcome: Outcome) -> Any:
    """Overlap against λ, next to the published curve of two communities."""
    made, ax = figure()
    title = "The picture without weights: k = 25, n = 1000, d = 3"
    draw_overlaps(ax, outcome, title, two="kgroups_unit")
    return made


_COMMON: dict[str, Any] = {"runs": (100, 3)}
_COMMON["quick_cases"] = (_KEYS[7], _KEYS[10], _KEYS[13])


def _models(k: int) -> dict[str, BlockModel]:
    return {key: BlockModel(1000, k, 3, snr) for key, snr in zip(_KEYS, _SNRS, strict=True)}


@experiment("fig5a", cases=_models(2), draw=draw_sparse, **_COMMON)
@experiment("fig5b", cases=_models(5), draw=draw_sparse, **_COMMON)
@experiment("fig5c", cases=_models(15), draw=draw_sparse, **_COMMON)
def run_sparse(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Fig. 5."""
    A, truth = model.sample(rng)
    bethe, labels = model.published_pair(A, rng)
    chance = rng.permutation(np.arange(model.n) % model.k)
    labels["bethe_unit_rows"] = bethe.unit_rows(rng)
    labels["kgroups_unit"] = bethe.k_groups("unit").labels_
    labels["kgroups_random"] = k_groups(A, chance, bethe.r, degree_weights(A)).labels_
    labels["kkmeans"] = k_means(model, A, bethe.labels, PRINTED).labels
    labels["default"] = default(A, model.k, rng)
    if model.snr not in _WITH_ONLINE:
        return overlaps(truth, labels)
    end = k_means(model, A, bethe.labels, OnlineLloyd(max_iter=_SWEEPS))
    found = {"overlap": overlap(truth, end.labels), "converged": float(end.converged)}
    return {**overlaps(truth, labels), "kkmeans_online": found}


def k_means(model: BlockModel, A: csr_array, start: IntArray, solver: Solver) -> Partition:
    """Kernel k-means [FRV Algorithm 1] for G = −H_r with 𝒲 = D, from a start."""
    gram = DenseGram(-bethe_hessian(A, model.degree**0.5).toarray())
    return solver.solve(Problem(gram, degree_weights(A), model.k), start)


@experiment("fig5c-k25", cases=_models(25), draw=draw_without_weights, **_COMMON)
def run_without_weights(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the methods of Table I."""
    return run_girvan_newman(model, rng, data)
