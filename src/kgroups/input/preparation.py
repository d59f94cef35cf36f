"""Columns of a table as the rows that an estimator takes: made at the fit, and for new rows.

A fitted preparation is kept with its model as ``preparation_``, so that a frame of new rows has
its columns as they were in the table of the fit, in any order and next to others.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from kgroups.text import did_you_mean, quoted

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# More columns would hide what is said about the first ones.
_SHOWN = 3
_FOUND = {
    "text": "text where numbers are needed",
    "missing": "no value where one is needed",
    "infinite": "an infinite number",
    "dates": "dates whose day and month could be exchanged",
    "no date": "text that is not a date",
    "no number": "text that is not a number",
    "level": "a level that has no place in the order",
    "words": "no word that the fit knows",
}
# Ways to write a day, of which at most one may read a column.
_DAYS_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_DAY = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?")
_TAG = re.compile(r"<[/!?]?[a-zA-Z-][^<>]*>|&(?:nbsp|amp|lt|gt|quot|#\d+);")


class Place(NamedTuple):
    """A value, its column and its row from 0."""

    column: str
    row: int
    value: Any


class ColumnError(ValueError):
    """What columns hold that cannot be used, and where."""

    def __init__(self, kind: str, places: Sequence[Place], count: int | None = None) -> None:
        self.kind, self.places = kind, list(places)
        self.count = len(self.places) if count is None else count
        super().__init__(f"X holds {self.told(lambda row: f'row {row}')}")

    def told(self, where: Callable[[int], str]) -> str:
        """What was found; ``where`` names a row."""
        found = [
            f"column {quoted(place.column)}, {where(place.row)}"
            + (f": {quoted(place.value)}" if isinstance(place.value, str) else "")
            for place in self.places[:_SHOWN]
        ]
        more = self.count - len(found)
        return f"{_FOUND[self.kind]}: {'; '.join(found)}{f' and {more:,} more' if more else ''}"


class Preparation(BaseEstimator):
    """What makes rows of the columns of a frame; ``columns`` are those that it reads.

    ``file`` says how a file was read: names of columns that stay as written, and the like.
    """

    columns: Sequence[str]
    file: Mapping[str, Any]

    def reads(self, X: Any) -> bool:
        """Whether X is to be prepared: a frame; anything else is rows as they are after it."""
        return hasattr(X, "columns")

    def chosen(self, X: Any) -> DataFrame:
        """The columns of the fit, by their names; ValueError that names those that X lacks."""
        if not hasattr(X, "iloc"):
            import narwhals

            X = narwhals.from_native(X).to_pandas()
        lacking = [name for name in self.columns if name not in X.columns]
        if lacking:
            hint = did_you_mean(lacking[0], map(str, X.columns))
            raise ValueError(
                f"X lacks the column{'s' * (len(lacking) > 1)} {', '.join(map(quoted, lacking))}, "
                f"which the fit has used.{hint} Its columns are "
                f"{', '.join(map(quoted, X.columns[:12]))}."
            )
        return X[list(self.columns)].reset_index(drop=True)


def prepared(estimator: Any, X: Any) -> Any:
    """New rows as those of the fit were prepared, where a model knows how and X is a frame."""
    preparation = vars(estimator).get("preparation_")
    return X if preparation is None or not preparation.reads(X) else preparation.transform(X)


class NumberColumns(Preparation):
    """Columns of numbers, followed by the codes of columns of categories.

    Numbers may be imputed ("mean", "most-frequent") and standardized, by the population standard
    deviation; missing categories may be one of their own ("category"). With ``as_list`` each row is
    an item, such as a series.
    """

    def __init__(
        self,
        numbers: Sequence[str],
        categories: Sequence[str] = (),
        *,
        standardize: bool = False,
        impute: Sequence[str] = (),
        as_list: bool = False,
        file: Mapping[str, Any] | None = None,
    ) -> None:
        self.numbers, self.categories = list(numbers), list(categories)
        self.columns = [*self.numbers, *self.categories]
        self.standardize, self.impute, self.as_list = standardize, list(impute), as_list
        self.file = file or {}

    def fit_transform(self, frame: DataFrame) -> Any:
        """The rows of the fit."""
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OrdinalEncoder, StandardScaler

        numbers: list[Any] = []
        if self._fills:
            strategy = "mean" if "mean" in self.impute else "most_frequent"
            numbers.append(SimpleImputer(strategy=strategy))
        numbers += [StandardScaler()] * self.standardize
        encoder = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1
        )
        most = SimpleImputer(strategy="most_frequent")
        most_frequent = "most-frequent" in self.impute and "category" not in self.impute
        parts = [
            ("numbers", make_pipeline(*numbers) if numbers else "passthrough", self.numbers),
            ("categories", make_pipeline(most, encoder) if most_frequent else encoder,
             self.categories),
        ]  # fmt: skip
        self.steps_ = ColumnTransformer([part for part in parts if part[2]])
        return self._rows(self.steps_.fit_transform(self.read(frame)))

    def transform(self, X: Any) -> Any:
        """New rows; a category that the fit did not have differs from all that it had."""
        frame = self.read(X)
        self._warn_of_strangers(frame)
        return self._rows(self.steps_.transform(frame))

    @property
    def _fills(self) -> bool:
        return "mean" in self.impute or "most-frequent" in self.impute

    def read(self, X: Any) -> DataFrame:
        """The columns as numbers and as text; ColumnError for what is neither, or missing."""
        frame = self.chosen(X)
        text = [place for name in self.numbers if (place := first_text(frame[name])) is not None]
        if text:
            raise ColumnError("text", text)
        for name in self.numbers:
            if frame[name].dtype != np.float64:
                frame[name] = numbers_of(frame[name])
        for name in self.categories:
            frame[name] = as_written(frame[name])
        values = frame[self.numbers].to_numpy()
        if len(self.numbers) and not np.isfinite(values.sum()):
            self._check(frame, self.numbers, "infinite", np.isinf(values))
            if not self._fills:
                self._check(frame, self.numbers, "missing", np.isnan(values))
        if not {"category", "most-frequent"} & {*self.impute}:
            gaps = frame[self.categories].isna().to_numpy()
            self._check(frame, self.categories, "missing", gaps)
        return frame

    @staticmethod
    def _check(frame: DataFrame, names: list[str], kind: str, bad: NDArray[np.bool_]) -> None:
        columns = np.flatnonzero(bad.any(axis=0)).tolist()
        places = [
            Place(names[c], row, frame[names[c]].iloc[row])
            for c in columns[:_SHOWN]
            for row in (int(bad[:, c].argmax()),)
        ]
        if places:
            raise ColumnError(kind, places, int(bad.sum()))

    def _warn_of_strangers(self, frame: DataFrame) -> None:
        if not self.categories:
            return
        encoder = self.steps_.named_transformers_["categories"]
        known = (encoder[-1] if hasattr(encoder, "steps") else encoder).categories_
        for name, categories in zip(self.categories, known, strict=True):
            values = frame[name]
            is_new = values.notna() & ~values.isin(list(categories))
            if is_new.any():
                warnings.warn(
                    f"{int(is_new.sum()):,} rows have a category in column {quoted(name)} that the "
                    f"fit did not have, such as {quoted(values[is_new].iloc[0])}; it differs from "
                    "all others.",
                    UserWarning,
                    stacklevel=3,
                )

    def _rows(self, made: Any) -> Any:
        rows = np.ascontiguousarray(made, np.float64)
        return list(rows) if self.as_list else rows


class TextColumn(Preparation):
    """A column of text: its words as sparse rows, or a list of its texts as they are."""

    def __init__(
        self,
        column: str,
        *,
        words: Mapping[str, Any] | None = None,
        file: Mapping[str, Any] | None = None,
    ) -> None:
        self.column, self.columns, self.words = column, [column], words
        self.file = file or {}

    def reads(self, X: Any) -> bool:
        """A frame; where words are compared, also a list of texts."""
        return super().reads(X) or (
            self.words is not None and isinstance(X, list) and all(isinstance(x, str) for x in X)
        )

    def fit_transform(self, X: Any) -> Any:
        """The rows of the fit."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = self.texts(X)
        if self.words is None:
            return texts
        self.vectorizer_ = TfidfVectorizer(sublinear_tf=True, **self.words)
        self.vectorizer_.fit(list(map(without_marks, texts)))
        return self._words_of(texts)

    def transform(self, X: Any) -> Any:
        """New rows, by the words of the fit and their weights there."""
        texts = self.texts(X)
        return texts if self.words is None else self._words_of(texts)

    def texts(self, X: Any) -> list[str]:
        """The texts; ColumnError where one is missing."""
        if isinstance(X, list):
            return X
        found = as_written(self.chosen(X)[self.column])
        gaps = found.isna().to_numpy()
        if gaps.any():
            place = Place(self.column, int(gaps.argmax()), None)
            raise ColumnError("missing", [place], int(gaps.sum()))
        return list(found)

    def _words_of(self, texts: list[str]) -> Any:
        from scipy.sparse import csr_array

        rows = csr_array(self.vectorizer_.transform(map(without_marks, texts)))
        empty = np.flatnonzero(np.diff(rows.indptr) == 0)
        if empty.size:
            row = int(empty[0])
            raise ColumnError("words", [Place(self.column, row, texts[row])], empty.size)
        return rows


class TypedColumns(Preparation):
    """Columns by their types, for ``metric="mixed"``.

    ``kinds`` says what some hold: number, category, ordered, boolean, date, or the levels of an
    ordered column with < between them. Days that are not written as in ISO 8601 are dates where
    only one order of day and month can be meant, or as ``date_format`` says.
    """

    def __init__(
        self,
        columns: Sequence[str],
        *,
        kinds: Mapping[str, str] | None = None,
        date_format: str | None = None,
        file: Mapping[str, Any] | None = None,
    ) -> None:
        self.columns, self.kinds, self.date_format = list(columns), dict(kinds or {}), date_format
        self.file = file or {}

    def fit_transform(self, frame: DataFrame) -> DataFrame:
        """The rows of the fit."""
        self.levels_: dict[str, list[str]] = {}
        self.dates_: dict[str, str] = {}
        return self.transform(frame)

    def transform(self, X: Any) -> DataFrame:
        """A frame whose columns have the types that say how they are compared."""
        frame = self.chosen(X)
        for name in self.columns:
            frame[name] = self._typed(frame[name], self.kinds.get(name, ""))
        return frame

    def _typed(self, column: Series, kind: str) -> Any:
        import pandas as pd

        name = str(column.name)
        if kind == "number":
            made = pd.to_numeric(column, errors="coerce").astype(np.float64)
            return _all_read(column, made, "no number")
        if kind in ("category", "boolean"):
            return as_written(column)
        if kind == "ordered" or "<" in kind:
            texts = as_written(column)
            if name not in self.levels_:
                given = [level.strip() for level in kind.split("<")] if "<" in kind else None
                self.levels_[name] = given or levels_of(texts)
            made = pd.Categorical(texts, self.levels_[name], ordered=True)
            return _all_read(column, pd.Series(made), "level")
        is_text = column.dtype == object or isinstance(column.dtype, pd.StringDtype)
        if not is_text:
            return column
        if kind == "date" or name in self.dates_:
            self.dates_.setdefault(name, self.date_format or _pattern(column) or "ISO8601")
            return _all_read(column, _parsed(column, self.dates_[name]), "no date")
        pattern = _pattern(column)
        if pattern is not None:
            self.dates_[name] = pattern
            return _parsed(column, pattern)
        return column.astype(object).where(column.notna(), None)


def _pattern(column: Series) -> str | None:
    """How the days of a column of text are written; None if they are none.

    ColumnError where day and month could be exchanged.
    """
    values = [value for value in column.dropna().unique() if isinstance(value, str)]
    if not values or len(values) < column.nunique():
        return None
    if all(map(_ISO.fullmatch, values)):
        return "ISO8601"
    if not all(map(_DAY.fullmatch, values)):
        return None
    import pandas as pd

    fitting = [
        pattern for pattern in _DAYS_FIRST
        if pd.to_datetime(pd.Series(values), format=pattern, errors="coerce").notna().all()
    ]  # fmt: skip
    if len(fitting) > 1:
        row = int(column.notna().to_numpy().argmax())
        raise ColumnError("dates", [Place(str(column.name), row, column.iloc[row])])
    return fitting[0] if fitting else None


def _parsed(column: Series, pattern: str) -> Series:
    import pandas as pd

    return pd.to_datetime(column, format=pattern, errors="coerce", utc=_has_zone(column))


def _has_zone(column: Series) -> bool:
    first = column.dropna()
    return bool(len(first)) and re.search(r"(Z|[+-]\d\d:?\d\d)$", str(first.iloc[0])) is not None


def _all_read(column: Series, made: Series, kind: str) -> Series:
    """The values made of a column; ColumnError for the first that could not be made."""
    lost = (made.isna() & column.notna()).to_numpy()
    if lost.any():
        row = int(lost.argmax())
        raise ColumnError(kind, [Place(str(column.name), row, column.iloc[row])], int(lost.sum()))
    return made


def levels_of(texts: Series) -> list[str]:
    """The different texts, numbers by size."""
    import pandas as pd

    found = pd.Series(sorted(texts.dropna().unique()), dtype=object)
    sizes = pd.to_numeric(found, errors="coerce")
    return list(found if sizes.isna().any() else found[sizes.argsort(kind="stable")])


def numbers_of(column: Series) -> NDArray[np.float64]:
    """A column of numbers or truth values with NaN for gaps."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return np.asarray(column.to_numpy(np.float64, na_value=np.nan))
    return np.asarray(pd.to_numeric(column).to_numpy(np.float64))


def first_text(column: Series) -> Place | None:
    """The first value of a column that is no number; None if there is none.

    Text of digits is text, but what cannot be read as a number says more.
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return None
    numbers = pd.to_numeric(column, errors="coerce")
    is_text = np.asarray(column.notna() & numbers.isna())
    if column.dtype.kind in "mM":
        is_text = np.asarray(column.notna())
    elif not is_text.any():
        is_text = np.array([isinstance(value, str) for value in column])
    if not is_text.any():
        return None
    row = int(is_text.argmax())
    return Place(str(column.name), row, column.iloc[row])


def as_written(column: Series) -> Series:
    """The values of a column as text, whole numbers without a point; None where missing."""
    import pandas as pd

    if pd.api.types.is_float_dtype(column):
        made = column.map(lambda value: repr(float(value)).removesuffix(".0"), na_action="ignore")
    elif column.dtype.kind in "mM":
        made = column.astype(str)
    else:
        made = column.astype(object).map(str, na_action="ignore")
    return made.astype(object).where(column.notna(), None)


def without_marks(text: str) -> str:
    """A text without marks of HTML."""
    return _TAG.sub(" ", text)
