"""Weights with commas, percent signs and groups of digits: what they mean, or what to write."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_layout import COMMENTS, Layout, to_weight
from kgroups.input.graph_files.text_lines import rows
from kgroups.input.table_files.numerals import decimal_commas, is_number, points_may_group
from kgroups.input.table_files.text_format import DECIMALS, Decimal
from kgroups.text import quoted
from kgroups.typing import Float64Array

# What may stand between groups of three digits.
_GROUPS = re.compile(r"(?<=\d)[,'\u2019\s](?=\d)|,")


class CommaError(Exception):
    """A weight has a comma or groups of digits, and nothing was said about decimal marks."""


def check_marks(where: str, text: str, decimal: Decimal | None) -> None:
    """Errors for a weight that is a number but for its marks.

    Raises
    ------
    DataError
        If it has a percent sign.
    CommaError
        If it has to be known what the marks mean.
    """
    if text.endswith("%") and is_number(text[:-1]):
        raise DataError(
            f"{where}: the weight {quoted(text)} has a percent sign; remove all of them."
        )
    if decimal is not None or not _GROUPS.search(text) or not is_number(text):
        return
    what = "a comma" if "," in text else "blanks or apostrophes between its digits"
    raise CommaError(f"{where}: the weight {quoted(text)} has {what}")


def has_decimal_commas(stream: IO[bytes], source: str, layout: Layout) -> bool:
    """Whether only a decimal comma explains the weights."""
    return decimal_commas(_weight_fields(stream, source, layout)) is not None


def advice_on_marks(stream: IO[bytes], source: str, layout: Layout) -> str:
    """What to write for weights with commas that only a person can read."""
    fit = [
        mark
        for mark in DECIMALS
        if all(to_weight(w, mark) is not None for w in _weight_fields(stream, source, layout))
    ]
    if fit and not any("," in weight for weight in _weight_fields(stream, source, layout)):
        return f'decimal="{fit[0]}" reads groups of three digits.'
    meant = {".": "is between groups of three digits", ",": "is the decimal mark"}
    said = [f'decimal="{mark}" says that it {meant[mark]}' for mark in fit]
    return (
        f"{' and '.join(said) or 'no decimal mark makes numbers of all weights: write them alike'}."
    )


def notes_on_points(
    stream: IO[bytes], source: str, layout: Layout, weights: Float64Array | None
) -> list[str]:
    """A note if all points in a list with semicolons may separate thousands."""
    if layout.delimiter != ";" or weights is None:
        return []
    thousandths = 1_000 * weights
    if not np.allclose(thousandths, np.round(thousandths), rtol=1e-9, atol=0.0):
        return []  # more than three digits follow some point
    if not points_may_group(_weight_fields(stream, source, layout)):
        return []
    return [
        f"points in {quoted(layout.weight_name)} are read as decimal points, although three digits "
        'follow each; decimal="," reads them as separators of thousands.'
    ]


def _weight_fields(stream: IO[bytes], source: str, layout: Layout) -> Iterator[str]:
    """The weights of all lines that are long enough, as they stand there."""
    stream.seek(0)
    found = rows(stream, source, layout.delimiter, comments=COMMENTS)
    column = layout.columns[2]
    for row in islice(found, 0 if layout.header is None else 1, None):
        if len(row.fields) > column:
            yield row.fields[column]
