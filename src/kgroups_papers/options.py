"""What ``kgroups reproduce`` takes; nothing heavy is imported here, so that ``--help`` is quick."""

from pathlib import Path

from kgroups.cli import Commands, Options, add_command, add_json, add_seed

_REPRODUCE = """\
Run experiments of the papers again and print each published number next to ours with its standard
error, and whether the two agree: the published methods and settings, corrected forms of recipes
that do not do what they say, and the defaults of kgroups. --quick takes few runs of few cases: it
shows what an experiment is, and checks it roughly.

[FRV] is Franca, Rizzo and Vogelstein, Kernel k-Groups via Hartigan's Method, IEEE TPAMI 43 (2020);
[FRV-a] is its earlier version, Clustering via Generalized Energy Statistics; [FRV-b] is the draft,
Nonparametric Clustering from Energy Statistics.

Finished runs are kept in the cache folder ($KGROUPS_CACHE, else ~/.cache/kgroups), and the same
command goes on from there. Data sets are looked for in --data-dir, in $KGROUPS_DATA, and in data of
the cache folder.
"""
_REPRODUCE_EXAMPLES = """\
examples:
  kgroups reproduce --list
  kgroups reproduce fig3a --quick
  kgroups reproduce table2 fig5a --data-dir papers-data -o results
  kgroups reproduce all --quick --download -o results
"""


def add_reproduce(commands: Commands) -> None:
    """Add the command to those of ``kgroups``."""
    parser = add_command(
        commands, "reproduce", "run the experiments of the papers again",
        description=_REPRODUCE, examples=_REPRODUCE_EXAMPLES,
    )  # fmt: skip
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="a figure or table such as fig3a, or all"
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="show all names, what they are, and which data sets are missing",
    )
    _add_runs(parser.add_argument_group("runs"))
    _add_data(parser.add_argument_group("data"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="DIR", type=Path,
        help="write NAME.json, NAME.png and NAME.svg into this folder, and results.md with all",
    )  # fmt: skip
    output.add_argument(
        "--all-rows", action="store_true",
        help="print every number instead of one line per method; the JSON always has them all",
    )  # fmt: skip
    add_json(output)


def _add_runs(group: Options) -> None:
    group.add_argument("--quick", action="store_true", help="few runs of few cases")
    add_seed(group, "processes")
    group.add_argument(
        "--fresh", action="store_true", help="repeat runs that were kept from before"
    )


def _add_data(group: Options) -> None:
    group.add_argument(
        "--data-dir", metavar="DIR", type=Path, help="where to look for data sets first"
    )
    group.add_argument(
        "--download", action="store_true",
        help="fetch missing data sets from where they were published, checksummed, into the cache "
        "folder",
    )  # fmt: skip
