"""Text with delimiters, read by pandas: delimiter, header, decimal mark and encoding are found."""

import bz2
import csv
import gzip
import lzma
import re
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, Any, Literal
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from kgroups.exceptions import DataError
from kgroups.runtime.memory import require
from kgroups.text import counted, quoted, short
from kgroups.typing import Float64Array

#: Fields that stand for a missing value: those of pandas, and ?.
MISSING = frozenset(
    {"", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-nan", "-NaN", "NULL", "null",
     "None", "?"}
)  # fmt: skip
#: What separates fields; if the lines split alike by several of them, the first is taken.
DELIMITERS = ",\t;|"
Decimal = Literal[".", ","]

_AT_ONCE, _LINES, _LONGEST_LINE, _MOST_COLUMNS = 1 << 20, 50, 1 << 25, 100_000
# What may be unpacked from however few bytes, and how many times their size it may be above that.
UNPACKED, MOST_TIMES = 1 << 26, 100
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_BLANKS = " '\u00a0\u2009\u202f\u2019"
_NUMBER = re.compile(rf"[+-]?((\d[\d.,{_BLANKS}]*|[.,]\d+){_EXPONENT}|(?i:inf|infinity|nan))")
_DIRECTIVE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
# Since version 3, pandas reads numbers as Python does, and text as it is written.
_OLD: Any = {"float_precision": "round_trip", "low_memory": False}
_OPTIONS: Any = _OLD if int(pd.__version__.partition(".")[0]) < 3 else {}


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """What is known of a text file; None is found out from the file."""

    delimiter: str | None = None
    decimal: Decimal | None = None
    #: Further fields that stand for a missing value.
    na_values: tuple[str, ...] = ()
    encoding: str | None = None
    #: Lines of the file that are not read, counted from 1; rows of a sheet.
    skip_lines: tuple[int, ...] = ()
    #: Whether the first line names the columns.
    header: bool | None = None


AS_FOUND = TextFormat()

# What libraries raise for damaged files.
_ERRORS = (
    ValueError, TypeError, LookupError, ArithmeticError, OSError, EOFError, ImportError,
    MemoryError, RecursionError, csv.Error, lzma.LZMAError, zlib.error, BadZipFile,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TextFound:
    """How a text file was read, as far as it is not the same for all of them."""

    #: None where there is none, as in a spreadsheet.
    delimiter: str | None
    encoding: str | None
    decimal: Decimal | None
    na_values: tuple[str, ...]
    skip_lines: tuple[int, ...] = ()
    #: Names of the columns that were found to have decimal commas.
    decimal_commas: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was found, as JSON has it."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


@dataclass(frozen=True, kw_only=True)
class FileRows:
    """What a file holds."""

    #: A frame, with names of rows as its index; a csr_array; or a list of texts or of arrays.
    values: Any
    #: How messages name the file.
    source: str
    has_header: bool
    #: How a text file was read.
    text: TextFound | None = None
    #: Guesses about the file that may be wrong.
    notes: tuple[str, ...] = ()
    #: SHA-256 of the bytes of the file, if it was asked for.
    sha256: str | None = None
    #: The line of a row, or its number in a sheet, and what that is called.
    line: Callable[[int], int] | None = None
    counted: str = "line"

    def where(self, row: int) -> str:
        """A row, counted from 0, as messages name it."""
        return f"row {row + 1}" if self.line is None else f"{self.counted} {self.line(row)}"


@contextmanager
def errors_named(source: str) -> Iterator[None]:
    """Errors of libraries that read a file as DataError, with its name in front."""
    try:
        yield
    except _ERRORS as error:
        raise DataError(f"{source}: {short(error, 300).rstrip('.')}.") from error


# --- bytes -----------------------------------------------------------------------------------


def source_of(path: str | Path) -> str:
    """How messages name a file."""
    return "standard input" if str(path) == "-" else str(path)


def given_by(path: str | Path) -> Path | bytes:
    """The path of a file, or all of standard input; DataError for what is no file."""
    if str(path) == "-":
        return _all(sys.stdin.buffer, source_of(path))
    path = Path(path)
    if not path.is_file():  # a pipe or a device may never end
        found = "a folder" if path.is_dir() else "not a file" if path.exists() else "not there"
        raise DataError(f"{path} is {found}.")
    return path


def content(given: str | Path | bytes, source: str = "") -> bytes:
    """What is in a file, or in the bytes of one, unpacked by what its first bytes say.

    Raises
    ------
    DataError
        If it is damaged, or unpacks to far more than it is.
    """
    given = given if isinstance(given, bytes) else given_by(given)
    source = source or source_of(str(given))
    with errors_named(source):
        with BytesIO(given) if isinstance(given, bytes) else given.open("rb") as stream:
            magic = stream.read(6)
            stream.seek(0)
            for mark, decoder in _DECODERS.items():
                if magic.startswith(mark):
                    return _all(decoder(stream), source, stream)
        if isinstance(given, bytes):
            return given
        check_size(given.stat().st_size, given.stat().st_size, source)
        return given.read_bytes()


def _all(stream: Any, source: str, packed: IO[bytes] | None = None) -> bytes:
    whole, looked = BytesIO(), UNPACKED
    while chunk := stream.read(_AT_ONCE):
        whole.write(chunk)
        if whole.tell() > looked:
            looked = 2 * whole.tell()
            check_size(whole.tell(), packed.tell() if packed else looked, source)
    return whole.getvalue()


def check_size(size: int, packed: int, source: str) -> None:
    """DataError for many times as many bytes as were packed, MemoryError for more than fit."""
    if size > UNPACKED:
        if size > MOST_TIMES * packed:
            raise DataError(
                f"{source} unpacks to more than {MOST_TIMES} times its size; if that is right, "
                "save it without compression."
            )
        require(4 * size, what=source, instead="Save fewer rows or columns.")


def _zstandard(stream: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(stream, "zstd")


_DECODERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}


def plain_text(raw: bytes, source: str, asked: TextFormat) -> tuple[bytes, str]:
    """The same text in UTF-8, lines ended by line feeds and empty if skipped; its encoding."""
    wide = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    used = asked.encoding or ("utf-16" if wide else "utf-8")
    try:
        if used.lower().replace("-", "") not in ("utf8", "utf8sig"):
            raw = raw.decode(used).encode()
        elif not raw.isascii():
            raw.decode()
    except UnicodeDecodeError as error:
        line = 1 + raw.count(b"\n", 0, error.start)
        raise DataError(
            f"{source}, line {line} is not {used.upper()} ({error.reason}); name the encoding, "
            "as in --encoding latin-1."
        ) from error
    raw = raw.removeprefix(BOM_UTF8)
    if b"\0" in raw:
        raise DataError(f"{source} is not text: byte {raw.index(0) + 1} is zero.")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not asked.skip_lines:
        return raw, used
    lines = raw.removesuffix(b"\n").split(b"\n")
    for number in asked.skip_lines:
        if not 0 < number <= len(lines):
            raise DataError(f"{source} has {counted(len(lines), 'line')}, and no line {number}.")
        lines[number - 1] = b""
    return b"\n".join(lines), used


def first_lines(raw: bytes, source: str) -> tuple[int, list[str]]:
    """Where the first line begins that is not blank, and some lines from there on."""
    begin = raw.rfind(b"\n", 0, len(raw) - len(raw.lstrip())) + 1
    end = raw.find(b"\n", begin) % (len(raw) + 1)
    n_fields = 1 + max(raw.count(mark.encode(), begin, end) for mark in DELIMITERS)
    if end - begin > _LONGEST_LINE or n_fields > _MOST_COLUMNS:
        raise DataError(f"{source}: its first line is too long for a table.")
    last = max(end, begin + _AT_ONCE)
    lines = raw[begin:last].decode(errors="replace").split("\n")
    if len(lines) > 1 and (last < len(raw) or not lines[-1]):
        lines.pop()
    return begin, [f"{line}\n" for line in lines[:_LINES]]


# --- layout ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """Where a table begins in bytes of text, and how its rows are split."""

    raw: bytes
    begin: int
    source: str
    delimiter: str
    encoding: str
    has_header: bool
    #: Empty for columns without a name.
    names: list[str]
    notes: list[str]
    #: Some rows from the first.
    head: list[list[str]]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The fields of each row and the line on which it begins, without the header."""
        stream = BytesIO(self.raw)
        stream.seek(self.begin)
        lines = TextIOWrapper(stream, "utf-8", newline="\n")
        first = 1 + self.raw.count(b"\n", 0, self.begin)
        yield from islice(split(lines, self.delimiter, first), int(self.has_header), None)

    def check_rows(self, most: int | None = None) -> None:
        """DataError for the first row that has another number of fields."""
        width = len(self.names)
        for line, fields in islice(self.rows(), most):
            if len(fields) != width:
                found = counted(len(fields), "field")
                raise DataError(f"{self.source}, line {line} has {found}, expected {width}.")

    def with_groups_by_points(self) -> list[str]:
        """The columns of whose first numbers each point may stand between groups of digits."""
        columns = zip(with_positions(self.names), zip(*self.head, strict=True), strict=False)
        pointed = {name: [field for field in fields if "." in field] for name, fields in columns}
        group = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
        return [name for name, some in pointed.items() if some and all(map(group.fullmatch, some))]


def _layout(raw: bytes, source: str, asked: TextFormat) -> _Layout:
    raw, encoding = plain_text(raw, source, asked)
    begin, lines = first_lines(raw, source)
    directive = _DIRECTIVE.fullmatch(lines[0].strip())
    if directive:
        begin += len(lines.pop(0).encode())
    delimiter = asked.delimiter or (directive and directive[1]) or sniffed(lines, asked.decimal)
    rows = _rows_at_head(lines, delimiter)
    if not rows:
        raise DataError(f"{source} is empty.")
    has_header = is_header(rows) if asked.header is None else asked.header
    names, notes = names_in(rows, source) if has_header else ([""] * len(rows[0]), [])
    found = _Layout(
        raw, begin, source, delimiter, encoding, has_header, names, notes, rows[has_header:]
    )
    found.check_rows(_LINES)
    blank = raw.find(b"\n\n", begin) if len(names) == 1 else -1
    if blank >= 0 and raw[blank:].strip() and not asked.skip_lines:
        line = 2 + raw.count(b"\n", 0, blank)
        raise DataError(f"{source}, line {line} is blank; write NA for a missing value.")
    return found


def split(lines: Iterable[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """The rows in lines that are not blank, and the numbers of the lines in which they begin."""
    if delimiter == " ":
        lines = (line.replace("\t", " ").strip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    number = first
    for fields in reader:
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield number, fields
        number = first + reader.line_num


def _rows_at_head(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    rows = [fields for _, fields in split(lines, delimiter)]
    return rows[:-1] if len(lines) == _LINES and len(rows) > 1 else rows  # the last may go on


def sniffed(lines: Sequence[str], decimal: Decimal | None) -> str:
    r"""The delimiter that splits most lines alike, into fields that no other one could split.

    >>> sniffed(["a;b\n", "1,5;2,5\n"], None)
    ';'
    >>> sniffed(["group;score, mean\n", "control;10,65\n"], None)
    ';'
    """
    best = max(DELIMITERS.replace(decimal or " ", ""), key=lambda mark: _fitness(lines, mark))
    if _fitness(lines, best)[0] > 0.5:
        return best
    first = next(split(lines, ","), (0, []))[1]
    if decimal == "," and len(first) > 1 and _fitness(lines, ",")[0] == 1 and is_header([first]):
        return ","
    alike, _, numbers, _ = _fitness(lines, " ")
    return " " if alike == 1 and numbers > 0.5 else best


def _fitness(lines: Sequence[str], delimiter: str) -> tuple[float, float, float, int]:
    """Shares of lines split alike, of fields that are whole and of numbers; number of fields."""
    if not any(delimiter in line for line in lines):
        return 0.0, 0.0, 0.0, 1
    rows = _rows_at_head(lines, delimiter)
    width, n_alike = Counter(map(len, rows[1:] or rows)).most_common(1)[0] if rows else (1, 0)
    if width < 2:
        return 0.0, 0.0, 0.0, 1
    n_alike += len(rows) > 1 and len(rows[0]) > 1 and abs(len(rows[0]) - width) < 2
    fields = [field for row in rows[1:] or rows for field in row[:100]]
    numbers = sum(map(is_number, fields))
    whole = sum(is_number(f) or not any(mark in f for mark in DELIMITERS) for f in fields)
    return n_alike / len(rows), whole / len(fields), numbers / len(fields), width


def is_number(field: str) -> bool:
    """Whether a field is a number with whichever decimal mark, or a missing value.

    >>> is_number("2,5"), is_number("1,000.5"), is_number("5 %")
    (True, True, False)
    """
    return field.strip() in MISSING or _NUMBER.fullmatch(field.strip()) is not None


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: not all are numbers, or they count, unlike the others.

    >>> is_header([["a", "1"]]), is_header([["2", "NA"]]), is_header([["", "0"], ["x", "5"]])
    (True, False, True)
    """
    first, *others = rows
    if not all(map(is_number, first)):
        return True
    if not first[0].strip() and others and all(row[0].strip() for row in others):
        return len(_steps(first[1:])) > 0 or len(first) == 2
    steps = _steps(first)
    return len(first) > 2 and len(steps) == 1 and all(_steps(row) != steps for row in others)


def _steps(fields: Sequence[str]) -> set[float]:
    """The differences of numbers that increase; of others none."""
    try:
        steps = {round(float(b) - float(a), 9) for a, b in pairwise(fields)}
    except ValueError:
        return set()
    return steps if min(steps, default=1) > 0 else set()


def names_in(rows: Sequence[Sequence[str]], source: str) -> tuple[list[str], list[str]]:
    """The names in the first row, empty where there is none, as many as there are columns."""
    names, notes = [field.strip() for field in rows[0]], []
    numeric = sum(bool(name) and is_number(name) for name in names)
    if numeric:
        notes.append(
            f"the first line is read as column names, although {numeric} of its {len(names)} "
            "fields are numbers; if it is data, pass --no-header"
        )
    longer = {len(row) - len(names) for row in rows[1:]}
    if longer == {1} and not any(row[-1].strip() for row in rows[1:]):
        names.append("")  # lines end with a delimiter
    elif longer == {1} and len(names) > 1 and not numeric:
        names.insert(0, "")  # names of rows, as R writes them
    elif longer == {-1} and not names[-1]:
        names.pop()
    twice = [name for name, count in Counter(filter(None, names)).items() if count > 1]
    if twice:
        raise DataError(f"{source} has several columns named {quoted(twice[0])}; rename them.")
    return names, notes


def with_positions(names: Sequence[str]) -> list[str]:
    """The names, in place of empty ones their positions, if nothing else is called so."""
    taken = set(names)
    return [
        name or (f"Unnamed: {c}" if str(c + 1) in taken else str(c + 1))
        for c, name in enumerate(names)
    ]


# --- columns ---------------------------------------------------------------------------------


def parse(
    given: Path | bytes,
    source: str,
    asked: TextFormat,
    *,
    as_text: Sequence[str] = (),
    dtype: Any = None,
) -> FileRows:
    """The table in a file of text, or in its bytes; with a ``dtype`` no column is looked at."""
    with errors_named(source):
        layout = _layout(content(given, source), source, asked)
        frame, commas = _frame(layout, asked, as_text, dtype)
    found = TextFound(
        delimiter=layout.delimiter, encoding=layout.encoding, decimal=asked.decimal,
        na_values=asked.na_values, skip_lines=asked.skip_lines, decimal_commas=tuple(commas),
    )  # fmt: skip

    def line(row: int) -> int:
        """The line of a row, for which the file is read once more."""
        rows = _layout(content(given, source), source, asked).rows()
        return next(islice(rows, row, None))[0]

    return FileRows(
        values=frame, source=source, has_header=layout.has_header, text=found,
        notes=tuple(layout.notes), line=line,
    )  # fmt: skip


def _frame(
    layout: _Layout, asked: TextFormat, as_text: Sequence[str], dtype: Any
) -> tuple[pd.DataFrame, list[str]]:
    """The columns, and the names of those with decimal commas."""
    names = with_positions(layout.names)
    written = set(as_text) if dtype is None else set(names)
    kept = written | set(names[: any(layout.names) and is_unnamed(layout.names[0])])
    missing: Any = [*MISSING, *asked.na_values]
    if kept:
        missing = {n: ["", *asked.na_values] if n in kept else missing for n in names}

    def read(dtype: Any) -> pd.DataFrame:
        """All columns; those that ``dtype`` leaves out as pandas understands them."""
        stream = BytesIO(layout.raw)
        stream.seek(layout.begin)
        return pd.read_csv(
            stream, header=0 if layout.has_header else None, names=names, index_col=False,
            sep=r"\s+" if layout.delimiter == " " else layout.delimiter, dtype=dtype,
            keep_default_na=False, na_values=missing, decimal=asked.decimal or ".",
            skipinitialspace=b" " in layout.raw, **_OPTIONS,
        )  # fmt: skip

    try:
        frame = read(dtype or {name: str for name in names if name in kept})
    except ValueError:
        layout.check_rows()
        raise
    if frame[names[-1]].isna().any():  # pandas fills rows that are too short
        n_marks = layout.raw.count(layout.delimiter.encode(), layout.begin)
        if b'"' in layout.raw or n_marks != (len(frame) + layout.has_header) * (len(names) - 1):
            layout.check_rows()
    if dtype is not None:
        return frame, []
    frame = named(frame, layout.names, written)
    commas, floats = [], frame.select_dtypes("float").columns
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        if name not in written:
            typed = _typed(frame[name], asked.decimal)
            if asked.decimal is None and pd.api.types.is_float_dtype(typed):
                commas += [name] * bool(frame[name].str.contains(",").any())
            frame[name] = typed
    layout.notes.extend(f"column {quoted(name)} is read with decimal commas" for name in commas)
    grouped = [] if asked.decimal else floats.intersection(layout.with_groups_by_points())
    if len(grouped) and commas:
        frame[grouped] = read(str)[grouped].to_numpy()
    elif len(grouped) and layout.delimiter == ";":
        layout.notes.append(
            f"points in column {quoted(grouped[0])} are read as decimal points, although three "
            "digits follow each; --decimal , reads them as separators of thousands"
        )
    return frame, commas


def is_unnamed(name: str) -> bool:
    """Whether a name is empty, or what pandas writes for an empty one."""
    return re.fullmatch(r"(Unnamed: \d+)?", name) is not None


def named(frame: pd.DataFrame, names: Sequence[str], written: Set[str]) -> pd.DataFrame:
    """The frame with text in front that tells rows apart as index, without empty columns.

    ``names`` are those of its columns, empty for columns without one; ``written`` those that stay.
    """
    empty = [c for c, n in zip(frame, names, strict=True) if not n and frame[c].isna().all()]
    first = frame.columns[0]
    frame = frame.drop(columns=empty) if empty else frame
    if not any(names) or not is_unnamed(names[0]) or first in (*written, *empty):
        return frame
    numbers = pd.to_numeric(frame[first], errors="coerce")
    is_text = bool(numbers[frame[first].notna()].isna().any())
    is_whole = is_text or bool((numbers % 1 == 0).all())
    if is_whole and frame[first].notna().all() and frame[first].is_unique:
        return frame.set_index(first).rename_axis(None)
    return frame if is_text else frame.assign(**{first: numbers})


def _typed(column: pd.Series, decimal: Decimal | None) -> pd.Series:
    """Truths, or numbers in groups of digits or with decimal commas; text as it is."""
    values = column.dropna()
    if column.dtype == object and set(map(type, values)) == {bool}:
        return column.astype("boolean")
    for part in (values.iloc[:100], values):
        numbers = _numbers(part, decimal)
        if numbers is None:
            return column.str.strip()
    return pd.Series(numbers, values.index).reindex(column.index)


def _numbers(texts: Sequence[str] | pd.Series, decimal: Decimal | None) -> Float64Array | None:
    """Numbers in groups of digits, or with decimal commas where they are meant; None for others."""
    mark, other = (r"\.", ",") if decimal == "." else (",", ".")
    number = rf"[+-]?(?:\d*|[1-9]\d{{0,2}}(?:[{other}{_BLANKS}]\d{{3}})+)(?:{mark}\d*)?{_EXPONENT}"
    column = pd.Series(texts, dtype="str").str.strip().str.replace("\u2212", "-")
    if not len(column) or not column.str.fullmatch(number).all():
        return None
    if decimal is None and column.str.contains("[^0-9+-]").any():
        clear = rf"^[^,]*,(?:\d{{0,2}}|\d{{4,}}){_EXPONENT}$"  # not before a group of digits
        if not column.str.contains(clear).any():
            return None
    plain = column.str.replace(f"[{other}{_BLANKS}]", "", regex=True).str.replace(",", ".")
    numbers = pd.to_numeric(plain, errors="coerce").to_numpy(float)
    return None if np.isnan(numbers).any() else numbers
