"""Columns of a table as the rows that an estimator takes, at the fit and for new rows.

A fitted preparation is kept with its model as ``preparation_``, so that a frame of new rows has its
columns as they were in the table of the fit, in any order and next to others.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgroups.text import did_you_mean, quoted
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# More columns would hide the first ones.
_SHOWN = 3
_FOUND = {
    "text": "text where numbers are needed",
    "missing": "missing values",
    "infinite": "infinite numbers",
    "dates": "dates whose day and month could be exchanged",
    "no date": "text that is not a date",
    "no number": "text that is not a number",
    "odd": "text in a column whose other values are numbers or dates",
    "level": "a level that has no place in the order",
    "words": "texts without a word that is compared",
}
# Ways to write a day, of which at most one may read a column.
_DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_ISO_DAY = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
_DAY = r"\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
_MARK = re.compile(r"<[/!?]?[a-zA-Z-][^<>]*>|&(?:\w{2,8}|#\d+);")


class Place(NamedTuple):
    """A value, its column and its row from 0."""

    column: str
    row: int
    value: Any


class ColumnError(ValueError):
    """What columns hold that cannot be used, the first places, and how many values are so."""

    def __init__(self, kind: str, places: Sequence[Place], count: int) -> None:
        self.kind, self.places, self.count = kind, list(places)[:_SHOWN], count
        super().__init__(f"X holds {self.described(lambda row: f'row {row}')}")

    def described(self, where: Callable[[int], str]) -> str:
        """What was found; ``where`` names a row."""
        found = [
            f"column {quoted(place.column)}, {where(place.row)}"
            + (f": {quoted(place.value)}" if isinstance(place.value, str) else "")
            for place in self.places
        ]
        more = self.count - len(found)
        return f"{_FOUND[self.kind]}: {'; '.join(found)}{f' and {more:,} more' if more else ''}"


class Preparation:
    """What makes rows of the columns of a frame; ``columns`` are those that it reads.

    ``file`` says how a file was read: names of columns that stay as written, and the like.
    """

    columns: list[str]
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
            raise ValueError(
                f"X lacks the column{'s' * (len(lacking) > 1)} {', '.join(map(quoted, lacking))}, "
                f"which the fit has used.{did_you_mean(lacking[0], map(str, X.columns))} Its "
                f"columns are {', '.join(map(quoted, X.columns[:12]))}."
            )
        return X[self.columns].reset_index(drop=True)


def prepared(estimator: Any, X: Any) -> Any:
    """New rows as those of the fit were prepared, where a model knows how and X is a frame."""
    preparation = vars(estimator).get("preparation_")
    if isinstance(preparation, Preparation):
        is_read = preparation.reads(X)
    else:  # one of scikit-learn's
        is_read = preparation is not None and hasattr(X, "columns")
    if not is_read and getattr(preparation, "steps_", None) is not None:
        warnings.warn(
            "X has no names of columns, so its entries count as standardized, filled and coded "
            "already, as preparation_ does it; a frame with the columns of the fit is prepared.",
            UserWarning,
            stacklevel=3,
        )
    return preparation.transform(X) if is_read else X


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
        return self.fit_read(self.read(frame))

    def fit_read(self, frame: DataFrame) -> Any:
        """The same of what :meth:`read` has made."""
        self.steps_ = None
        if self.impute or self.standardize or self.categories:
            self.steps_ = self._steps()
        return self._rows(frame if self.steps_ is None else self.steps_.fit_transform(frame))

    def _steps(self) -> Any:
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler

        most = [SimpleImputer(strategy="most_frequent")] * ("most-frequent" in self.impute)
        encoder = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1
        )
        of_numbers = [SimpleImputer()] if "mean" in self.impute else most
        of_numbers = [*of_numbers, *([StandardScaler()] * self.standardize)]
        of_categories = [encoder] if "category" in self.impute else [*most, encoder]
        parts = {
            "numbers": (of_numbers or [FunctionTransformer()], self.numbers),
            "categories": (of_categories, self.categories),
        }
        return ColumnTransformer(
            [(name, make_pipeline(*steps), some) for name, (steps, some) in parts.items() if some]
        )

    def transform(self, X: Any) -> Any:
        """New rows; a category that the fit did not have differs from all that it had."""
        frame = self.read(X)
        made = frame.to_numpy() if self.steps_ is None else self.steps_.transform(frame)
        for place, name in enumerate(self.categories, len(self.numbers)):
            new = np.flatnonzero(made[:, place] == -2)
            if new.size:
                warnings.warn(
                    f"{new.size:,} rows have a category in column {quoted(name)} that the fit did "
                    f"not have, such as {quoted(frame[name].iloc[new[0]])}, which differs from all "
                    "that it had.",
                    UserWarning,
                    stacklevel=2,
                )
        return self._rows(made)

    def read(self, X: Any) -> DataFrame:
        """The columns as numbers and as text; ColumnError for what is neither, or missing."""
        frame = self.chosen(X)
        text = [place for name in self.numbers if (place := first_text(frame[name])) is not None]
        if text:
            raise ColumnError("text", text, len(text))
        frame = frame.assign(
            **{name: numbers_of(frame[name]) for name in self.numbers},
            **{name: as_written(frame[name]) for name in self.categories},
        )
        filling = {"most-frequent", "mean"}, {"most-frequent", "category"}
        for name, column in frame.items():
            if name in self.numbers:
                _refuse("infinite", column, np.isinf(column))
            is_filled = filling[name in self.categories] & {*self.impute}
            if not is_filled or (column.isna().all() and not hasattr(self, "steps_")):
                _refuse("missing", column, column.isna())
        return frame

    def filled(self, frame: DataFrame) -> DataFrame:
        """What :meth:`read` made, with what stands for gaps but for those that are a category."""
        if "mean" in self.impute:
            frame = frame.fillna(frame[self.numbers].mean())
        if "most-frequent" not in self.impute:
            return frame
        most = frame[self.numbers] if "category" in self.impute else frame
        return frame.fillna(most.mode().iloc[0])

    def _rows(self, made: Any) -> Any:
        rows = np.ascontiguousarray(made, np.float64)
        return list(rows) if self.as_list else rows


class TextColumn(Preparation):
    """A column of text: its words as sparse rows by TF-IDF, or a list of its texts as they are."""

    def __init__(
        self,
        column: str,
        *,
        words: Mapping[str, Any] | None = None,
        file: Mapping[str, Any] | None = None,
    ) -> None:
        self.columns, self.words, self.file = [column], words, file or {}

    def reads(self, X: Any) -> bool:
        """A frame; where words are compared, also a list of texts."""
        return super().reads(X) or (
            self.words is not None and isinstance(X, list) and all(isinstance(x, str) for x in X)
        )

    def fit_transform(self, X: Any) -> Any:
        """The rows of the fit."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        if self.words is not None:
            self.vectorizer_ = TfidfVectorizer(sublinear_tf=True, **self.words)
            self.vectorizer_.fit([_MARK.sub(" ", text) for text in self._texts(X)])
        return self.transform(X)

    def transform(self, X: Any) -> Any:
        """New rows, by the words of the fit and their weights there."""
        from scipy.sparse import csr_array

        texts = self._texts(X)
        if self.words is None:
            return texts
        rows = csr_array(self.vectorizer_.transform([_MARK.sub(" ", text) for text in texts]))
        empty = np.flatnonzero(np.diff(rows.indptr) == 0)
        if empty.size:
            place = Place(self.columns[0], int(empty[0]), texts[empty[0]])
            raise ColumnError("words", [place], empty.size)
        return rows

    def _texts(self, X: Any) -> list[str]:
        if isinstance(X, list):
            return X
        texts = as_written(self.chosen(X)[self.columns[0]])
        _refuse("missing", texts, texts.isna())
        return list(texts)


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
        for name, column in self.chosen(frame).items():
            kind = self.kinds.get(name, "")
            if kind == "ordered":
                known: Any = column.dtype  # a file may declare the order
                is_known = getattr(known, "ordered", False)
                found = as_written(column)
                self.levels_[name] = [*map(str, known.categories)] if is_known else levels_of(found)
            elif "<" in kind:
                self.levels_[name] = [level.strip() for level in kind.split("<")]
            elif kind in ("", "date") and _is_text(column):
                found = _pattern(column, self.date_format) or ("ISO8601" if kind else None)
                if found:
                    self.dates_[name] = found
                else:
                    _refuse("odd", column, _odd(column))
        return self.transform(frame)

    def transform(self, X: Any) -> DataFrame:
        """A frame whose columns have the types that say how they are compared."""
        frame = self.chosen(X)
        return frame.assign(**{name: self._typed(name, column) for name, column in frame.items()})

    def _typed(self, name: str, column: Series) -> Any:
        import pandas as pd

        kind, made = self.kinds.get(name, ""), column
        if name in self.levels_:
            made = pd.Series(pd.Categorical(as_written(column), self.levels_[name], ordered=True))
            _refuse("level", column, made.isna() & column.notna())
        elif kind == "number":
            made = pd.to_numeric(column, errors="coerce").astype(np.float64)
            _refuse("no number", column, made.isna() & column.notna())
        elif kind in ("category", "boolean"):
            made = as_written(column)
        elif name in self.dates_ and _is_text(column):
            made = pd.to_datetime(column, format=self.dates_[name], errors="coerce", utc=True)
            _refuse("no date", column, made.isna() & column.notna())
        elif _is_text(column):
            made = column.astype(object).where(column.notna(), None)
        if made.dtype.kind == "M" and made.dt.tz is not None:
            made = made.dt.tz_convert("UTC").dt.tz_localize(None)
        return made


def _pattern(column: Series, known: str | None) -> str | None:
    """How the days of a column of text are written, as it is known or found; None if they are none.

    ColumnError where day and month could be exchanged.
    """
    import pandas as pd

    values = pd.Series(column.dropna().unique(), dtype=object)
    if not len(values) or not values.map(type).eq(str).all():
        return None
    if known and pd.to_datetime(values, format=known, errors="coerce").notna().all():
        return known
    if not values.str.fullmatch(_DAY).all():
        return None
    fitting = [p for p in _DAYS if pd.to_datetime(values, format=p, errors="coerce").notna().all()]
    if len(fitting) > 1:
        _refuse("dates", column, column.notna())
    return fitting[0] if fitting else None


def _odd(column: Series) -> Any:
    """Which values of a column are not what most of it is, if that is numbers or days.

    A number that is not read as one, such as 1,234.5, is odd, too.
    """
    import pandas as pd

    from kgroups.input.text_files import MISSING, is_number

    texts = column.dropna().astype(str).str.strip()
    texts = texts[~texts.isin(MISSING)]
    for some in (texts.iloc[:1000], texts):  # most columns are text, as their first rows show
        numbers = some.map(is_number)
        kinds = [numbers, some.str.match(_ISO_DAY), some.str.fullmatch(_DAY)]
        usual = max(kinds, key=np.count_nonzero)
        if 2 * np.count_nonzero(usual) <= len(some):
            return np.zeros(len(column), bool)
    unread = numbers & pd.to_numeric(texts, errors="coerce").isna()
    odd = unread if usual.all() else ~usual
    return odd.reindex(column.index, fill_value=False)


def _refuse(kind: str, column: Series, bad: Any) -> None:
    """ColumnError if some values are bad."""
    rows = np.flatnonzero(bad)
    if rows.size:
        place = Place(str(column.name), int(rows[0]), column.iloc[rows[0]])
        raise ColumnError(kind, [place], rows.size)


def _is_text(column: Series) -> bool:
    import pandas as pd

    return column.dtype == object or isinstance(column.dtype, pd.StringDtype)


def numbers_of(column: Series) -> Float64Array:
    """A column of numbers or truth values with NaN for gaps."""
    import pandas as pd

    if column.dtype.kind in "mM":  # without a single day, or it would be text
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(column):
        column = pd.to_numeric(column)
    return np.asarray(column.to_numpy(np.float64, na_value=np.nan))


def first_text(column: Series) -> Place | None:
    """The first value of a column that is no number; None if there is none.

    Text of digits is text, but what cannot be read as a number says more.
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return None
    from kgroups.input.text_files import is_number

    is_text = np.asarray(column.notna() & pd.to_numeric(column, errors="coerce").isna())
    if column.dtype.kind in "mM":
        is_text = np.asarray(column.notna())
    elif not is_text.any():
        is_text = np.array([isinstance(value, str) for value in column])
    row = int(is_text.argmax())
    if is_text.any() and is_number(str(column.iloc[row])):  # perhaps with a decimal comma
        others = (int(i) for i in np.flatnonzero(is_text) if not is_number(str(column.iloc[i])))
        row = next(others, row)
    return Place(str(column.name), row, str(column.iloc[row])) if is_text.any() else None


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


def levels_of(texts: Series) -> list[str]:
    """The different texts of a column, those of numbers by size."""
    import pandas as pd

    found = pd.Series(sorted(texts.dropna().unique()), dtype=object)
    sizes = pd.to_numeric(found, errors="coerce")
    return list(found if sizes.isna().any() else found[sizes.argsort(kind="stable")])
