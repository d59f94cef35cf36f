"""Fig. 5: sparse block models through the phase transition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram import DenseGram
from kgroups.graphs import bethe_hessian
from kgroups.metrics import overlap
from kgroups.solvers import OnlineLloyd, Partition, Problem, Solver
from kgroups.typing import IntArray
from papers.data import DataFolders
from papers.experiment import Method, Outcome, Role, Run, Scores, experiment
from papers.experiments.table1_fig4 import (
    BETHE,
    DEFAULT,
    GROUPS,
    UNIT_ROWS,
    BlockModel,
    run_girvan_newman,
    unit_weights,
)
from papers.graph_methods import default, degree_weights, k_groups, overlaps
from papers.methods import PRINTED
from papers.network_plots import draw_overlaps
from papers.plots import figure

# Sweeps in which kernel k-means is given the chance to end; k-groups needs fewer than 15.
_SWEEPS = 100
# Twenty λ from 1/2 to 5/2.
_SNRS = [0.5 + 2 * i / 19 for i in range(20)]
_KEYS = [f"{round(snr, 4):g}" for snr in _SNRS]
# Where corrected kernel k-means runs too: it takes all its sweeps.
_WITH_ONLINE = (_SNRS[5], _SNRS[10], _SNRS[19])
# The numbers of communities of which a curve with W = I was published next to that of Fig. 5.
_PUBLISHED_UNIT = (2, 5)


def draw_sparse(outcome: Outcome) -> Any:
    """Overlap against λ: what was published, and what else may be asked."""
    made, (left, right) = figure(2)
    name, k = outcome.experiment.name, outcome.experiment.cases[outcome.cases[0]].k
    draw_overlaps(
        left,
        outcome,
        title=f"Fig. {name.removeprefix('fig')}: k = {k}, n = 1000, d = 3",
        methods=("bethe", "kgroups", "kgroups_unit", "default"),
        reference=None if k == 2 else "kgroups",
    )
    asked = ("bethe_unit_rows", "kgroups_random", "kkmeans", "kkmeans_online", "kgroups")
    draw_overlaps(right, outcome, title="Other starts and rules", methods=asked)
    return made


def draw_without_weights(outcome: Outcome) -> Any:
    """Overlap against λ, next to the published curve of two communities."""
    made, ax = figure()
    title = "The picture without weights: k = 25, n = 1000, d = 3"
    draw_overlaps(ax, outcome, title=title, reference="kgroups_unit")
    return made


def _models(k: int) -> dict[str, BlockModel]:
    return {key: BlockModel(1000, k, 3, snr) for key, snr in zip(_KEYS, _SNRS, strict=True)}


def _sparse(panel: str, k: int) -> Callable[[Run], Run]:
    """Fig. 5 for one number of communities."""
    return experiment(
        f"fig5{panel}",
        f"Sparse block models through the phase transition, k = {k}",
        source=f"[FRV] Fig. 5{panel}, eqs. (62), (63)",
        about="Block models of 1000 nodes, mean degree 3. k-means on the Bethe Hessian's "
        "eigenvectors, r = √d; from there k-groups with 𝒲 = D + 0.001, and with 𝒲 = I.",
        cases=_models(k),
        quick_cases=(_KEYS[7], _KEYS[10], _KEYS[13]),
        methods=(
            BETHE,
            UNIT_ROWS,
            GROUPS,
            unit_weights(Role.INFERRED if k in _PUBLISHED_UNIT else Role.BEYOND),
            Method("kgroups_random", "kernel k-groups, W = D, random start"),
            Method("kkmeans", "kernel k-means, as printed"),
            Method("kkmeans_online", "kernel k-means, corrected", Role.CORRECTED),
            DEFAULT,
        ),
        runs=100,
        quick_runs=3,
        measures=("overlap", "converged"),
        axis="λ",
        draw=draw_sparse,
    )


@_sparse("a", 2)
@_sparse("b", 5)
@_sparse("c", 15)
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


@experiment(
    "fig5c-k25",
    "Sparse block models through the phase transition, k = 25, without weights",
    source="the authors' picture sbm_k15_d3_noweight, next to [FRV] Fig. 5c",
    about="Block models of 1000 nodes, mean degree 3, in 25 communities. k-means on the Bethe "
    "Hessian's eigenvectors, r = √d; from there k-groups with 𝒲 = I, and with 𝒲 = D + 0.001.",
    cases=_models(25),
    quick_cases=(_KEYS[7], _KEYS[10], _KEYS[13]),
    methods=(
        Method("bethe", "Bethe Hessian", Role.INFERRED),
        UNIT_ROWS,
        unit_weights(Role.INFERRED),
        Method("kgroups", "kernel k-groups, W = D", Role.BEYOND),
        DEFAULT,
    ),
    runs=100,
    quick_runs=3,
    measures=("overlap",),
    axis="λ",
    default_against="kgroups_unit",
    draw=draw_without_weights,
)
def run_without_weights(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the methods of Table I."""
    return run_girvan_newman(model, rng, data)
