"""The options of ``kgroups cluster``, ``choose-k`` and ``test``, which read tables."""

import argparse
from pathlib import Path

from kgroups.cli.option_values import BOUNDS, number_or_auto, positive, seconds, size
from kgroups.cli.shared_options import (
    Commands,
    Options,
    add_columns,
    add_command,
    add_features,
    add_json,
    add_kinds,
    add_metric,
    add_outputs,
    add_plot,
    add_report,
    add_save,
    add_search_plot,
    add_seed,
    add_starts,
    add_text,
)
from kgroups.names import (
    COMPRESSIONS,
    METHODS,
    PACKED_SUFFIXES,
    QUICK_SAMPLES,
    TABLE_SUFFIXES,
    THOROUGH_SAMPLES,
)

_CLUSTER = """\
Cluster the rows of a table. Every column is a feature unless an option says otherwise. The first
line of a CSV or TSV file is read as column names unless all its fields are numbers; columns without
names are called 1, 2, and so on. Missing values are empty fields, ? and what pandas takes for them
(NA, N/A, NaN, NULL, None, ...). True and False are 1 and 0. Other rows are read as well: sparse
ones that SciPy saved (.npz), and one JSON value per line (.jsonl): a text, an object with a key for
each column, or an array of numbers or texts, which may differ in length.
"""
_CHOOSE_K = """\
Estimate how many clusters the rows of a table have; the answer may be 1. It is the median of three
criteria. Separation: is there a low-density gap between neighboring clusters, checked on held-out
rows? Gap: are clusters tighter than those of uniformly distributed data? Prediction strength: do
two halves of the rows give the same clusters? Silhouette and eigengap are shown, but not counted,
because they cannot answer 1.
"""
_TEST = """\
Test whether samples come from the same distribution, with the energy test: if they do, every split
of all rows into samples of these sizes is equally likely. Each file is one sample, and columns are
matched by name, whatever their order; or one file holds all rows, and --by names the column that
gives each row's sample. Columns are standardized, and missing numbers replaced, over all samples
together.
"""
_TEST_EXAMPLES = """\
examples:
  kgroups test before.csv after.csv --standardize
  kgroups test iris.csv --by species --json
  kgroups test distances.csv --by group --metric precomputed
"""
_FILES = (
    f"{', '.join(TABLE_SUFFIXES[:-1])} or {TABLE_SUFFIXES[-1]}; {', '.join(PACKED_SUFFIXES)} may "
    f"be compressed ({', '.join(COMPRESSIONS)}); - reads standard input"
)


def add_cluster(commands: Commands) -> None:
    """Declare ``kgroups cluster``."""
    parser = add_command(commands, "cluster", "cluster the rows of a table", description=_CLUSTER)
    parser.add_argument(
        "data", metavar="DATA", help=f"{_FILES}; a folder of .parquet files is one table"
    )
    parser.add_argument(
        "-k", dest="n_clusters", metavar="K", type=number_or_auto, required=True,
        help="number of clusters, or auto: estimated as by kgroups choose-k, which shows why; "
        "--curved counts them",
    )  # fmt: skip
    add_metric(parser)
    _add_curved(parser.add_argument_group("shape"))
    columns = parser.add_argument_group("columns")
    add_columns(columns)
    add_kinds(columns)
    add_text(parser)
    _add_search(parser.add_argument_group("search"))
    _add_certify(parser.add_argument_group("labels that are known"))
    _add_blocks(parser.add_argument_group("tables larger than memory"))
    output = add_outputs(
        parser, "the labels as CSV: row,cluster; as Parquet if FILE ends in .parquet: cluster"
    )
    add_search_plot(output)
    output.add_argument(
        "--append", action="store_true", help="write all columns of DATA to -o, then the cluster"
    )
    add_save(output, "kgroups predict m.kg NEW -o labels.csv clusters new rows")


def _add_blocks(group: Options) -> None:
    group.add_argument(
        "--stream", action="store_true",
        help="read DATA block by block even if it fits the memory: a .parquet file, a folder of "
        "them, or a .npy file; distances are approximated from a sample of the rows, except with "
        "--alpha 2; default: block by block if DATA does not fit",
    )  # fmt: skip
    group.add_argument(
        "--cluster", dest="scheduler", metavar="ADDRESS",
        help="compute on a running Dask cluster, given by the address of its scheduler, such as "
        "tcp://127.0.0.1:8786; DATA is as for --stream, and all workers must be able to read it "
        "under the same path; the labels do not depend on the number of workers",
    )  # fmt: skip


class _WithoutNumber(argparse.Action):
    """An option with which the number of clusters need not be given."""

    def need_no_number(self, parser: argparse.ArgumentParser) -> None:
        """Let -k be omitted."""
        for action in parser._actions:
            action.required = action.required and action.dest != "n_clusters"


class _Curved(_WithoutNumber):
    """True where the option is given."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: object
    ) -> None:
        """Note the option."""
        setattr(namespace, self.dest, True)
        self.need_no_number(parser)


def _add_certify(group: Options) -> None:
    group.add_argument(
        "--certify", action=_Certify, metavar="LABELS", type=Path,
        help="do not cluster; prove that no move of a single row improves the labels in this CSV "
        "file, or list the rows that would move; without -k",
    )  # fmt: skip


def _add_curved(group: Options) -> None:
    group.add_argument(
        "--curved", action=_Curved, nargs=0, default=False,
        help="clusters of any shape, such as rings and half-moons: cut the graph of nearest "
        "neighbors; without -k it counts the clusters",
    )  # fmt: skip
    group.add_argument(
        "--n-neighbors", metavar="N", type=positive,
        help="neighbors of each row, for --curved; default: 10",
    )  # fmt: skip


def _add_search(group: Options) -> None:
    add_starts(group, "fewer for larger tables")
    group.add_argument(
        "--method", choices=METHODS, default="auto",
        help="store all distances (dense), compute them on demand (matrix_free), only those that "
        "bounds leave open (certified), or approximate them from a sample (nystroem); default: "
        "chosen by size and memory, and the report states which was used",
    )  # fmt: skip
    group.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds,
        help="stop the proof of a certified clustering after so long, and report what is open then",
    )  # fmt: skip
    group.add_argument(
        "--bound", choices=BOUNDS,
        help="report how much tighter another clustering could be: a quick limit (spectral; "
        "computed in blocks above 2,000 rows) or a sharper one (semidefinite; up to 1,000 rows, "
        "takes minutes); default: spectral if it takes no longer than the clustering",
    )  # fmt: skip
    group.add_argument(
        "--memory-limit", metavar="SIZE", type=size,
        help="use no more memory than this, such as 2GiB or 500MB; default: most of what is free",
    )  # fmt: skip


class _Certify(_WithoutNumber):
    """The file of labels; the number of clusters follows from it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        *_: object,
    ) -> None:
        """Note the file."""
        setattr(namespace, self.dest, values)
        self.need_no_number(parser)


def add_choose_k(commands: Commands) -> None:
    """Declare ``kgroups choose-k``."""
    parser = add_command(
        commands, "choose-k", "estimate how many clusters a table has", description=_CHOOSE_K
    )
    parser.set_defaults(weight_column=None)
    parser.add_argument("data", metavar="DATA", help=_FILES)
    parser.add_argument(
        "--k-max", metavar="K", type=positive,
        help="largest number of clusters to try; default: 10, fewer for fewer than 100 rows",
    )  # fmt: skip
    add_metric(parser)
    columns = parser.add_argument_group("columns")
    add_features(columns)
    columns.add_argument(
        "--label-column", metavar="NAME",
        help="known classes: not used as a feature, only counted",
    )  # fmt: skip
    columns.add_argument("--id-column", metavar="NAME", help="names of the rows: not used")
    add_kinds(columns)
    add_text(parser)
    search = parser.add_argument_group("search")
    _add_samples(search)
    add_seed(search)
    output = parser.add_argument_group("output")
    add_plot(output, "each criterion against k")
    add_report(output)
    add_json(output)


def _add_samples(group: Options) -> None:
    """How many rows are used: a number, or one of two words for a number."""
    group.add_argument(
        "--max-samples", metavar="N", type=positive, default=QUICK_SAMPLES,
        help=f"number of rows used; larger tables are sampled; default: {QUICK_SAMPLES}",
    )  # fmt: skip
    for option, rows, of_what in (
        ("--quick", QUICK_SAMPLES, "the default"),
        ("--thorough", THOROUGH_SAMPLES, "takes minutes"),
    ):
        group.add_argument(
            option, dest="max_samples", action="store_const", const=rows,
            help=f"short for --max-samples {rows}; {of_what}",
        )  # fmt: skip


def add_test(commands: Commands) -> None:
    """Declare ``kgroups test``."""
    parser = add_command(
        commands, "test", "test whether samples come from the same distribution",
        description=_TEST, examples=_TEST_EXAMPLES,
    )  # fmt: skip
    parser.set_defaults(kinds={}, text_column=None)
    parser.add_argument(
        "data", metavar="DATA", nargs="+",
        help=f"two or more files, or one with --by; {_FILES}",
    )  # fmt: skip
    parser.add_argument(
        "--by", metavar="COLUMN", help="column that gives each row's sample, for a single file"
    )
    add_metric(parser, of_items=False)
    add_features(parser.add_argument_group("columns"))
    add_text(parser)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--permutations", metavar="N", type=positive, default=999,
        help="number of random permutations; p cannot be smaller than 1/(N + 1); default: 999",
    )  # fmt: skip
    add_seed(group)
    output = parser.add_argument_group("output")
    add_report(output)
    add_json(output)
