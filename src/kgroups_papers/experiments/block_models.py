"""Communities that were planted: Table I, and Figs. 4 and 5."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs import stochastic_block_model
from kgroups.metrics import overlap
from kgroups.solvers import OnlineLloyd
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.curves import draw_curves, figure
from kgroups_papers.figures.graphs import draw_found, draw_reference, draw_threshold, grid
from kgroups_papers.published import published
from kgroups_papers.recipes.graph_methods import Bethe, default, degree_weights, k_groups
from kgroups_papers.recipes.methods import PRINTED
from kgroups_papers.role import Role
from kgroups_papers.types import IntArray, Scores

# Sweeps in which kernel k-means is given the chance to end; k-groups needs fewer than 15.
_SWEEPS = 100

_BETHE = Method(key="bethe", title="Bethe Hessian")
_UNIT_ROWS = Method(key="bethe_unit_rows", title="Bethe Hessian, unit rows", role=Role.BEYOND)
_GROUPS = Method(key="kgroups", title="kernel k-groups, W = D")
_UNIT = "kernel k-groups, W = I"
# The numbers of communities of which a curve with W = I was published next to that of Fig. 5.
_PUBLISHED_UNIT = (2, 5)
_DEFAULT = Method(key="default", title="kgroups' defaults", role=Role.DEFAULT)


class BlockModel(NamedTuple):
    """Nodes in k communities of random sizes, of mean degree d, with λ = (a − b)/k√d.

    [FRV eq. 62] prints √(kd); the published numbers are for k√d.
    """

    n: int
    k: int
    degree: float
    snr: float
    #: Whether kernel k-means with the term that the print lacks runs too: it takes all its sweeps.
    lloyd: bool = False

    def sample(self, rng: np.random.Generator) -> tuple[csr_array, IntArray]:
        """Adjacency matrix and communities, with self-loops as the published graphs had them."""
        n, k, degree, snr, _ = self
        return stochastic_block_model(n, k, degree, snr, loops=True, random_state=rng)

    def bethe(self, A: csr_array, rng: np.random.Generator) -> Bethe:
        """The Bethe Hessian with r = √d for the degree of the model."""
        return Bethe.of(A, self.k, rng, self.degree**0.5)


def recipe(
    model: BlockModel, A: csr_array, rng: np.random.Generator
) -> tuple[Bethe, dict[str, IntArray]]:
    """The published pair: Bethe Hessian and, from there, k-groups."""
    bethe = model.bethe(A, rng)
    groups = bethe.k_groups(degree_weights(A))
    return bethe, {"bethe": bethe.labels, "kgroups": groups.labels_}


def overlaps(truth: IntArray, labels: dict[str, IntArray]) -> dict[str, dict[str, float]]:
    """Overlap with the planted communities [FRV eq. 63]."""
    return {key: {"overlap": overlap(truth, found)} for key, found in labels.items()}


def run_pair(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the published pair and the defaults."""
    A, truth = model.sample(rng)
    _, labels = recipe(model, A, rng)
    return overlaps(truth, {**labels, "default": default(A, model.k, rng)})


def run_girvan_newman(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Table I."""
    A, truth = model.sample(rng)
    bethe, labels = recipe(model, A, rng)
    others = {
        "bethe_unit_rows": bethe.unit_rows(rng),
        "kgroups_unit": bethe.k_groups("unit").labels_,
        "default": default(A, model.k, rng),
    }
    return overlaps(truth, {**labels, **others})


def run_sparse(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by all methods of Fig. 5."""
    A, truth = model.sample(rng)
    bethe, labels = recipe(model, A, rng)
    chance = rng.permutation(np.arange(model.n) % model.k)
    others = {
        "bethe_unit_rows": bethe.unit_rows(rng),
        "kgroups_unit": bethe.k_groups("unit").labels_,
        "kgroups_random": k_groups(A, chance, bethe.r, degree_weights(A)).labels_,
        "kkmeans": bethe.k_means(PRINTED).labels,
        "default": default(A, model.k, rng),
    }
    scores = overlaps(truth, {**labels, **others})
    if model.lloyd:
        end = bethe.k_means(OnlineLloyd(max_iter=_SWEEPS))
        scores["kkmeans_online"] = {
            "overlap": overlap(truth, end.labels),
            "converged": float(end.converged),
        }
    return scores


def run_without_weights(model: BlockModel, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One graph by the pair of the picture without weights, and by what else there is."""
    A, truth = model.sample(rng)
    bethe, labels = recipe(model, A, rng)
    others = {
        "kgroups_unit": bethe.k_groups("unit").labels_,
        "bethe_unit_rows": bethe.unit_rows(rng),
        "default": default(A, model.k, rng),
    }
    return overlaps(truth, {**labels, **others})


def draw_girvan_newman(outcome: Outcome) -> Any:
    """Overlap against λ."""
    made, ax = figure()
    draw_curves(ax, outcome, title="Table I: n = 128, k = 4, d = 16", x="λ", y="overlap")
    draw_threshold(ax)
    return made


def draw_graphs(outcome: Outcome) -> Any:
    """The first graph of each λ: communities as planted above, as found below."""
    cases = outcome.cases
    made, axes = grid(2, len(cases), (2.2, 2.1))
    for case, (above, below) in zip(cases, axes.T, strict=True):
        rng = outcome.rng(case.key)
        A, truth = case.parameters.sample(rng)
        _, labels = recipe(case.parameters, A, rng)
        draw_found(above, below, A, truth, labels["kgroups"], title=f"λ = {case.key}")
    return made


def draw_sparse(outcome: Outcome, panel: str) -> Any:
    """Overlap against λ: what was published, and what else may be asked."""
    made, (left, right) = figure(2)
    k = outcome.cases[0].parameters.k
    title = f"Fig. 5{panel}: k = {k}, n = 1000, d = 3"
    compared = ("bethe", "kgroups", "kgroups_unit", "default")
    draw_curves(left, outcome, title=title, x="λ", y="overlap", methods=compared)
    if panel != "a":
        draw_reference(left, published("fig5a", "overlap"), "kgroups", "k = 2, published")
    asked = ("bethe_unit_rows", "kgroups_random", "kkmeans", "kkmeans_online", "kgroups")
    title = "Other starts and rules"
    draw_curves(right, outcome, title=title, x="λ", y="overlap", methods=asked)
    for ax in (left, right):
        draw_threshold(ax)
    return made


def draw_without_weights(outcome: Outcome) -> Any:
    """Overlap against λ, next to the published curve of two communities."""
    made, ax = figure()
    title = "The picture without weights: k = 25, n = 1000, d = 3"
    draw_curves(ax, outcome, title=title, x="λ", y="overlap")
    draw_reference(ax, published("fig5a", "overlap"), "kgroups_unit", "k = 2, published")
    draw_threshold(ax)
    return made


def _girvan_newman(snr: float) -> Case:
    return Case(key=f"{snr:g}" if snr % 1 else f"{snr:.1f}", x=snr,
                parameters=BlockModel(128, 4, 16, snr))  # fmt: skip


_NOTES = (
    "λ = (a − b)/k√d: eq. (62) prints √(kd), which does not give the published numbers.",
    "All k lowest eigenvectors of the Bethe Hessian are taken, those of positive eigenvalues too.",
    "Rows of unit length, which neither the paper nor its programs have, lift the Bethe Hessian to "
    "k-groups and above, so that rows of unequal length are why its accuracy falls as k grows.",
)


TABLE_I = Experiment(
    name="table1",
    title="Girvan and Newman's graphs",
    source="[FRV] Table I, eqs. (62), (63)",
    about=(
        "Block models of 128 nodes in four communities, mean degree 16. k-means on the Bethe "
        "Hessian's eigenvectors, r = √d; from there k-groups with 𝒲 = D + 0.001."
    ),
    cases=tuple(map(_girvan_newman, (0.6, 1.1, 1.5, 1.8, 2.0, 2.5, 3.5))),
    quick_cases=("1.1", "1.5", "2.0"),
    methods=(
        _BETHE,
        _UNIT_ROWS,
        _GROUPS,
        Method(key="kgroups_unit", title=_UNIT, role=Role.BEYOND),
        _DEFAULT,
    ),
    run=run_girvan_newman,
    draw=draw_girvan_newman,
    n_runs=500,
    quick_runs=8,
    measures=("overlap",),
    axis="λ",
    notes=_NOTES,
)

FIG_4 = Experiment(
    name="fig4",
    title="Three graphs of Girvan and Newman's kind",
    source="[FRV] Fig. 4",
    about="One graph for each of three λ, drawn with its communities as planted and as found.",
    cases=tuple(map(_girvan_newman, (1.1, 2.0, 3.5))),
    methods=(_BETHE, _GROUPS, _DEFAULT),
    run=run_pair,
    draw=draw_graphs,
    n_runs=20,
    quick_runs=2,
    measures=("overlap",),
    axis="λ",
    notes=("The layout uses the edges only, not the communities.",),
)


# Twenty λ from 1/2 to 5/2.
_SNRS = [0.5 + 2 * i / 19 for i in range(20)]
_KEYS = [f"{round(snr, 4):g}" for snr in _SNRS]


def _role_of_unit_weights(k: int) -> Role:
    return Role.INFERRED if k in _PUBLISHED_UNIT else Role.BEYOND


def _sparse(panel: str, k: int, *notes: str) -> Experiment:
    """Fig. 5 for one number of communities."""
    ends = (_KEYS[5], _KEYS[10], _KEYS[19])
    return Experiment(
        name=f"fig5{panel}",
        title=f"Sparse block models through the phase transition, k = {k}",
        source=f"[FRV] Fig. 5{panel}, eqs. (62), (63)",
        about=(
            "Block models of 1000 nodes, mean degree 3. k-means on the Bethe Hessian's "
            "eigenvectors, r = √d; from there k-groups with 𝒲 = D + 0.001, and with 𝒲 = I."
        ),
        cases=tuple(
            Case(key=key, parameters=BlockModel(1000, k, 3, snr, key in ends), x=snr)
            for key, snr in zip(_KEYS, _SNRS, strict=True)
        ),
        quick_cases=(_KEYS[7], _KEYS[10], _KEYS[13]),
        methods=(
            _BETHE,
            _UNIT_ROWS,
            _GROUPS,
            Method(key="kgroups_unit", title=_UNIT, role=_role_of_unit_weights(k)),
            Method(
                key="kgroups_random",
                title="kernel k-groups, W = D, random start",
            ),
            Method(key="kkmeans", title="kernel k-means, as printed"),
            Method(key="kkmeans_online", title="kernel k-means, corrected", role=Role.CORRECTED),
            _DEFAULT,
        ),
        run=run_sparse,
        draw=partial(draw_sparse, panel=panel),
        n_runs=100,
        quick_runs=3,
        measures=("overlap", "converged"),
        axis="λ",
        notes=(
            "The caption says 100 graphs; the published curves are means of 10, which their error "
            "takes into account.",
            "From λ = √3 on the chance of an edge between communities would be below 0 and is cut "
            "there, as in the published runs: the mean degree is then above 3.",
            f"Of kernel k-means from the Bethe Hessian's labels, corrected, `converged` is the "
            f"share of graphs in which it came to an end within {_SWEEPS} sweeps; −H_r is "
            "indefinite. As printed it ends in a few sweeps, with almost all nodes in one cluster.",
            "With 𝒲 = I, which the authors' pictures of k = 2, 5 and 25 have but not the paper, "
            "k-groups falls behind for many communities as the Bethe Hessian does.",
            *notes,
            *_NOTES,
        ),
    )


FIG_5C = _sparse(
    "c",
    15,
    "No curve with 𝒲 = I was published for k = 15: the authors' picture of that name shows k = 25, "
    "and is compared in fig5c-k25.",
    "Open: at λ = 1.9737 both published means, of the same ten graphs, are lower than ours by more "
    "than chance leaves. The defect behind Table VI does not explain it: it loses 8 of 15 "
    "eigenvectors, in one graph of fifty, whose overlaps are then .25 and .32; one graph of ten "
    "would have to be near .60 and .75.",
)

WITHOUT_WEIGHTS = Experiment(
    name="fig5c-k25",
    title="Sparse block models through the phase transition, k = 25, without weights",
    source="the authors' picture sbm_k15_d3_noweight, next to [FRV] Fig. 5c",
    about=(
        "Block models of 1000 nodes, mean degree 3, in 25 communities. k-means on the Bethe "
        "Hessian's eigenvectors, r = √d; from there k-groups with 𝒲 = I, and with 𝒲 = D + 0.001."
    ),
    cases=tuple(
        Case(key=key, parameters=BlockModel(1000, 25, 3, snr), x=snr)
        for key, snr in zip(_KEYS, _SNRS, strict=True)
    ),
    quick_cases=(_KEYS[7], _KEYS[10], _KEYS[13]),
    methods=(
        Method(key="bethe", title="Bethe Hessian", role=Role.INFERRED),
        _UNIT_ROWS,
        Method(key="kgroups_unit", title=_UNIT, role=Role.INFERRED),
        Method(key="kgroups", title="kernel k-groups, W = D", role=Role.BEYOND),
        _DEFAULT,
    ),
    run=run_without_weights,
    draw=draw_without_weights,
    n_runs=100,
    quick_runs=3,
    measures=("overlap",),
    axis="λ",
    default_against="kgroups_unit",
    notes=(
        "The name of the authors' file says k = 15. That it is 25 is established: the picture says "
        "so, the authors' program has 25 there, and with 25 communities both curves come out while "
        "with 15 neither does. Published k-groups is a little steeper than ours, by up to 2.5 "
        "errors, from λ = 1 to 2.2.",
        "With 𝒲 = D, the weights of Fig. 5, k-groups is above the picture: the weights are 𝒲 = I, "
        "as its name says.",
        *_NOTES,
    ),
)

PUBLISHED = (TABLE_I, FIG_4, _sparse("a", 2), _sparse("b", 5), FIG_5C, WITHOUT_WEIGHTS)
DRAFT: tuple[Experiment, ...] = ()
