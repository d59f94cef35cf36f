"""Random graphs without communities, which are one community each."""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchmarks.networks.families.counted import counted_lines, right_row
from benchmarks.networks.families.family import Case, Family, Row
from kgroups.graphs import stochastic_block_model
from kgroups.graphs.models.compiled.stubs import is_graphical
from kgroups.graphs.models.mixed_communities import Stubs, joined
from kgroups.graphs.models.power_law import power_law_of_mean
from kgroups.graphs.models.random_edges import adjacency_of_edges

GRAPHS = 100
SIZES, DEGREES = (30, 60, 100, 400, 1000, 5000), (3, 4, 6, 10, 20)
ERDOS, REGULAR, POWER = "Erdos-Renyi", "regular", "power law"
LIKE = {
    "karate": nx.karate_club_graph,
    "Les Miserables": nx.les_miserables_graph,
}
EXPONENT, MOST = 2.5, 6  # of power laws: largest degree, in mean degrees


def cases() -> list[Case]:
    """A hundred graphs of each model, size and mean degree."""
    cells = [
        *(f"degrees of {name}" for name in LIKE),
        *(f"{model} {n} {d}" for model in (ERDOS, REGULAR, POWER) for n in SIZES for d in DEGREES),
    ]
    return [Case(cell, "one", seed) for cell in cells for seed in range(GRAPHS)]


def graph(case: Case) -> csr_array:
    """The graph of a case."""
    if case.cell.startswith("degrees of "):
        like = LIKE[case.cell.removeprefix("degrees of ")]()
        return of_degrees(np.array([degree for _, degree in like.degree()]), case.seed)
    model, n, degree = case.cell.rsplit(" ", 2)
    return _of_model(model, int(n), int(degree), case.seed)


def _of_model(model: str, n: int, degree: int, seed: int) -> csr_array:
    if model == ERDOS:
        return stochastic_block_model(n, 1, degree, 0.0, random_state=seed)[0]
    if model == REGULAR:
        return of_degrees(np.full(n, degree), seed)
    law = power_law_of_mean(EXPONENT, min(MOST * degree, n - 1), degree)
    rng = np.random.default_rng(seed)
    while True:
        degrees = law.draw(n, rng)
        if degrees.sum() % 2 == 0 and is_graphical(np.sort(degrees)[::-1].copy()):
            return of_degrees(degrees, seed)


def of_degrees(degrees: np.ndarray, seed: int) -> csr_array:
    """A random simple graph with these degrees."""
    nothing = np.zeros_like(degrees)
    edges = joined(Stubs(nothing, degrees, nothing), np.random.default_rng(seed))
    return adjacency_of_edges(edges, len(degrees))


def run(case: Case) -> Row:
    """Whether the answer is one community."""
    A = graph(case)
    components = np.bincount(connected_components(A)[1])
    return right_row(A, case, 1) | {"components": int((components > 1).sum())}


FAMILY = Family(
    name="one",
    question="random graphs, auto: one community in 97 of 100",
    titles=("model, n, degree", "graphs", "right", "answers", "in several components", "seconds"),
    cases=cases,
    run=run,
    lines=counted_lines,
)
