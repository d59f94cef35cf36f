"""``--metric mixed``: the columns of a table by what they hold, with their gaps."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

import numpy as np

from kgroups.cli.column_kinds import KindOfColumn, decided, kinds_of_columns
from kgroups.cli.column_roles import Roles, column_roles, role_names
from kgroups.cli.column_rules import kind_rule
from kgroups.cli.columns import TableFeatures, about_rows, earlier_labels, identifiers
from kgroups.cli.sentinels import sentinels
from kgroups.cli.total_lines import total_line
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.text import counted

# Kinds that are compared by |x − y|.
_ON_A_LINE = ("number", "ordered", "date")


def mixed_features(table: Table, options: Namespace) -> TableFeatures:
    """Columns of numbers, dates and codes with NaN for gaps, and the metric that knows which.

    What was decided about columns is in the notes, one for each kind.
    """
    roles = column_roles(table, options)
    features = [*roles.numeric, *roles.categorical]
    found = kinds_of_columns(table, features, options)
    _refuse_rows_of_gaps(table, features)
    numeric = [c for c in features if found[c].kind in ("number", "date")]
    others = [c for c in features if c not in numeric]
    ordered = [*numeric, *others]
    columns = _as_named(table, roles, found, numeric, others)
    return TableFeatures(
        X=np.column_stack([found[c].values for c in ordered]),
        names=[table.title(c) for c in ordered],
        numbers=np.column_stack([np.empty((table.n_rows, 0)), *(found[c].values for c in numeric)]),
        categories={table.title(c): _named(found[c]) for c in others},
        columns=columns,
        notes=[
            *roles.notes,
            *decided(table, found),
            *_on_gaps(columns["n_missing"], options),
            *_doubts(table, roles, found, options),
        ],
        metric=_metric([found[c] for c in ordered], options),
        rules=lambda: [kind_rule(table, c, found[c]) for c in ordered],
        **about_rows(table, roles),
    )


def _metric(columns: list[KindOfColumn], options: Namespace) -> Any:
    from kgroups.semimetrics import Mixed

    # Codes of ordered categories are ranks already, and dates are days.
    kinds = ["number" if column.kind in _ON_A_LINE else "category" for column in columns]
    return Mixed(kinds=kinds, missing="category" if options.impute else "distribution")


def _as_named(
    table: Table,
    roles: Roles,
    found: Mapping[int, KindOfColumn],
    numeric: list[int],
    others: list[int],
) -> dict[str, Any]:
    """The columns by their use and by their kinds, as reports name them."""
    return {
        **role_names(table, roles, is_matrix=False),
        "numeric": [table.title(c) for c in numeric],
        "categorical": [table.title(c) for c in others],
        "kinds": {table.title(c): one.kind for c, one in sorted(found.items())},
    }


def _named(column: KindOfColumn) -> list[str]:
    """The category of every row by its name, also where it is missing."""
    gaps = np.isnan(column.values).tolist()
    return ["(missing)" if gap else column.levels[int(code)]
            for code, gap in zip(np.nan_to_num(column.values), gaps, strict=True)]  # fmt: skip


def _refuse_rows_of_gaps(table: Table, features: list[int]) -> None:
    """DataError for rows without any value, which would all be at the mean of everything."""
    empty = np.all([table.missing(column) for column in features], axis=0)
    if empty.any():
        row, count = int(empty.argmax()), int(empty.sum())
        more = f", like {counted(count - 1, 'other row')}" if count > 1 else ""
        raise DataError(
            f"{table.source}, {table.where(row)} has no value in any feature{more}; remove it."
        )


def _on_gaps(n_missing: Mapping[str, int], options: Namespace) -> list[str]:
    if not n_missing:
        return []
    total = counted(sum(n_missing.values()), "missing value")
    by_column = ", ".join(f"{title}: {count}" for title, count in n_missing.items())
    own = ", in categories as one of their own" if options.impute else ""
    return [f"{total} compared as the distribution of the column{own} ({by_column})"]


def _doubts(
    table: Table, roles: Roles, found: Mapping[int, KindOfColumn], options: Namespace
) -> list[str]:
    """What may be wrong: identifiers among numbers, totals, and numbers that stand for gaps."""
    from dataclasses import replace

    numbers = [c for c in roles.numeric if found[c].kind == "number" and not table.is_text(c)]
    of_numbers = replace(roles, numeric=numbers)
    total = total_line(table, [*roles.id, *(c for c in found if table.is_text(c))])
    return [
        *identifiers(table, of_numbers, options),
        *earlier_labels(table, numbers),
        *([] if total is None else [f"{total.found} {total.advice}".rstrip(".")]),
        *sentinels(table, numbers),
    ]
