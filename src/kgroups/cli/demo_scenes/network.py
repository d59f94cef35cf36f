"""A network near the limit below which communities cannot be found, and one without any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.graphs import GraphKGroups, stochastic_block_model
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA, _RANDOM = "network", "random network"
_NODES, _COMMUNITIES, _DEGREE, _SEEDS = 800, 4, 12.0, 2
# At 1 no method finds communities, however many nodes there are.
_SIGNAL_TO_NOISE = 1.6
_LESSON = (
    "Network: 800 nodes of degree 12 in four communities, near the limit below which nothing can "
    "be found; no method is told how many. Louvain maximizes modularity, which is high for "
    "divisions of pure chance, too: it divides the random network. kgroups says one, because no "
    "division shortens its description."
)


def prepare() -> None:
    """Compile what will be timed."""
    for make in (planted, at_random):
        k_groups(make(0).X)


def play() -> Played:
    """Both methods on networks with communities and without."""
    methods = {KGROUPS: k_groups, "Louvain": louvain}
    with_some = [planted(seed) for seed in range(_SEEDS)]
    outcomes, labels = judged(_DATA, with_some, methods)
    with_none, _ = judged(_RANDOM, [at_random(seed) for seed in range(_SEEDS)], methods)
    shown = {"A": with_some[0].X, "labels": labels[KGROUPS]}
    return Played([*outcomes, *with_none], _LESSON, shown=shown)


def planted(seed: int) -> Problem:
    """Four communities of one size."""
    A, y = stochastic_block_model(
        _NODES, _COMMUNITIES, _DEGREE, _SIGNAL_TO_NOISE, random_state=seed
    )
    return Problem(A, np.asarray(y))


def at_random(seed: int) -> Problem:
    """As many edges between any nodes: one community."""
    import networkx as nx

    graph = nx.gnm_random_graph(_NODES, int(_NODES * _DEGREE / 2), seed=seed)
    return Problem(nx.to_scipy_sparse_array(graph, dtype=np.float64), np.zeros(_NODES, np.int64))


def k_groups(A: Any) -> IntArray:
    """Communities and their number."""
    return np.asarray(GraphKGroups(random_state=0, n_jobs=1).fit_predict(A))


def louvain(A: Any) -> IntArray:
    """The method of networkx, which finds the number, too."""
    import networkx as nx

    found = nx.community.louvain_communities(nx.from_scipy_sparse_array(A), seed=0)
    labels = np.empty(A.shape[0], np.int64)
    for community, nodes in enumerate(found):
        labels[list(nodes)] = community
    return labels


def draw(ax: Axes, played: Played) -> None:
    """The edges as dots, with nodes in the order of the communities found."""
    from kgroups.plots.style import bare

    A, labels = played.shown["A"].tocoo(), played.shown["labels"]
    place = np.argsort(np.argsort(labels, kind="stable"), kind="stable")
    ax.scatter(place[A.col], place[A.row], s=0.6, c="#1F4E79", linewidths=0, rasterized=True)
    for border in np.cumsum(np.bincount(labels))[:-1]:
        ax.axhline(border - 0.5, color="#BBBBBB", linewidth=0.8)
        ax.axvline(border - 0.5, color="#BBBBBB", linewidth=0.8)
    ax.set(xlim=(0, len(labels)), ylim=(len(labels), 0), aspect="equal")
    bare(ax, f"Network: {labels.max() + 1} communities; each dot is an edge")
