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
from dataclasses import dataclass, replace
from io import BytesIO, TextIOWrapper
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, Any, Literal

import pandas as pd

from kgroups.exceptions import DataError
from kgroups.runtime.memory import require
from kgroups.text import counted, quoted, short

#: Fields that stand for a missing value: those of pandas, and ?.
MISSING = frozenset(
    {"", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-nan", "-NaN", "NULL", "null",
     "None", "?"}
)  # fmt: skip
#: What separates fields; if the lines split alike by several of them, the first is taken.
DELIMITERS = ",\t;|"
Decimal = Literal[".", ","]

_LONGEST_LINE, _MOST_COLUMNS = 1 << 25, 100_000
# What is unpacked without a look at how small it was packed, and how small that may be after it.
_UNPACKED, _MOST_TIMES = 1 << 26, 100
_AT_ONCE = 1 << 20
_LINES = 50
_EXPONENT = r"([eE][+-]?\d+)?"
_BLANKS = " '\u00a0\u2009\u202f\u2019"
_LIKE_A_NUMBER = re.compile(
    rf"[+-]?(\d[\d.,{_BLANKS}]*|[.,]\d+){_EXPONENT}|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
_GROUPED = {
    mark: re.compile(
        rf"[+-]?(\d*|[1-9]\d{{0,2}}([{other}{_BLANKS}])\d{{3}}(\2\d{{3}})*)({re.escape(mark)}\d*)?"
        rf"{_EXPONENT}"
    )
    for mark, other in ((",", "."), (".", ","))
}
# A comma that cannot stand between groups of three digits.
_CLEARLY_DECIMAL = re.compile(rf"[^,]*,(\d{{0,2}}|\d{{4,}}){_EXPONENT}")
# From version 3 on pandas reads decimals as Python does.
_PRECISION: Any = "round_trip" if int(pd.__version__.partition(".")[0]) < 3 else None
_GROUPED_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
_DIRECTIVE = re.compile(r"\"?sep=(.)\"?", re.IGNORECASE)


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
        return {
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "decimal": self.decimal,
            "na_values": list(self.na_values),
            "skip_lines": list(self.skip_lines),
            "decimal_commas": list(self.decimal_commas),
        }


@dataclass(frozen=True, kw_only=True)
class ParsedText:
    """A frame, how it was read, and the line of each of its rows."""

    frame: pd.DataFrame
    found: TextFound
    has_header: bool
    notes: tuple[str, ...]
    line: Callable[[int], int]


def read_text(
    path: str | Path,
    *,
    text: TextFormat = TextFormat(),  # noqa: B008 - frozen
    comment: str | None = None,
    header: bool | None = None,
    dtype: Any = None,
) -> tuple[pd.DataFrame, TextFound]:
    """The frame in a text file, or in standard input for "-"; ``header`` goes before that of text.

    Lines that begin with ``comment`` are not read. With ``dtype=str`` fields stay as they are
    written, and only empty ones are missing.

    Raises
    ------
    DataError
        If the file cannot be read as a table; the message names the file and the line.
    """
    source = source_of(path)
    asked = text if header is None else replace(text, header=header)
    parsed = parse(content(path), source, asked, comment=comment, dtype=dtype)
    return parsed.frame, parsed.found


# --- bytes -----------------------------------------------------------------------------------


def source_of(path: str | Path) -> str:
    """How messages name a file."""
    return "standard input" if str(path) == "-" else str(path)


def content(path: str | Path) -> bytes:
    """The bytes of a file or of standard input, unpacked if they are compressed."""
    source = source_of(path)
    try:
        if str(path) == "-":
            return unpacked(BytesIO(_read(sys.stdin.buffer, source)), source)
        with regular(path).open("rb") as stream:
            return unpacked(stream, source)
    except OSError as error:
        raise DataError(f"{source}: {error.strerror or short(error, 300)}.") from error


def regular(path: str | Path) -> Path:
    """The path of a file that ends; DataError for folders, pipes and devices."""
    path = Path(path)
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "not a file" if path.exists() else "not there"
        raise DataError(f"{path} is {kind}.")
    return path


def unpacked(stream: IO[bytes], source: str) -> bytes:
    """All of a stream, unpacked if its first bytes say gzip, bzip2, xz or Zstandard."""
    begin = stream.tell()
    magic = stream.read(6)
    stream.seek(begin)
    opened = next((open_ for mark, open_ in _DECODERS.items() if magic.startswith(mark)), None)
    if opened is None:
        return _read(stream, source)
    try:
        return _read(opened(stream), source, packed=stream)
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        raise DataError(f"{source} cannot be unpacked: {short(error, 300)}.") from error
    except gzip.zlib.error as error:
        raise DataError(f"{source} cannot be unpacked: {short(error, 300)}.") from error


def _read(stream: Any, source: str, packed: IO[bytes] | None = None) -> bytes:
    whole, checked = BytesIO(), _UNPACKED
    while chunk := stream.read(_AT_ONCE):
        size = whole.write(chunk) and whole.tell()
        if size < checked:
            continue
        if packed is not None and size > _MOST_TIMES * packed.tell():
            raise DataError(
                f"{source} unpacks to more than {_MOST_TIMES} times its size; unpack it first."
            )
        require(3 * size, what=f"Reading {source}", instead="Save fewer rows or columns.")
        checked = 2 * size
    return whole.getvalue()


def _zstandard(stream: IO[bytes]) -> Any:
    import pyarrow

    return pyarrow.CompressedInputStream(stream, "zstd")


_DECODERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}


# --- tables ----------------------------------------------------------------------------------


def parse(
    raw: bytes,
    source: str,
    asked: TextFormat,
    *,
    as_text: Sequence[str] = (),
    comment: str | None = None,
    dtype: Any = None,
) -> ParsedText:
    """The table in bytes of text, with names of rows as its index."""
    raw, encoding = _as_utf8(raw, source, asked.encoding)
    raw = _without_lines(raw, source, asked.skip_lines, comment)
    begin, lines = _head(raw, source)
    directive = _DIRECTIVE.fullmatch(lines[0].strip()) if lines else None
    if directive:
        begin, lines = begin + len(lines[0].encode()), lines[1:]
    delimiter = asked.delimiter or (directive and directive[1]) or sniffed(lines, asked.decimal)
    numbered = list(split(lines, delimiter))
    rows = [fields for _, fields in numbered]
    if not rows:
        raise DataError(f"{source} is empty.")
    has_header = is_header(rows) if asked.header is None else asked.header
    names, notes = _names(rows, source) if has_header else (_positions(len(rows[0])), [])
    if has_header:
        for _ in range(numbered[1][0] - numbered[0][0] if len(rows) > 1 else 1):
            begin = raw.find(b"\n", begin) + 1 or len(raw)
    body = _Body(raw, begin, delimiter, source, asked, len(names))
    frame, commas = body.frame(names, as_text, dtype)
    found = TextFound(
        delimiter=delimiter, encoding=encoding, decimal=asked.decimal, na_values=asked.na_values,
        skip_lines=asked.skip_lines, decimal_commas=tuple(names[c] for c in commas),
    )  # fmt: skip
    return ParsedText(
        frame=frame, found=found, has_header=has_header, notes=tuple(notes), line=body.lines()
    )


def _as_utf8(raw: bytes, source: str, encoding: str | None) -> tuple[bytes, str]:
    wide = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    used = encoding or ("utf-16" if wide else "utf-8")
    if used.lower().replace("-", "") not in ("utf8", "utf8sig", "ascii"):
        try:
            raw = raw.decode(used).removeprefix("\ufeff").encode()
        except (UnicodeError, LookupError) as error:
            raise DataError(f"{source}: {error}.") from error
    raw = raw.removeprefix(BOM_UTF8)
    if b"\0" in raw:
        raise DataError(f"{source} is not text: byte {raw.index(0) + 1} is zero.")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return raw, used


def _without_lines(raw: bytes, source: str, skipped: Sequence[int], comment: str | None) -> bytes:
    """The same with empty lines in place of those that are not read."""
    if comment and comment.encode() in raw:
        raw = re.sub(rb"(?m)^[ \t]*%s.*$" % re.escape(comment.encode()), b"", raw)
    if not skipped:
        return raw
    lines = raw.split(b"\n")
    n_lines = len(lines) - (not lines[-1])
    for number in skipped:
        if number > n_lines:
            raise DataError(f"{source} has {counted(n_lines, 'line')}, and no line {number}.")
        lines[number - 1] = b""
    return b"\n".join(lines)


def _head(raw: bytes, source: str) -> tuple[int, list[str]]:
    """Where the first line begins that is not blank, and some lines from there on."""
    begin = raw.rfind(b"\n", 0, len(raw) - len(raw.lstrip())) + 1
    end = raw.find(b"\n", begin)
    end = len(raw) if end < 0 else end
    if end - begin > _LONGEST_LINE:
        raise DataError(f"{source}: its first line is longer than 32 MiB; this is not a table.")
    if max(raw.count(mark.encode(), begin, end) for mark in DELIMITERS) >= _MOST_COLUMNS:
        raise DataError(f"{source} has more than {_MOST_COLUMNS:,} columns; save it as .npy.")
    last = max(end, begin + _AT_ONCE)
    lines = raw[begin:last].decode("utf-8", "replace").split("\n")
    if not lines[-1] or (last < len(raw) and len(lines) > 1):
        lines.pop()
    return begin, [f"{line}\n" for line in lines[:_LINES]]


def split(lines: Iterable[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """The rows in lines, and the numbers of the lines in which they begin; no blank ones."""
    if delimiter == " ":
        lines = (line.replace("\t", " ").strip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    number = first
    for fields in reader:
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield number, fields
        number = first + reader.line_num


# --- guesses ---------------------------------------------------------------------------------


def sniffed(lines: Sequence[str], decimal: Decimal | None) -> str:
    r"""The delimiter that splits most lines alike, into fields that no other one could split.

    >>> sniffed(["a;b\n", "1,5;2,5\n"], None)
    ';'
    >>> sniffed(["group;score, mean\n", "control;10,65\n"], None)
    ';'
    """
    marks = [mark for mark in DELIMITERS if mark != decimal]
    best = max(marks, key=lambda mark: _fitness(lines, mark))
    if _fitness(lines, best)[0] >= 0.5:
        return best
    if decimal == "," and _fitness(lines, ",")[0] == 1 and is_header([next(split(lines, ","))[1]]):
        return ","
    alike, _, numbers, _ = _fitness(lines, " ")
    return " " if alike == 1 and numbers > 0.5 else best


def _fitness(lines: Sequence[str], delimiter: str) -> tuple[float, float, float, int]:
    """Shares of lines split alike, of fields that are whole and of numbers; number of fields."""
    rows = [fields for _, fields in split(lines, delimiter)]
    rows = rows[:-1] if len(lines) == _LINES else rows  # the last one may go on
    width, n_alike = Counter(map(len, rows[1:] or rows)).most_common(1)[0] if rows else (1, 0)
    if width < 2:
        return 0.0, 0.0, 0.0, 1
    n_alike += len(rows) > 1 and abs(len(rows[0]) - width) < 2
    fields = [field for row in rows[1:] or rows for field in row[:100]]
    are_numbers = list(map(is_number, fields))
    whole = [n or not any(mark in f for mark in DELIMITERS) for n, f in zip(are_numbers, fields)]
    n = len(fields)
    return n_alike / len(rows), sum(whole) / n, sum(are_numbers) / n, width


def is_number(field: str) -> bool:
    """Whether a field is a number with whichever decimal mark, or a missing value.

    >>> is_number("2,5"), is_number("1,000.5"), is_number("5 %")
    (True, True, False)
    """
    return field.strip() in MISSING or _LIKE_A_NUMBER.fullmatch(field.strip()) is not None


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: not all are numbers, or they count, unlike the others.

    >>> is_header([["a", "1"]]), is_header([["2", "NA"]]), is_header([["", "0"], ["x", "5"]])
    (True, False, True)
    """
    if not all(map(is_number, rows[0])):
        return True
    first, *others = rows[0]
    if not first.strip() and len(rows) > 1 and all(row[0].strip() for row in rows[1:]):
        return _steps(others) is not None
    step = _steps(rows[0])
    return (
        len(rows[0]) > 2
        and step is not None
        and len(step) == 1
        and all(step != _steps(row) for row in rows[1:])
        and len(rows) > 1
    )


def _steps(fields: Sequence[str]) -> set[float] | None:
    """The differences of numbers that increase; None for others."""
    try:
        numbers = [float(field) for field in fields]
    except ValueError:
        return None
    steps = {round(later - number, 9) for number, later in pairwise(numbers)}
    return steps if min(steps, default=1) > 0 else None


def _positions(n: int) -> list[str]:
    return [str(position) for position in range(1, n + 1)]


def _names(rows: Sequence[Sequence[str]], source: str) -> tuple[list[str], list[str]]:
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


# --- columns ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Body:
    """The lines of a file below its header."""

    raw: bytes
    begin: int
    delimiter: str
    source: str
    asked: TextFormat
    width: int

    def frame(
        self, names: Sequence[str], as_text: Sequence[str], dtype: Any
    ) -> tuple[pd.DataFrame, list[int]]:
        """The columns, and the positions of those with decimal commas."""
        self._check_rows(_LINES)
        positions = range(self.width)
        has_row_names = self.width > 1 and _is_unnamed(names[0]) and dtype is None
        texts = {c for c in positions if (names[c] or str(c + 1)) in as_text}
        kept = texts | {0} if has_row_names else texts
        frame = self._read(dtype or dict.fromkeys(kept, str), kept if dtype is None else positions)
        if not len(frame):
            raise DataError(f"{self.source} has column names but no rows.")
        self._check_short(frame)
        if has_row_names and 0 not in texts and frame[0].notna().all() and frame[0].is_unique:
            frame = frame.set_index(0).rename_axis(None)
        commas = []
        for c in frame.columns if dtype is None else ():
            if c not in texts and not pd.api.types.is_numeric_dtype(frame[c]):
                column = _typed(frame[c], self.asked.decimal)
                if column is not None:
                    has_commas = self.asked.decimal is None and frame[c].str.contains(",").any()
                    commas += [c] * bool(has_commas)
                    frame[c] = column
        frame = frame.loc[:, [bool(names[c]) or frame[c].notna().any() for c in frame]]
        frame.columns = [names[c] or str(c + 1) for c in frame]
        return frame, commas

    def _read(self, dtype: Any, kept: Any) -> pd.DataFrame:
        stream = BytesIO(self.raw)
        stream.seek(self.begin)
        missing = [*MISSING, *self.asked.na_values]
        written = ["", *self.asked.na_values]
        try:
            return pd.read_csv(
                stream, header=None, names=range(self.width), index_col=False, dtype=dtype,
                sep=r"\s+" if self.delimiter == " " else self.delimiter, keep_default_na=False,
                na_values={c: written if c in kept else missing for c in range(self.width)},
                decimal=self.asked.decimal or ".", skipinitialspace=True, low_memory=False,
                float_precision=_PRECISION,
            )  # fmt: skip
        except UnicodeDecodeError:
            self._check_letters()
            raise
        except (ValueError, MemoryError) as error:
            self._check_rows(None)
            raise DataError(f"{self.source}: {short(error, 300)}") from error

    def _check_letters(self) -> None:
        """DataError for bytes that are not UTF-8."""
        try:
            self.raw.decode()
        except UnicodeDecodeError as error:
            line = 1 + self.raw.count(b"\n", 0, error.start)
            raise DataError(
                f"{self.source}, line {line}: byte 0x{self.raw[error.start]:02x} is not UTF-8; "
                "name the encoding, as in --encoding latin-1."
            ) from error

    def _check_short(self, frame: pd.DataFrame) -> None:
        """DataError for rows with fewer fields than others, which pandas fills."""
        if frame[self.width - 1].notna().all():
            return
        n_marks = self.raw.count(self.delimiter.encode(), self.begin)
        if n_marks != len(frame) * (self.width - 1) or b'"' in self.raw:
            self._check_rows(None)

    def _check_rows(self, most: int | None) -> None:
        """DataError for the first row that has another number of fields."""
        for line, fields in islice(self.rows(), most):
            if len(fields) != self.width:
                raise DataError(
                    f"{self.source}, line {line} has {counted(len(fields), 'field')}, and not "
                    f"{self.width}."
                )

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """All rows, and the lines on which they begin."""
        stream = BytesIO(self.raw)
        stream.seek(self.begin)
        first = 1 + self.raw.count(b"\n", 0, self.begin)
        lines = TextIOWrapper(stream, "utf-8", errors="replace", newline="\n")
        try:
            yield from split(lines, self.delimiter, first)
        except csv.Error as error:
            raise DataError(f"{self.source}: {error}.") from error

    def lines(self) -> Callable[[int], int]:
        """The line of each row."""
        return lambda row: next(islice(self.rows(), row, None))[0]


def _is_unnamed(name: str) -> bool:
    return re.fullmatch(r"(Unnamed: \d+)?", name) is not None


def _typed(column: pd.Series, decimal: Decimal | None) -> pd.Series | None:
    """Truths, or numbers in groups of digits or with decimal commas; None for text."""
    values = column.dropna()
    if pd.api.types.infer_dtype(values) == "boolean":
        return column.astype("boolean")
    for part in (values.iloc[:100], values):
        numbers = _numbers(list(part), decimal)
        if numbers is None:
            return None
    return pd.Series(numbers, values.index, float).reindex(column.index)


def _numbers(texts: list[str], decimal: Decimal | None) -> list[float] | None:
    mark = decimal or ","
    texts = [text.strip().replace("\u2212", "-") for text in texts]
    if not texts or not all(map(_GROUPED[mark].fullmatch, texts)):
        return None
    if (
        decimal is None
        and not any(map(_CLEARLY_DECIMAL.fullmatch, texts))
        and not all(text.lstrip("+-").isdecimal() for text in texts)
    ):
        return None
    drop = str.maketrans(dict.fromkeys(f"{_BLANKS}{'.' if mark == ',' else ','}"))
    try:
        return [float(text.translate(drop).replace(",", ".")) for text in texts]
    except ValueError:
        return None
