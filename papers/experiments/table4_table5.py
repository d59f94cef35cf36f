"""Tables IV and V, and Fig. 8a: networks that were collected."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.select import bethe_hessian_n_communities
from kgroups.typing import IntArray
from papers.data import DataFolders
from papers.experiment import Method, Outcome, Role, Scores, experiment
from papers.graph_methods import (
    QUALITY,
    Bethe,
    cluster,
    default,
    degree_weights,
    overlaps,
    quality,
    top_eigenvectors,
)
from papers.network_plots import draw_dots, draw_network
from papers.plots import figure

_METHODS = (
    Method("spectral", "spectral clustering of A"),
    Method("bethe", "Bethe Hessian"),
    Method("bethe_unit_rows", "Bethe Hessian, unit rows", Role.BEYOND),
    # Section 5.2 names W = D, but it is W = I that gives the published numbers.
    Method("kgroups", "kernel k-groups, W = I", Role.INFERRED),
    Method("kgroups_degree", "kernel k-groups, W = D"),
    Method("default", "kgroups' defaults", Role.DEFAULT),
)
_KNOWN = ("karate", "dolphins", "football", "polbooks")
_BRAINS = {side: f"drosophila_{side}" for side in ("left", "right")}


def all_labels(A: csr_array, k: int, rng: np.random.Generator) -> dict[str, IntArray]:
    """Labels by every method of the tables."""
    bethe = Bethe.of(A, k, rng)
    return {
        "spectral": cluster(top_eigenvectors(A, k, rng), k, rng),
        "bethe": bethe.labels,
        "bethe_unit_rows": bethe.unit_rows(rng),
        "kgroups": bethe.k_groups("unit").labels_,
        "kgroups_degree": bethe.k_groups(degree_weights(A)).labels_,
        "default": default(A, k, rng),
    }


def draw_known(outcome: Outcome) -> Any:
    """Overlaps by network."""
    made, ax = figure(1, (7.6, 4.6))
    places = {case: (case, "overlap") for case in outcome.cases}
    draw_dots(ax, outcome, places, title="Table IV", x="overlap")
    return made


@experiment(
    "table4",
    "Networks whose communities are known",
    source="[FRV] Table IV, eq. (63)",
    about="Zachary's karate club, dolphins, American college football and books on politics, at "
    "the number of known communities. k-groups starts from the Bethe Hessian's labels, "
    "r = √(mean degree).",
    cases={name: name for name in _KNOWN},
    data={name: name for name in _KNOWN},
    methods=_METHODS,
    runs=20,
    quick_runs=2,
    measures=("overlap",),
    axis="network",
    draw=draw_known,
)
def run_known(name: str, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Overlap with the known communities, at their number."""
    graph = data.graph(name)
    return overlaps(np.asarray(graph.y), all_labels(graph.adjacency(), graph.n_clusters, rng))


def draw_brain(outcome: Outcome) -> Any:
    """Scores, and the first hemisphere with its two communities."""
    made, (left, right) = figure(2, (6.6, 5.2))
    case = outcome.cases[0]
    rng, A = outcome.rng(case), outcome.data.graph(_BRAINS[case]).adjacency()
    bethe = Bethe.of(A, bethe_hessian_n_communities(A), rng)
    title = f"Fig. 8a: {case} hemisphere, k-groups from the Bethe Hessian"
    draw_network(left, A, bethe.k_groups("unit").labels_, title=title)
    places = {f"{case}: {name}": (case, name) for case in outcome.cases for name in QUALITY}
    draw_dots(right, outcome, places, title="Table V", x="score")
    return made


@experiment(
    "table5",
    "A fly's brain, both hemispheres",
    source="[FRV] Table V, Fig. 8a",
    about="The connectome of a Drosophila larva without weights and directions. The number of "
    "communities is that of the Bethe Hessian's negative eigenvalues.",
    cases=_BRAINS,
    data=_BRAINS,
    methods=(Method("network", "the network"), *_METHODS),
    runs=20,
    quick_runs=2,
    measures=(*QUALITY, "nodes", "entries of A", "communities", "largest"),
    axis="hemisphere",
    other_names=("fig8a",),
    draw=draw_brain,
)
def run_brain(name: str, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Counts and scores of a hemisphere, and the size of k-groups' largest community."""
    A = data.graph(name).adjacency()
    k = bethe_hessian_n_communities(A)
    labels = all_labels(A, k, rng)
    scores = {key: quality(A, found) for key, found in labels.items()}
    scores["kgroups"]["largest"] = int(np.bincount(labels["kgroups"]).max())
    # The caption's |E| has each edge in both directions.
    scores["network"] = {"nodes": A.shape[0], "entries of A": A.nnz, "communities": k}
    return scores
