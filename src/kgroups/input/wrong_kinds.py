"""Input that is not a table, and what to write instead."""

from collections.abc import Set as AbstractSet
from os import PathLike
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.text import quoted


def refuse_no_data(X: Any, name: str = "X") -> None:
    """TypeError for what holds no points: a path, None, a number, an estimator, a dictionary."""
    if issparse(X):  # of which one kind is a dict
        return
    if isinstance(X, (str, bytes, PathLike)):
        raise TypeError(
            f"{name} is {quoted(X)}, and files are not read: write "
            f"pandas.read_csv(path), or numpy.load(path) for an array."
        )
    if hasattr(X, "fit"):
        raise TypeError(
            f"{name} is an estimator ({_kind(X)}), where the data is needed; the data comes first, "
            "and the labels of a fitted model are model.labels_."
        )
    if type(X).__module__.partition(".")[0] == "pyarrow":
        raise TypeError(f"{name} is of pyarrow ({_kind(X)}); write {name}.to_pandas().")
    if isinstance(X, dict):
        raise TypeError(
            f"{name} is a dict; write pandas.DataFrame({name}) if it holds columns, or "
            f"list({name}.values()) if it holds points."
        )
    if X is None or (np.isscalar(X) and not isinstance(X, memoryview)):
        raise TypeError(f"{name} must be a table or a sequence of points; got {quoted(X)}.")
    if hasattr(X, "__iter__") and not hasattr(X, "__getitem__") and not hasattr(X, "__array__"):
        raise TypeError(
            f"{name} must be a sequence; got {_kind(X)}, which has no item {name}[0]. Write "
            f"{name} = list({name})."
        )


def refuse_other_shapes(X: Any, name: str = "X") -> None:
    """TypeError or ValueError for what is not a table: one line of numbers, uneven rows, dicts."""
    if issparse(X):
        return
    if hasattr(X, "columns"):
        if X.shape[1] == 0:
            raise ValueError(
                f"{name} is a frame without columns, shape {tuple(X.shape)}; at least one is "
                "needed."
            )
        _refuse_dimensions(tuple(X.shape), name)
        return
    _refuse_items(X, name)
    if hasattr(X, "to_frame"):
        raise ValueError(
            f"{name} is a {_kind(X)}, which is one-dimensional, where a table is needed; write "
            f"{name}.to_frame() for one column, or numpy.stack({name}) if each entry is a row."
        )
    refuse_rows(X, name)
    if isinstance(X, (list, tuple)):
        _refuse_dimensions((len(X), *_shape(X[0])), name)  # a whole list takes long to convert
    else:
        _refuse_dimensions(_shape(X), name)


def refuse_rows(rows: Any, name: str = "X") -> None:
    """Refuse an empty list, a list of dicts, and rows of which one is longer than another."""
    if not isinstance(rows, (list, tuple)):
        return
    if len(rows) == 0:
        raise ValueError(f"Found 0 samples in {name}; at least one is needed.")
    if isinstance(rows[0], dict):
        raise TypeError(
            f"{name} is a list of dicts, where a table is needed; write pandas.DataFrame({name})."
        )
    lengths = [_length(row) for row in rows]
    if lengths.count(lengths[0]) == len(lengths):
        return
    odd = next(i for i, length in enumerate(lengths) if length != lengths[0])
    raise ValueError(
        f"{name} has rows of unequal length: {_size(lengths[0])} in row 0 and "
        f"{_size(lengths[odd])} in row {odd}. A table needs one number per column in every row; "
        'rows of any length are compared by metric="dtw" as series, by metric="samples" as '
        "samples, and by a function of two rows, metric=f with f(a, b)."
    )


def found(value: Any, shape: tuple[int, ...]) -> str:
    """What stands where one label or number per point was expected.

    >>> found([[1, 2]], (1, 2)), found(3, ())
    ('shape (1, 2)', '3')
    """
    if hasattr(value, "fit"):
        return f"an estimator ({_kind(value)}), whose labels are its attribute labels_"
    return f"shape {shape}" if shape else quoted(value)


def _shape(X: Any) -> tuple[int, ...]:
    """The shape of an array, or of what can become one."""
    return tuple(X.shape) if hasattr(X, "shape") else np.asarray(X).shape


def _kind(value: Any) -> str:
    kind = value if isinstance(value, type) else type(value)
    return kind.__name__


def _refuse_items(X: Any, name: str) -> None:
    """ValueError for a sequence of texts, sets or arrays, of which no table is made."""
    if getattr(X, "ndim", 1) != 1 or not hasattr(X, "__iter__"):
        return
    first = next(iter(X), None)
    if isinstance(first, str):
        raise ValueError(
            f"{name} is a sequence of text, which begins with {first[:40]!r}, and the metric is "
            'for tables of numbers. Words and names are compared by metric="levenshtein"; texts '
            'by make_pipeline(TfidfVectorizer(), KernelKGroups(k, metric="cosine")); anything by '
            'metric=f, a function f(a, b) of two items, or by metric="precomputed" and the matrix '
            "of their distances."
        )
    if isinstance(first, AbstractSet):
        raise ValueError(
            f"{name} is a sequence of sets, which begins with {quoted(first)}, and the metric is "
            'for tables of numbers. Give metric="jaccard", or a function f(a, b) of two sets.'
        )
    if isinstance(first, np.ndarray) and not isinstance(X, (list, tuple)):
        refuse_rows(list(X), name)
        raise ValueError(
            f"{name} is one-dimensional and holds arrays of one length; write numpy.stack({name})."
        )


def _length(row: Any) -> int:
    """How many values a row has; −1 for a single one, such as a number or a text."""
    return len(row) if hasattr(row, "__len__") and not isinstance(row, str | bytes) else -1


def _size(length: int) -> str:
    return "a single value" if length < 0 else f"{length} value" + "s" * (length != 1)


def _refuse_dimensions(shape: tuple[int, ...], name: str) -> None:
    """Refuse anything but two dimensions, or none of a kind.

    scikit-learn's words are kept, which users look up.
    """
    if len(shape) == 2 and not shape[0]:
        raise ValueError(f"Found 0 samples in {name} (shape {shape}); at least one is needed.")
    if len(shape) == 2 and not shape[1]:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
    if len(shape) == 1:
        raise ValueError(
            f"{name} is one-dimensional, shape {shape}, where a table with one row per point is "
            f"needed. Reshape your data: numpy.reshape({name}, (-1, 1)) for {shape[0]} points on a "
            f"line, numpy.reshape({name}, (1, -1)) for one point with {shape[0]} coordinates."
        )
    if len(shape) > 2:
        raise ValueError(
            f"{name} has {len(shape)} dimensions, shape {shape}, where a table has two; "
            f"numpy.reshape({name}, (len({name}), -1)) makes one row of each item. As series they "
            'are compared by metric="dtw", as samples of points by metric="samples".'
        )
