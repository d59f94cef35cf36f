"""Results as tables: data frames, and the HTML that notebooks show instead of the text."""

from __future__ import annotations

import abc
import math
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import islice
from numbers import Real
from typing import Any

from kgroups.runtime.data_frames import data_frame
from kgroups.text import counted, short

#: More rows would hide what follows the table.
MOST_ROWS = 60
# Characters of a caption, which may hold names of groups.
_LONGEST = 400
# Colors are those of the page, so that a dark one stays readable; digits line up.
_CAPTION = "caption-side:top;text-align:left;padding:0.3em 0"
_NUMBER = "text-align:right;font-variant-numeric:tabular-nums"
_WORDS = "text-align:left"

Columns = Mapping[str, Sequence[Any]]


class ResultTable(abc.ABC):
    """A result that is a table with one row per item, in a notebook and as a data frame.

    The names of a class are ``_ITEM``, what one row is, in the singular and in the plural, and
    ``_NAMES``, the columns that hold names even where these are numbers.
    """

    _ITEM = ("row", "rows")
    _NAMES: Collection[str] = ()

    @abc.abstractmethod
    def _columns(self) -> Columns:
        """The columns by name, of equal length."""

    @abc.abstractmethod
    def _caption(self) -> str:
        """What the table shows, in words."""

    def to_frame(self, like: object = None) -> Any:
        """The result as a data frame; what its columns are is said by the class.

        Parameters
        ----------
        like : data frame or None
            A frame of the library that is wanted, pandas or polars; by default pandas, else polars.

        Returns
        -------
        data frame of pandas or polars

        Raises
        ------
        ImportError
            If there is neither pandas nor polars.

        Examples
        --------
        >>> from kgroups.bounds import OptimalityGap
        >>> found = OptimalityGap(within_dispersion=2.0, bound=1.5, gap=0.25, kind="spectral")
        >>> found.to_frame().columns.tolist()
        ['within_dispersion', 'bound', 'gap', 'kind', 'proves_optimal']
        """
        return data_frame(self._columns(), like)

    def _repr_html_(self) -> str:
        return html_table(self._columns(), self._caption(), item=self._ITEM, names=self._NAMES)


def html_table(
    columns: Columns,
    caption: str,
    *,
    item: tuple[str, str] = ("row", "rows"),
    names: Collection[str] = (),
) -> str:
    """Columns of equal length as a table of HTML5, with all text escaped.

    At most 60 rows are shown, and the caption says of how many. Names are cut after 40 characters,
    the caption after 400.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns by name, in order. Numbers are aligned to the right, all else to the left.
    caption : str
        What the table shows.
    item : tuple of two str
        What one row is, and what several are.
    names : collection of str
        Columns of names, which are shown as they are and aligned to the left.

    Examples
    --------
    >>> print(html_table({"k": [1, 2]}, "two numbers").partition("<thead>")[0])
    <table><caption style="caption-side:top;text-align:left;padding:0.3em 0">two numbers</caption>
    """
    n, more = max(map(len, columns.values()), default=0), ""
    if n > MOST_ROWS:
        more = f": {MOST_ROWS} of {counted(n, *item)}"
    styles = [_style(values, name in names) for name, values in columns.items()]
    head = _line("th", columns, styles)
    shown = [
        [short(value) if name in names else _cell(value) for value in islice(values, MOST_ROWS)]
        for name, values in columns.items()
    ]
    body = "\n".join(_line("td", row, styles) for row in zip(*shown, strict=True))
    return (
        f'<table><caption style="{_CAPTION}">{escape(short(caption, _LONGEST) + more)}</caption>\n'
        f"<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody></table>"
    )


def _line(tag: str, cells: Collection[str], styles: Sequence[str]) -> str:
    """A row of the head (th) or of the body (td)."""
    scope = ' scope="col"' if tag == "th" else ""
    told = (
        f'<{tag}{scope} style="{style}">{escape(short(cell))}</{tag}>'
        for cell, style in zip(cells, styles, strict=True)
    )
    return f"<tr>{''.join(told)}</tr>"


def _style(values: Sequence[Any], are_names: bool) -> str:
    shown = list(islice(values, MOST_ROWS))
    are_numbers = not are_names and all(_is_number(value) or value is None for value in shown)
    return _NUMBER if are_numbers else _WORDS


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    """A value in few characters; a dash where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
