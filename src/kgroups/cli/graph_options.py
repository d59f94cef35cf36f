"""The options of ``kgroups communities``, which reads a network."""

from pathlib import Path

from kgroups.cli.option_values import FORMATS, column, number_or_auto, regularizer, resolution
from kgroups.cli.shared_options import (
    Commands,
    Options,
    add_command,
    add_lines,
    add_marks,
    add_outputs,
    add_save,
    add_starts,
)
from kgroups.names import (
    COMPRESSIONS,
    GRAPH_INITS,
    GRAPH_SUFFIXES,
    NODE_WEIGHTS,
    OBJECTIVES,
    WEIGHT_COLUMNS,
)

_COMMUNITIES = """\
Find communities in a network. An edge list has lines source,target or source,target,weight,
separated by commas, tabs, semicolons or spaces, with or without column names; lines that begin with
# or % are comments. A directed graph is made undirected, and a note says how.

Scores in the report: coverage is the share of edges that lie inside communities; performance is the
share of pairs of nodes that are joined and in one community, or not joined and in different ones;
conductance is the share of the edge ends of a community that lead out of it; modularity is coverage
minus what is expected by chance.
"""
_EXAMPLES = """\
examples:
  kgroups communities edges.csv
  kgroups communities karate.gml -k 2 --labels clubs.csv --plot karate.png
  kgroups communities web.edges.txt --objective modularity --resolution 2 -o communities.csv
  kgroups communities synapses.graphml --ignore-weights --json
"""


def add_communities(commands: Commands) -> None:
    """Declare ``kgroups communities``."""
    parser = add_command(
        commands, "communities", "find communities in a network",
        description=_COMMUNITIES, examples=_EXAMPLES,
    )  # fmt: skip
    parser.add_argument(
        "graph", metavar="GRAPH",
        help=f"one of {', '.join(GRAPH_SUFFIXES)}; all but the last two may be compressed "
        f"({', '.join(COMPRESSIONS)}); - reads standard input",
    )  # fmt: skip
    parser.add_argument(
        "-k", dest="n_clusters", metavar="K", type=number_or_auto, default="auto",
        help="number of communities; default: auto, as many as the graph supports and independent "
        "searches agree on",
    )  # fmt: skip
    _add_graph(parser.add_argument_group("graph"))
    written = parser.add_argument_group("how a list of edges is written")
    add_marks(written, "comma, tab, semicolon and blanks that makes most fields")
    add_lines(written)
    _add_columns(written)
    parser.set_defaults(na_values=())  # which only tables have
    _add_objective(parser.add_argument_group("objective"))
    _add_search(parser.add_argument_group("search"))
    output = add_outputs(parser, "the communities as CSV: node,community; 0 is the largest")
    add_save(output, "kgroups.load(FILE) in Python reads it")


def _add_graph(group: Options) -> None:
    group.add_argument(
        "--format", choices=tuple(FORMATS), help="format of GRAPH, whatever its extension"
    )
    group.add_argument(
        "--ignore-weights", action="store_true", help="treat all edges as having weight 1"
    )
    group.add_argument(
        "--largest-component", action="store_true",
        help="use only the largest connected component; other nodes have no community in -o",
    )  # fmt: skip
    group.add_argument(
        "--labels", metavar="FILE", type=Path,
        help="known communities to score against, as CSV: node,label; empty if not known",
    )  # fmt: skip


def _add_columns(group: Options) -> None:
    """Which columns of a list of edges are read."""
    for end in ("source", "target"):
        group.add_argument(
            f"--{end}", metavar="NAME", type=column,
            help=f"column of the {end}s, by its name or its number from 1; default: a column "
            "called so, or one of a pair such as gene1 and gene2, else the first two columns",
        )  # fmt: skip
    group.add_argument(
        "--weight-column", metavar="NAME", type=column,
        help="column of the weights, by its name or its number from 1; default: the one called "
        f"{', '.join(WEIGHT_COLUMNS[:-1])} or {WEIGHT_COLUMNS[-1]} that holds numbers, or the "
        "third of three columns without names",
    )  # fmt: skip
    group.add_argument(
        "--no-header", dest="header", action="store_false", default=None,
        help="the first line is an edge, not the names of the columns; default: found out",
    )  # fmt: skip


def _add_objective(group: Options) -> None:
    group.add_argument(
        "--objective", metavar="NAME", choices=OBJECTIVES, default="auto",
        help=f"one of {', '.join(OBJECTIVES)}; default: auto, the one for whose communities there "
        "is more evidence",
    )  # fmt: skip
    group.add_argument(
        "--resolution", metavar="X", type=resolution,
        help="for modularity and cpm: the larger, the smaller the communities; default: 1. With "
        "cpm communities are denser than this inside, and sparser between them",
    )  # fmt: skip
    group.add_argument(
        "--weights", choices=NODE_WEIGHTS,
        help="weights of the nodes, for bethe_hessian, ratio_association and ratio_cut; default: "
        "unit",
    )  # fmt: skip
    group.add_argument(
        "--r", metavar="R", type=regularizer,
        help="regularizer of the Bethe Hessian, a number, for --objective bethe_hessian; default: "
        "average_degree, the square root of the mean degree",
    )  # fmt: skip


def _add_search(group: Options) -> None:
    group.add_argument(
        "--init", metavar="NAME", choices=GRAPH_INITS, default="auto",
        help="how starts are made: from eigenvectors (spectral, spectral-unit, spectral-walk), by "
        "belief propagation (belief), from coarser graphs (multilevel), or at random (random); "
        "default: auto, several of these in turn, only multilevel on large graphs",
    )  # fmt: skip
    add_starts(group, "several for --init auto unless the graph is large, else 1")
