"""The command line as a whole; nothing heavy is imported here, so that ``--help`` is quick."""

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from kgroups.cli.graph_options import add_communities
from kgroups.cli.option_values import picture
from kgroups.cli.predict_options import add_predict
from kgroups.cli.shared_options import Commands, HelpFormatter, Parser, add_command, add_json
from kgroups.cli.table_options import add_choose_k, add_cluster, add_test
from kgroups.text import did_you_mean

_DESCRIPTION = "Cluster anything that has a distance, by energy statistics and Hartigan's method."
_EXAMPLES = """\
examples:
  kgroups demo
  kgroups cluster data.csv -k 3 --standardize -o labels.csv --plot clusters.png
  kgroups cluster data.csv -k 3 --label-column species --json
  kgroups cluster distances.npy -k 5 --metric precomputed
  kgroups cluster big.parquet -k 50 --stream -o labels.parquet
  kgroups choose-k data.csv --standardize --plot how-many.png
  kgroups communities edges.csv -o communities.csv --plot communities.png
  kgroups predict model.kg new.csv -o labels.csv
  kgroups test before.csv after.csv
"""
_DEMO = """\
Six scenes in which the answer is known, next to the methods that people use: heavy tails, a mixed
table with gaps, misspelled names, a network, a proof of optimality for 200,000 rows, and iris,
where a Gaussian mixture wins. Writes one picture, and the report of one table next to it.
"""
_MAY_BEGIN_WITH_A_DASH = ("--na-values",)
# A dash that begins no option: options go on with a dash or a single letter.
_DASHED_VALUE = re.compile(r"-([^-A-Za-z]|[A-Za-z]\w)")


def make_parser() -> argparse.ArgumentParser:
    """The parser of ``kgroups`` with its subcommands."""
    parser = Parser(
        prog="kgroups",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--version", action="store_true",
        help="print the version; with --verbose also those of packages, threads and processor",
    )  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    add_cluster(commands)
    add_choose_k(commands)
    add_communities(commands)
    add_predict(commands)
    add_test(commands)
    _add_demo(commands)
    return parser


def with_values(arguments: Sequence[str]) -> list[str]:
    """Arguments in which a value that begins with a dash is joined to its option by =.

    argparse would take it for an option.

    >>> with_values(["--na-values", "-,missing", "--json"])
    ['--na-values=-,missing', '--json']
    """
    found: list[str] = []
    for argument in arguments:
        if found and found[-1] in _MAY_BEGIN_WITH_A_DASH and _DASHED_VALUE.match(argument):
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


def refuse_unknown(parser: argparse.ArgumentParser, arguments: list[str]) -> NoReturn:
    """End with a usage error for arguments that a command does not know, with a hint."""
    known = [option for action in parser._actions for option in action.option_strings]
    hint = did_you_mean(arguments[0], known)
    parser.error(f"unrecognized arguments: {' '.join(arguments)}.{hint}")


def _add_demo(commands: Commands) -> None:
    parser = add_command(
        commands,
        "demo",
        "six scenes next to other methods, in about half a minute",
        description=_DEMO,
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=picture,
        help="where to draw, as .png, .svg or .pdf; the report gets the same name with .html; "
        "default: kgroups-demo.png",
    )  # fmt: skip
    add_json(parser, "table")
