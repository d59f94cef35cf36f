"""What is clustered: the features of a table, or rows of another kind, by the metric."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.cli.column_roles import column_roles, role_names
from kgroups.cli.columns import TableFeatures, about_rows
from kgroups.cli.missing_values import check_present
from kgroups.cli.mixed_features import mixed_features
from kgroups.cli.row_kinds import (
    ARRAY_METRICS,
    MIXED,
    STRING_METRICS,
    check_options_of_others,
    reads_sparse_rows,
    text_column,
)
from kgroups.cli.table_input import is_matrix, table_features
from kgroups.exceptions import DataError
from kgroups.input.table_files import Arrays, Rows, SparseRows, Table
from kgroups.input.table_files.table import listed
from kgroups.names import MATRICES
from kgroups.text import quoted

if TYPE_CHECKING:
    from kgroups.answers.characteristic_words import Words

_COLUMNS_OF_OTHERS: dict[str, Any] = {
    "numeric": [], "categorical": [], "text": None, "label": None, "weight": None, "id": None,
    "dropped": [], "kinds": {}, "n_missing": {},
}  # fmt: skip


def features_of(rows: Rows, options: Namespace) -> TableFeatures:
    """The features of any rows; DataError for a metric that does not compare them."""
    if isinstance(rows, SparseRows):
        return _sparse(rows, options)
    if isinstance(rows, Arrays):
        if rows.width is None or options.metric in ARRAY_METRICS:
            return _arrays(rows, options)
        rows = arrays_as_table(rows)
    return _of_table(rows, options)


def _of_table(table: Table, options: Namespace) -> TableFeatures:
    if text_column(options) is not None:
        from kgroups.cli.text_features import text_features

        return text_features(table, options)
    if options.metric == MIXED:
        return mixed_features(table, options)
    if options.metric in STRING_METRICS:
        return _strings(table, options)
    features = table_features(table, options)
    if options.metric in ARRAY_METRICS:
        what = "a series" if options.metric == "dtw" else "a sample"
        features.notes.append(f"each row is taken for {what} of {features.X.shape[1]} numbers")
        return replace(features, X=list(features.X))
    return features


def without_numbers(
    rows: Rows,
    X: Any,
    *,
    names: list[str] | None = None,
    columns: dict[str, Any] | None = None,
    **more: Any,
) -> TableFeatures:
    """Features that are no columns of numbers."""
    return TableFeatures(
        X=X,
        names=names or [],
        numbers=np.empty((rows.n_rows, 0)),
        categories={},
        columns=columns or _COLUMNS_OF_OTHERS,
        **more,
    )


def arrays_as_table(rows: Arrays) -> Table:
    """Arrays that are equally long, as a table without names."""
    names, columns = rows.columns()
    return Table(
        source=rows.source, names=names, columns=columns, has_header=False, lines=rows.lines,
        counted=rows.counted, sha256=rows.sha256,
    )  # fmt: skip


# --- sparse rows -------------------------------------------------------------------------------


def _sparse(rows: SparseRows, options: Namespace) -> TableFeatures:
    from kgroups.answers.characteristic_words import Words

    if not reads_sparse_rows(options.metric):
        known = ", ".join(("energy", "manhattan", "cosine"))
        raise DataError(
            f"{rows.source} holds sparse rows, which --metric {options.metric} does not compare; "
            f"use {known}, or precomputed_kernel for similarities."
        )
    check_options_of_others(rows, options, "sparse rows, whose columns have no names")
    _refuse_curved(rows, options)
    if options.metric in MATRICES:
        if rows.n_rows != rows.n_columns:
            raise DataError(
                f"{rows.source} must be a square matrix between points; got {rows.n_rows} rows and "
                f"{rows.n_columns} columns. For a table of features, omit --metric."
            )
        return without_numbers(rows, rows.matrix)
    words: Words | None = Words(rows.matrix, rows.title)
    refuse_zero_rows(rows, rows.matrix, options, "has no entry that is not 0")
    return without_numbers(rows, rows.matrix, words=words, rules=lambda: [{"as": "sparse"}])


def refuse_zero_rows(rows: Rows, matrix: Any, options: Namespace, why: str) -> None:
    """DataError for rows of length zero, which have no direction."""
    if options.metric not in ("cosine", "angular"):
        return
    empty = np.flatnonzero(np.diff(matrix.indptr) == 0)
    if not empty.size:
        return
    shown = ", ".join(rows.where(int(row)) for row in empty[:6])
    others = f" and {empty.size - 6:,} more" if empty.size > 6 else ""
    each = "" if empty.size == 1 else ", like each of the others,"
    raise DataError(
        f"{rows.source}, {shown}{others}{each} {why}, so --metric {options.metric} compares it to "
        "nothing; remove such rows, or use --metric energy, to which they are equal."
    )


def _refuse_curved(rows: Rows, options: Namespace) -> None:
    if vars(options).get("curved"):
        raise DataError(f"--curved needs columns of numbers, which {rows.source} lacks; omit it.")


# --- arrays and texts --------------------------------------------------------------------------


def _arrays(rows: Arrays, options: Namespace) -> TableFeatures:
    check_options_of_others(rows, options, "an array in each row")
    _refuse_curved(rows, options)
    if rows.kind == "sets":
        return _sets(rows, options)
    if options.metric not in ARRAY_METRICS:
        raise DataError(
            f"{rows.source} holds arrays of different lengths, which --metric {options.metric} "
            "does not compare; --metric dtw takes each for a series, --metric samples for a sample "
            "of numbers."
        )
    empty = next((i for i, item in enumerate(rows.items) if not len(item)), None)
    if empty is not None:
        raise DataError(
            f"{rows.source}, {rows.where(empty)} holds an empty array, which has no distance to "
            "others; remove it."
        )
    return without_numbers(rows, list(rows.items), rules=lambda: [{"as": "arrays"}])


def _sets(rows: Arrays, options: Namespace) -> TableFeatures:
    """Sets of texts, and the same as sparse rows of zeros and ones, for what sets them apart."""
    from scipy.sparse import csr_array

    from kgroups.answers.characteristic_words import Words

    if options.metric != "jaccard":
        raise DataError(
            f"{rows.source} holds an array of texts in each row, a set, which --metric "
            f"{options.metric} does not compare; use --metric jaccard."
        )
    sets = [frozenset(map(str, item)) for item in rows.items]
    members = sorted(frozenset[str]().union(*sets))
    place = {member: column for column, member in enumerate(members)}
    indices = [column for one in sets for column in sorted(place[member] for member in one)]
    indptr = np.concatenate([[0], np.cumsum([len(one) for one in sets])])
    found = csr_array((np.ones(len(indices)), indices, indptr), shape=(len(sets), len(members)))
    return without_numbers(
        rows,
        sets,
        words=Words(found, members.__getitem__),
        unit="member",
        rules=lambda: [{"as": "sets"}],
    )


def _strings(table: Table, options: Namespace) -> TableFeatures:
    """The only column of text, compared letter by letter."""
    roles = column_roles(table, options)
    features = roles.numeric
    texts = [column for column in features if table.is_text(column)]
    if len(features) != 1:
        name = table.names[(texts or features)[0]]
        raise DataError(
            f"--metric {options.metric} compares one column of text, and {table.source} has "
            f"{len(features)} columns of features: {listed([table.names[c] for c in features])}. "
            f"Name it, as in --columns {quoted(name)}."
        )
    (column,) = features
    if not table.is_text(column):
        advice = "put them in quotes" if table.text is None else (
            f"--columns {quoted(table.names[column])} takes them as they are written"
        )  # fmt: skip
        raise DataError(
            f"{table.source}: {table.label(column)} holds numbers, and --metric {options.metric} "
            f"compares text; {advice}."
        )
    check_present(table, column, "text", "remove those rows")
    found = table.texts(column)
    named = role_names(table, roles, is_matrix=False)
    return without_numbers(
        table, found, names=[table.title(column)], texts=found,
        columns={**named, "numeric": [], "text": table.title(column)},
        notes=list(roles.notes), rules=lambda: [{"as": "letters", "name": table.names[column]}],
        **about_rows(table, roles),
    )  # fmt: skip


def size_of(features: TableFeatures, options: Namespace) -> int | None:
    """The number of features; None for a matrix, and for rows that are no table."""
    shape: tuple[int, ...] = () if isinstance(features.X, list) else features.X.shape
    return None if is_matrix(options) or len(shape) != 2 else int(shape[1])
