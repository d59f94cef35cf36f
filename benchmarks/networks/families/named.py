"""Graphs that everybody knows: numbers, scores, and whether seeds and orders of lines matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.networks.families import graphs
from benchmarks.networks.families.family import Case, Family, Line, References, Row
from benchmarks.networks.families.ours import described, fitted
from kgroups.graphs import Graph
from kgroups.metrics import modularity, overlap

SEEDS = ORDERS = 10
MEDIAN, WORST = 0.98, 0.9  # of the NMI between any two answers


class Asked(NamedTuple):
    """What is asked of the answers: numbers from ``least`` to ``most``, and scores."""

    least: int
    most: int
    modularity: float = -1.0
    overlap: float = 0.0


ASKED = {
    "two triangles": Asked(2, 2),
    "davis": Asked(2, 4),
    "florentine": Asked(1, 4),
    "caveman (4, 5)": Asked(4, 4),
    "ring (10, 5)": Asked(10, 10),
    "ring (30, 5)": Asked(30, 30),
    "karate": Asked(2, 4),
    "Les Miserables": Asked(4, 8, modularity=0.53),
    "dolphins": Asked(2, 5),
    "football": Asked(10, 12),
    "polbooks": Asked(2, 5),
    "polblogs": Asked(2, 2, overlap=0.90),
}


def cases() -> list[Case]:
    """One case per graph."""
    return [Case("named", name) for name in ASKED]


def run(case: Case) -> Row:
    """All seeds and orders of lines on one graph."""
    A, truth = _graph(case.name)
    found = [list(_answers(A, seed)) for seed in range(SEEDS)]
    answers = [labels for of_seed in found for labels, _ in of_seed]
    rows = [row for of_seed in found for _, row in of_seed]
    same = [
        all(np.array_equal(labels, of_seed[0][0]) for labels, _ in of_seed) for of_seed in found
    ]
    return {
        "digest": graphs.digest(A),
        "numbers": dict(Counter(str(row["k"]) for row in rows)),
        "modularity": min(float(modularity(A, labels)) for labels in answers),
        "overlap": None if truth is None else min(float(overlap(truth, x)) for x in answers),
        "orders that change nothing": f"{sum(same)} of {SEEDS} seeds",
        "orders matter": not all(same),
        **_agreement(answers),
        "decided_by": dict(Counter(str(row["decided_by"]) for row in rows)),
        "evidence": rows[0]["evidence"],
        "agreement": rows[0]["agreement"],
        "seconds": round(float(np.mean([row["seconds"] for row in rows])), 3),
    }


def _graph(name: str) -> tuple[graphs.csr_array, np.ndarray | None]:
    """Known communities are compared only where a limit says so."""
    if name != "polblogs":
        return graphs.TEXTBOOK[name](), None
    A, nodes = graphs.largest_component(graphs.of_file(name))
    truth = graphs.truth_of_file(name)
    return A, None if truth is None else truth[nodes]


def _answers(A: graphs.csr_array, seed: int) -> Iterator[tuple[np.ndarray, Row]]:
    """Labels by node, from the lines of the graph in several orders and directions."""
    source, target, weight = graphs.edges(A)
    names = np.array([f"node {i:05d}" for i in range(A.shape[0])], object)
    for order in range(ORDERS):
        rng = np.random.default_rng(order)
        lines = rng.permutation(len(source))
        turned = rng.random(len(source)) < 0.5
        first, second = np.where(turned, (target, source), (source, target))
        graph = Graph.from_edges(names[first[lines]], names[second[lines]], weight[lines])
        model, seconds = fitted(graph, seed)
        by_name = dict(zip(graph.nodes.tolist(), model.labels_.tolist(), strict=True))
        yield np.array([by_name[name] for name in names]), described(model) | {"seconds": seconds}


def _agreement(answers: list[np.ndarray]) -> Row:
    """The median and the worst NMI of all pairs of answers."""
    kinds, counts = np.unique(answers, axis=0, return_counts=True)
    values = [1.0] * int((counts * (counts - 1) // 2).sum())
    for a, b in combinations(range(len(kinds)), 2):
        between = float(normalized_mutual_info_score(kinds[a], kinds[b]))
        values += [between] * int(counts[a] * counts[b])
    return {"median NMI": float(np.median(values)), "worst NMI": min(values)}


def lines(rows: list[Row], references: References) -> list[Line]:
    """One line per graph."""
    return [_line(row) for row in rows]


def _line(row: Row) -> Line:
    name = row["key"].split(" | ")[1]
    cells = (
        name,
        ", ".join(f"{k}: {count}" for k, count in row["numbers"].items()),
        f"{row['modularity']:.4f}",
        "-" if row["overlap"] is None else f"{row['overlap']:.3f}",
        f"{row['median NMI']:.3f}",
        f"{row['worst NMI']:.3f}",
        row["orders that change nothing"],
        ", ".join(row["decided_by"]),
        f"{row['seconds']:.2f}",
    )
    return Line(cells, "; ".join(_missed(row, ASKED[name])))


def _missed(row: Row, asked: Asked) -> Iterator[str]:
    if not all(asked.least <= int(k) <= asked.most for k in row["numbers"]):
        yield f"numbers must be {asked.least} to {asked.most}"
    if row["modularity"] < asked.modularity:
        yield f"modularity is below {asked.modularity}"
    if row["overlap"] is not None and row["overlap"] < asked.overlap:
        yield f"overlap is below {asked.overlap}"
    if row["median NMI"] < MEDIAN or row["worst NMI"] < WORST:
        yield f"answers differ more than {MEDIAN} in the median, {WORST} at worst"
    if row["orders matter"]:
        yield "the order of lines changes labels"


FAMILY = Family(
    name="named",
    question="well-known graphs, auto, ten seeds x ten orders of lines; scores are the worst",
    titles=(
        "graph",
        "numbers",
        "modularity",
        "overlap",
        "median NMI",
        "worst",
        "orders alike",
        "by",
        "seconds",
    ),
    cases=cases,
    run=run,
    lines=lines,
)
