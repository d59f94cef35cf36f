"""Tables IV and V, and Fig. 8a: networks that were collected."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.select import bethe_hessian_n_communities
from kgroups.typing import IntArray
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
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
from papers.plots import draw_dots, draw_network, figure

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
    made, ax = figure()
    draw_dots(ax, outcome, [(case, "overlap") for case in outcome.cases], title="Table IV")
    return made


@experiment(
    "table4",
    cases={name: name for name in _KNOWN},
    data={name: name for name in _KNOWN},
    runs=(20, 2),
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
    draw_network(left, A, bethe.k_groups("unit").labels_, title)
    places = [(case, measure) for case in outcome.cases for measure in QUALITY]
    draw_dots(right, outcome, places, title="Table V")
    return made


@experiment("table5", cases=_BRAINS, data=_BRAINS, runs=(20, 2), draw=draw_brain)
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
