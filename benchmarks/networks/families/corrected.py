"""Block models with power laws of degrees: no worse than before."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.networks.families.family import Case, Family, Line, References, Row, by_cell
from benchmarks.networks.families.graphs import digest
from benchmarks.networks.families.ours import described, fitted
from kgroups.graphs import degree_corrected_block_model

GRAPHS, NODES, DEGREE = 20, 5000, 10
KEPT = "before"  # the figure that the file of references holds
SLACK = 1e-9


def cases() -> list[Case]:
    """Twenty graphs of each number of communities and strength, k left free and given."""
    return [
        Case(f"k={k} snr={snr} {asked}", "degree-corrected", seed)
        for k in (2, 5, 10)
        for snr in (1.5, 2.0)
        for asked in ("auto", "given")
        for seed in range(GRAPHS)
    ]


def run(case: Case) -> Row:
    """NMI of the communities found with those planted, on the nodes that have an edge."""
    k, snr, asked = case.cell.split()
    planted = int(k.removeprefix("k="))
    A, labels = degree_corrected_block_model(
        NODES, planted, DEGREE, float(snr.removeprefix("snr=")), random_state=case.seed
    )
    model, seconds = fitted(A, case.seed, "auto" if asked == "auto" else planted)
    linked = np.diff(A.indptr) > 0  # nothing says where other nodes belong
    nmi = float(normalized_mutual_info_score(labels[linked], model.labels_[linked]))
    return {"digest": digest(A), "nmi": nmi, "seconds": round(seconds, 3), **described(model)}


def lines(rows: list[Row], references: References) -> list[Line]:
    """Means of each cell, next to those of the same graphs before."""
    return [_line(cell, own, references) for cell, own in by_cell(rows).items()]


def _line(cell: str, rows: list[Row], references: References) -> Line:
    now = float(np.mean([row["nmi"] for row in rows]))
    kept = [references[row["key"]][KEPT] for row in rows if row["key"] in references]
    before = float(np.mean(kept)) if len(kept) == len(rows) else None
    missed = "" if before is None or now >= before - SLACK else f"NMI was {before:.4f}"
    cells = (
        cell,
        str(len(rows)),
        f"{now:.4f}",
        "-" if before is None else f"{before:.4f}",
        f"{np.mean([row['k'] for row in rows]):.2f}",
        f"{np.mean([row['seconds'] for row in rows]):.2f}",
    )
    return Line(cells, missed)


FAMILY = Family(
    name="corrected",
    question="degree-corrected block models, n=5,000, d=10: mean NMI, not below what it was",
    titles=("planted", "graphs", "NMI", "before", "mean k", "seconds"),
    cases=cases,
    run=run,
    lines=lines,
)
