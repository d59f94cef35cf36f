"""Modularity with a free number of communities next to ten runs of leidenalg."""

from __future__ import annotations

import time

from benchmarks.networks.families import graphs
from benchmarks.networks.families.family import Case, Family, Line, References, Row
from benchmarks.networks.families.ours import fitted
from benchmarks.networks.families.peers import igraph_of, installed, leiden_of
from kgroups.graphs import planted_partition
from kgroups.metrics import modularity

LEIDEN = "Leiden"
RUNS, BELOW, ABOVE, TIMES, HIGHER = 10, 5e-4, 1e-9, 2.0, 10
SMALL = 200  # ms: below that much, times say nothing


def cases() -> list[Case]:
    """Twelve textbook graphs, two collected, eight of LFR, eight of nearest neighbors."""
    return [
        *(Case("textbook", name) for name in graphs.TEXTBOOK),
        *(Case("large", name) for name in ("ca_grqc", "polblogs")),
        *(
            Case("large", f"LFR {sizes} {mixing}")
            for sizes in graphs.LFR_SIZES
            for mixing in (0.3, 0.4, 0.5, 0.6)
        ),
        *(Case("large", name) for name in graphs.NEIGHBORS),
    ]


def _graph(name: str) -> graphs.csr_array:
    if name in graphs.TEXTBOOK:
        return graphs.TEXTBOOK[name]()
    if name in graphs.NEIGHBORS:
        return graphs.neighbors(graphs.NEIGHBORS[name]())
    if name.startswith("LFR"):
        _, sizes, mixing = name.split()
        return graphs.lfr(5000, sizes, float(mixing), 0)[0]
    return graphs.of_file(name)


def run(case: Case) -> Row:
    """One fit with the number of communities free."""
    small = planted_partition(300, 3, 10, 0.8, random_state=0)[0]
    fitted(small, 0, "auto", objective="modularity")  # compiles
    A = _graph(case.name)
    model, seconds = fitted(A, 0, "auto", objective="modularity")
    value = float(modularity(A, model.labels_))
    return {
        "digest": graphs.digest(A),
        "value": value,
        "k": int(model.n_clusters_),
        "seconds": round(seconds, 4),
    }


def peers(case: Case) -> Row:
    """The best of ten runs, until nothing improves, with the time of all."""
    A = _graph(case.name)
    row: Row = {"digest": graphs.digest(A)}
    if LEIDEN not in installed():
        return row
    graph = igraph_of(A)
    begun = time.perf_counter()
    found = [leiden_of(graph, seed) for seed in range(RUNS)]
    row["seconds"] = round(time.perf_counter() - begun, 4)
    # Measured like ours, and not as the program adds it up.
    row["values"] = [float(modularity(A, labels)) for labels, _ in found]
    row["best"] = max(row["values"])
    row["k"] = int(found[row["values"].index(row["best"])][0].max()) + 1
    return row


def lines(rows: list[Row], references: References) -> list[Line]:
    """One line per graph, and one that counts the large ones that are higher."""
    table = [_line(row, references.get(row["key"], {})) for row in rows]
    large = [row for row in rows if row["cell"] == "large"]
    higher = sum(
        row["value"] > references.get(row["key"], {}).get("best", 1) + ABOVE for row in large
    )
    enough = higher >= min(HIGHER, len(large))
    missed = "" if enough else f"higher on {higher} of {len(large)} large graphs, not {HIGHER}"
    return [*table, Line(("higher, of the large", str(higher), "", "", "", "", ""), missed)]


def _line(row: Row, theirs: Row) -> Line:
    name = row["key"].split(" | ")[1]
    ours = (f"{row['value']:.6f}", str(row["k"]), f"{row['seconds']:.2f}")
    if "best" not in theirs:
        return Line((name, *ours, "-", "-", "-"), "no figures of leidenalg: run --peers")
    reasons = []
    if row["value"] < theirs["best"] - BELOW:
        reasons.append(f"lower by {theirs['best'] - row['value']:.6f}")
    if row["seconds"] > max(TIMES * theirs["seconds"], SMALL / 1000):
        reasons.append(f"takes {row['seconds'] / theirs['seconds']:.1f} times as long")
    figures = (f"{theirs['best']:.6f}", str(theirs["k"]), f"{theirs['seconds']:.2f}")
    return Line((name, *ours, *figures), "; ".join(reasons))


FAMILY = Family(
    name="modularity",
    question="modularity, number free: not 5e-4 below the best of 10 of leidenalg, 10 of 18 above",
    titles=("graph", "ours", "k", "s", "Leiden", "k", "s of 10"),
    cases=cases,
    run=run,
    lines=lines,
    peers=peers,
)
