"""Communities next to other programs: ``python -m comparisons.communities [FAMILY ...]``.

Graphs with the defaults of GraphKGroups: *one* (no communities), *blocks* (their number), *lfr* and
*corrected* (NMI with what was planted), *modularity* (its number free), *named* (ten seeds, ten
orders of lines), *scale* (seconds and memory of very large graphs on an idle machine).
``communities.csv`` has scores of ours from November 2026, and of others, on the same graphs; those
of *one* and *blocks* are 1 where the number was right, and only the others are in the file.
``--speed`` measures 100,000 nodes next to networkx, and nothing else.
"""

from __future__ import annotations

import csv
import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from comparisons import graph_families as graphs
from comparisons.common import Limits, options, print_table
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import Graph
from kgroups.metrics import modularity, overlap

COLUMNS = ("ours", "Leiden", "Louvain", "Infomap")
RIGHT, CHANCE = 0.97, 1e-3  # share that must be right; what fewer than 100 may miss by chance
HIGHER, ROUNDING = 10, 1e-6  # of the 18 large graphs; of the file
ORDERS, MEDIAN, WORST = 10, 0.98, 0.9  # of lines; NMI of any two answers
MODULARITY, OVERLAP = 0.53, 0.90  # of Les Miserables; of polblogs with its classes
MEGABYTES, ARI = 3000, 0.99
FASTER = {10_000: 0.75, 100_000: 0.1}  # seconds next to those of Louvain, by nodes
Row = dict[str, str]


class Answer(NamedTuple):
    """What came of one graph."""

    score: float
    k: int
    seconds: float
    graph: str
    labels: Sequence[np.ndarray] = ()


class Cell(NamedTuple):
    """The answers to the graphs of one kind, and their rows of the file."""

    name: str
    answers: Sequence[Answer]
    rows: Sequence[Row]

    @property
    def score(self) -> float:
        """The mean of the scores."""
        return float(np.mean([answer.score for answer in self.answers]))

    @property
    def stored(self) -> dict[str, float]:
        """The means by program, where all rows have one."""
        names = [name for name in COLUMNS if all(row.get(name) for row in self.rows)]
        return {name: float(np.mean([float(row[name]) for row in self.rows])) for name in names}

    @property
    def above(self) -> float:
        """The score less that of the best other program, or less ours of earlier."""
        others = [mean for name, mean in self.stored.items() if name != "ours"]
        return self.score - max(others or self.stored.values())

    @property
    def line(self) -> list[str]:
        """The line of the table."""
        stored, ks = self.stored, [answer.k for answer in self.answers]
        means = [f"{stored[name]:.4f}" if name in stored else "-" for name in COLUMNS]
        k = f"{min(ks)}-{max(ks)}" if min(ks) < max(ks) else str(ks[0])
        seconds = f"{np.mean([answer.seconds for answer in self.answers]):.2f}"
        return [self.name, str(len(ks)), f"{self.score:.4f}", *means, k, seconds]


def fitted(A: Any, seed: int, k: int | str = "auto", **given: Any) -> tuple[Any, float]:
    """A fitted model and its seconds."""
    with warnings.catch_warnings():
        # Many of these graphs have several components or nodes alone.
        warnings.simplefilter("ignore", GraphNotice)
        begun = time.perf_counter()
        model = GraphKGroups(k, random_state=seed, **given).fit(A)
        return model, time.perf_counter() - begun


def found(draw: Callable[[str, int], graphs.Planted], cell: str, seed: int) -> Answer:
    """NMI with what was planted, on the nodes that have an edge."""
    A, truth = draw(cell, seed)
    planted = len(np.unique(truth))
    model, spent = fitted(A, seed, planted if cell.endswith("given") else "auto")
    linked, k = np.diff(A.indptr) > 0, model.n_clusters_
    nmi = float(normalized_mutual_info_score(truth[linked], model.labels_[linked]))
    is_right = float(k == planted)
    return Answer(nmi if draw in SCORED else is_right, k, spent, graphs.digest(A))


def largest_modularity(cell: str, seed: int) -> Answer:
    """Modularity with a free number of communities."""
    A = graphs.named(cell)
    model, spent = fitted(A, seed, objective="modularity")
    score = float(modularity(A, model.labels_))
    return Answer(score, model.n_clusters_, spent, graphs.digest(A))


def in_all_orders(cell: str, seed: int) -> Answer:
    """The least modularity, and labels by node, with lines in several orders and directions."""
    A = graphs.connected(cell)[0]
    source, target, weight = graphs.edges_of(A)
    names = np.array([f"node {i:05d}" for i in range(A.shape[0])], object)
    answers, spent = [], 0.0
    for order in range(ORDERS):
        rng = np.random.default_rng(order)
        lines = rng.permutation(len(source))
        first, second = np.where(rng.random(len(source)) < 0.5, (target, source), (source, target))
        graph = Graph.from_edges(names[first[lines]], names[second[lines]], weight[lines])
        model, more = fitted(graph, seed)
        answers.append(model.labels_[np.argsort(graph.nodes)])
        spent += more / ORDERS
    score = min(float(modularity(A, labels)) for labels in answers)
    return Answer(score, model.n_clusters_, spent, graphs.digest(A), answers)


def very_large(cell: str, seed: int) -> Answer:
    """One fit of a graph that has a hundred thousand nodes or more."""
    fitted(graphs.planted(2000)[0], seed)  # compiles
    how = {"planted, 50": {"k": 50}, "planted, modularity": {"objective": "modularity"}}
    A = graphs.huge(cell)
    model, spent = fitted(A, seed, **how.get(cell, {}))
    return Answer(
        float(modularity(A, model.labels_)), model.n_clusters_, spent, "", [model.labels_]
    )


def least(limits: Limits, title: str, values: dict[str, float], limit: float) -> None:
    """No cell is below a limit."""
    cell = min(values, key=values.__getitem__)
    limits.at_least(f"{title}, least ({cell})", values[cell], limit)


def judge_counts(cells: Sequence[Cell], limits: Limits) -> None:
    """The number is right in 97 of 100 graphs, of each kind and of all together."""
    n = len(cells[0].answers)
    right = {cell.name: n * cell.score for cell in cells}
    least(limits, f"right of {n}", right, enough(n))
    total = n * len(cells)
    limits.at_least(f"right of all {total}", sum(right.values()), enough(total))


def enough(n: int) -> float:
    """What must be right of n graphs; fewer than a hundred may miss it once in a thousand."""
    return RIGHT * n if n >= 100 else float(binom.ppf(CHANCE, n, RIGHT))


def judge_scores(cells: Sequence[Cell], limits: Limits, below: float = 0.005) -> None:
    """Mean scores are hardly below the best."""
    above = {cell.name: cell.above for cell in cells}
    least(limits, "score less the best other, or ours of earlier", above, -below)


def judge_modularity(cells: Sequence[Cell], limits: Limits) -> None:
    """Not below the best of ten runs of Leiden, and above it on ten of the large graphs."""
    judge_scores(cells, limits, 5e-4)
    small = (*graphs.TEXTBOOK, "dolphins", "football", "polbooks")
    large = [cell.above > ROUNDING for cell in cells if cell.name not in small]
    limits.at_least(f"higher, of {len(large)} large graphs", sum(large), min(HIGHER, len(large)))


def judge_named(cells: Sequence[Cell], limits: Limits) -> None:
    """Numbers and scores are the known ones, and hardly depend on seeds and orders."""
    median, worst, others, changed = {}, {}, 0, 0
    for name, answers, rows in cells:
        labels = np.array([x for answer in answers for x in answer.labels])
        kinds, place = np.unique(labels, axis=0, return_inverse=True)
        nmi = np.array([[normalized_mutual_info_score(a, b) for b in kinds] for a in kinds])
        between = nmi[np.ix_(place, place)][np.triu_indices(len(labels), 1)]
        median[name], worst[name] = float(np.median(between)), float(between.min())
        low, high = int(rows[0]["fewest"]), int(rows[0]["most"])
        others += sum(not low <= len(np.unique(x)) <= high for x in labels)
        changed += sum((x != answer.labels[0]).any() for answer in answers for x in answer.labels)
        if name == "Les Miserables":
            limits.at_least(f"{name}: modularity", min(a.score for a in answers), MODULARITY)
        if name == "polblogs":
            truth = graphs.connected(name)[1]
            limits.at_least(f"{name}: overlap", min(overlap(truth, x) for x in kinds), OVERLAP)
    limits.at_most("answers with another number", others, 0)
    limits.at_most("answers that another order of lines changes", changed, 0)
    least(limits, "median NMI of answers", median, MEDIAN)
    least(limits, "worst NMI of answers", worst, WORST)


def judge_scale(cells: Sequence[Cell], limits: Limits) -> None:
    """A million nodes and ten million edges in a minute and 3 GB, the others in half a minute."""
    limits.at_most("MB of the process", getrusage(RUSAGE_SELF).ru_maxrss / 1000, MEGABYTES)
    truth = graphs.planted(1_000_000)[1]
    for name, (answer,), _ in cells:
        is_planted = name.startswith("planted")
        limits.at_most(f"{name}: seconds", answer.seconds, 60 if is_planted else 30)
        if is_planted:
            ari = adjusted_rand_score(truth, answer.labels[0])
            limits.at_least(f"{name}: ARI, k={answer.k}", ari, ARI)
    judge_scores([cell for cell in cells if "Leiden" in cell.stored], limits, 0)


class Family(NamedTuple):
    """What answers and what judges, graphs of a cell, quick cells, cells that the file lacks."""

    answer: Callable[[str, int], Answer]
    judge: Callable[[Sequence[Cell], Limits], None]
    n_graphs: int
    n_quick: int
    cells: Sequence[str] = ()


SCORED = (graphs.lfr, graphs.corrected)
FAMILIES = {
    "named": Family(in_all_orders, judge_named, 10, 3),
    "modularity": Family(largest_modularity, judge_modularity, 1, 9),
    "lfr": Family(partial(found, graphs.lfr), judge_scores, 20, 5),
    "corrected": Family(
        partial(found, graphs.corrected), partial(judge_scores, below=0.001), 20, 1
    ),
    "blocks": Family(partial(found, graphs.blocks), judge_counts, 100, 1, ("2", "5", "10")),
    "one": Family(partial(found, graphs.one), judge_counts, 100, 47, graphs.WITHOUT_COMMUNITIES),
    "scale": Family(very_large, judge_scale, 1, 0),
}


def compare(name: str, n_graphs: int | None, limits: Limits, *, quick: bool) -> None:
    """Answer, print and judge one family."""
    family, stored = FAMILIES[name], stored_rows(name)
    cells = family.cells or list(dict.fromkeys(cell for cell, _ in stored))
    cells = cells[: family.n_quick] if quick else cells
    here = [cell for cell in cells if graphs.is_here(cell)]
    if len(here) < len(cells):
        print(f"not here: {', '.join(sorted({*cells} - {*here}))}, left out")
    if not here:
        return
    seeds = range(min(n_graphs or (1 if quick else family.n_graphs), family.n_graphs))
    parallel = Parallel(1 if quick or name == "scale" else -1)
    answers = parallel(delayed(family.answer)(cell, seed) for cell in here for seed in seeds)
    unknown = {"ours": "1"} if family.cells else {}
    found = []
    for cell in here:
        own, answers = answers[: len(seeds)], answers[len(seeds) :]
        found.append(Cell(cell, own, [stored.get((cell, seed), unknown) for seed in seeds]))
    print()
    titles = (name, "graphs", "now", *COLUMNS, "k", "seconds")
    print_table(titles, [cell.line for cell in found])
    pairs = (
        (a.graph, r.get("graph")) for c in found for a, r in zip(c.answers, c.rows, strict=True)
    )
    others = sum(now != before for now, before in pairs if before is not None)
    limits.at_most(f"{name}: graphs that are not those of the file", others, 0)
    family.judge(found, limits)


def stored_rows(family: str) -> dict[tuple[str, int], Row]:
    """The rows of a family in the file, by cell and seed."""
    with (Path(__file__).parent / "communities.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["family"] == family]
    return {(row["cell"], int(row["seed"])): row for row in rows}


def compare_speed(n: int, limits: Limits) -> None:
    """Seconds and scores next to Louvain of networkx, on 50 planted communities."""
    A, truth = graphs.planted(n)
    fitted(graphs.planted(2000)[0], 0)  # compiles
    model, ours = fitted(A, 0)
    network, theirs = nx.from_scipy_sparse_array(A), np.empty(n)
    begun = time.perf_counter()
    for number, nodes in enumerate(nx.community.louvain_communities(network, seed=0)):
        theirs[list(nodes)] = number
    louvain = time.perf_counter() - begun
    rows = [
        [name, f"{spent:.2f}", f"{modularity(A, x):.4f}", f"{adjusted_rand_score(truth, x):.4f}"]
        for name, spent, x in (("k-groups", ours, model.labels_), ("Louvain", louvain, theirs))
    ]
    print_table((f"{n:,} nodes", "seconds", "modularity", "ARI"), rows)
    limits.at_least("k-groups: ARI", adjusted_rand_score(truth, model.labels_), ARI)
    limits.at_most("seconds, k-groups / Louvain", ours / louvain, FASTER[n])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a limit is missed."""
    parser = options(__doc__, seeds="so many graphs of a kind", data_dir="folder with graphs/")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--speed", action="store_true", help="next to networkx, and nothing else")
    given, limits = parser.parse_args(arguments), Limits()
    if given.data_dir:
        os.environ["KGROUPS_DATA"] = given.data_dir
    if not set(given.families) <= set(FAMILIES):
        parser.error(f"families are {', '.join(FAMILIES)}")
    if given.speed:
        compare_speed(10_000 if given.quick else 100_000, limits)
    else:
        for name in given.families or FAMILIES:
            compare(name, int(given.seeds or 0) or None, limits, quick=given.quick)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
