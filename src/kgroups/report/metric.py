"""A semimetric in words that JSON can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.semimetrics import ColumnSum
from kgroups.semimetrics.by_name import BY_NAME

_NAME_OF = {made: name for name, made in BY_NAME.items()} | {ColumnSum: "column_sum"}


def describe_metric(metric: Any) -> dict[str, Any]:
    """Name and parameters of what ``metric_`` of an estimator holds.

    >>> from kgroups.semimetrics import Energy
    >>> describe_metric(Energy(0.5))
    {'name': 'energy', 'params': {'alpha': 0.5}}
    """
    if isinstance(metric, str):
        return {"name": metric, "params": {}}
    name = _NAME_OF.get(type(metric), type(metric).__name__)
    if isinstance(metric, ColumnSum):
        return {"name": name, "params": {"parts": [_describe_part(part) for part in metric.parts]}}
    params = metric.get_params(deep=False)
    return {"name": name, "params": {key: _plain(value) for key, value in params.items()}}


def metric_text(description: dict[str, Any]) -> str:
    """A description for people.

    >>> metric_text({"name": "energy", "params": {"alpha": 0.5}})
    'energy (alpha=0.5)'
    """
    params = description["params"]
    if "parts" in params:
        return " + ".join(_part_text(part) for part in params["parts"])
    inside = ", ".join(f"{key}={_number(value)}" for key, value in params.items())
    return f"{description['name']} ({inside})" if inside else str(description["name"])


def _describe_part(part: tuple[Any, ...]) -> dict[str, Any]:
    semimetric, columns, *weight = part
    return {
        **describe_metric(semimetric),
        "columns": [_plain(column) for column in columns],
        "weight": float(weight[0]) if weight else 1.0,
    }


def _part_text(part: dict[str, Any]) -> str:
    times = "" if part["weight"] == 1 else f"{part['weight']:g} x "
    count = len(part["columns"])
    return f"{times}{metric_text(part)} on {count} column{'s' if count > 1 else ''}"


def _plain(value: Any) -> Any:
    """A value as JSON has it; a function by its name, anything else as Python prints it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "__name__", repr(value))


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
