"""What the command line takes; nothing heavy is imported here, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from kgroups._version import __version__
from kgroups.cli.values import (
    METHODS,
    METRICS,
    alpha,
    metric,
    n_init,
    n_jobs,
    names,
    picture,
    positive,
    seed,
    sigma,
    size,
)

_DESCRIPTION = "Cluster anything that has a distance, by energy statistics and Hartigan's method."
_EPILOG = """\
examples:
  kgroups demo
  kgroups cluster data.csv -k 3 --standardize -o labels.csv --plot clusters.png
  kgroups cluster data.csv -k 3 --label-column species --json
  kgroups cluster distances.npy -k 5 --metric precomputed
"""
_CLUSTER = """\
Cluster the rows of a table. Every column is a feature unless an option says otherwise. The first
line of CSV or TSV holds the names of the columns unless it is all numbers; columns without names
go by their positions, 1, 2, and so on. Missing values are empty fields, NA, NaN, null or ?.
"""
_DEMO = """\
Cluster four real data sets with k-groups, k-means and a Gaussian mixture, compare the results with
the known classes, and draw one of them.
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of ``kgroups`` with its subcommands."""
    parser = argparse.ArgumentParser(
        prog="kgroups", description=_DESCRIPTION, epilog=_EPILOG, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"kgroups {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_cluster(commands)
    _add_demo(commands)
    return parser


def _add_cluster(commands: Any) -> None:
    parser = commands.add_parser(
        "cluster", help="cluster the rows of a table", description=_CLUSTER, allow_abbrev=False
    )
    parser.set_defaults(parser=parser)
    parser.add_argument(
        "data",
        metavar="DATA",
        help=".csv, .tsv, .npy, .npz or .parquet; - reads CSV or TSV from stdin",
    )
    parser.add_argument(
        "-k",
        dest="n_clusters",
        metavar="K",
        type=positive,
        required=True,
        help="number of clusters",
    )
    _add_metric(parser.add_argument_group("what close means"))
    _add_columns(parser.add_argument_group("columns"))
    _add_search(parser.add_argument_group("search"))
    _add_outputs(parser.add_argument_group("output"))


def _add_metric(group: Any) -> None:
    group.add_argument(
        "--metric", metavar="NAME", type=metric, default="energy",
        help=f"one of {', '.join(METRICS)}; or precomputed (DATA is a square matrix of distances) "
        "or precomputed_kernel (a Gram matrix); default: energy",
    )  # fmt: skip
    group.add_argument(
        "--alpha", metavar="A", type=alpha, help="exponent of energy, in (0, 2]; default: 1"
    )
    group.add_argument(
        "--sigma", metavar="S", type=sigma,
        help="length of laplacian and gaussian: a number, or median for that of all distances; "
        "default: median",
    )  # fmt: skip


def _add_columns(group: Any) -> None:
    group.add_argument(
        "--columns", metavar="A,B", type=names, help="the numeric features; default: all columns"
    )
    group.add_argument(
        "--categorical", metavar="A,B", type=names, default=[],
        help="features of categories: each adds 1 to the distance where it differs",
    )  # fmt: skip
    group.add_argument(
        "--label-column", metavar="NAME", help="known classes: no feature, but scored against"
    )
    group.add_argument("--weight-column", metavar="NAME", help="weights of the rows: no feature")
    group.add_argument(
        "--standardize", action="store_true",
        help="bring each numeric column to mean 0 and standard deviation 1",
    )  # fmt: skip
    group.add_argument(
        "--impute", choices=["mean"], help="put the mean of its column for a missing number"
    )


def _add_search(group: Any) -> None:
    group.add_argument(
        "--seed", metavar="N", type=seed, default=0, help="seed of the starts; default: 0"
    )
    group.add_argument(
        "--n-init", metavar="N", type=n_init, default="auto",
        help="number of starts; default: fewer the more rows there are",
    )  # fmt: skip
    group.add_argument(
        "--method", choices=METHODS, default="auto",
        help="hold the matrix (dense), make distances when needed (matrix_free), or sketch them "
        "(nystroem); default: by size and memory, and --json and the report say which",
    )  # fmt: skip
    group.add_argument(
        "--memory-limit", metavar="SIZE", type=size,
        help="such as 2GiB or 500MB; default: most of what is free",
    )  # fmt: skip
    group.add_argument(
        "--n-jobs",
        metavar="N",
        type=n_jobs,
        help="threads; default: all cores; same labels for any",
    )


def _add_outputs(group: Any) -> None:
    group.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="write the labels as CSV: row,cluster"
    )
    group.add_argument(
        "--plot", metavar="FILE", type=picture, help="draw the result as .png, .svg or .pdf"
    )
    group.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_demo(commands: Any) -> None:
    parser = commands.add_parser(
        "demo", help="cluster four real data sets in a few seconds", description=_DEMO,
        allow_abbrev=False,
    )  # fmt: skip
    parser.set_defaults(parser=parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=picture,
        help="where to draw, as .png, .svg or .pdf; default: kgroups-demo.png",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
