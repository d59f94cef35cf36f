"""Communities next to others: ``python -m benchmarks.communities``.

Without flags: speed on 100,000 nodes, about a minute and a half. ``--speed`` adds a million nodes;
``--edges 1e8`` measures a graph of so many edges, alone; ``--counts`` says how often the number of
communities is found; ``--cuts`` compares normalized cuts with spectral clustering; ``--real`` takes
collected networks. The paper's own tables are repeated by ``kgroups reproduce``.

``--families [NAME ...]`` runs long families of graphs with the defaults and judges the answers.
Each graph is kept in ``--out`` when it is finished, and the same command goes on where it stopped;
the exit status is 1 where a limit is missed. ``--peers`` computes the figures of other programs
that are limits, where they are installed.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.networks.counts import compare_counts
from benchmarks.networks.cuts import compare_cuts
from benchmarks.networks.families import FAMILIES
from benchmarks.networks.families.command import FOLDER, compare_peers, judge_families
from benchmarks.networks.large import measure_large
from benchmarks.networks.real import compare_real
from benchmarks.networks.speed import compare_speed
from benchmarks.report import cores, print_machine, write_json

SIZES = (100_000, 1_000_000)


def main(given: Sequence[str] | None = None) -> int:
    """Print the tables and write the file; 1 if a family misses a limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speed", action="store_true", help="100,000 and 1,000,000 nodes")
    parser.add_argument("--counts", action="store_true", help="the number of communities")
    parser.add_argument("--cuts", action="store_true", help="next to SpectralClustering")
    parser.add_argument("--real", action="store_true", help="collected networks")
    parser.add_argument("--edges", type=float, help="a planted graph of so many edges, alone")
    parser.add_argument("--quick", action="store_true", help="a tenth of the graphs")
    parser.add_argument("--workers", type=int, default=min(2, cores()))
    parser.add_argument("--limit", type=float, default=900, help="seconds a clustering may take")
    parser.add_argument("--json", metavar="FILE")
    families = parser.add_argument_group("families")
    families.add_argument(
        "--families", nargs="*", choices=FAMILIES, metavar="NAME", help=", ".join(FAMILIES)
    )
    families.add_argument(
        "--seeds", type=int, metavar="N", help="only the first N graphs of each kind"
    )
    families.add_argument("--peers", action="store_true", help="figures of other programs")
    families.add_argument("--fresh", action="store_true", help="forget the graphs that are kept")
    families.add_argument("--out", type=Path, default=FOLDER, help="folder of results")
    families.add_argument("--data-dir", type=Path, help="folder that holds graphs/")
    arguments = parser.parse_args(given)
    print_machine()
    if arguments.families is not None:
        return (compare_peers if arguments.peers else judge_families)(arguments)
    found: dict[str, Any] = {}
    if arguments.speed:
        found["speed"] = [row for n in SIZES for row in compare_speed(n, arguments.limit)]
    if arguments.edges is not None:
        found["large"] = measure_large(int(arguments.edges), arguments.limit)
    if arguments.counts:
        found["counts"] = compare_counts(10 if arguments.quick else 100, arguments.workers)
    if arguments.cuts:
        found["cuts"] = compare_cuts(arguments.quick, arguments.workers)
    if arguments.real:
        found["real"] = compare_real()
    if not found:
        found["speed"] = compare_speed(SIZES[0], arguments.limit)
    write_json(arguments.json, found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
