"""Communities next to others: ``python -m benchmarks.communities``.

Without flags: speed on 100,000 nodes, about a minute and a half. ``--speed`` adds a million nodes;
``--counts`` says how often the number of communities is found; ``--cuts`` compares normalized cuts
with spectral clustering; ``--real`` takes collected networks. The paper's own tables are repeated
by ``kgroups reproduce``.
"""

import argparse
from typing import Any

from benchmarks.networks.counts import compare_counts
from benchmarks.networks.cuts import compare_cuts
from benchmarks.networks.real import compare_real
from benchmarks.networks.speed import compare_speed
from benchmarks.report import cores, print_machine, write_json

SIZES = (100_000, 1_000_000)


def main() -> None:
    """Print the tables and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speed", action="store_true", help="100,000 and 1,000,000 nodes")
    parser.add_argument("--counts", action="store_true", help="the number of communities")
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
    if arguments.counts:
        found["counts"] = compare_counts(10 if arguments.quick else 100, arguments.workers)
    if arguments.cuts:
        found["cuts"] = compare_cuts(arguments.quick, arguments.workers)
    if arguments.real:
        found["real"] = compare_real()
    if not found:
        found["speed"] = compare_speed(SIZES[0], arguments.limit)
    write_json(arguments.json, found)


if __name__ == "__main__":
    main()
