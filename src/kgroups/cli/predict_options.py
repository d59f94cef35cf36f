"""The options of ``kgroups predict``, which reads a model and a table."""

from pathlib import Path

from kgroups.cli.option_values import n_jobs
from kgroups.cli.shared_options import Commands, add_command, add_json, add_text

_PREDICT = """\
Give new rows to the clusters of a model that kgroups cluster --save has kept: each to the nearest
one. Columns are found by their names and prepared as at the fit, with its means and standard
deviations, categories and words; further columns are not used.
"""
_EXAMPLES = """\
examples:
  kgroups cluster data.csv -k 3 --standardize --save model.kg
  kgroups predict model.kg new.csv -o labels.csv
"""


def add_predict(commands: Commands) -> None:
    """Declare ``kgroups predict``."""
    parser = add_command(
        commands, "predict", "give new rows to the clusters of a saved model",
        description=_PREDICT, examples=_EXAMPLES,
    )  # fmt: skip
    parser.add_argument("model", metavar="MODEL", type=Path, help="a file that --save has written")
    parser.add_argument(
        "data", metavar="DATA", help="the new rows, in any format of kgroups cluster; - reads "
        "standard input",
    )  # fmt: skip
    add_text(parser)
    parser.add_argument_group("work").add_argument(
        "--n-jobs", metavar="N", type=n_jobs,
        help="number of threads; default: all cores; results do not depend on it",
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="FILE", type=Path,
        help="write the labels as CSV: row,cluster; as Parquet if FILE ends in .parquet: cluster",
    )  # fmt: skip
    add_json(output)
