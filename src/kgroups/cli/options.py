"""Every option, once, and the commands that take them; nothing heavy is imported here."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import click

from kgroups import names as known
from kgroups.cli.console import say
from kgroups.cli.exclusions import check_together
from kgroups.text import did_you_mean
from kgroups.version import __version__

#: Names that ``--format`` takes, and the format of :func:`kgroups.graphs.read_graph` for each.
FORMATS = {"csv": "edgelist", "tsv": "edgelist", **{f: f for f in known.GRAPH_FORMATS[1:]}}
#: What ``--kinds`` takes, besides the levels of an ordered column.
COLUMN_KINDS = ("number", "category", "ordered", "boolean", "date")
_METRICS = (
    *known.SEMIMETRICS, *known.OBJECT_METRICS, *known.SCIPY_DISTANCES, *known.METRIC_ALIASES,
    *known.MATRICES,
)  # fmt: skip

_TABLES = f"""
-k K  number of clusters, or auto; --curved counts them
--metric NAME  distance, such as energy, manhattan, cosine, mixed or precomputed; one of
  {", ".join(known.SEMIMETRICS)}; between texts {", ".join(known.EDIT_DISTANCES)};
  between series {", ".join(known.ELASTIC_DISTANCES)}; samples (each row is a sample of numbers);
  {", ".join(known.SCIPY_DISTANCES)}; precomputed (DATA is a square matrix of distances) or
  precomputed_kernel (of similarities); default: energy, and cosine with --text
--alpha A  exponent of the energy metric, in (0, 2]; default: 1
--sigma S  length scale of laplacian and gaussian: a number; default: median
--curved  clusters of any shape, such as rings: cut the graph of nearest neighbors
--n-neighbors N  neighbors of each row, for --curved; default: 10
--columns A,B  numeric features; default: all columns
--drop A,B  columns that are not used at all
--categorical A,B  categorical features; each adds 1 to the distance of two rows that differ in it
--standardize  scale each numeric column to standard deviation 1
--impute HOW  fill gaps with mean, most-frequent or category; mean is of numbers, most-frequent of
  numbers and categories, category makes missing ones a category; several as in mean,category
--label-column NAME  known classes, only for scoring
--weight-column NAME  row weights: not used as a feature
--id-column NAME  names of the rows: not used as a feature, written next to the clusters
--kinds A=KIND  for --metric mixed: what columns hold where their content does not tell, one of
  {", ".join(COLUMN_KINDS)}, or the levels of an ordered one: zip=category,size='S<M<L'
--date-format F  for --metric mixed: how dates are written, such as %d.%m.%Y
--text COLUMN  compare the words of this column, by TF-IDF with log counts; of a .txt file without
  columns 1 is the whole line
--stop-words WORDS  for --text: words that do not count, separated by commas, or english
--min-df N  for --text: leave out words in fewer texts than this number, or share such as 0.01
--max-df N  for --text: leave out words in more texts than this number, or share such as 0.5
--delimiter C  character between fields, tab, or space; default: found out
--decimal MARK  decimal mark, . or ,; the other one may separate thousands; default: a comma in
  columns that cannot be read otherwise, else a point
--na-values A,B  fields that stand for missing values, besides empty ones, ? and those of pandas
--encoding NAME  such as latin-1 or cp1252; default: UTF-8, or UTF-16 if the file begins so
--skip-lines N,M  lines that are not read, such as a title or units, counted from 1; also 1-3
--no-header  the first line is a row, not the names of the columns; default: found out
--sheet NAME  sheet of a workbook; default: the first one
--k-max K  largest number of clusters to try; default: 10, fewer for fewer than 100 rows, and more
  while the largest is the best
--max-samples N  rows used at most; default: {known.QUICK_SAMPLES}
--by COLUMN  column that gives each row's sample, for a single file
--permutations N  number of random permutations; p is at least 1/(N + 1); default: 999
--n-init N  number of starts; default: auto, by the size of the data
--seed N  random seed; default: 0
--n-jobs N  number of threads; default: all cores; results do not depend on it
--method NAME  store all distances (dense), compute them on demand (matrix_free), only those that
  bounds leave open (certified), or approximate them from a sample (nystroem); default: auto
--time-limit X  stop the proof of a certified clustering after so many seconds
--bound NAME  report how much tighter another clustering could be: a quick limit (spectral), a
  sharper one (semidefinite; up to 1,000 rows, takes minutes), or none; default: if quick
--memory-limit SIZE  use no more memory than this, such as 2GiB; default: most of what is free
--certify FILE  do not cluster; prove that no move of a single row improves the labels in this
  CSV file, or list the rows that would move; without -k
--stream  read DATA block by block even if it fits the memory: .parquet, a folder of them, or .npy
--cluster ADDRESS  compute on a running Dask cluster, such as tcp://127.0.0.1:8786; DATA is as for
  --stream, and all workers must be able to read it
-o/--output FILE  write the clusters as .csv or .parquet
--plot FILE  draw the result as .png, .svg or .pdf
--report FILE  write a report for people as .html
--json  print the report as JSON
--append  write all columns of DATA to -o, then the cluster
--proba  write how much each row belongs to each cluster, too
--save FILE  keep the model, such as m.kg; kgroups predict m.kg NEW.csv clusters new rows
"""
_GRAPHS = f"""
-k K  number of communities; default: auto, as many as there is evidence for
--format NAME  format of GRAPH, whatever its extension: {", ".join(FORMATS)}
--ignore-weights  treat all edges as having weight 1
--largest-component  use only the largest connected component; others have no community in -o
--labels FILE  known communities to score against, as CSV: node,label
--source NAME  column of the sources, by its name or its number from 1; default: found out
--target NAME  column of the targets, by its name or its number from 1; default: found out
--weight-column NAME  column of the weights, by its name or its number from 1; default: found out
--objective NAME  {", ".join(known.OBJECTIVES)}; default: auto, by evidence
--resolution X  for modularity and cpm: the larger, the smaller the communities; default: 1
--weights NAME  of nodes, for bethe_hessian, ratio_association and ratio_cut: unit or degree
--r R  regularizer of the Bethe Hessian; default: average_degree, the root of the mean degree
--init NAME  how starts are made: {", ".join(known.GRAPH_INITS)}; default: auto, several of these
-o/--output FILE  write the communities as .csv or .parquet
--save FILE  keep the model, such as m.kg; kgroups.load(FILE) in Python reads it
"""
_DEMO = """
-o/--output FILE  where to draw, as .png, .svg or .pdf; default: kgroups-demo.png; the report gets
  the same name with .html
--all  six scenes instead of three
"""
_WORDS = "--text --stop-words --min-df --max-df"
_LINES = "--delimiter --decimal --encoding --skip-lines --no-header"
_EXAMPLES = """\b
examples:
  kgroups demo
  kgroups cluster data.csv -k 3 --standardize -o labels.csv --report clusters.html
  kgroups choose-k data.csv --standardize
  kgroups communities edges.csv -o communities.csv
  kgroups predict model.kg new.csv -o labels.csv
  kgroups test before.csv after.csv
"""
_FILE = f"{_LINES} --na-values --sheet"


def _or(word: str, other: click.ParamType[Any]) -> Callable[[str], Any]:
    """One word, or a value of another type."""
    return lambda text: text if text == word else other.convert(text, None, None)


def _metric(text: str) -> str:
    if text not in _METRICS:
        raise click.BadParameter(f"{text!r} is unknown.{did_you_mean(text, _METRICS)}")
    return text


def names(text: str) -> list[str]:
    """Names separated by commas; one that contains a comma is put in double quotes.

    >>> names('a, "b,c"')
    ['a', 'b,c']
    """
    found = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not found or not all(found):
        raise click.BadParameter(f"must be names separated by commas; got {text!r}")
    return found


def kinds(text: str) -> dict[str, str]:
    """Columns with what they hold; the levels of an ordered one may be given in their order.

    >>> kinds("zip=category,size=S<M<L")
    {'zip': 'category', 'size': 'S<M<L'}
    """
    found = {}
    for part in names(text):
        name, _, kind = (piece.strip() for piece in part.rpartition("="))
        if not name or (kind not in COLUMN_KINDS and not all(kind.partition("<"))):
            raise click.BadParameter(f"{part!r} is not such as zip=category or size=S<M<L")
        found[name] = kind
    return found


def lines(text: str) -> tuple[int, ...]:
    """Numbers of lines and ranges of them, separated by commas; sorted.

    >>> lines("5,1-3")
    (1, 2, 3, 5)
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:-(\d{1,5}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise click.BadParameter(f"must be numbers of lines, such as 2 or 1-3,5; got {text!r}")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def _delimiter(text: str) -> str:
    mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(mark) != 1 or mark.isalnum() or mark in '"\r\n.+-_\0':
        raise click.BadParameter(f"must be one character, or tab or space; got {text!r}")
    return mark


def _imputations(text: str) -> list[str]:
    words = click.Choice(("mean", "most-frequent", "category"))
    return [words.convert(name, None, None) for name in names(text)]


def _frequency(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


_POSITIVE, _ABOVE_ZERO = click.IntRange(1), click.FloatRange(0, min_open=True)
_NUMBER_OR_AUTO, _NAMES = _or("auto", _POSITIVE), click.types.FuncParamType(names)
_CHOICES = {
    "--bound": ("spectral", "semidefinite", "none"), "--decimal": ".,", "--format": [*FORMATS],
    "--init": known.GRAPH_INITS, "--method": known.METHODS, "--objective": known.OBJECTIVES,
    "--weights": known.NODE_WEIGHTS,
}  # fmt: skip
# What text becomes, by the option or by its metavar.
_VALUES: dict[str, Any] = {
    "A,B": names, "FILE": Path, "K": _POSITIVE, "N": _POSITIVE, "X": _ABOVE_ZERO,
    "-k": _NUMBER_OR_AUTO, "--alpha": click.FloatRange(0, 2, True), "--delimiter": _delimiter,
    "--impute": _imputations, "--kinds": kinds, "--max-df": _frequency, "--metric": _metric,
    "--min-df": _frequency, "--n-init": _NUMBER_OR_AUTO, "--n-jobs": int, "--skip-lines": lines,
    "--r": _or("average_degree", _ABOVE_ZERO), "--seed": click.IntRange(0, 2**32 - 1),
    "--sigma": _or("median", _ABOVE_ZERO), "--stop-words": _or("english", _NAMES),
    **{option: click.Choice(some) for option, some in _CHOICES.items()},
}  # fmt: skip
_DEFAULTS: dict[str, Any] = {
    "metric": "energy",
    "drop": [], "categorical": [], "impute": [], "kinds": {}, "na_values": [], "skip_lines": (),
    "max_samples": known.QUICK_SAMPLES, "permutations": 999, "n_init": "auto", "seed": 0,
    "method": "auto", "objective": "auto", "init": "auto",
}  # fmt: skip
_CALLED = {
    "-k": "n_clusters", "--text": "text_column", "--cluster": "scheduler", "--no-header": "header",
}  # fmt: skip


# --- commands --------------------------------------------------------------------------------


def _declared(table: str) -> dict[str, click.Option]:
    """The options of a table, by their first names."""
    found = {}
    for entry in table.strip().replace("\n  ", " ").splitlines():
        typed, _, text = entry.partition("  ")
        flags, _, metavar = typed.partition(" ")
        first, *others = flags.split("/")
        dest = _CALLED.get(first, (others or [first])[0].strip("-").replace("-", "_"))
        given: dict[str, Any] = {"metavar": metavar} if metavar else {"is_flag": True}
        given["type"] = _VALUES.get(first, _VALUES.get(metavar))
        if first == "--no-header":
            given |= {"flag_value": False, "default": None}
        found[first] = click.Option([first, *others, dest], help=text, **given)
    return found


class Command(click.Command):
    """A function of another module, imported when it runs, with its arguments and options.

    ``brief`` are the options that ``--help`` shows; ``--help-all`` shows all.
    """

    def __init__(
        self, function: str, text: str, arguments: str, brief: str, others: str,
        table: dict[str, click.Option],
    ) -> None:  # fmt: skip
        self.function, summary = function, text.partition("\n")[0]
        self.brief, more = ([table[name] for name in some.split()] for some in (brief, others))
        self.options = [*self.brief, *more]
        params = [
            *map(_argument, arguments.split()),
            *self.options,
            _printing(["-h", "--help"], lambda ctx: self.shown(ctx, self.brief)),
            _printing(["--help-all"], lambda ctx: self.shown(ctx, self.options)),
        ]
        super().__init__(None, params=params, help=text, short_help=summary, add_help_option=False)

    def invoke(self, ctx: click.Context) -> None:
        """Call the function with the options and the console."""
        given = {name: value for name, value in ctx.params.items() if value is not None}
        if "text_column" in given:
            given.setdefault("metric", "cosine")
        found = {**{name: _DEFAULTS.get(name) for name in ctx.params}, **given}
        if "curved" in found and not (found["n_clusters"] or found["certify"] or found["curved"]):
            raise click.UsageError("-k K is missing: a number of clusters, or auto", ctx)
        flags = {option.opts[0]: str(option.name) for option in self.options}
        values = {"DATA": found.get("data"), **{flag: found[name] for flag, name in flags.items()}}
        plain = {flag: _DEFAULTS.get(name) for flag, name in flags.items()}
        words = check_together(values, plain)
        options = SimpleNamespace(**found, given=words, arguments=ctx.obj.arguments)
        resolve_name(f"kgroups.cli.{self.function}")(options, ctx.obj.console)

    def shown(self, ctx: click.Context, options: Sequence[click.Option]) -> str:
        """The help on some options."""
        is_brief = len(options) < len(self.options)
        summary, _, details = cleandoc(self.help or "").partition("\n\n")
        if is_brief:
            details = f"{ctx.command_path} --help-all lists all {len(self.options)} options."
        names = [(option.get_help_record(ctx) or ("",))[0] for option in options]
        texts = [(o.help or "").partition("; ")[0] if is_brief else o.help or "" for o in options]
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        formatter.write(f"\n{summary}\n")
        with formatter.section("Options"):
            formatter.write_dl(list(zip(names, texts, strict=True)))
        formatter.write_paragraph()
        formatter.write_text(details)
        return formatter.getvalue().rstrip()


def _argument(name: str) -> click.Argument:
    count, kind = -1 if "." in name else 1, Path if name == "MODEL" else str
    called = [name.strip(".").lower()]
    return click.Argument(called, metavar=name, nargs=count, required=True, type=kind)


def _printing(names: list[str], text: Callable[[click.Context], str], help: str = "") -> Any:
    """An option that prints a text, and nothing else is done."""

    def printed(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
        """Print and leave."""
        if value:
            say(text(ctx))
            ctx.exit()

    given: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.Option(names, callback=printed, help=help, **given)


class Group(click.Group):
    """The commands by name, with a hint for one that is not known."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command of the first argument."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"no command is called {args[0]!r}.{did_you_mean(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


_OF_TABLES = _declared(_TABLES)
_OF_GRAPHS = {**_OF_TABLES, **_declared(_GRAPHS)}
_OF_DEMO = {**_OF_TABLES, **_declared(_DEMO)}
COMMANDS: dict[str, click.Command] = {
    "cluster": Command(
        "cluster:cluster",
        f"""Cluster the rows of a table.

        DATA is {", ".join(known.TABLE_SUFFIXES)}, or a folder of .parquet files; text may be
        compressed; - reads standard input. Every column is a feature unless an option says
        otherwise. Missing values are empty fields, ? and what pandas takes for them.""",
        "DATA",
        "-k --metric --columns --standardize --impute --label-column -o --plot --report --save",
        "--alpha --sigma --curved --n-neighbors --drop --categorical --weight-column --id-column"
        f" --kinds --date-format {_WORDS} {_FILE} --n-init --seed --n-jobs --method --time-limit"
        " --bound --memory-limit --certify --stream --cluster --append --proba --json",
        _OF_TABLES),
    "choose-k": Command(
        "choose_k:choose_k",
        """Estimate how many clusters the rows of a table have; the answer may be 1.

        It is the median of three criteria. Separation: is there a gap between neighboring
        clusters, checked on held-out rows? Gap: are clusters tighter than those of uniform data?
        Prediction strength: do two halves of the rows give the same clusters?""",
        "DATA",
        "--k-max --metric --columns --drop --standardize --impute --max-samples --plot --report"
        " --json",
        "--alpha --sigma --categorical --label-column --id-column --kinds --date-format"
        f" {_WORDS} {_FILE} --seed --n-jobs", _OF_TABLES),
    "communities": Command(
        "communities:communities",
        f"""Find communities in a network.

        GRAPH is one of {", ".join(known.GRAPH_SUFFIXES)}; all but the last two may be compressed;
        - reads standard input. A list of edges has lines source,target or source,target,weight,
        with or without column names; lines that begin with # or % are comments. A directed graph
        is made undirected, and a note says how.""",
        "GRAPH",
        "-k --labels --weight-column --ignore-weights --largest-component --objective -o --plot"
        " --report --save",
        f"--format --source --target {_LINES} --resolution --weights --r --init --n-init --seed"
        " --n-jobs --json",
        _OF_GRAPHS),
    "predict": Command(
        "predict:predict",
        """Give new rows to the clusters of a model that kgroups cluster --save has kept.

        Columns are found by their names and prepared as at the fit; further ones are not used.""",
        "MODEL DATA", "-o --append --proba --json", f"{_FILE} --n-jobs", _OF_TABLES),
    "test": Command(
        "energy_test:energy_test",
        """Test whether samples come from the same distribution, with the energy test.

        Each file is one sample, and columns are matched by name; or one file holds all rows, and
        --by names the column that gives each row's sample. Columns are standardized, and missing
        numbers replaced, over all samples together.""",
        "DATA...",
        "--by --metric --columns --drop --standardize --impute --permutations --seed --report"
        " --json",
        f"--alpha --sigma --categorical {_FILE} --n-jobs", _OF_TABLES),
    "demo": Command(
        "demo:demo",
        """Data in which the answer is known, next to the methods that people use.

        Writes one picture, and the report of one table next to it.""",
        "", "-o --all --json", "", _OF_DEMO),
}  # fmt: skip


ROOT = Group(
    "kgroups",
    COMMANDS,
    params=[
        _printing(["--version"], lambda _: f"kgroups {__version__}", "print the version"),
        _printing(["-h", "--help"], lambda ctx: ctx.get_help(), "print this"),
    ],
    add_help_option=False,
    help="Cluster anything that has a distance, by energy statistics and Hartigan's method.",
    epilog=_EXAMPLES,
)
