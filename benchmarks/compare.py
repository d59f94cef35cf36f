"""Times and optima beside those of others: ``python -m benchmarks.compare [--grid] [--json FILE]``.

Without ``--grid``: ten Gaussian clusters in 16 dimensions at each size, every method in a process
of its own. With it: twelve kinds of data, three k and three alpha, against those that minimize the
same objective. W and the moves that would still improve it are computed here, not by the methods.
"""

import argparse
from typing import Any

import numpy as np

from benchmarks.datasets import blobs, grid_datasets
from benchmarks.judge import improving_moves, within_dispersion
from benchmarks.report import megabytes, number, print_machine, print_table, write_json
from benchmarks.rivals import Cell, Run, measure, measure_all

OURS = "kgroups"
COMPARED = (
    OURS,
    "kgroups, first call",
    "R energy::kgroups",
    "tslearn KernelKMeans",
    "scikit-learn KMeans",
    "scikit-learn SpectralClustering",
    "kmedoids fasterpam",
)
GRID_RIVALS = ("R energy::kgroups", "tslearn KernelKMeans")
GRID_CELLS = [Cell(k, alpha) for k in (3, 10, 30) for alpha in (0.5, 1.0, 1.5)]
SIZES = [1000, 5000, 20_000, 100_000]
GRID_SIZE = 5000

Row = dict[str, Any]


def compare_sizes(sizes: list[int], k: int, alpha: float, limit: float) -> list[Row]:
    """One table a size."""
    rows: list[Row] = []
    for n in sizes:
        X = blobs(n, 16, k, seed=0)
        print(f"\nn={n:,}, D=16, k={k}, alpha={alpha:g}")
        found = [_judged(measure(name, X, Cell(k, alpha), limit), X, alpha) for name in COMPARED]
        for row in found:
            row["times_ours"] = _ratio(row["seconds"], found[0]["seconds"])
            row["W_relative"] = _ratio(row["W"], found[0]["W"])
        _print_size(found)
        rows += found
    return rows


def _judged(run: Run, X: np.ndarray, alpha: float) -> Row:
    row: Row = {
        "n": len(X),
        "method": run.method,
        "seconds": run.seconds,
        "peak_bytes": run.peak_bytes,
        "W": None,
        "improving_moves": None,
        "note": run.note,
    }
    if run.labels is not None:
        row["W"] = within_dispersion(X, run.labels, alpha)
        row["improving_moves"] = improving_moves(X, run.labels, alpha)
    return row


def _print_size(rows: list[Row]) -> None:
    titles = ["method", "seconds", "x ours", "peak MB", "W", "W / ours", "moves left", "note"]
    table = [
        [
            row["method"],
            number(row["seconds"], ",.3f"),
            number(row["times_ours"], ",.2f"),
            megabytes(row["peak_bytes"]),
            number(row["W"], ",.3f"),
            number(row["W_relative"], ".6f"),
            number(row["improving_moves"], ",d"),
            row["note"],
        ]
        for row in rows
    ]
    print_table(titles, table)


def compare_grid(n: int, limit: float) -> list[Row]:
    """A table a data set, and the summary of all cells."""
    rows: list[Row] = []
    for name, X in grid_datasets(n, seed=0).items():
        print(f"\n{name}, n={n:,}")
        found = _grid_rows(name, X, limit)
        _print_grid(found)
        rows += found
    for rival in GRID_RIVALS:
        _print_summary(rival, rows)
    return rows


def _grid_rows(name: str, X: np.ndarray, limit: float) -> list[Row]:
    total = limit * len(GRID_CELLS)
    ours = measure_all(OURS, X, GRID_CELLS, total)
    theirs = {rival: measure_all(rival, X, GRID_CELLS, total) for rival in GRID_RIVALS}
    rows = []
    for index, cell in enumerate(GRID_CELLS):
        mine, dispersion = ours[index], _dispersion(ours[index], X, cell.alpha)
        row: Row = {"data": name, "n": len(X), "k": cell.k, "alpha": cell.alpha}
        row.update(seconds=mine.seconds, W=dispersion, note=mine.note)
        for rival, runs in theirs.items():
            other = runs[index]
            row[rival] = {
                "seconds": other.seconds,
                "times_ours": _ratio(other.seconds, mine.seconds),
                "W_ours_relative": _ratio(dispersion, _dispersion(other, X, cell.alpha)),
                "note": other.note,
            }
        rows.append(row)
    return rows


def _dispersion(run: Run, X: np.ndarray, alpha: float) -> float | None:
    return None if run.labels is None else within_dispersion(X, run.labels, alpha)


def _print_grid(rows: list[Row]) -> None:
    titles = ["k", "alpha", "seconds"]
    for rival in GRID_RIVALS:
        short = rival.split()[0]
        titles += [f"{short} x ours", f"W ours / {short}"]
    table = []
    for row in rows:
        line = [str(row["k"]), f"{row['alpha']:g}", number(row["seconds"], ",.3f")]
        for rival in GRID_RIVALS:
            line += [
                number(row[rival]["times_ours"], ",.2f"),
                number(row[rival]["W_ours_relative"], ".6f"),
            ]
        table.append(line)
    print_table(titles, table)
    notes = [("kgroups", row["note"]) for row in rows]
    notes += [(rival, row[rival]["note"]) for row in rows for rival in GRID_RIVALS]
    for name, note in dict.fromkeys(notes):
        if note:
            print(f"  {name}: {note}")


def _print_summary(rival: str, rows: list[Row]) -> None:
    times = [row[rival]["times_ours"] for row in rows if row[rival]["times_ours"] is not None]
    both = [row for row in rows if row[rival]["W_ours_relative"] is not None]
    print(f"\nAgainst {rival}: {len(both)} of {len(rows)} cells")
    if not both:
        return
    ratios = [row[rival]["W_ours_relative"] for row in both]
    print(f"  time, theirs / ours: least {min(times):.2f}, median {np.median(times):.2f}")
    print(f"  W, ours / theirs: least {min(ratios):.6f}, median {np.median(ratios):.6f}")
    above = [row for row in both if row[rival]["W_ours_relative"] > 1 + 1e-9]
    print(f"  ours above theirs in {len(above)} cells, greatest {max(ratios):.6f}")
    for row in above:
        where = f"{row['data']}, k={row['k']}, alpha={row['alpha']:g}"
        print(f"    {where}: {row[rival]['W_ours_relative']:.6f}")


def _ratio(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom


def main() -> None:
    """Print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", help="comma-separated; one size with --grid")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--grid", action="store_true", help="12 data sets x 3 k x 3 alpha")
    parser.add_argument("--limit", type=float, default=900, help="seconds a clustering may take")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    given = [int(size) for size in arguments.sizes.split(",")] if arguments.sizes else []
    print_machine()
    if arguments.grid:
        rows = compare_grid((given or [GRID_SIZE])[0], arguments.limit)
    else:
        rows = compare_sizes(given or SIZES, arguments.k, arguments.alpha, arguments.limit)
    write_json(arguments.json, {"grid" if arguments.grid else "sizes": rows})


if __name__ == "__main__":
    main()
