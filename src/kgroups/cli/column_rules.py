"""How each column of new rows is read, as the rows of a fit have settled it.

A rule is a dict that a file of a model keeps. ``as`` says what the column becomes: a number, the
code of what is written, or what the reader of a kind of columns makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.cli.missing_values import most_frequent, stand_ins
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from kgroups.cli.column_kinds import KindOfColumn
    from kgroups.cli.column_scales import ColumnScales

#: A rule as JSON has it.
Rule = dict[str, Any]
# The code of a category that was missing at the fit, and of one that no row of the fit had.
_MISSING, _UNKNOWN = -1.0, -2.0


# --- made at the fit ---------------------------------------------------------------------------


def number_rules(
    table: Table, columns: Sequence[int], scales: ColumnScales | None, impute: Sequence[str]
) -> list[Rule]:
    """The rules of numeric columns: what stands for a gap, and the scale."""
    fills: list[float | None] = [None] * len(columns)
    if columns and ("mean" in impute or "most-frequent" in impute):
        fills = stand_ins(table.numbers(columns), impute).tolist()
    rules: list[Rule] = [
        {"as": "number", "name": table.names[column], "gap": gap}
        for column, gap in zip(columns, fills, strict=True)
    ]
    if scales is not None:
        parts = np.stack([scales.unit, scales.mean, scales.spread], axis=1).tolist()
        rules = [{**rule, "scale": scale} for rule, scale in zip(rules, parts, strict=True)]
    return rules


def code_rule(table: Table, column: int, codes: Float64Array, impute: Sequence[str]) -> Rule:
    """The rule of a categorical column, whose codes at the fit are these."""
    missing = table.missing(column)
    present = ~missing
    texts = np.array(table.texts(column), object)
    code_of = dict(zip(texts[present].tolist(), codes[present].tolist(), strict=True))
    gap = None
    if "category" in impute:
        gap = _MISSING
    elif "most-frequent" in impute:
        gap = code_of[most_frequent(texts[present])]
    return _coded(table, column, code_of, gap)


def kind_rule(table: Table, column: int, found: KindOfColumn) -> Rule:
    """The rule of a column of ``--metric mixed``, in which a gap stays one."""
    if found.kind in ("category", "ordered"):
        codes = {level: float(code) for code, level in enumerate(found.levels)}
        rule = _coded(table, column, codes, np.nan)
        return {**rule, "is_ordered": found.kind == "ordered"}
    return {"as": "kind", "name": table.names[column], "kind": found.kind}


def _coded(table: Table, column: int, codes: dict[str, float], gap: float | None) -> Rule:
    return {"as": "code", "name": table.names[column], "codes": codes, "gap": gap}


# --- followed for new rows ---------------------------------------------------------------------


def column_by_rule(table: Table, column: int, rule: Rule, notes: list[str]) -> Float64Array:
    """The column of new rows; DataError for a value that no rule of the fit covers.

    What the rows of the fit did not have is told in ``notes``.
    """
    if rule["as"] == "code":
        return _code(table, column, rule, notes)
    if rule["as"] == "kind":
        from kgroups.cli.column_kinds import READERS

        if table.missing(column).all():
            return np.full(table.n_rows, np.nan)
        return READERS[rule["kind"]](table, column, ()).values
    return _number(table, column, rule, notes)


def _number(table: Table, column: int, rule: Rule, notes: list[str]) -> Float64Array:
    gaps = table.missing(column)
    if table.is_text(column) and not gaps.all():
        row = int((~gaps).argmax())
        raise DataError(
            f"{table.source} holds text where the fit had numbers: {table.label(column)}, "
            f"{table.where(row)}: {quoted(table.columns[column][row])}."
        )
    values = np.full(table.n_rows, np.nan) if gaps.all() else table.numbers([column])[:, 0]
    infinite = np.isinf(values)
    if infinite.any():
        row = int(infinite.argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}, {table.label(column)} is infinite; write a "
            "number."
        )
    values = _filled(table, column, values, rule["gap"], notes)
    if "scale" not in rule:
        return values
    unit, mean, spread = rule["scale"]
    if np.isnan(spread):  # a constant column, which says nothing
        return np.zeros(len(values))
    return np.asarray((values / unit - mean) / spread)


def _code(table: Table, column: int, rule: Rule, notes: list[str]) -> Float64Array:
    codes, gaps = rule["codes"], table.missing(column)
    texts = table.texts(column)
    unknown = [not gap and text not in codes for text, gap in zip(texts, gaps, strict=True)]
    if any(unknown):
        row = unknown.index(True)
        what = f"{table.label(column)}, {table.where(row)}: {quoted(texts[row])}"
        if rule.get("is_ordered"):
            raise DataError(
                f"{table.source} holds a level that the fit did not order: {what}. Known are "
                f"{', '.join(map(quoted, codes))}."
            )
        rows = counted(sum(unknown), "row")
        notes.append(
            f"{rows} with a category that the fit did not have, which differs from all it had "
            f"({what})"
        )
    values = np.array([codes.get(text, _UNKNOWN) for text in texts])
    values[gaps] = np.nan
    return _filled(table, column, values, rule["gap"], notes)


def _filled(
    table: Table, column: int, values: Float64Array, gap: float | None, notes: list[str]
) -> Float64Array:
    """Values with what stands for those that are missing."""
    missing = np.isnan(values)
    if not missing.any() or (gap is not None and np.isnan(gap)):
        return values
    if gap is None:
        raise DataError(
            f"{table.source}, {table.where(int(missing.argmax()))}, {table.label(column)} is "
            f"missing ({int(missing.sum())} of {table.n_rows}), and the fit had no --impute; "
            "remove those rows, or fit with it."
        )
    count = counted(int(missing.sum()), "missing value")
    notes.append(f"{count} of {table.label(column)} replaced as at the fit")
    return np.where(missing, gap, values)
