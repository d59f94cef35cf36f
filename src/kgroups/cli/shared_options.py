"""Options that several commands have, each declared once."""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from kgroups.cli.console import on_stderr, page_of
from kgroups.cli.option_values import (
    alpha,
    column,
    delimiter,
    encoding,
    imputation,
    kinds,
    lines,
    metric,
    n_init,
    n_jobs,
    names,
    picture,
    seed,
    sigma,
    web_page,
)
from kgroups.layout import Command, Page, laid_out
from kgroups.names import EDIT_DISTANCES, ELASTIC_DISTANCES, SAMPLES, SEMIMETRICS
from kgroups.text import did_you_mean

#: What ``add_subparsers`` returns; argparse has no public name for it.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
#: A parser, or a group of its options.
Options: TypeAlias = "argparse._ActionsContainer"


class Parser(argparse.ArgumentParser):
    """A parser whose errors begin with the reason and end with one line of usage."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and how the command is used, and leave with status 2."""
        text = f"{self.prog}: error: {_with_hint(message)}\n{_usage_line(self)}"
        self.exit(2, f"{on_stderr(text, sys.stderr)}\n")


def _usage_line(parser: argparse.ArgumentParser) -> str:
    """What must be given, in one line, and where the rest is listed."""
    usage = _usage(parser.prog, parser._actions)
    return f"usage: {usage}; {parser.prog} --help lists them"


def _usage(prog: str, actions: Iterable[argparse.Action]) -> str:
    """A command with what must be given."""
    needed = [_as_typed(a) for a in actions if a.required or not a.option_strings]
    return f"{' '.join([prog, *needed])} [options]"


def _as_typed(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if action.option_strings:
        return f"{action.option_strings[0]} {name}"
    return f"{name}..." if action.nargs == "+" else name


def _with_hint(message: str) -> str:
    """What argparse says of a wrong choice, with the nearest of the choices."""
    found = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
    if found is None:
        return message
    choices = [choice.strip("' ") for choice in found[2].split(",")]
    return f"{message}{did_you_mean(found[1], choices)}"


# What argparse leaves free at the right.
_MARGIN = 2


class HelpFormatter(argparse.HelpFormatter):
    """Text as wide as the terminal, paragraph by paragraph; examples keep their lines.

    The usage is one line, because all options follow.
    """

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None,
    ) -> str:
        if prefix is not None:  # of a subcommand: the words before it
            return super()._format_usage(usage, actions, groups, prefix)
        return f"usage: {_usage(self._prog, actions)}\n\n"

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=page_of(sys.stdout).width - _MARGIN)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(
            _examples(paragraph, width) if "\n  " in paragraph
            else super(HelpFormatter, self)._fill_text(paragraph, width, indent)
            for paragraph in paragraphs
        )  # fmt: skip


def _examples(paragraph: str, width: int) -> str:
    """A heading and commands, each broken before an option where it is too long."""
    return laid_out([[Command(line) for line in paragraph.splitlines()]], Page(width))


def add_command(
    commands: Commands, name: str, summary: str, *, description: str, examples: str | None = None
) -> argparse.ArgumentParser:
    """A subcommand, which errors find as ``options.parser``."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=examples,
        allow_abbrev=False,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(parser=parser)
    return parser


def add_metric(parser: argparse.ArgumentParser, *, of_items: bool = True) -> None:
    """``--metric`` with its parameters; ``of_items`` where rows may be texts and arrays, too."""
    group = parser.add_argument_group("distance")
    items = (
        f"between texts {', '.join(EDIT_DISTANCES)}; between series "
        f"{', '.join(ELASTIC_DISTANCES)}; "
        f"{SAMPLES} (each row is a sample of numbers); "
    )
    default = "default: energy, and cosine with --text" if of_items else "default: energy"
    group.add_argument(
        "--metric", metavar="NAME", type=metric,
        help=f"one of {', '.join(SEMIMETRICS)}; {items if of_items else ''}or precomputed (DATA is "
        "a square matrix of distances) or precomputed_kernel (DATA is a square matrix of "
        f"similarities); {default}",
    )  # fmt: skip
    group.add_argument(
        "--alpha", metavar="A", type=alpha,
        help="exponent of the energy metric, in (0, 2]; default: 1",
    )  # fmt: skip
    group.add_argument(
        "--sigma", metavar="S", type=sigma,
        help="length scale of laplacian and gaussian: a number, or median for the median distance; "
        "default: median",
    )  # fmt: skip


def add_columns(group: Options) -> None:
    """Which columns are features, known classes and weights."""
    add_features(group)
    group.add_argument(
        "--label-column", metavar="NAME",
        help="known classes: not used for clustering, only for scoring",
    )  # fmt: skip
    group.add_argument("--weight-column", metavar="NAME", help="row weights: not used as a feature")
    group.add_argument(
        "--id-column", metavar="NAME",
        help="names of the rows: not used as a feature, written next to the clusters",
    )  # fmt: skip


def add_features(group: Options) -> None:
    """Which columns are features, and what is done to them."""
    group.add_argument(
        "--columns", metavar="A,B", type=names, help="numeric features; default: all columns"
    )
    group.add_argument(
        "--drop", metavar="A,B", type=names, default=[], help="columns that are not used at all"
    )
    group.add_argument(
        "--categorical", metavar="A,B", type=names, default=[],
        help="categorical features: each adds 1 to the distance of two rows that differ in it",
    )  # fmt: skip
    group.add_argument(
        "--standardize", action="store_true",
        help="scale each numeric column to mean 0 and standard deviation 1",
    )  # fmt: skip
    group.add_argument(
        "--impute", metavar="HOW", type=imputation, default=[],
        help="replace missing numbers (mean) or numbers and categories (most-frequent) by that of "
        "their column, or treat missing categories as a category of their own (category); several "
        "are separated by commas, as in mean,category",
    )  # fmt: skip


def add_kinds(group: Options) -> None:
    """``--kinds`` and ``--text``: what columns hold."""
    group.add_argument(
        "--kinds", metavar="A=KIND", type=kinds, default={},
        help="for --metric mixed, which compares numbers, categories, dates and missing values: "
        "what columns hold where their content does not tell, one of number, category, ordered, "
        "boolean and date, or the levels of an ordered one; such as zip=category,size='S<M<L'",
    )  # fmt: skip
    group.add_argument(
        "--text", dest="text_column", metavar="COLUMN", type=column,
        help="compare the words of this column, weighted by TF-IDF with log counts; other columns "
        "are not used; of a .txt file without columns 1 is the whole line",
    )  # fmt: skip


def add_text(parser: argparse.ArgumentParser) -> None:
    """How text files and workbooks are written."""
    group = parser.add_argument_group("how DATA is written")
    add_marks(group, "comma, tab, semicolon and | that splits the lines alike")
    group.add_argument(
        "--na-values", metavar="A,B", type=names, default=[],
        help="fields that stand for missing values, besides empty ones, ?, NA, N/A, NaN, NULL and "
        "None",
    )  # fmt: skip
    add_lines(group)
    group.add_argument(
        "--sheet", metavar="NAME", help="sheet of an Excel workbook; default: the first one"
    )


def add_lines(group: Options) -> None:
    """``--encoding`` and ``--skip-lines``."""
    group.add_argument(
        "--encoding", metavar="NAME", type=encoding,
        help="such as latin-1 or cp1252; default: UTF-8, or UTF-16 if the file begins so",
    )  # fmt: skip
    group.add_argument(
        "--skip-lines", metavar="N,M", type=lines, default=(),
        help="lines that are not read, such as a title or units below the header, counted from 1 "
        "as an editor or a spreadsheet counts them; 1-3 stands for 1,2,3",
    )  # fmt: skip


def add_marks(group: Options, delimiters: str) -> None:
    """``--delimiter`` and ``--decimal``; ``delimiters`` says which are found out, and how."""
    group.add_argument(
        "--delimiter", metavar="C", type=delimiter,
        help=f"character between fields, tab, or space; default: the one of {delimiters}",
    )  # fmt: skip
    group.add_argument(
        "--decimal", metavar="MARK", choices=(".", ","),
        help="decimal mark, as in 1.5 or 1,5; the other one, blanks and apostrophes may then "
        "separate thousands; default: a comma in columns that cannot be read otherwise, else a "
        "point",
    )  # fmt: skip


def add_starts(group: Options, default: str) -> None:
    """``--n-init`` and the options of :func:`add_seed`."""
    group.add_argument(
        "--n-init", metavar="N", type=n_init, default="auto",
        help=f"number of starts; default: {default}",
    )  # fmt: skip
    add_seed(group)


def add_seed(group: Options) -> None:
    """``--seed`` and ``--n-jobs``."""
    group.add_argument("--seed", metavar="N", type=seed, default=0, help="random seed; default: 0")
    group.add_argument(
        "--n-jobs", metavar="N", type=n_jobs,
        help="number of threads; default: all cores; results do not depend on it",
    )  # fmt: skip


def add_outputs(parser: argparse.ArgumentParser, written: str) -> Options:
    """``-o``, ``--plot`` and ``--json``; the group for more of them."""
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", type=Path, help=f"write {written}")
    add_plot(group, "the result")
    add_report(group)
    add_json(group)
    return group


def add_save(group: Options, reader: str) -> None:
    """``--save``; ``reader`` is what reads the file."""
    group.add_argument(
        "--save", metavar="FILE", type=Path, help=f"keep the model in FILE, such as m.kg: {reader}"
    )


def add_plot(group: Options, what: str) -> None:
    """``--plot``."""
    words = f"draw {what} as .png, .svg or .pdf"
    group.add_argument("--plot", metavar="FILE", type=picture, help=words)


def add_search_plot(group: Options) -> None:
    """``--plot-search``."""
    group.add_argument(
        "--plot-search", metavar="FILE", type=picture,
        help="draw the sizes of the clusters and the objective of every start, in such a file",
    )  # fmt: skip


def add_report(group: Options) -> None:
    """``--report``."""
    group.add_argument(
        "--report", metavar="FILE", type=web_page,
        help="write a report for people as one file of HTML: the result in plain words, pictures, "
        "how sure it is, and how to repeat it",
    )  # fmt: skip


def add_json(group: Options, what: str = "report") -> None:
    """``--json``."""
    group.add_argument("--json", action="store_true", help=f"print the {what} as JSON")
