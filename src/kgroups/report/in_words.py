"""Metrics, sizes and how a search ended, in words; a metric also as JSON can hold it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgroups.semimetrics import ColumnSum
from kgroups.semimetrics.by_name import BY_NAME
from kgroups.text import counted

_NAME_OF = {made: name for name, made in BY_NAME.items()} | {ColumnSum: "column_sum"}
_ON_SKETCH = " on the sketch"
#: What each value of ``exactness_`` means, for rows or nodes.
_MEANING = {
    "one-move optimal": "no single {unit} can be moved to improve it",
    "pair-move optimal": "no {unit} alone, and no two at once, can be moved to improve it",
    "stable under Lloyd's rule": "every {unit} is in the cluster with the nearest center",
    "optimal": "every possible clustering was tried",
    "best supported": "moves of single {unit}s would improve the objective, but lose evidence",
}
# Parameters that only need a word where they are not as usual.
_USUAL = {"missing": "error", "units": "degrees", "normalized": False, "options": None}
#: What stands between the kind of an optimum and the share of rows for which it is proved.
_PARTLY = " for "
_CHECKED = ("one-move optimal", "pair-move optimal")


# --- metrics ---------------------------------------------------------------------------------


def describe_metric(metric: Any) -> dict[str, Any]:
    """Name and parameters of what ``metric_`` of an estimator holds.

    >>> from kgroups.semimetrics import Energy
    >>> describe_metric(Energy(0.5))
    {'name': 'energy', 'params': {'alpha': 0.5}}
    """
    if isinstance(metric, str):
        return {"name": metric, "params": {}}
    if not hasattr(metric, "get_params"):  # a function of two points, as it was given
        return {"name": "PairFunction", "params": {"function": _plain(metric)}}
    name = _NAME_OF.get(type(metric), type(metric).__name__)
    if isinstance(metric, ColumnSum):
        return {"name": name, "params": {"parts": [_describe_part(part) for part in metric.parts]}}
    params = metric.get_params(deep=False)
    if isinstance(params.get("name"), str):  # one of a family of another library
        name = params.pop("name")
    return {"name": name, "params": {key: _plain(value) for key, value in params.items()}}


def metric_text(description: Mapping[str, Any]) -> str:
    """A description for people.

    >>> metric_text({"name": "gaussian", "params": {"sigma": 0.5}})
    'gaussian (sigma=0.5)'
    >>> metric_text({"name": "energy", "params": {"alpha": 1.0}})
    'Euclidean distance (energy, alpha=1)'
    """
    name, params = str(description["name"]), description["params"]
    if "parts" in params:
        return " + ".join(_part_text(part) for part in params["parts"])
    if name == "energy":
        return _power_of_distance(params["alpha"])
    if name == "mixed":
        gaps = {"distribution": ""}.get(params["missing"], f", missing={params['missing']}")
        return f"columns of several kinds (mixed{gaps})"
    if name in ("precomputed", "precomputed_kernel"):
        return "the given distances" if name == "precomputed" else "the given kernel matrix"
    said = {key: value for key, value in params.items() if _USUAL.get(key) != value}
    inside = ", ".join(f"{key}={_number(value)}" for key, value in said.items())
    return f"{name} ({inside})" if inside else name


def _power_of_distance(alpha: float) -> str:
    power = "" if alpha in (1, 2) else f" to the power {alpha:.6g}"
    square = "squared " if alpha == 2 else ""
    return f"{square}Euclidean distance{power} (energy, alpha={alpha:.6g})"


def _describe_part(part: Sequence[Any]) -> dict[str, Any]:
    semimetric, columns, *weight = part
    return {
        **describe_metric(semimetric),
        "columns": [_plain(column) for column in columns],
        "weight": float(weight[0]) if weight else 1.0,
    }


def _part_text(part: Mapping[str, Any]) -> str:
    times = "" if part["weight"] == 1 else f"{part['weight']:g} x "
    return f"{times}{metric_text(part)} on {counted(len(part['columns']), 'column')}"


def _plain(value: object) -> object:
    """A value as JSON has it; a function by its name, anything else as Python prints it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return getattr(value, "__name__", repr(value))


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def size_text(n_rows: int, n_features: int | None, unit: str = "column") -> str:
    """Rows and columns; a matrix between points has no ``n_features``."""
    rows = counted(n_rows, "row")
    return rows if n_features is None else f"{rows}, {counted(n_features, unit)}"


# --- the end of a search ---------------------------------------------------------------------


def end_text(n_iter: int, n_moves: int, *, exactness: str, converged: bool, unit: str) -> str:
    """How a search ended, and what its result can be relied on for; ``unit`` is what was moved.

    Passes are not counted where nothing had to be moved.

    >>> end_text(3, 1, exactness="optimal", converged=True, unit="row")
    'Converged after 3 passes and 1 move: every possible clustering was tried'
    """
    passes = counted(n_iter, "pass", "passes")
    if exactness.removesuffix(_ON_SKETCH) == "stopped in a cycle":
        return f"Not converged: labels returned to earlier ones after {passes}"
    if not converged and _PARTLY in exactness:
        return f"Stopped by its limit: {_meaning(exactness, unit)}"
    if not converged:
        return f"Not converged: {unit}s still moved after {passes}"
    after = f" after {passes} and {counted(n_moves, 'move')}" if n_moves else ""
    return f"Converged{after}: {_meaning(exactness, unit)}"


def _meaning(exactness: str, unit: str) -> str:
    kind = exactness.removesuffix(_ON_SKETCH)
    if _PARTLY in kind:  # as the share that is proved follows
        kind, share = kind.split(_PARTLY, 1)
        return f"{_MEANING[kind].format(unit=unit)}: proved for {share}"
    meaning = _MEANING.get(kind, kind).format(unit=unit)
    if kind != exactness:
        return f"as far as a sample-based approximation shows, {meaning}"
    return f"{meaning} (checked exactly)" if kind in _CHECKED else meaning
