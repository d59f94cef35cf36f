"""Rows of files: what pandas, pyarrow, calamine and SciPy read, by extension."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kgroups.exceptions import DataError
from kgroups.input.text_files import (
    MISSING,
    TextFormat,
    TextFound,
    content,
    parse,
    read_text,
    regular,
    source_of,
)
from kgroups.names import COMPRESSIONS, TABLE_SUFFIXES
from kgroups.text import quoted, short

__all__ = ["MISSING", "FileRows", "TextFormat", "TextFound", "read_table", "read_text"]

# Until the readers of graphs have moved, their helpers stay where they were.
__path__ = [__file__.removesuffix(".py")]

_MAGIC = {
    b"PAR1": ".parquet", b"ARROW1": ".arrow", b"FEA1": ".feather", b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".npz",
}  # fmt: skip


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
    line: Callable[[int], int] | None = None

    def where(self, row: int) -> str:
        """A row, counted from 0, as messages name it."""
        return f"row {row + 1}" if self.line is None else f"line {self.line(row)}"


def read_table(
    path: str | Path,
    *,
    text: TextFormat = TextFormat(),  # noqa: B008 - frozen
    sheet: str | None = None,
    as_text: Sequence[str] = (),
    whole_lines: bool = False,
    digest: bool = False,
) -> FileRows:
    """The rows of a file, or of standard input for "-".

    Columns in ``as_text`` stay text as they are written: 007 stays 007, and of what stands for a
    missing value only an empty field is one. With ``whole_lines`` each line of a .txt file is one
    text. A column without a name in front that tells rows apart becomes the index of the frame;
    other columns without names are named by their positions from 1.

    Raises
    ------
    DataError
        If the file cannot be read; the message names it.
    """
    source = source_of(path)
    try:
        suffix, raw = _opened(path)
        found = _read(path, source, suffix, raw, text, sheet, as_text, whole_lines)
        if digest and suffix != "folder":
            read = raw if str(path) == "-" else Path(path).read_bytes()
            found = replace(found, sha256=hashlib.sha256(read).hexdigest())
    except (OSError, ValueError, TypeError, KeyError, ImportError, MemoryError, ArithmeticError,
            RecursionError, zipfile.BadZipFile) as error:  # fmt: skip
        raise DataError(f"{source}: {short(error, 300)}") from error
    return found


def _opened(path: str | Path) -> tuple[str, bytes]:
    """The extension that says how a file is read, and its unpacked bytes."""
    if str(path) == "-":
        raw = content("-")
        head = raw.lstrip()[:1]
        suffix = next((s for mark, s in _MAGIC.items() if raw.startswith(mark)), None)
        if suffix == ".npz" and b"[Content_Types].xml" in raw[:100]:
            suffix = ".xlsx"
        return suffix or (".jsonl" if head in (b"[", b"{") else ".csv"), raw
    path = Path(path)
    if path.is_dir() and any(path.glob("*.parquet")):
        return "folder", b""
    suffixes = [suffix.lower() for suffix in regular(path).suffixes]
    if suffixes and suffixes[-1] in (*COMPRESSIONS, ".xz"):
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in TABLE_SUFFIXES:
        raise DataError(
            f"{path} has the extension {quoted(suffix)}; those of tables are "
            f"{', '.join(TABLE_SUFFIXES)}, and {', '.join(COMPRESSIONS)} after them."
        )
    return suffix, content(path)


def _read(
    path: str | Path, source: str, suffix: str, raw: bytes, text: TextFormat, sheet: str | None,
    as_text: Sequence[str], whole_lines: bool,
) -> FileRows:  # fmt: skip
    if suffix in (".csv", ".tsv", ".txt"):
        if whole_lines and suffix != ".csv":
            texts = raw.decode(text.encoding or "utf-8-sig").rstrip().splitlines()
            return FileRows(values=texts, source=source, has_header=False)
        if suffix == ".tsv" and text.delimiter is None:
            text = replace(text, delimiter="\t")
        found = parse(raw, source, text, as_text=as_text)
        return FileRows(
            values=found.frame, source=source, has_header=found.has_header, text=found.found,
            notes=found.notes, line=found.line,
        )  # fmt: skip
    values: Any
    match suffix:
        case ".json" | ".jsonl" | ".ndjson":
            values = _json(raw, source, lines=suffix != ".json")
        case ".xlsx":
            return _sheet(raw, source, sheet, text, as_text)
        case ".npy":
            values = np.load(BytesIO(raw), allow_pickle=False)
        case ".npz":
            values = _npz(raw)
        case ".parquet":
            values = pd.read_parquet(BytesIO(raw))
        case "folder":
            values = pd.concat(map(pd.read_parquet, sorted(Path(path).glob("*.parquet"))))
        case _:
            values = pd.read_feather(BytesIO(raw))
    has_header = isinstance(values, pd.DataFrame)
    if isinstance(values, np.ndarray):
        values = _numbers(values)
    if isinstance(values, pd.DataFrame):
        values = _framed(values, as_text)
    return FileRows(values=values, source=source, has_header=has_header)


def _numbers(array: np.ndarray) -> pd.DataFrame:
    if array.ndim != 2:
        raise ValueError(f"its array has shape {array.shape}; a table has two dimensions.")
    if array.dtype.kind not in "biufUS":
        raise ValueError(f"its array holds {array.dtype}, not real numbers.")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return pd.DataFrame(array, columns=[str(c + 1) for c in range(array.shape[1])])


def _framed(frame: pd.DataFrame, as_text: Sequence[str]) -> pd.DataFrame:
    """The frame with text as names, and text for the values of some columns."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    frame = frame.set_axis([str(name) for name in frame], axis=1)
    texts = {name: _written(frame[name]) for name in as_text if name in frame}
    return frame.assign(**texts) if texts else frame


def _written(column: pd.Series) -> pd.Series:
    """Values as text: whole numbers without a point, days without a time."""

    def written(value: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value).removesuffix(" 00:00:00")

    return column.astype(object).map(written, na_action="ignore")


def _npz(raw: bytes) -> Any:
    from scipy.sparse import csr_array, load_npz

    with np.load(BytesIO(raw), allow_pickle=False) as arrays:
        names = arrays.files
        if "format" in names:
            found = load_npz(BytesIO(raw))
            if found.format in ("csr", "csc", "bsr"):
                found.check_format(full_check=True)
            rows = csr_array(found)
            rows.sum_duplicates()
            rows.eliminate_zeros()
            return rows
        if "X" in names:
            return arrays["X"]
        tables = {name: array for name in names if (array := arrays[name]).ndim == 2}
        if len(tables) > 1:
            raise ValueError(f"it has the arrays {names}; name the one to read X.")
        return next(iter(tables.values()), arrays[names[0]])


def _json(raw: bytes, source: str, *, lines: bool) -> Any:
    text = raw.decode("utf-8-sig")
    rows = (
        [
            json.loads(line, object_pairs_hook=_distinct)
            for line in text.splitlines()
            if line.strip()
        ]
        if lines
        else json.loads(text, object_pairs_hook=_distinct)
    )
    if not isinstance(rows, list):
        raise ValueError(f"it holds an object; a list of rows is read.")
    if not rows:
        raise ValueError("it is empty.")
    if all(isinstance(row, str) for row in rows):
        return rows
    if all(isinstance(row, list) for row in rows):
        try:
            array = np.array(rows)
        except ValueError:
            array = np.array(0)
        if array.ndim == 2 and array.dtype.kind in "biuf":
            return _numbers(array)
        if all(isinstance(x, str) for row in rows for x in row):
            return rows
        return [np.array(row, dtype=float) for row in rows]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("its rows are of different kinds.")
    frame = pd.DataFrame.from_records(rows)
    return _flat(frame)


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column for each entry of arrays; ValueError for nested objects."""
    for name in list(frame):
        values = frame[name].dropna()
        if values.dtype != object:
            continue
        if any(isinstance(value, dict) for value in values):
            raise ValueError(f"column {quoted(name)} holds objects.")
        if values.map(type).eq(list).all() and len(values) == len(frame) and len(values):
            entries = pd.DataFrame(values.tolist(), index=frame.index)
            entries.columns = [f"{name}[{i}]" for i in entries]
            place = list(frame).index(name)
            frame = pd.concat([frame.iloc[:, :place], entries, frame.iloc[:, place + 1 :]], axis=1)
        elif pd.api.types.infer_dtype(values) == "boolean":
            frame[name] = frame[name].astype("boolean")
        elif values.map(type).eq(str).any():
            frame[name] = _written(frame[name])
    return frame


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has {quoted(twice)} twice.")
    return found


def _sheet(
    raw: bytes, source: str, sheet: str | None, text: TextFormat, as_text: Sequence[str]
) -> FileRows:
    from python_calamine import CalamineWorkbook

    with zipfile.ZipFile(BytesIO(raw)) as archive:
        size = sum(info.file_size for info in archive.infolist())
        if size > 1 << 26 and size > 100 * len(raw):
            raise ValueError("it unpacks to more than 100 times its size.")
    book = CalamineWorkbook.from_filelike(BytesIO(raw))
    if sheet is not None and sheet not in book.sheet_names:
        raise ValueError(f"it has no sheet {quoted(sheet)}, but {', '.join(book.sheet_names)}.")
    rows = book.get_sheet_by_name(sheet or book.sheet_names[0]).to_python()
    for number in text.skip_lines:
        rows[number - 1] = []
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        raise ValueError("it is empty.")
    has_header = text.header is not False
    names = [str(cell) for cell in rows[0]] if has_header else [""] * len(rows[0])
    missing = {*MISSING, *text.na_values}
    cells = [[None if isinstance(c, str) and c in missing else c for c in row] for row in rows]
    frame = pd.DataFrame(cells[has_header:])
    frame = frame.loc[:, [bool(names[c]) or frame[c].notna().any() for c in frame]]
    frame.columns = [names[c] or str(c + 1) for c in frame]
    return FileRows(
        values=_framed(frame.infer_objects(), as_text), source=source, has_header=has_header,
        text=None,
    )  # fmt: skip
