"""Table VI and Fig. 8b: co-authors of physicists, as published, as inferred and corrected."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups import GraphKGroups
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
    k_groups,
    quality,
    top_eigenvectors,
)
from papers.methods import seed
from papers.plots import draw_dots, draw_network, figure, finish
from papers.published import FOLDER

_DATA = "ca_grqc"
_PARTS = ("counts", "published", "partition")
_COUNTED = ("nodes", "edges", "communities", "largest", "mean degree there", "objective", "moves")

# Columns of zeros that the eigensolver is believed to have returned for the Bethe Hessian and for
# A. The first number is read off the published partition, the second is what the defective solver
# gives for A with two threads.
_COMMUNITIES, _LOST_OF_BETHE, _LOST_OF_A = 165, 110, 83


def published_partition() -> IntArray:
    """The community of each node in Fig. 8b, in the order of the network's file."""
    file = FOLDER / "table6-partition.json"
    return np.array(json.loads(file.read_text("utf-8"))["labels"], np.int64)


def draw_physicists(outcome: Outcome) -> Any:
    """The network with the published communities and with ours, their sizes, and the scores."""
    A = outcome.data.graph(_DATA).adjacency()
    part = outcome.cases[-1]
    title, ours = _drawn(A, outcome.rng("partition"), from_eigenvectors=part == "partition")
    partitions = {"Fig. 8b as published": published_partition(), title: ours}
    made, (above, (left, right)) = figure(2, (6.2, 5.2), 2)
    for ax, (name, labels) in zip(above, partitions.items(), strict=True):
        # Communities by falling size; those after the sixth are gray together.
        rank = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
        names = np.array([*"123456", "others"])[np.minimum(rank[labels], 6)]
        draw_network(ax, A, names, name)
        left.loglog(np.sort(np.bincount(labels))[::-1], ".", label=name)
    finish(left, "Sizes of communities", "rank of the community", "nodes")
    draw_dots(right, outcome, [(part, measure) for measure in QUALITY], title="Table VI")
    return made


def _drawn(
    A: csr_array, rng: np.random.Generator, *, from_eigenvectors: bool
) -> tuple[str, IntArray]:
    """One partition of ours; eigenvectors take longer than a quick run should."""
    k = bethe_hessian_n_communities(A)
    if from_eigenvectors:
        labels = Bethe.of(A, k, rng).k_groups("unit").labels_
        return "k-groups with all eigenvectors, one run", labels
    model = GraphKGroups(k, init="multilevel", random_state=seed(rng), n_jobs=1).fit(A)
    return "k-groups from a start without eigenvectors", model.labels_


@experiment(
    "table6",
    cases={part: part for part in _PARTS},
    data=dict.fromkeys(_PARTS, _DATA),
    quick_cases=("counts", "published"),
    runs=(16, 1),
    draw=draw_physicists,
)
def run_physicists(part: str, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One of the three parts."""
    A = data.graph(_DATA).adjacency()
    k = bethe_hessian_n_communities(A)
    if part == "counts":
        n_loops = int(np.count_nonzero(A.diagonal()))
        counts = {"nodes": A.shape[0], "edges": (A.nnz + n_loops) // 2, "communities": k}
        return {"network": counts}
    if part == "published":
        return {"published": published_scores(A)}
    return partition_scores(A, k, rng)


def published_scores(A: csr_array) -> dict[str, float]:
    """The published partition by our measures, and how far k-groups moves from it."""
    labels = published_partition()
    after = k_groups(A, labels, "average_degree", "unit")
    search = {"objective": after.objective_history_[0], "moves": after.n_moves_}
    return {**quality(A, labels), **largest_of(A, labels), **search}


def partition_scores(A: csr_array, k: int, rng: np.random.Generator) -> Scores:
    """Every method with the eigenvectors that the paper is believed to have had, and with all."""
    vectors, bethe = top_eigenvectors(A, k, rng), Bethe.of(A, k, rng)
    start = cluster(bethe.vectors[:, _LOST_OF_BETHE:], k, rng)
    groups = {"kgroups": k_groups(A, start, bethe.r, "unit"), "kgroups_all": bethe.k_groups("unit")}
    labels = {
        "spectral": cluster(vectors[:, : k - _LOST_OF_A], k, rng),
        "bethe": start,
        "spectral_all": cluster(vectors, k, rng),
        "bethe_all": bethe.labels,
        "bethe_unit_rows": bethe.unit_rows(rng),
        "kgroups_degree_all": bethe.k_groups(degree_weights(A)).labels_,
        "default": default(A, k, rng),
        **{key: model.labels_ for key, model in groups.items()},
    }
    scores = {key: quality(A, found) for key, found in labels.items()}
    for key, model in groups.items():
        scores[key] |= {**largest_of(A, model.labels_), "objective": model.objective_}
    return scores


def largest_of(A: csr_array, labels: IntArray) -> dict[str, float]:
    """Size of the largest community, and the mean degree of its nodes."""
    sizes, degrees = np.bincount(labels), np.bincount(labels, A.sum(axis=1))
    largest = int(sizes.argmax())
    mean_degree = float(degrees[largest] / sizes[largest])
    return {"largest": int(sizes[largest]), "mean degree there": mean_degree}
