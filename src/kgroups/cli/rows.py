"""What is clustered: the rows of a file and what the options make of its columns."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.cli.console import UsageError
from kgroups.cli.record import is_recorded
from kgroups.exceptions import DataError
from kgroups.input.identifiers import looks_like
from kgroups.input.lookalikes import empty_half
from kgroups.input.preparation import (
    ColumnError,
    NumberColumns,
    Preparation,
    TextColumn,
    TypedColumns,
    as_written,
    first_text,
    levels_of,
    numbers_of,
)
from kgroups.input.table_files import FileRows, TextFormat, read_table
from kgroups.names import EDIT_DISTANCES, ELASTIC_DISTANCES, MATRICES, SAMPLES, UNSCALED
from kgroups.text import counted, did_you_mean, quoted
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from kgroups.answers.characteristic_words import Words

#: Metrics of arrays, each of its own length, which a row of a table may be as well.
ARRAYS = (*ELASTIC_DISTANCES, SAMPLES)
_NO_COLUMNS: dict[str, Any] = {
    "numeric": [], "categorical": [], "text": None, "label": None, "weight": None, "id": None,
    "dropped": [], "kinds": {}, "n_missing": {},
}  # fmt: skip
_COMPARED = {
    "number": "as numbers", "category": "for equality", "ordered": "by their order",
    "boolean": "as true or false", "date": "as dates", "duration": "as durations",
}  # fmt: skip
_CODED = ("category", "ordered", "boolean")
# A column with a larger share of the variance of all columns decides nearly all distances.
_DOMINATING = 0.95
_TAKES_ALPHA = ("energy", "euclidean", "l2")
_TAKES_SIGMA = ("laplacian", "gaussian")
# What to do about columns that cannot be used as they are.
_MIXED = "--metric mixed compares columns by what they hold"
_KIND = "--kinds NAME=category compares it as text, --drop leaves it out."
_ADVICE = {
    "text": f"{_MIXED}; --categorical compares a column for equality, --id-column takes it for the "
    "names of rows, --drop leaves it out; --decimal says how numbers are written, and --skip-lines "
    "leaves out lines with a title, units or totals.",
    "missing": "--impute says what stands for missing values (mean, most-frequent, category), and "
    f"{_MIXED}, gaps too.",
    "infinite": "Write a number.",
    "dates": f"--date-format says how they are written, such as %d/%m/%Y for day, month and year; "
    f"{_KIND}",
    "no date": f"Write dates as 2024-01-31, or give --date-format; {_KIND}",
    "no number": _KIND,
    "level": "Name every level in --kinds, as in --kinds 'size=S<M<L'.",
    "words": "Remove such rows, or compare letter by letter with --metric levenshtein.",
}


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
    columns: dict[str, Any] = field(default_factory=dict)
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
        is_matrix = isinstance(self.metric, str) and self.metric in MATRICES
        return None if is_matrix or isinstance(self.X, list) else int(self.X.shape[1])


# --- options ----------------------------------------------------------------------------------


def check_options(options: Namespace) -> None:
    """Settle the metric; UsageError for options that contradict each other or it."""
    text = getattr(options, "text_column", None)
    if options.metric is None:
        options.metric = "energy" if text is None else "cosine"
    metric, kinds = options.metric, getattr(options, "kinds", {})
    if options.alpha is not None and metric not in _TAKES_ALPHA:
        raise UsageError(f"--alpha applies only to --metric energy; omit it for {metric}")
    if options.sigma is not None and metric not in _TAKES_SIGMA:
        raise UsageError(
            f"--sigma applies only to --metric laplacian and gaussian; omit it for {metric}"
        )
    given = {
        "--kinds": bool(kinds), "--standardize": options.standardize,
        "--impute": bool(options.impute), "--categorical": bool(options.categorical),
        "--columns": bool(options.columns), "--drop": bool(options.drop),
    }  # fmt: skip
    excluded: dict[str, Sequence[str]] = {
        "--metric mixed": ["--standardize"] if metric == "mixed" else [],
        f"--metric {metric}": (
            list(given) if metric in MATRICES
            else ["--standardize", "--impute", "--categorical"] if metric in EDIT_DISTANCES
            else ["--standardize"] if metric in UNSCALED else []
        ),
        "--text": [o for o in given if o != "--drop"] if text is not None else [],
        "tables without --metric mixed": ["--kinds"] if metric != "mixed" else [],
    }  # fmt: skip
    for what, others in excluded.items():
        for option in others:
            if given[option]:
                raise UsageError(f"{option} does not apply to {what}; omit one of the two")
    if metric == "mixed" and {*options.impute} - {"category"}:
        raise UsageError(
            "--metric mixed compares rows with missing values; omit --impute, or write --impute "
            "category for missing categories to be one of their own"
        )
    uses = [*named(options), *filter(None, [text])]
    twice = [name for name, count in Counter(uses).items() if count > 1]
    if twice:
        raise UsageError(f"column {quoted(twice[0])} is named twice; a column has one use")


def named(options: Namespace) -> list[str]:
    """The columns that options name."""
    given = vars(options)
    single = (given.get(key) for key in ("label_column", "weight_column", "id_column", "by"))
    return [*(options.columns or []), *options.categorical, *options.drop, *filter(None, single)]


def text_format(options: Namespace) -> TextFormat:
    """How the options say that text is written."""
    return TextFormat(
        delimiter=options.delimiter,
        decimal=options.decimal,
        na_values=tuple(options.na_values),
        encoding=options.encoding,
        skip_lines=tuple(options.skip_lines),
        header=getattr(options, "header", None),
    )


def read_file(data: Any, options: Namespace) -> FileRows:
    """The rows of a file, in which names, classes and categories stay as they are written."""
    text = text_format(options)
    how: dict[str, Any] = {
        "sheet": options.sheet, "as_text": _as_text(options), "digest": is_recorded(options),
        "whole_lines": _whole_lines(options),
    }  # fmt: skip
    file = read_table(data, text=text, **how)
    is_matrix = options.metric in MATRICES and file.has_header and text.header is None
    if is_matrix and data != "-" and _counts(file.values.columns, n_rows(file) + 1):
        # The distances from the first point, which count like names.
        file = read_table(data, text=replace(text, header=False), **how)
    return file


def _counts(names: Sequence[str], n: int) -> bool:
    """Whether there are so many names, and all are numbers."""
    return len(names) == n and all(name.replace(".", "", 1).isdecimal() for name in names)


def _as_text(options: Namespace) -> list[str]:
    given = vars(options)
    single = (given.get(key) for key in ("label_column", "id_column", "by", "text_column"))
    kinds = given.get("kinds") or {}
    of_kinds = [n for n, kind in kinds.items() if kind not in ("number", "boolean", "date")]
    letters = (options.columns or []) if options.metric in EDIT_DISTANCES else []
    return list(dict.fromkeys([*options.categorical, *of_kinds, *letters, *filter(None, single)]))


def _whole_lines(options: Namespace) -> bool:
    """Whether each line of plain text is one row: a word, or the text that --text 1 names."""
    return options.metric in EDIT_DISTANCES or getattr(options, "text_column", None) == "1"


# --- rows -------------------------------------------------------------------------------------


def n_rows(file: FileRows) -> int:
    """How many rows a file has."""
    return int(file.values.shape[0] if hasattr(file.values, "shape") else len(file.values))


def rows_of(file: FileRows, options: Namespace) -> Rows:
    """The rows to cluster; DataError for columns that cannot be used, with what to do."""
    if issparse(file.values):
        return _sparse(file, options)
    if isinstance(file.values, list):
        return _items(file, options)
    with in_words_of(file, advice=True):
        return _of_table(file, options)


@contextmanager
def in_words_of(file: FileRows, *, advice: bool = False) -> Iterator[None]:
    """A block in which errors of the library name the file and its lines."""
    try:
        yield
    except ColumnError as error:
        more = f". {_ADVICE[error.kind]}" if advice else "."
        if error.kind == "missing" and advice and _is_half(file.values):
            more = ". It looks like one half of a matrix of distances; fill the other half, and "
            more += "write --metric precomputed."
        raise DataError(f"{file.source} holds {error.told(file.where)}{more}") from error
    except DataError:
        raise
    except ValueError as error:
        text = re.sub(r"\brow (\d+)\b", lambda found: file.where(int(found[1])), str(error))
        is_about = text.startswith(("X holds ", "X lacks ", "X must "))
        raise DataError(f"{file.source}{text[1:] if is_about else f': {text}'}") from error


def _is_half(values: Any) -> bool:
    if not hasattr(values, "columns") or len(values) != len(values.columns):
        return False
    return all(first_text(values[n]) is None for n in values) and empty_half(
        np.column_stack([numbers_of(values[name]) for name in values])
    ) is not None  # fmt: skip


def _of_table(file: FileRows, options: Namespace) -> Rows:
    frame, uses = file.values, _Uses.of(file, options)
    features, about = [*uses.numeric, *uses.categorical], uses.about_rows(file)
    text, kept = getattr(options, "text_column", None), uses.of_file(file, options)
    if options.metric in MATRICES:
        matrix = frame[features].set_axis(list(about["ids"] or frame.index), axis=0)
        return Rows(file=file, X=matrix, metric=options.metric, columns=uses.names(file),
                    notes=uses.notes, **about)  # fmt: skip
    if text is not None or options.metric in EDIT_DISTANCES:
        return _of_text(file, text or _only(file, features, options), uses, options)
    preparation: Preparation
    if options.metric == "mixed":
        kinds = {**dict.fromkeys(uses.categorical, "category"), **options.kinds}
        preparation = TypedColumns(
            features, kinds=kinds, date_format=getattr(options, "date_format", None), file=kept
        )
        X = table = preparation.fit_transform(frame)
        kinds = {title(file, name): kind_of(table[name]) for name in features}
        uses.notes += _decided(kinds)
    else:
        preparation = NumberColumns(
            uses.numeric, uses.categorical, standardize=options.standardize,
            impute=options.impute, as_list=options.metric in ARRAYS, file=kept,
        )  # fmt: skip
        X, table, kinds = preparation.fit_transform(frame), preparation.read(frame), {}
        uses.notes += _imputed(table, options)
    uses.notes += doubts(file, table, options)
    names = [title(file, name) for name in features]
    return Rows(
        file=file, X=X, metric=metric_of(options, len(uses.numeric), len(uses.categorical)),
        names=names, table=table.set_axis(names, axis=1), columns=uses.names(file, kinds),
        notes=uses.notes, preparation=preparation, **about,
    )  # fmt: skip


def _only(file: FileRows, features: list[str], options: Namespace) -> str:
    """The column whose texts are compared letter by letter."""
    if len(features) != 1:
        raise DataError(
            f"{file.source}: --metric {options.metric} compares one column of text, and there are "
            f"{len(features)}: {', '.join(map(quoted, features[:12]))}; name it in --columns."
        )
    return features[0]


def _of_text(file: FileRows, column: str, uses: _Uses, options: Namespace) -> Rows:
    """A column by its words, or letter by letter."""
    if first_text(file.values[column]) is None:
        raise DataError(f"{file.source}: column {quoted(column)} holds numbers, not text.")
    words = _word_options(options)
    preparation = TextColumn(column, words=words, file=uses.of_file(file, options))
    name = title(file, column)
    columns = {**uses.names(file), "numeric": [], "text": name}
    X = preparation.fit_transform(file.values)
    about: dict[str, Any] = {"texts": X, "names": [name]}
    if words is not None:
        about = _words(X, preparation.vectorizer_.get_feature_names_out())
    return Rows(file=file, X=X, metric=metric_of(options), columns=columns, notes=uses.notes,
                preparation=preparation, **about, **uses.about_rows(file))  # fmt: skip


def _word_options(options: Namespace) -> dict[str, Any] | None:
    """What the options say of words; None where no words are compared."""
    if getattr(options, "text_column", None) is None:
        return None
    given = {key: getattr(options, key, None) for key in ("stop_words", "min_df", "max_df")}
    return {key: value for key, value in given.items() if value is not None}


def _words(X: Any, names: Any) -> dict[str, Any]:
    from kgroups.answers.characteristic_words import Words

    return {"words": Words(X, lambda column: str(names[column])), "unit": "word"}


def _items(file: FileRows, options: Namespace) -> Rows:
    """Texts, and arrays of numbers or of texts, one in each row."""
    _refuse_columns(file, options, "one item in each row")
    X, more, metric = file.values, {}, options.metric
    if isinstance(X[0], str):
        words = _word_options(options)
        preparation = TextColumn("1", words=words, file={"whole_lines": True})
        with in_words_of(file, advice=True):
            made = preparation.fit_transform(X)
        more = {"texts": X} if words is None else _words(
            made, preparation.vectorizer_.get_feature_names_out()
        )  # fmt: skip
        X, more = made, {**more, "preparation": preparation}
    elif metric == "jaccard":
        from sklearn.preprocessing import MultiLabelBinarizer

        from kgroups.answers.characteristic_words import Words

        X = [frozenset(map(str, item)) for item in X]
        members = MultiLabelBinarizer(sparse_output=True)
        found = csr_array(members.fit_transform(X), dtype=np.float64)
        more = {"words": Words(found, lambda c: str(members.classes_[c])), "unit": "member"}
    elif metric not in ARRAYS:
        raise DataError(
            f"{file.source} holds arrays of different lengths or of texts, which --metric {metric} "
            "does not compare; --metric dtw, samples and jaccard do."
        )
    return Rows(file=file, X=X, metric=metric_of(options), columns=dict(_NO_COLUMNS), **more)


def _sparse(file: FileRows, options: Namespace) -> Rows:
    from kgroups.answers.characteristic_words import Words

    _refuse_columns(file, options, "sparse rows")
    X, metric = file.values, metric_of(options)
    is_matrix = options.metric in MATRICES
    words = None if is_matrix else Words(X, lambda column: f"column {column + 1}")
    return Rows(file=file, X=X, metric=metric, columns=dict(_NO_COLUMNS), words=words)


def _refuse_columns(file: FileRows, options: Namespace, what: str) -> None:
    given = {"--standardize": options.standardize, "--impute": options.impute,
             "--curved": getattr(options, "curved", False),
             "--append": getattr(options, "append", False)}  # fmt: skip
    options_given = [option for option, is_given in given.items() if is_given]
    if named(options) or options_given:
        option = (options_given or ["names of columns"])[0]
        raise DataError(f"{file.source} holds {what}, to which {option} does not apply; omit it.")


def metric_of(options: Namespace, n_numeric: int = 0, n_categorical: int = 0) -> Any:
    """The metric on numeric columns, plus 1 for each category that differs."""
    from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Laplacian, Mixed, by_name

    name = options.metric
    if name in MATRICES:
        return name
    if name == "mixed":
        return Mixed(missing="category" if options.impute else "distribution")
    if n_categorical and not n_numeric:
        return Hamming()
    found: Any
    if options.alpha is not None:
        found = Energy(options.alpha)
    elif name in _TAKES_SIGMA:
        found = (Laplacian if name == "laplacian" else Gaussian)(options.sigma or "median")
    else:
        found = by_name(name)
    if not n_categorical:
        return found
    categorical = list(range(n_numeric, n_numeric + n_categorical))
    # Hamming is a share of its columns; times their number it is the count.
    return ColumnSum([(found, list(range(n_numeric)), 1.0),
                      (Hamming(), categorical, float(n_categorical))])  # fmt: skip


# --- columns ----------------------------------------------------------------------------------


def title(file: FileRows, name: str) -> str:
    """A column as reports name it."""
    return name if file.has_header else f"column {name}"


@dataclass(kw_only=True)
class _Uses:
    """Names of columns by their use."""

    numeric: list[str]
    categorical: list[str]
    label: str | None
    weight: str | None
    id: str | None
    notes: list[str]

    @classmethod
    def of(cls, file: FileRows, options: Namespace) -> _Uses:
        """The columns of a table as the options use them; all others are features."""
        from pandas import RangeIndex

        frame, given = file.values, vars(options)
        check_names(file, [*named(options), *given.get("kinds", {})])
        label, weight, id_column = (given.get(f"{use}_column") for use in ("label", "weight", "id"))
        used = {*options.categorical, *options.drop, label, weight, id_column}
        if id_column is None and _names_rows(file, {*used, *(options.columns or ())}, options):
            id_column = frame.columns[0]
        has_names = id_column is None and not isinstance(frame.index, RangeIndex)
        notes = [f"the first column of {file.source} names the rows and is not used as a feature"]
        notes *= has_names or id_column != given.get("id_column")
        if given.get("text_column") is not None:
            numeric = []
            check_names(file, [options.text_column])
        else:
            wanted = frame.columns if options.columns is None else options.columns
            numeric = [name for name in wanted if name not in {*used, id_column}]
            if not numeric and not options.categorical:
                raise DataError(f"{file.source} has no column left for features.")
        return cls(numeric=numeric, categorical=list(options.categorical), label=label,
                   weight=weight, id=id_column, notes=notes)  # fmt: skip

    def about_rows(self, file: FileRows) -> dict[str, Any]:
        """Weights, known classes and names of the rows."""
        from pandas import RangeIndex

        frame, ids = file.values, None
        if self.id is not None:
            ids = list(as_written(frame[self.id]).fillna(""))
        elif not isinstance(frame.index, RangeIndex):
            ids = list(map(str, frame.index))
        return {
            "weights": None if self.weight is None else _weights(file, self.weight),
            "labels": None if self.label is None else codes_of(file, self.label)[1],
            "ids": ids,
            "id_name": self.id if self.id is not None and file.has_header else "id",
        }

    def names(self, file: FileRows, kinds: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The columns by their use, as JSON has them."""
        used = {*self.numeric, *self.categorical, self.label, self.weight, self.id}
        gaps = {n: int(file.values[n].isna().sum()) for n in (*self.numeric, *self.categorical)}
        others = [] if kinds is None else [n for n, kind in kinds.items() if kind in _CODED]
        return {
            "numeric": [title(file, n) for n in self.numeric if title(file, n) not in others],
            "categorical": [*(title(file, name) for name in self.categorical), *others],
            "text": None,
            **{use: None if (name := getattr(self, use)) is None else title(file, name)
               for use in ("label", "weight", "id")},
            "dropped": [title(file, name) for name in file.values if name not in used],
            "kinds": dict(kinds or {}),
            "n_missing": {title(file, name): n for name, n in gaps.items() if n},
        }  # fmt: skip

    def of_file(self, file: FileRows, options: Namespace) -> dict[str, Any]:
        """How the file was read, for files of new rows."""
        return {
            "as_text": _as_text(options), "na_values": list(options.na_values),
            "whole_lines": _whole_lines(options), "id_column": self.id,
            "names": list(file.values.columns),
        }  # fmt: skip


def _names_rows(file: FileRows, used: set[str | None], options: Namespace) -> bool:
    """Whether the first column, of text next to a square matrix, names the rows."""
    frame = file.values
    first = frame.columns[0]
    is_wide = options.metric in MATRICES and len(frame.columns) == len(frame) + 1
    return is_wide and first not in used and first_text(frame[first]) is not None


def check_names(file: FileRows, names: Sequence[str]) -> None:
    """DataError for the first name that no column has."""
    known = list(file.values.columns)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) if file.has_header else " It has no header."
            raise DataError(
                f"{file.source} has no column {quoted(name)}.{hint} Its columns are: "
                f"{', '.join(map(quoted, known[:12]))}{', …' * (len(known) > 12)}."
            )


def codes_of(file: FileRows, column: str) -> tuple[list[str], IntArray]:
    """The different values of a column as text, in order, and which of them each row has."""
    texts = as_written(file.values[column])
    gaps = texts.isna().to_numpy()
    if gaps.any():
        raise DataError(
            f"{file.source}, {file.where(int(gaps.argmax()))}: column {quoted(column)} is missing "
            f"({int(gaps.sum()):,} of {len(texts):,}); write a value, or remove those rows."
        )
    levels = levels_of(texts)
    places = {level: code for code, level in enumerate(levels)}
    return levels, np.array([places[text] for text in texts], np.int64)


def _weights(file: FileRows, column: str) -> Float64Array:
    values = file.values[column]
    if (place := first_text(values)) is not None:
        raise DataError(
            f"{file.source} holds text where weights are needed: column {quoted(column)}, "
            f"{file.where(place.row)}: {quoted(place.value)}."
        )
    weights = numbers_of(values)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any() or not weights.any():
        row = int(bad.argmax())
        raise DataError(
            f"{file.source}, {file.where(row)}: weight {quoted(column)} is {weights[row]:g}; "
            "weights must be finite, not negative, and not all 0."
        )
    return weights


def kind_of(column: Series) -> str:
    """What a typed column holds."""
    if hasattr(column.dtype, "ordered"):
        return "ordered"
    kind = column.dtype.kind
    return {"b": "boolean", "M": "date", "m": "duration", "O": "category"}.get(kind, "number")


# --- notes ------------------------------------------------------------------------------------


def _decided(kinds: Mapping[str, str]) -> list[str]:
    """How columns are compared."""
    found = [
        f"{how} {', '.join(quoted(name) for name, kind in kinds.items() if kind == one)}"
        for one, how in _COMPARED.items() if one in kinds.values()
    ]  # fmt: skip
    return [f"compared {'; '.join(found)}"] if found else []


def _imputed(table: DataFrame, options: Namespace) -> list[str]:
    gaps = table.isna().sum()
    counts = ", ".join(f"{name}: {n}" for name, n in gaps[gaps > 0].items())
    how = ", ".join(options.impute)
    return [f"missing values replaced ({how}) in {counts}"] if counts else []


def doubts(file: FileRows, table: DataFrame, options: Namespace) -> list[str]:
    """What may be meant otherwise: columns that count rows, decide alone, or hold -999."""
    numeric = [name for name in table if kind_of(table[name]) == "number"]
    notes, variances = [], []
    values = table[numeric].to_numpy(np.float64, na_value=np.nan)
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    for name, column in zip(numeric, values.T, strict=True):
        drop = shlex.quote(name)
        found = looks_like(column, name if file.has_header else None) if len(numeric) > 1 else None
        if found is not None:
            notes.append(f"column {quoted(name)} looks like {found}; --drop {drop} leaves it out")
        if name == "cluster":
            notes.append("column 'cluster' is used as a feature; --drop cluster leaves it out")
        notes += _sentinels(name, column)
        variances.append(float(np.nanvar(column / largest)))
    if len(numeric) < 2 or options.standardize or options.metric in UNSCALED or not any(variances):
        return notes
    share, name = max(zip(variances, numeric, strict=True))
    share /= sum(variances)
    return [*notes, *([] if share < _DOMINATING else [
        f"column {quoted(name)} has {share:.1%} of the variance, so it decides nearly all "
        "distances; --standardize gives all columns the same weight"
    ])]  # fmt: skip


def _sentinels(name: str, values: Float64Array) -> list[str]:
    """A note on a number of nines in several rows that is far from all others of its column."""
    notes = []
    for size in (999.0, 9999.0, 99999.0, 99.0, 9.0):
        for value in (-size, size):
            others = values[np.isfinite(values) & (values != value)]
            n = len(values) - len(others) - int((~np.isfinite(values)).sum())
            if n < 2 or len(others) < 2:
                continue
            if np.abs(others - value).min() > (3 if size == 9 else 1) * np.ptp(others):
                notes.append(
                    f"column {quoted(name)} is {value:.0f} in {n:,} rows, far from all others; "
                    f"--na-values {value:.0f} takes it for missing"
                )
    return notes
