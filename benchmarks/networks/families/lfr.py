"""The benchmark of Lancichinetti, Fortunato and Radicchi next to other programs."""

from __future__ import annotations

import time

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.networks.families import graphs
from benchmarks.networks.families.family import Case, Family, Line, References, Row, by_cell
from benchmarks.networks.families.ours import described, fitted
from benchmarks.networks.families.peers import PEERS, installed

GRAPHS, MARGIN = 20, 0.005
MIXING = (0.1, 0.2, 0.3, 0.4, 0.5)


def cases() -> list[Case]:
    """Twenty graphs of each size, range of communities and mixing."""
    return [
        Case(f"{n} {sizes} {mixing}", "LFR", seed)
        for n in (1000, 5000)
        for sizes in graphs.LFR_SIZES
        for mixing in MIXING
        for seed in range(GRAPHS)
    ]


def _graph(case: Case) -> tuple[graphs.csr_array, np.ndarray]:
    n, sizes, mixing = case.cell.split()
    return graphs.lfr(int(n), sizes, float(mixing), case.seed)


def run(case: Case) -> Row:
    """NMI of the communities found with those planted."""
    A, labels = _graph(case)
    model, seconds = fitted(A, case.seed)
    nmi = float(normalized_mutual_info_score(labels, model.labels_))
    return {"digest": graphs.digest(A), "nmi": nmi, "seconds": seconds, **described(model)}


def peers(case: Case) -> Row:
    """The same of the other programs that are installed."""
    A, labels = _graph(case)
    row: Row = {"digest": graphs.digest(A)}
    for name in installed():
        begun = time.perf_counter()
        found = PEERS[name][1](A, case.seed)
        row[f"{name} seconds"] = round(time.perf_counter() - begun, 3)
        row[name] = float(normalized_mutual_info_score(labels, found))
    return row


def lines(rows: list[Row], references: References) -> list[Line]:
    """Means of each cell, ours next to the best of the others on the same graphs."""
    return [_line(cell, own, references) for cell, own in by_cell(rows).items()]


def _line(cell: str, rows: list[Row], references: References) -> Line:
    theirs = {
        name: [
            references[row["key"]][name] for row in rows if name in references.get(row["key"], {})
        ]
        for name in PEERS
    }
    ours = float(np.mean([row["nmi"] for row in rows]))
    means = {name: float(np.mean(v)) for name, v in theirs.items() if len(v) == len(rows)}
    best = max(means.values(), default=None)
    missed = ""
    if best is None:
        missed = "no figures of other programs: run --peers where they are installed"
    elif ours < best - MARGIN:
        missed = f"NMI {ours:.4f} is below {best:.4f} - {MARGIN}"
    figures = [f"{means[name]:.4f}" if name in means else "-" for name in PEERS]
    seconds = float(np.mean([row["seconds"] for row in rows]))
    return Line((cell, str(len(rows)), f"{ours:.4f}", *figures, f"{seconds:.2f}"), missed)


FAMILY = Family(
    name="lfr",
    question="LFR, degree 20, at most 50: mean NMI, at least that of the best other program - .005",
    titles=("n, communities, mixing", "graphs", "ours", *PEERS, "seconds"),
    cases=cases,
    run=run,
    lines=lines,
    peers=peers,
)
