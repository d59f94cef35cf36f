"""Text with delimiters, read by pandas: delimiter, header, decimal mark and encoding are found."""

import bz2
import csv
import gzip
import lzma
import re
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from io import BufferedIOBase, BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, Literal

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
#: What separates fields; the first that splits all lines alike is taken.
DELIMITERS = "\t;|,"
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
    encoding: str | None = None
    decimal: Decimal | None = None
    #: Further fields that stand for a missing value.
    na_values: tuple[str, ...] = ()
    #: Lines of the file that are not read, counted from 1; rows of a sheet.
    skip_lines: tuple[int, ...] = ()
    #: Whether the first line names the columns.
    header: bool | None = None


AS_FOUND = TextFormat()


@dataclass(frozen=True, kw_only=True)
class TextFound(TextFormat):
    """How a text file was read."""

    #: Names of the columns that were found to have decimal commas.
    decimal_commas: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was found, as JSON has it."""
        found = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        del found["header"]
        return found


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
    #: The line of a row, or its number in a sheet.
    line: Callable[[int], int] | None = None

    def where(self, row: int) -> str:
        """A row, counted from 0, as messages name it."""
        number = row + 1 if self.line is None else self.line(row)
        return f"{'row' if self.text is None else 'line'} {number}"


@contextmanager
def errors_named(source: str) -> Iterator[None]:
    """Errors of libraries that read a file as DataError, with its name in front."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # damaged files may raise anything
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


def opened(given: Path | bytes) -> BufferedIOBase:
    """A file, or the bytes of one, to read from."""
    return BytesIO(given) if isinstance(given, bytes) else given.open("rb")


def content(given: str | Path | bytes, source: str = "") -> bytes:
    """What is in a file, or in the bytes of one, unpacked as its first bytes say."""
    if not isinstance(given, bytes):
        source, given = source or source_of(given), given_by(given)
    with errors_named(source), opened(given) as stream:
        magic, size = stream.read(6), stream.seek(0, 2)
        check_size(size, size, source)
        stream.seek(0)
        for mark, decoder in _DECODERS.items():
            if magic.startswith(mark):
                return _all(decoder(stream), source, stream)
        return stream.read()


def _all(stream: Any, source: str, packed: BufferedIOBase | None = None) -> bytes:
    whole = BytesIO()
    while chunk := stream.read(_AT_ONCE):
        whole.write(chunk)
        check_size(whole.tell(), packed.tell() if packed else whole.tell(), source)
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


_DECODERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda stream: import_module("pyarrow").input_stream(stream, "zstd"),
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
    """How bytes of text are split into the rows of a table."""

    raw: bytes
    source: str
    found: TextFound
    has_header: bool
    names: list[str]
    #: Whether the first column has no name, and so may name the rows.
    is_front: bool
    notes: list[str]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The line on which each row begins, and its fields, without the header."""
        lines = TextIOWrapper(BytesIO(self.raw), "utf-8", newline="\n")
        return islice(split(lines, self.found.delimiter or ","), int(self.has_header), None)

    def check_rows(self, most: int | None = None) -> None:
        """DataError for the first row that has another number of fields."""
        width = len(self.names)
        for line, fields in islice(self.rows(), most):
            if len(fields) != width:
                found = counted(len(fields), "field")
                raise DataError(f"{self.source}, line {line} has {found}, expected {width}.")


def _layout(raw: bytes, source: str, asked: TextFormat) -> _Layout:
    raw, encoding = plain_text(raw, source, asked)
    begin, lines = first_lines(raw, source)
    if directive := _DIRECTIVE.fullmatch(lines[0].strip()):
        raw = raw.replace(lines.pop(0).encode(), b"\n", 1)
    delimiter = asked.delimiter or (directive and directive[1]) or sniffed(lines, asked.decimal)
    head = _head(lines, delimiter)
    has_header, names, notes = header_of(head, source, asked)
    if len(head[0]) < len(names) and not _tell_apart(
        [row[0].strip() for row in head[1:]], lines[1:]
    ):
        line = 1 + raw.count(b"\n", 0, begin) + bool(directive)
        raise DataError(f"{source}, line {line} names one column fewer than the lines below have.")
    is_front = has_header and (len(head[0]) < len(names) or not head[0][0].strip())
    found = TextFound(**{**vars(asked), "delimiter": delimiter, "encoding": encoding})
    layout = _Layout(raw, source, found, has_header, names, is_front, notes)
    layout.check_rows(_LINES)
    blank = raw.find(b"\n\n", len(raw) - len(raw.lstrip())) if len(names) == 1 else -1
    if blank >= 0 and raw[blank:].strip() and not asked.skip_lines:
        line = 2 + raw.count(b"\n", 0, blank)
        raise DataError(f"{source}, line {line} is blank; write NA for a missing value.")
    return layout


def split(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows in lines that are not blank, and the numbers of the lines in which they begin."""
    if delimiter == " ":
        lines = (line.replace("\t", " ").strip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    number = 1
    for fields in reader:
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield number, fields
        number = 1 + reader.line_num


def _head(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The first rows."""
    return [fields for _, fields in islice(split(lines, delimiter), _LINES // 2)]


def sniffed(lines: Sequence[str], decimal: Decimal | None) -> str:
    r"""The delimiter that splits all lines alike; a comma only where no other one does.

    >>> sniffed(["group;score, mean\n", "control;10,65\n"], None)
    ';'
    """
    marks = DELIMITERS.replace(decimal or " ", "")
    for mark in marks + " ":
        first, *below = _head(lines, mark) or [[]]
        fields = [field for row in below or [first] for field in row]
        is_blank = mark == " " and 2 * sum(map(is_number, fields)) <= len(fields)
        widths = {*map(len, below or [first])}
        if len(first) > 1 and len(widths) == 1 and widths != {1} and not is_blank:
            return mark
    if decimal == "," and "," in lines[0] and not is_number(lines[0]):
        return ","
    least = {mark: min(line.count(mark) for line in lines[1:] or lines) for mark in marks}
    return max(reversed(marks), key=lambda mark: (lines[0].count(mark), least[mark]))


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
    if not first[0].strip():
        return bool(others) and all(row[0].strip() for row in others)
    step = _step(first)
    return step > 0 and all(_step(row) != step for row in others)


def _step(fields: Sequence[str]) -> float:
    """By how much three or more numbers grow, if it is the same each time; 0 for others."""
    steps = np.diff(pd.to_numeric(list(fields), errors="coerce"))
    return round(float(steps[0]), 9) if len(steps) > 1 and np.allclose(steps, steps[0]) else 0.0


def _tell_apart(names: list[str], lines: list[str]) -> bool:
    """Whether R names rows so: different texts, whole numbers in quotes, or 1, 2, and so on."""
    is_text = not all(map(is_number, names)) or all(re.match(r'\s*("\d+"|$)', x) for x in lines)
    in_order = [str(row + 1) for row in range(len(names))]
    return names == in_order or (is_text and len({*names}) == len(names))


def header_of(
    rows: Sequence[Sequence[str]], source: str, asked: TextFormat
) -> tuple[bool, list[str], list[str]]:
    """Whether the first row names the columns, their names, and what is doubtful about these."""
    if not rows:
        raise DataError(f"{source} is empty.")
    if not (is_header(rows) if asked.header is None else asked.header):
        return False, [str(c + 1) for c in range(len(rows[0]))], []
    names, notes = [field.strip() for field in rows[0]], []
    numeric = sum(bool(name) and is_number(name) for name in names)
    if numeric:
        notes.append(
            f"the first line is read as column names, although {numeric} of its {len(names)} "
            "fields are numbers; if it is a row of data, pass --no-header"
        )
    elif len(names) > 1 and {len(row) - len(names) for row in rows[1:]} == {1}:
        names.insert(0, "")  # names of rows, as R writes them
    places = [f"Unnamed: {c}" if str(c + 1) in names else str(c + 1) for c in range(len(names))]
    names = [name or place for name, place in zip(names, places, strict=True)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DataError(f"{source} has several columns named {quoted(name)}; rename them.")
    return True, names, notes


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
        frame, commas = _frame(layout, asked.decimal, as_text, dtype)

    def line(row: int) -> int:
        """The line of a row, for which the file is read once more."""
        rows = _layout(content(given, source), source, asked).rows()
        return next(islice(rows, row, None))[0]

    found = replace(layout.found, decimal_commas=commas)
    return FileRows(
        values=frame, source=source, has_header=layout.has_header, text=found,
        notes=tuple(layout.notes), line=line,
    )  # fmt: skip


def _frame(
    layout: _Layout, decimal: Decimal | None, as_text: Sequence[str], dtype: Any
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The columns, and the names of those with decimal commas."""
    raw, names, mark = layout.raw, layout.names, layout.found.delimiter or ","
    texts = {*as_text, *names[: layout.is_front]}
    kept = dict.fromkeys(names if dtype else texts.intersection(names), str)
    kept |= dtype if isinstance(dtype, dict) else {}
    gaps = {
        name: layout.found.na_values + (("",) if name in kept else (*MISSING,)) for name in names
    }
    try:
        frame = pd.read_csv(
            BytesIO(raw), header=0 if layout.has_header else None, names=names, index_col=False,
            sep=r"\s+" if mark == " " else mark, dtype=dtype or kept, na_values=gaps,
            keep_default_na=False, decimal=decimal or ".", skipinitialspace=b" " in raw, **_OPTIONS,
        )  # fmt: skip
    except ValueError:
        layout.check_rows()
        raise
    if frame[names[-1]].isna().any():  # pandas fills rows that are too short
        n_marks = raw.count(mark.encode())
        if b'"' in raw or n_marks != (len(frame) + layout.has_header) * (len(names) - 1):
            layout.check_rows()
    if dtype is not None:
        return frame, ()
    for name in kept:
        frame[name] = frame[name].str.strip()
    frame, commas = named(frame, as_text, is_front=layout.is_front), []
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns.difference(as_text, False):
        column = frame[name]
        kind = pd.api.types.infer_dtype(column)
        if kind in ("boolean", "integer"):  # integers beyond 64 bits
            frame[name] = column.astype("boolean" if kind == "boolean" else float)
        elif (numbers := _numbers(column, decimal)) is None:
            frame[name] = column.str.strip()
        else:
            frame[name] = numbers
            commas += [name] * bool(column.str.contains(",").any())
    if not commas or decimal:
        return frame, ()
    layout.notes.append(f"decimal commas are found in {', '.join(map(quoted, commas))}")
    return _frame(layout, ",", as_text, dtype)[0], tuple(commas)


def named(frame: pd.DataFrame, as_text: Sequence[str], *, is_front: bool) -> pd.DataFrame:
    """The frame with a first column that names the rows as index, without empty columns.

    These are columns without names; those in ``as_text`` stay.
    """
    whole = frame
    for c, name in enumerate(whole):
        if name in (f"Unnamed: {c}", str(c + 1)) and frame[name].isna().all():
            frame = frame.drop(columns=name)
    if not is_front or (first := next(iter(whole))) in as_text or first not in frame:
        return frame
    column, numbers = frame[first], pd.to_numeric(frame[first], errors="coerce")
    is_text = bool(numbers[column.notna()].isna().any())
    if column.notna().all() and column.is_unique and (is_text or (numbers % 1 == 0).all()):
        return frame.set_index(first).rename_axis(None)
    return frame if is_text else frame.assign(**{first: numbers})


def _numbers(texts: Sequence[str] | pd.Series, decimal: Decimal | None) -> Float64Array | None:
    """Numbers in groups of digits, or with decimal commas where they are meant; None for others."""
    mark, other = (r"\.", ",") if decimal == "." else (",", ".")
    number = rf"[+-]?(?:\d*|[1-9]\d{{0,2}}(?:[{other}{_BLANKS}]\d{{3}})+)(?:{mark}\d*)?{_EXPONENT}"
    column = pd.Series(texts, dtype="str").str.strip().str.replace("\u2212", "-")
    present = column.dropna()
    if not len(present) or not all(
        part.str.fullmatch(number).all() for part in (present.iloc[:100], present)
    ):
        return None
    if decimal is None and present.str.contains("[^0-9+-]").any():
        clear = rf"^[^,]*,(?:\d{{0,2}}|\d{{4,}}){_EXPONENT}$"  # not before a group of digits
        if not present.str.contains(clear).any():
            return None
    plain = column.str.replace(f"[{other}{_BLANKS}]", "", regex=True).str.replace(",", ".")
    numbers = pd.to_numeric(plain, errors="coerce").to_numpy(float)
    return None if np.isnan(numbers).sum() > len(column) - len(present) else numbers
