"""Places on the Earth in a table, whose latitude must come first."""

import csv
import io
import shlex
from argparse import Namespace
from collections.abc import Sequence

import numpy as np

from kgroups.cli.columns import TableFeatures
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table

# The largest latitude by the metric, in its units.
_POLES = {"great_circle": 90.0, "haversine": np.pi / 2}


def order_of_places(table: Table, features: TableFeatures, options: Namespace) -> list[str]:
    """A note on a longitude before a latitude; DataError if the first column can be no latitude."""
    pole = _POLES.get(options.metric)
    if pole is None or features.n_numeric != 2 or not table.has_header:
        return []
    first, second = features.names[:2]
    advice = f"--columns {shlex.quote(_as_list([second, first]))}"
    sizes = np.abs(features.numbers)
    if sizes[:, 0].max() > pole >= sizes[:, 1].max():
        row = int(sizes[:, 0].argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}: --metric {options.metric} takes the latitude "
            f"first, up to {pole:.6g} in size, and column {first!r} is "
            f"{features.numbers[row, 0]:.6g}; if column {second!r} is the latitude, write {advice}."
        )
    return _note([first, second], options.metric, advice)


def _note(names: Sequence[str], metric: str, advice: str) -> list[str]:
    from kgroups.semimetrics.other_spaces import names_longitude_first

    if not names_longitude_first(names):
        return []
    return [
        f"--metric {metric} takes latitude first and longitude second, and the columns are "
        f"{names[0]!r} and {names[1]!r}; write {advice}"
    ]


def _as_list(names: Sequence[str]) -> str:
    """Names as ``--columns`` reads them: separated by commas, in quotes if they contain one."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
