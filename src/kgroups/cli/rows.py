"""What is clustered: the rows of a file and what the options make of its columns."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.cli.columns import Uses, doubts, kept_as_text, named_in, title
from kgroups.cli.record import is_recorded
from kgroups.exceptions import DataError
from kgroups.input.columns import read_column
from kgroups.input.preparation import (
    ColumnError,
    NumberColumns,
    Preparation,
    TextColumn,
    TypedColumns,
    first_text,
)
from kgroups.input.table_files import FileRows, TextFormat, read_table
from kgroups.names import EDIT_DISTANCES, ELASTIC_DISTANCES, MATRICES, SAMPLES
from kgroups.text import quoted
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from kgroups.answers.characteristic_words import Words

#: Metrics of arrays, each of its own length, which a row of a table may be as well.
ARRAYS = (*ELASTIC_DISTANCES, SAMPLES)
_TAKES_SIGMA = ("laplacian", "gaussian")
_NO_COLUMNS: dict[str, Any] = {
    "numeric": [], "categorical": [], "text": None, "label": None, "weight": None, "id": None,
    "dropped": [], "kinds": {}, "n_missing": {},
}  # fmt: skip
_COMPARED = {
    "number": "as numbers", "category": "for equality", "ordered": "by their order",
    "boolean": "as true or false", "date": "as dates", "duration": "as durations",
}  # fmt: skip
# What to do about columns that cannot be used as they are.
_MIXED = "--metric mixed compares columns by what they hold"
_KIND = "--kinds NAME=category compares it as text, --drop leaves it out."
_ADVICE = {
    "text": f"{_MIXED}; --categorical compares a column for equality, --id-column takes it for the "
    "names of rows, --drop leaves it out; --na-values names what stands for a gap, --decimal says "
    "how numbers are written, and --skip-lines leaves out lines with a title, units or totals.",
    "odd": "--na-values names what stands for a gap, --decimal says how numbers are written, "
    f"--skip-lines leaves out lines; {_KIND}",
    "missing": "--impute says what stands for them (mean, most-frequent, category), and "
    f"{_MIXED}, gaps too.",
    "dates": f"--date-format says how they are written, such as %d/%m/%Y for day, month and year; "
    f"{_KIND}",
    "no date": _KIND,
    "no number": _KIND,
    "level": "Name every level, as in --kinds 'size=S<M<L'.",
}
_WITHOUT_MIXED = {
    kind: advice.replace(f"{_MIXED}; ", "").replace(f", and {_MIXED}, gaps too", "")
    for kind, advice in _ADVICE.items()
}
_HALF = "one half of a matrix of distances is empty: fill it from the other half"


@dataclass(kw_only=True)
class Rows:
    """Rows as an estimator takes them, and what reports say of them."""

    file: FileRows
    X: Any
    metric: Any
    #: What the columns of X are called; none where rows are no table.
    names: list[str] = field(default_factory=list)
    #: The features in the units of the file; None where there are none.
    table: Any = None
    weights: Float64Array | None = None
    labels: IntArray | None = None
    ids: list[str] | None = None
    id_name: str = "id"
    #: Names of columns by their use, as JSON has them.
    columns: dict[str, Any] = field(default_factory=_NO_COLUMNS.copy)
    notes: list[str] = field(default_factory=list)
    #: How new rows become rows like these; None where they are read as they are.
    preparation: Preparation | None = None
    words: Words | None = None
    texts: Sequence[str] | None = None
    unit: str = "column"

    @property
    def n(self) -> int:
        """How many rows there are."""
        return n_rows(self.file)

    @property
    def n_features(self) -> int | None:
        """How many columns X has; None for a matrix between points and rows that are no table."""
        is_matrix = isinstance(self.metric, str)
        return None if is_matrix or isinstance(self.X, list) else int(self.X.shape[1])


# --- options ----------------------------------------------------------------------------------


def text_format(options: Namespace) -> TextFormat:
    """How the options say that text is written."""
    return TextFormat(
        delimiter=options.delimiter,
        decimal=options.decimal,
        na_values=tuple(options.na_values),
        encoding=options.encoding,
        skip_lines=tuple(options.skip_lines),
        header=options.header,
    )


def read_file(data: Any, options: Namespace) -> FileRows:
    """The rows of a file, in which names, classes and categories stay as they are written."""
    text = text_format(options)
    how = {"sheet": options.sheet, "digest": is_recorded(options), **kept_as_text(options)}
    file = read_table(data, text=text, **how)
    names = list(getattr(file.values, "columns", ()))
    is_matrix = options.metric in MATRICES and len(names) == n_rows(file) + 1 and data != "-"
    if is_matrix and text.header is None and all(map(_is_number, names)) and file.has_header:
        # The distances from the first point, which count like names.
        file = read_table(data, text=replace(text, header=False), **how)
    return file


def _is_number(name: str) -> bool:
    return name.replace(".", "", 1).isdecimal()


# --- rows -------------------------------------------------------------------------------------


def n_rows(file: FileRows) -> int:
    """How many rows a file has."""
    return int(file.values.shape[0] if hasattr(file.values, "shape") else len(file.values))


def rows_of(file: FileRows, options: Namespace) -> Rows:
    """The rows to cluster; DataError for columns that cannot be used, with what to do."""
    with in_words_of(file, _WITHOUT_MIXED if hasattr(options, "by") else _ADVICE):
        if not hasattr(file.values, "columns"):
            return _without_columns(file, options)
        uses = Uses.of(file, options)
        if options.metric in MATRICES:
            return _matrix(file, uses, options)
        if getattr(options, "text_column", None) is not None or options.metric in EDIT_DISTANCES:
            return _of_text(file, uses, options)
        return _of_columns(file, uses, options)


@contextmanager
def in_words_of(file: FileRows, advice: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """A block in which errors of the library name the file and its lines, and what can be done."""
    try:
        yield
    except ColumnError as error:
        more = f". {advice.get(error.kind, '')}".rstrip()
        if advice and error.kind == "missing" and _is_half(file.values):
            more = f"; {_HALF}, and write --metric precomputed."
        raise DataError(f"{file.source} holds {error.described(file.where)}{more}") from error
    except DataError:
        raise
    except ValueError as error:
        text = re.sub(r"\brow (\d+)\b", lambda found: file.where(int(found[1])), str(error))
        is_about = text.startswith(("X holds ", "X lacks ", "X must "))
        raise DataError(f"{file.source}{text[1:] if is_about else f': {text}'}") from error


def _is_half(values: Any) -> bool:
    """Whether the numbers of a square table are missing above or below the diagonal."""
    if not 4 <= len(values.columns) == len(values):
        return False
    gaps, upper = values.isna().to_numpy(), np.triu(np.ones((len(values),) * 2, bool), 1)
    return bool((gaps == upper).all() or (gaps == upper.T).all())


def _of_columns(file: FileRows, uses: Uses, options: Namespace) -> Rows:
    """Columns of numbers and of categories, or of all kinds."""
    features, kinds = [*uses.numeric, *uses.categorical], {}
    preparation: NumberColumns | TypedColumns
    if options.metric == "mixed":
        given = {**dict.fromkeys(uses.categorical, "category"), **options.kinds}
        preparation = TypedColumns(features, kinds=given, date_format=options.date_format)
        X = table = preparation.fit_transform(file.values)
        kinds = {
            title(file, name): read_column(table, c, name).kind.removeprefix("zoned ")
            for c, name in enumerate(features)
        }
        uses.notes += [
            f"compared {how}: {', '.join(name for name, kind in kinds.items() if kind == one)}"
            for one, how in _COMPARED.items() if one in kinds.values()
        ]  # fmt: skip
        orders = [f"{name}: {' < '.join(some)}" for name, some in preparation.levels_.items()]
        uses.notes += [f"the order of levels is {order}" for order in orders]
    else:
        preparation = NumberColumns(
            uses.numeric, uses.categorical, standardize=options.standardize,
            impute=options.impute, as_list=options.metric in ARRAYS,
        )  # fmt: skip
        table = preparation.read(file.values)
        X = preparation.fit_read(table)
        gaps = [f"{name}: {n}" for name, n in table.isna().sum().items() if n]
        if gaps:
            how = ", ".join(options.impute)
            uses.notes.append(f"missing values replaced ({how}) in {', '.join(gaps)}")
            table = preparation.filled(table)
    uses.notes += doubts(file, table, options)
    preparation.file = uses.of_file(file, options)
    names = [title(file, name) for name in features]
    return Rows(
        file=file, X=X, metric=metric_of(options, len(uses.numeric), len(uses.categorical)),
        names=names, table=table.set_axis(names, axis=1), columns=uses.names(file, kinds),
        notes=uses.notes, preparation=preparation, **uses.about_rows(file),
    )  # fmt: skip


def _matrix(file: FileRows, uses: Uses, options: Namespace) -> Rows:
    """A matrix between points, with names of rows and columns where it has them."""
    about = uses.about_rows(file)
    matrix = file.values[uses.numeric]
    if _is_half(matrix):
        raise DataError(f"{file.source}: {_HALF}.")
    if about["ids"] is not None:
        matrix = matrix.set_axis(about["ids"], axis=0)
    return Rows(file=file, X=matrix, metric=options.metric, notes=uses.notes,
                columns={**uses.names(file), "numeric": [], "n_missing": {}}, **about)  # fmt: skip


def _of_text(file: FileRows, uses: Uses, options: Namespace) -> Rows:
    """A column by its words, or letter by letter."""
    column = options.text_column or uses.numeric[0]
    if len(uses.numeric) > 1 and options.text_column is None:
        raise DataError(
            f"{file.source}: --metric {options.metric} compares one column of text, and there are "
            f"{len(uses.numeric)}; name it in --columns."
        )
    if first_text(file.values[column]) is None:
        raise DataError(f"{file.source}: column {quoted(column)} holds numbers, not text.")
    uses.numeric.clear()
    columns = {**uses.names(file), "text": title(file, column)}
    columns["dropped"] = [name for name in columns["dropped"] if name != columns["text"]]
    about = {**uses.about_rows(file), "columns": columns, "notes": uses.notes}
    return _texts(file, column, file.values, uses.of_file(file, options), options, **about)


def _texts(
    file: FileRows, column: str, X: Any, kept: Mapping[str, Any], options: Namespace, **about: Any
) -> Rows:
    words = None
    if getattr(options, "text_column", None) is not None:
        given = {key: getattr(options, key) for key in ("stop_words", "min_df", "max_df")}
        words = {key: value for key, value in given.items() if value is not None}
    preparation = TextColumn(column, words=words, file=kept)
    made = preparation.fit_transform(X)
    if words is None:
        about["texts"] = made
    else:
        from kgroups.answers.characteristic_words import Words

        names = preparation.vectorizer_.get_feature_names_out()
        about |= {"words": Words(made, lambda c: str(names[c])), "unit": "word"}
    return Rows(file=file, X=made, metric=metric_of(options), preparation=preparation, **about)


def _without_columns(file: FileRows, options: Namespace) -> Rows:
    """Sparse rows; texts, and arrays of numbers or of texts, one in each row."""
    from kgroups.answers.characteristic_words import Words

    given = {
        "--standardize": options.standardize, "--impute": options.impute,
        "--curved": vars(options).get("curved"), "--append": vars(options).get("append"),
        "options that name columns": named_in(options),
    }  # fmt: skip
    if option := next((option for option, is_given in given.items() if is_given), None):
        raise DataError(f"{file.source} holds rows without columns: omit {option}.")
    X, metric = file.values, options.metric
    more: dict[str, Any] = {}
    if isinstance(X, csr_array):
        if metric not in MATRICES:
            more = {"words": Words(X, lambda column: f"column {column + 1}")}
    elif isinstance(X[0], str):
        return _texts(file, "1", X, kept_as_text(options), options)
    elif metric == "jaccard":
        from sklearn.preprocessing import MultiLabelBinarizer

        X, members = (
            [frozenset(map(str, item)) for item in X],
            MultiLabelBinarizer(sparse_output=True),
        )
        found = csr_array(members.fit_transform(X), dtype=np.float64)
        more = {"words": Words(found, lambda c: str(members.classes_[c])), "unit": "member"}
    elif metric not in ARRAYS:
        raise DataError(
            f"{file.source} holds arrays of different lengths or of texts, which --metric {metric} "
            "does not compare; --metric dtw, samples and jaccard do."
        )
    return Rows(file=file, X=X, metric=metric_of(options), **more)


def search_of(options: Namespace, metric: Any) -> dict[str, Any]:
    """The parameters of a fit that are options of the same name."""
    same = ("n_clusters", "n_init", "n_jobs", "method", "memory_limit", "time_limit")
    return {
        "metric": metric,
        "random_state": options.seed,
        **{name: getattr(options, name) for name in same},
    }


def metric_of(options: Namespace, n_numeric: int = 0, n_categorical: int = 0) -> Any:
    """The metric on numeric columns, plus 1 for each category that differs."""
    from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Laplacian, Mixed, by_name

    name = options.metric
    if name in MATRICES:
        return name
    if name == "mixed":
        return Mixed(missing="category" if options.impute else "distribution")
    found: Any = by_name(name)
    if options.alpha is not None:
        found = Energy(options.alpha)
    elif name in _TAKES_SIGMA:
        found = (Laplacian if name == "laplacian" else Gaussian)(options.sigma or "median")
    if not n_categorical:
        return found
    categorical = list(range(n_numeric, n_numeric + n_categorical))
    # Hamming is a share of its columns; times their number it is the count.
    by_equality = (Hamming(), categorical, float(n_categorical))
    return (
        ColumnSum([(found, list(range(n_numeric)), 1.0), by_equality]) if n_numeric else Hamming()
    )
