"""How often the number of communities is right: shared by families of random graphs."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import binom

from benchmarks.networks.families.family import Case, Line, References, Row, by_cell
from benchmarks.networks.families.graphs import digest
from benchmarks.networks.families.ours import described, fitted

LIMIT, WHOLE = 0.97, 100  # share that must be right, and the graphs of a whole cell


def right_row(A: csr_array, case: Case, k: int) -> Row:
    """The number found, and whether it is k."""
    model, seconds = fitted(A, case.seed)
    found = described(model)
    return {"digest": digest(A), "right": found["k"] == k, "seconds": round(seconds, 3), **found}


def counted_lines(rows: list[Row], references: References) -> list[Line]:
    """One line per cell. Fewer than a hundred graphs may miss by chance, once in a thousand."""
    return [_line(cell, own) for cell, own in by_cell(rows).items()]


def _line(cell: str, rows: list[Row]) -> Line:
    n, right = len(rows), sum(row["right"] for row in rows)
    enough = right >= LIMIT * n if n >= WHOLE else binom.cdf(right, n, LIMIT) > 1e-3
    answers = Counter(row["k"] for row in rows).most_common(4)
    several = sum(row.get("components", 1) > 1 for row in rows)
    cells = (
        cell,
        str(n),
        f"{right / n:.0%}",
        ", ".join(f"{k}: {count}" for k, count in answers),
        str(several),
        f"{np.mean([row['seconds'] for row in rows]):.2f}",
    )
    return Line(cells, "" if enough else f"{right} of {n} are right")
