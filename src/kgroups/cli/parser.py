"""What the command line takes; nothing heavy is imported here, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from kgroups.cli.values import (
    BOUNDS,
    GRAPH_FORMATS,
    GRAPH_SUFFIXES,
    INITS,
    METHODS,
    METRICS,
    NODE_WEIGHTS,
    OBJECTIVES,
    alpha,
    metric,
    n_communities,
    n_init,
    n_jobs,
    names,
    picture,
    positive,
    regularizer,
    seed,
    sigma,
    size,
)
from kgroups.version import __version__

_DESCRIPTION = "Cluster anything that has a distance, by energy statistics and Hartigan's method."
_EPILOG = """\
examples:
  kgroups demo
  kgroups cluster data.csv -k 3 --standardize -o labels.csv --plot clusters.png
  kgroups cluster data.csv -k 3 --label-column species --json
  kgroups cluster distances.npy -k 5 --metric precomputed
  kgroups choose-k data.csv --standardize --plot how-many.png
  kgroups communities edges.csv -o communities.csv --plot communities.png
  kgroups test before.csv after.csv
  kgroups reproduce table2 --data-dir papers-data
"""
_CLUSTER = """\
Cluster the rows of a table. Every column is a feature unless an option says otherwise. The first
line of CSV or TSV holds the names of the columns unless it is all numbers; columns without names
go by their positions, 1, 2, and so on. Missing values are empty fields, NA, NaN, null or ?.
"""
_CHOOSE_K = """\
Say how many clusters the rows of a table have, one among the answers: the median of three kinds
of evidence. Separation: is there a valley between neighboring clusters, on rows that did not make
them? Gap: are clusters tighter than those of uniform data? Prediction strength: do two halves of
the rows find the same clusters? Silhouette and eigengap are shown beside them; they cannot say one.
"""
_COMMUNITIES = """\
Find communities in a network. An edge list has lines source,target or source,target,weight, split
by commas, tabs, semicolons or blanks, with or without column names; lines that begin with # or %
are comments. A directed graph is made undirected, and a note says how.

Of the scores, coverage is the share of the edges that are inside communities, performance the share
of the pairs of nodes that are rightly together or apart, conductance the share of its edges' ends
that a community has outside; modularity is what coverage has beyond chance.
"""
_COMMUNITIES_EXAMPLES = """\
examples:
  kgroups communities edges.csv
  kgroups communities karate.gml -k 2 --labels clubs.csv --plot karate.png
  kgroups communities web.edges.txt --objective modularity -k 30 -o communities.csv
  kgroups communities synapses.graphml --ignore-weights --json
"""
_TEST = """\
Test whether samples come from one distribution, by the energy test: were they, every division of
all rows into samples of these sizes would be as likely. Each file is a sample, and all have the
same columns; or one file holds all rows, and --by names the column that says whose each is.
Columns are standardized, and means taken, over all samples together.
"""
_TEST_EXAMPLES = """\
examples:
  kgroups test before.csv after.csv --standardize
  kgroups test iris.csv --by species --json
  kgroups test distances.csv --by group --metric precomputed
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
    _add_choose_k(commands)
    _add_communities(commands)
    _add_test(commands)
    # By name: the experiments of the papers are another package, which reads from this one.
    resolve_name("kgroups_papers.options:add_reproduce")(commands)
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
    _add_outputs(parser.add_argument_group("output"), "the labels as CSV: row,cluster")


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
    _add_features(group)
    group.add_argument(
        "--label-column", metavar="NAME", help="known classes: no feature, but scored against"
    )
    group.add_argument("--weight-column", metavar="NAME", help="weights of the rows: no feature")


def _add_features(group: Any) -> None:
    group.add_argument(
        "--columns", metavar="A,B", type=names, help="the numeric features; default: all columns"
    )
    group.add_argument(
        "--categorical", metavar="A,B", type=names, default=[],
        help="features of categories: each adds 1 to the distance where it differs",
    )  # fmt: skip
    group.add_argument(
        "--standardize", action="store_true",
        help="bring each numeric column to mean 0 and standard deviation 1",
    )  # fmt: skip
    group.add_argument(
        "--impute", choices=["mean"], help="put the mean of its column for a missing number"
    )


def _add_search(group: Any) -> None:
    _add_starts(group, "fewer the more rows there are")
    group.add_argument(
        "--method", choices=METHODS, default="auto",
        help="hold the matrix (dense), make distances when needed (matrix_free), or sketch them "
        "(nystroem); default: by size and memory, and --json and the report say which",
    )  # fmt: skip
    group.add_argument(
        "--bound", choices=BOUNDS,
        help="say how much better another clustering could be: quickly (spectral; in blocks beyond "
        "2,000 rows) or more exactly (semidefinite, up to 1,000 rows, which take minutes); "
        "default: spectral where that takes no longer than the search",
    )  # fmt: skip
    group.add_argument(
        "--memory-limit", metavar="SIZE", type=size,
        help="such as 2GiB or 500MB; default: most of what is free",
    )  # fmt: skip


def _add_starts(group: Any, default: str) -> None:
    group.add_argument(
        "--n-init", metavar="N", type=n_init, default="auto",
        help=f"number of starts; default: {default}",
    )  # fmt: skip
    add_seed(group)


def add_seed(group: Any, workers: str = "threads") -> None:
    """The options ``--seed`` and ``--n-jobs``; ``workers`` is what the latter counts."""
    group.add_argument(
        "--seed", metavar="N", type=seed, default=0, help="seed of all chance; default: 0"
    )
    group.add_argument(
        "--n-jobs",
        metavar="N",
        type=n_jobs,
        help=f"{workers}; default: all cores; same results for any",
    )


def _add_outputs(group: Any, written: str) -> None:
    group.add_argument("-o", "--output", metavar="FILE", type=Path, help=f"write {written}")
    group.add_argument(
        "--plot", metavar="FILE", type=picture, help="draw the result as .png, .svg or .pdf"
    )
    group.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_choose_k(commands: Any) -> None:
    parser = commands.add_parser(
        "choose-k", help="how many clusters a table has", description=_CHOOSE_K,
        allow_abbrev=False,
    )  # fmt: skip
    parser.set_defaults(parser=parser, weight_column=None)
    parser.add_argument(
        "data",
        metavar="DATA",
        help=".csv, .tsv, .npy, .npz or .parquet; - reads CSV or TSV from stdin",
    )
    parser.add_argument(
        "--k-max", metavar="K", type=positive,
        help="largest number to try; default: 10, fewer for less than 100 rows",
    )  # fmt: skip
    _add_metric(parser.add_argument_group("what close means"))
    columns = parser.add_argument_group("columns")
    _add_features(columns)
    columns.add_argument(
        "--label-column", metavar="NAME", help="known classes: no feature, but counted"
    )
    search = parser.add_argument_group("search")
    search.add_argument(
        "--max-samples", metavar="N", type=positive, default=2_000,
        help="rows that are looked at; of more so many are drawn; default: 2000",
    )  # fmt: skip
    add_seed(search)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--plot", metavar="FILE", type=picture,
        help="draw each criterion against k as .png, .svg or .pdf",
    )  # fmt: skip
    output.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_communities(commands: Any) -> None:
    parser = commands.add_parser(
        "communities", help="find communities in a network", description=_COMMUNITIES,
        epilog=_COMMUNITIES_EXAMPLES, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(parser=parser)
    parser.add_argument("graph", metavar="GRAPH", help=f"one of {', '.join(GRAPH_SUFFIXES)}")
    parser.add_argument(
        "-k", dest="n_clusters", metavar="K", type=n_communities, default="auto",
        help="number of communities; default: auto, as many as the Bethe Hessian has negative "
        "eigenvalues",
    )  # fmt: skip
    _add_graph(parser.add_argument_group("graph"))
    _add_objective(parser.add_argument_group("what a community is"))
    _add_graph_search(parser.add_argument_group("search"))
    _add_outputs(
        parser.add_argument_group("output"), "the communities as CSV: node,community; 0 is largest"
    )


def _add_graph(group: Any) -> None:
    group.add_argument(
        "--format", choices=tuple(GRAPH_FORMATS), help="what GRAPH is, whatever its extension"
    )
    group.add_argument(
        "--ignore-weights", action="store_true", help="take every edge for one of weight 1"
    )
    group.add_argument(
        "--largest-component", action="store_true",
        help="leave out what is not connected with most of the graph: no community in -o",
    )  # fmt: skip
    group.add_argument(
        "--labels", metavar="FILE", type=Path,
        help="known communities to score against, as CSV: node,label; empty where not known",
    )  # fmt: skip


def _add_objective(group: Any) -> None:
    group.add_argument(
        "--objective", metavar="NAME", choices=OBJECTIVES, default="bethe_hessian",
        help=f"one of {', '.join(OBJECTIVES)}; default: bethe_hessian",
    )  # fmt: skip
    group.add_argument(
        "--weights", choices=NODE_WEIGHTS,
        help="of the nodes, for the first three objectives; default: unit",
    )  # fmt: skip
    group.add_argument(
        "--r", metavar="R", type=regularizer,
        help="regularizer of the Bethe Hessian, a number; default: average_degree, the square root "
        "of the mean degree",
    )  # fmt: skip


def _add_graph_search(group: Any) -> None:
    group.add_argument(
        "--init", metavar="NAME", choices=INITS, default="auto",
        help="where to begin: rows of eigenvectors (spectral, spectral-unit, spectral-walk), these "
        "and what neighbors say (belief), coarser graphs (multilevel), or chance (random); "
        "default: auto, several of these in turn, on large graphs multilevel",
    )  # fmt: skip
    _add_starts(group, "several for --init auto unless the graph is large, else 1")


def _add_test(commands: Any) -> None:
    parser = commands.add_parser(
        "test", help="test whether samples come from one distribution", description=_TEST,
        epilog=_TEST_EXAMPLES, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(parser=parser)
    parser.add_argument(
        "data", metavar="DATA", nargs="+",
        help="files as kgroups cluster reads them: two or more, or one with --by",
    )  # fmt: skip
    parser.add_argument(
        "--by", metavar="COLUMN", help="the sample of each row, when one file holds all"
    )
    _add_metric(parser.add_argument_group("what close means"))
    _add_features(parser.add_argument_group("columns"))
    group = parser.add_argument_group("test")
    group.add_argument(
        "--permutations", metavar="N", type=positive, default=999,
        help="random divisions to compare with; p is no smaller than 1/(N + 1); default: 999",
    )  # fmt: skip
    add_seed(group)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


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
