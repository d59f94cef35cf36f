"""Settings by column, by name or by position: which column of a table each of them is for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgroups.text import did_you_mean


def position(column: object, n_features: int, names: list[str] | None, what: str) -> int:
    """The position of a column that is given by name or by position; ``what`` names the setting."""
    if isinstance(column, str):
        return _named(column, names, what)
    if not isinstance(column, (int, np.integer)) or isinstance(column, bool):
        raise ValueError(f"{what} names a column by position or by name; got {column!r}.")
    if not -n_features <= column < n_features:
        raise ValueError(f"{what} asks for column {column}, but X has {n_features} columns.")
    return int(column) % n_features


def _named(column: str, names: list[str] | None, what: str) -> int:
    if names is None:
        raise ValueError(
            f"{what} names column {column!r}, but X has no column names; pass a data frame or give "
            "positions."
        )
    if column not in names:
        raise ValueError(f"{what}: X has no column {column!r}.{did_you_mean(column, names)}")
    if names.count(column) > 1:
        raise ValueError(
            f"{what}: X has {names.count(column)} columns called {column!r}; give positions, or "
            "rename them."
        )
    return names.index(column)


def by_position(
    given: Mapping[Any, Any] | Sequence[Any] | None,
    n_features: int,
    names: list[str] | None,
    what: str,
    default: Any,
) -> list[Any]:
    """One value per column; the default where a mapping has none.

    >>> by_position({"b": 2.0, 0: 3.0}, 3, ["a", "b", "c"], "weights", 1.0)
    [3.0, 2.0, 1.0]
    """
    if given is None:
        return [default] * n_features
    if not isinstance(given, Mapping):
        if len(given) != n_features:
            raise ValueError(
                f"{what} has {len(given)} values and X has {n_features} columns; give one for "
                f"each, or a dict by name or position such as {what}={{0: ...}}."
            )
        return list(given)
    found = [default] * n_features
    taken: dict[int, Any] = {}
    for column, value in given.items():
        place = position(column, n_features, names, what)
        if place in taken:
            raise ValueError(f"{what} names one column twice: {taken[place]!r} and {column!r}.")
        taken[place], found[place] = column, value
    return found
