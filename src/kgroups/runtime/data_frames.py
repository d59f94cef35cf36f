"""Tables of results as data frames of pandas or polars, whichever there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_LIBRARIES = ("pandas", "polars")


def data_frame(columns: Mapping[str, Sequence[Any]], like: object = None) -> Any:
    """Columns of equal length as a data frame.

    A frame of the library of ``like`` if that is a frame, else of pandas, else of polars.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns by name, in order.
    like : object
        What the user handed in.

    Raises
    ------
    ImportError
        If there is neither pandas nor polars.

    Examples
    --------
    >>> data_frame({"cluster": [0, 1], "size": [3, 2]})["size"].to_list()
    [3, 2]
    """
    made_by = type(like).__module__.partition(".")[0]
    found = [name for name in _LIBRARIES if find_spec(name) is not None]
    if made_by in found:
        found = [made_by]
    if not found:
        raise ImportError("A data frame needs pandas or polars: pip install pandas")
    return import_module(found[0]).DataFrame(dict(columns))
