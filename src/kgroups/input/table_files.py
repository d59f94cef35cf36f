"""Rows of files: what pandas, pyarrow, calamine and SciPy read, by extension."""

import hashlib
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kgroups.exceptions import DataError
from kgroups.input.text_files import (
    AS_FOUND,
    MISSING,
    FileRows,
    TextFormat,
    TextFound,
    check_size,
    content,
    errors_named,
    given_by,
    is_header,
    named,
    names_in,
    parse,
    source_of,
    with_positions,
)
from kgroups.names import COMPRESSIONS, TABLE_SUFFIXES
from kgroups.text import quoted

__all__ = ["MISSING", "FileRows", "TextFormat", "TextFound", "read_table"]

_TEXT = ("", ".csv", ".tsv", ".txt")
_MAGIC = {
    b"PAR1": ".parquet", b"ARROW1": ".feather", b"FEA1": ".feather", b"\x93NUMPY": ".npy",
    b"PK": ".npz", b"[": ".jsonl", b"{": ".jsonl",
}  # fmt: skip
# Columns and rows of cells in the XML of a sheet, and how many are kept however few are filled.
_COLUMN, _ROW = (re.compile(p) for p in (rb"""\sr=["']([A-Z]+)""", rb"""\sr=["'][A-Z]*([0-9]+)"""))
_CELLS = 1_000_000


def read_table(
    path: str | Path,
    *,
    text: TextFormat = AS_FOUND,
    sheet: str | None = None,
    as_text: Sequence[str] = (),
    whole_lines: bool = False,
    digest: bool = False,
) -> FileRows:
    """The rows of a file, of a folder of .parquet files, or of standard input for "-".

    Columns in ``as_text`` stay text as it is written: 007 stays 007, and of what stands for a
    missing value only an empty field is one. With ``whole_lines`` each line of a .txt file is one
    text. A column without a name in front that tells rows apart becomes the index of the frame;
    other columns without names are named by their positions from 1.

    Raises
    ------
    DataError
        If the file cannot be read; the message names it.
    """
    source = source_of(path)
    with errors_named(source):
        if Path(path).is_dir() and (parts := sorted(Path(path).glob("*.parquet"))):
            return _values(pd.concat(map(pd.read_parquet, parts), ignore_index=True), source)
        given = given_by(path)
        suffix = _suffix(given, source)
        if sheet is not None and suffix != ".xlsx":
            raise DataError(f"{source} has no sheets; omit --sheet.")
        if suffix == ".xlsx":
            rows = _sheet(given, source, sheet, text, as_text)
        elif whole_lines and suffix in (".txt", ""):
            rows = FileRows(values=_lines(given, source, text), source=source, has_header=False)
        elif suffix in _TEXT:
            rows = parse(given, source, text, as_text=as_text)
        elif replace(text, header=None) != AS_FOUND:
            raise DataError(f"{source} is not text; omit the options of text, as --na-values.")
        else:
            rows = _values(_read(given, source, suffix), source)
        if isinstance(rows.values, pd.DataFrame):
            if rows.values.empty:
                raise DataError(f"{source} has no rows, or no columns.")
            if rows.text is None:
                rows = replace(rows, values=_with_text(rows.values, as_text))
    if not digest:
        return rows
    with BytesIO(given) if isinstance(given, bytes) else given.open("rb") as stream:
        return replace(rows, sha256=hashlib.file_digest(stream, "sha256").hexdigest())


def _suffix(given: Path | bytes, source: str) -> str:
    """The extension that says how a file is read; "" for text in standard input."""
    if isinstance(given, bytes):
        head = content(given, source).lstrip()
        suffix = next((suffix for mark, suffix in _MAGIC.items() if head.startswith(mark)), "")
        return ".xlsx" if suffix == ".npz" and b"[Content_Types].xml" in head else suffix
    suffixes = [suffix.lower() for suffix in given.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    suffix = (suffixes or ["no"])[-1]
    if suffix not in TABLE_SUFFIXES:
        raise DataError(
            f"{source} has the extension {suffix}; those of tables are "
            f"{', '.join(TABLE_SUFFIXES)}, and {', '.join(COMPRESSIONS)} after those of text."
        )
    return suffix


def _read(given: Path | bytes, source: str, suffix: str) -> Any:
    """The array, frame, sparse rows or list in a file that is not text with delimiters."""
    if suffix in (".json", ".jsonl", ".ndjson"):
        return _json(content(given, source).decode("utf-8-sig"), lines=suffix != ".json")
    file = _file(given)
    if suffix == ".npz":
        return _npz(file, source)
    if suffix == ".parquet":
        from pyarrow.parquet import read_metadata

        held = read_metadata(file)
        check_size(8 * held.num_rows * held.num_columns, held.serialized_size + _size(file), source)
        return pd.read_parquet(file)
    return np.load(file, allow_pickle=False) if suffix == ".npy" else pd.read_feather(file)


def _file(given: Path | bytes) -> Path | BytesIO:
    return BytesIO(given) if isinstance(given, bytes) else given


def _size(file: Path | BytesIO) -> int:
    return file.getbuffer().nbytes if isinstance(file, BytesIO) else file.stat().st_size


def _lines(given: Path | bytes, source: str, text: TextFormat) -> list[str]:
    """The texts in lines, none of which is blank."""
    whole = content(given, source).decode(text.encoding or "utf-8-sig").replace("\r\n", "\n")
    lines = whole.rstrip().split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise DataError(f"{source}, line {number} is blank; each line must hold one text.")
    return lines


def _values(found: Any, source: str) -> FileRows:
    """Rows, those of an array or of equally long lists of numbers as columns 1, 2, and so on."""
    if isinstance(found, np.ndarray):
        if found.ndim != 2 or found.dtype.kind not in "biufUS":
            raise ValueError(f"an array of {found.dtype} and shape {found.shape} is no table.")
        array = found.astype(found.dtype.newbyteorder("="), copy=False)
        frame = pd.DataFrame(array, columns=[str(c + 1) for c in range(array.shape[1])])
        return FileRows(values=frame, source=source, has_header=False)
    if isinstance(found, pd.DataFrame):
        found = found if found.index.names == [None] else found.reset_index()
        found = found.set_axis([str(name) for name in found], axis=1)
    return FileRows(values=found, source=source, has_header=isinstance(found, pd.DataFrame))


# --- columns ---------------------------------------------------------------------------------


def _with_text(frame: pd.DataFrame, as_text: Sequence[str]) -> pd.DataFrame:
    """The frame with text in columns that are asked for, or that hold it next to other values."""
    frame = frame.copy(deep=False)
    objects = [name for name, kind in frame.dtypes.items() if pd.api.types.is_object_dtype(kind)]
    for name in {*as_text, *objects}.intersection(frame):
        kinds = set(map(type, frame[name].dropna())) if frame[name].dtype == object else set()
        if name in as_text or str in kinds:
            frame[name] = frame[name].astype(object).map(_written, na_action="ignore").astype("str")
        elif kinds == {bool}:
            frame[name] = frame[name].astype("boolean")
        elif kinds and kinds <= {date, datetime, pd.Timestamp}:
            frame[name] = pd.to_datetime(frame[name])
    return frame


def _written(value: Any) -> str:
    """A value as text: whole numbers without a point, days without a time."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).removesuffix(" 00:00:00")


# --- formats ---------------------------------------------------------------------------------


def _npz(file: Path | BytesIO, source: str) -> Any:
    """The only table of an archive, or the one called X; sparse rows with sorted columns."""
    from scipy.sparse import csr_array, load_npz

    with zipfile.ZipFile(file) as archive:
        check_size(sum(info.file_size for info in archive.infolist()), _size(file), source)
    with np.load(file, allow_pickle=False) as arrays:
        if "format" in arrays.files:
            found: Any = load_npz(file)
            if found.dtype.kind not in "biuf":
                raise ValueError(f"it holds {found.dtype}, not real numbers.")
            if found.format in ("csr", "csc", "bsr"):  # others are checked as they are made
                found.check_format(full_check=True)
            rows = csr_array(found.astype(float))  # small whole numbers would overflow
            rows.sum_duplicates()
            rows.eliminate_zeros()
            return rows
        tables = [name for name in arrays.files if np.ndim(arrays[name]) == 2]
        if "X" not in tables and len(tables) != 1:
            raise ValueError(f"of its tables {tables} none is named 'X'.")
        return arrays["X" if "X" in tables else tables[0]]


def _json(text: str, *, lines: bool) -> Any:
    """A frame of objects or of equally long arrays of numbers; a list of texts or of arrays."""
    parts = text.split("\n") if lines else [text]
    rows = [
        json.loads(part, object_pairs_hook=_object) for part in parts if part.strip() or not lines
    ]
    rows = rows if lines else rows[0]
    if "\\ud" in text.lower():
        json.dumps(rows, ensure_ascii=False).encode()  # half a character is none
    kinds = set(map(type, rows)) if isinstance(rows, list) else {type(rows)}
    if kinds == {dict} and isinstance(rows, list):
        return _of_objects(pd.DataFrame(rows))
    if kinds == {str}:
        return rows
    if kinds != {list}:
        found = " and ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
        raise ValueError(f"rows must be objects, arrays or texts; found {found}.")
    if all(isinstance(entry, str) for row in rows for entry in row):
        return rows
    arrays = [np.asarray([np.nan if entry is None else entry for entry in row]) for row in rows]
    if any(array.dtype.kind not in "biuf" for array in arrays):
        raise ValueError("arrays must hold numbers only, or texts only.")
    is_table = arrays[0].ndim == 1 and len({array.shape for array in arrays}) == 1
    return np.stack(arrays) if is_table else arrays


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = max(names, key=names.count)
        raise ValueError(f"an object has {quoted(twice)} several times.")
    return dict(pairs)


def _of_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column for each entry of arrays."""
    parts = []
    for name in frame:
        kinds = set(frame[name].map(type)) if frame[name].dtype == object else set()
        if dict in kinds or (list in kinds and len(kinds) > 1):
            raise ValueError(f"column {quoted(name)} holds objects or arrays next to other values.")
        entries = pd.DataFrame(frame[name].tolist()) if list in kinds else frame[[name]]
        parts.append(entries.add_prefix(f"{name}[").add_suffix("]") if list in kinds else entries)
    return pd.concat(parts, axis=1)


def _sheet(
    given: Path | bytes, source: str, sheet: str | None, text: TextFormat, as_text: Sequence[str]
) -> FileRows:
    """A sheet of a workbook; what is written as text stays text."""
    from python_calamine import CalamineWorkbook

    file = _file(given)
    with zipfile.ZipFile(file) as archive:
        check_size(sum(info.file_size for info in archive.infolist()), _size(file), source)
        for part in archive.infolist():
            _check_part(archive.open(part).read(part.file_size))
    book = CalamineWorkbook.from_object(_file(given))
    if sheet not in (None, *book.sheet_names):
        raise ValueError(f"it has no sheet {quoted(sheet)}, but {', '.join(book.sheet_names)}.")
    cells = book.get_sheet_by_name(sheet or book.sheet_names[0]).to_python(skip_empty_area=False)
    numbered = [
        (number, row)
        for number, row in enumerate(cells, 1)
        if number not in text.skip_lines and any(cell != "" for cell in row)
    ]
    if not numbered:
        raise ValueError("it is empty.")
    head = [list(map(_written, row)) for _, row in numbered[:50]]
    has_header = is_header(head) if text.header is None else text.header
    names, notes = names_in(head, source) if has_header else ([""] * len(head[0]), [])
    frame = pd.DataFrame([row for _, row in numbered[has_header:]], columns=with_positions(names))
    for name in frame:
        gaps = {"", *text.na_values, *(() if name in as_text else MISSING)}
        frame[name] = frame[name].mask([_written(cell).strip() in gaps for cell in frame[name]])
    frame = named(frame.infer_objects(), names, set(as_text))
    lines = [number for number, _ in numbered[has_header:]]
    return FileRows(
        values=frame, source=source, has_header=has_header, notes=tuple(notes),
        line=lines.__getitem__, counted="row",
    )  # fmt: skip


def _check_part(part: bytes) -> None:
    """ValueError for entities, and for cells so far apart that all between them fill the memory."""
    if b"<!DOCTYPE" in part:
        raise ValueError("a part of it declares entities.")
    columns = max(set(_COLUMN.findall(part)), key=lambda name: (len(name), name), default=b"")
    width = sum((letter - 64) * 26**i for i, letter in enumerate(reversed(columns)))
    height = max(map(int, set(_ROW.findall(part))), default=0)
    if width * height > max(_CELLS, 100 * part.count(b"<c")):
        raise ValueError("its cells are too far apart.")
