"""Communities next to published numbers and to others: ``python -m benchmarks.communities``.

Without flags: speed on 100,000 nodes, about a minute and a half. ``--speed`` adds a million nodes;
``--quality`` repeats Table I and Fig. 5 of the paper and counts communities; ``--cuts`` compares
normalized cuts with spectral clustering; ``--real`` takes collected networks.
"""

import argparse
from typing import Any

from benchmarks.networks.cuts import compare_cuts
from benchmarks.networks.quality import compare_counts, compare_figure_5, compare_table_I
from benchmarks.networks.real import compare_real
from benchmarks.networks.speed import compare_speed
from benchmarks.report import cores, print_machine, write_json

SIZES = (100_000, 1_000_000)
PARTS = ("table-1", "figure-5", "counts")


def quality(parts: list[str], divisor: int, workers: int) -> dict[str, Any]:
    """The tables of overlaps and counts, by name."""
    found: dict[str, Any] = {}
    if "table-1" in parts:
        found["table_1"] = compare_table_I(500 // divisor, workers)
    if "figure-5" in parts:
        found["figure_5"] = compare_figure_5(100 // divisor, workers)
    if "counts" in parts:
        found["counts"] = compare_counts(100 // divisor, workers)
    return found


def main() -> None:
    """Print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speed", action="store_true", help="100,000 and 1,000,000 nodes")
    parser.add_argument("--quality", action="store_true", help="next to the paper")
    parser.add_argument("--part", choices=PARTS, action="append", help="of --quality; else all")
    parser.add_argument("--cuts", action="store_true", help="next to SpectralClustering")
    parser.add_argument("--real", action="store_true", help="collected networks")
    parser.add_argument("--quick", action="store_true", help="a tenth of the graphs")
    parser.add_argument("--workers", type=int, default=min(2, cores()))
    parser.add_argument("--limit", type=float, default=900, help="seconds a clustering may take")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    print_machine()
    found: dict[str, Any] = {}
    if arguments.speed:
        found["speed"] = [row for n in SIZES for row in compare_speed(n, arguments.limit)]
    if arguments.quality:
        divisor = 10 if arguments.quick else 1
        found["quality"] = quality(arguments.part or list(PARTS), divisor, arguments.workers)
    if arguments.cuts:
        found["cuts"] = compare_cuts(arguments.quick, arguments.workers)
    if arguments.real:
        found["real"] = compare_real()
    if not found:
        found["speed"] = compare_speed(SIZES[0], arguments.limit)
    write_json(arguments.json, found)


if __name__ == "__main__":
    main()
