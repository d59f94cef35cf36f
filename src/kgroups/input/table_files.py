"""Rows of files: what pandas, pyarrow, calamine and SciPy read, by extension."""

import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kgroups.exceptions import DataError
from kgroups.input.parquet_folder import files_of
from kgroups.input.sparse_matrices import sound
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
    header_of,
    named,
    opened,
    parse,
    plain_text,
    source_of,
)
from kgroups.names import COMPRESSIONS, TABLE_SUFFIXES
from kgroups.text import quoted

__all__ = ["MISSING", "FileRows", "TextFormat", "TextFound", "read_table"]

_TEXT = ("", ".csv", ".tsv", ".txt")
# Types of values, as pandas calls them, of columns of objects that are kept.
_TYPES = {"boolean": "boolean", "integer": "float", "date": "M8[us]", "datetime": "M8[us]"}
_TEXTS = ("string", "large_string", "binary", "large_binary")
# What files begin with that are not text, and what packed buffers of Arrow begin with.
_MAGIC = {
    b"PAR1": ".parquet", b"ARROW1": ".feather", b"\x93NUMPY": ".npy", b"PK\x03\x04": ".xlsx"
}  # fmt: skip
_PACKED = re.compile(rb"\x28\xb5\x2f\xfd|\x04\x22\x4d\x18")
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
    without a line of names, columns are named by their positions from 1. DataError names the file.
    """
    source = source_of(path)
    with errors_named(source):
        if Path(path).is_dir():
            parts = [_read(file, str(file), ".parquet") for file, _ in files_of(path)]
            rows = _values(pd.concat(parts, ignore_index=True), source)
            return replace(rows, values=_with_text(rows.values, as_text))
        given = given_by(path)
        suffix = _suffix(given, source)
        if sheet is not None and suffix != ".xlsx":
            raise DataError(f"{source} has no sheets; omit --sheet.")
        if whole_lines and suffix in (".txt", ""):
            rows = FileRows(values=_lines(given, source, text), source=source, has_header=False)
        elif suffix in _TEXT:
            rows = parse(given, source, text, as_text=as_text)
        elif suffix == ".xlsx":
            rows = _sheet(given, source, sheet, text, as_text)
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
    with opened(given) as stream:
        return replace(rows, sha256=hashlib.file_digest(stream, "sha256").hexdigest())


def _suffix(given: Path | bytes, source: str) -> str:
    """The extension that says how a file is read; "" for text in standard input."""
    with opened(given) as stream:
        head = stream.read(4096)
    is_text = b"\0" not in head
    found = next((s for mark, s in _MAGIC.items() if head.startswith(mark) and not is_text), "")
    if found == ".xlsx" and b".npy" in head:
        found = ".npz"
    if isinstance(given, bytes):
        text = content(given, source).lstrip()
        if found or not text.startswith((b"[", b"{")):
            return found
        with suppress(ValueError):
            rows = json.loads(text)
            if isinstance(rows, list) and {*map(type, rows)} <= {dict, list, str}:
                return ".json"
        return ".jsonl"
    suffixes = [suffix.lower() for suffix in given.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    suffix = (suffixes or ["no"])[-1]
    if suffix not in TABLE_SUFFIXES:
        raise DataError(
            f"{source} has the extension {suffix}; those of tables are "
            f"{', '.join(TABLE_SUFFIXES)}, and {', '.join(COMPRESSIONS)} after those of text."
        )
    is_binary = suffix in (".npz", ".arrow", *_MAGIC.values())
    found = ".csv" if is_text and is_binary and head else found
    if found not in ("", suffix.replace(".arrow", ".feather")):
        kind = {".csv": "text", ".xlsx": "a workbook"}.get(found, f"a {found} file")
        raise DataError(f"{source} looks like {kind}; rename it to {found}.")
    return suffix


def _read(given: Path | bytes, source: str, suffix: str) -> Any:
    """The array, frame, sparse rows or list in a file that is not text with delimiters."""
    if suffix in (".json", ".jsonl", ".ndjson"):
        return _json(content(given, source).decode("utf-8-sig"), source, lines=suffix != ".json")
    with opened(given) as stream:
        if suffix == ".npy":
            return np.load(stream, allow_pickle=False)
        if suffix == ".npz":
            _check_archive(stream, source)
            return _npz(stream)
        return _arrow(stream, source, is_parquet=suffix == ".parquet")


def _arrow(stream: BufferedIOBase, source: str, *, is_parquet: bool) -> pd.DataFrame:
    """The frame in a file of Parquet or Arrow; sizes are checked before anything is unfolded."""
    from pyarrow import compute, types
    from pyarrow.dataset import IpcFileFormat, ParquetFileFormat

    held = (ParquetFileFormat() if is_parquet else IpcFileFormat()).make_fragment(stream)
    schema = held.physical_schema
    if is_parquet:
        size = sum(group.total_byte_size for group in held.row_groups)
        texts = {field.name for field in schema if str(field.type) in _TEXTS}
        held = ParquetFileFormat(dictionary_columns=texts).make_fragment(stream)
    else:
        stream.seek(0)
        raw = stream.read()
        ends = [match.start() for match in _PACKED.finditer(raw)]
        sizes = [int.from_bytes(raw[end - 8 : end], "little") for end in ends]
        size = sum(size for size in sizes if size < 1 << 48)  # longer ones are none
    packed = stream.seek(0, 2)
    check_size(max(size, 8 * held.count_rows() * len(schema)), packed, source)
    table, size = held.to_table(), 0
    for chunk in (chunk for column in table.columns for chunk in column.chunks):
        if types.is_dictionary(chunk.type) and str(chunk.type.value_type) in _TEXTS:
            lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
            size += compute.sum(lengths).as_py() or 0
        elif str(chunk.type) in ("string_view", "binary_view"):  # may all be one text
            lengths = np.frombuffer(chunk.buffers()[1], np.int32)[4 * chunk.offset :: 4]
            size += int(lengths[: len(chunk)].sum(dtype=np.int64))
    check_size(size, packed, source)
    return table.cast(schema).to_pandas(integer_object_nulls=True)


def _lines(given: Path | bytes, source: str, text: TextFormat) -> list[str]:
    """The texts in lines, none of which is blank."""
    lines = plain_text(content(given, source), source, text)[0].decode().rstrip().split("\n")
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


def _with_text(frame: pd.DataFrame, as_text: Sequence[str]) -> pd.DataFrame:
    """The frame with text in columns that are asked for, or that hold it next to other values."""
    frame = frame.copy(deep=False)
    for name in frame:
        if name not in as_text:
            frame[name] = frame[name].infer_objects()
        found = pd.api.types.infer_dtype(frame[name]) if frame[name].dtype == object else ""
        if name in as_text or found in ("string", "mixed", "mixed-integer"):
            frame[name] = frame[name].astype(object).map(_written, na_action="ignore").astype("str")
        elif found in _TYPES:
            frame[name] = frame[name].astype(_TYPES[found])
    return frame


def _written(value: Any) -> str:
    """A value as text: whole numbers without a point, days without a time."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).removesuffix(" 00:00:00").strip()


def _npz(stream: BufferedIOBase) -> Any:
    """The only table of an archive, or the one called X; sparse rows with sorted columns."""
    from scipy.sparse import csr_array, load_npz

    with np.load(stream, allow_pickle=False) as arrays:
        if "format" in arrays.files:
            places = [name for name in ("indices", "indptr", "row", "col") if name in arrays.files]
            if any(arrays[name].dtype.kind not in "iu" for name in places):
                raise ValueError("indices of its sparse matrix are not integers.")
            stream.seek(0)
            found: Any = sound(load_npz(stream), "its table")
            rows = csr_array(found)
            rows.sum_duplicates()
            rows.eliminate_zeros()
            return rows
        tables = [name for name in arrays.files if np.ndim(arrays[name]) == 2]
        if "X" not in tables and len(tables) != 1:
            raise ValueError(f"of its tables {tables} none is named 'X'.")
        return arrays["X" if "X" in tables else tables[0]]


def _json(text: str, source: str, *, lines: bool) -> Any:
    """A frame of objects or of equally long arrays of numbers; a list of texts or of arrays."""
    parts = [part for part in text.split("\n") if part.strip()] if lines else [text]
    rows = [json.loads(part, object_pairs_hook=_object) for part in parts]
    rows = rows if lines else rows[0]
    if "\\ud" in text.lower():
        json.dumps(rows, ensure_ascii=False).encode()  # half a character is none
    kinds = set(map(type, rows)) if isinstance(rows, list) else set()
    if kinds == {dict}:
        _check_cells(len(rows) * len(set().union(*rows)), sum(map(len, rows)), source)
        frame, entries = pd.DataFrame(rows, dtype=object), {}
        for name in frame:
            if frame[name].map(type).eq(list).all():
                widths = frame[name].map(len)
                _check_cells(len(rows) * widths.max(), widths.sum(), source)
                parts = pd.DataFrame(frame[name].tolist(), dtype=object)
                entries[name] = parts.add_prefix(f"{name}[").add_suffix("]")
        return pd.concat([entries.get(name, frame[[name]]) for name in frame], axis=1)
    if kinds == {str}:
        return rows
    if kinds != {list}:
        raise ValueError("its rows must be all objects, all arrays or all texts.")
    if all(isinstance(entry, str) for row in rows for entry in row):
        return rows
    arrays = [np.asarray([np.nan if entry is None else entry for entry in row]) for row in rows]
    if any(array.dtype.kind not in "biuf" for array in arrays):
        raise ValueError("arrays must hold numbers only, or texts only.")
    is_table = arrays[0].ndim == 1 and len({array.shape for array in arrays}) == 1
    return np.stack(arrays) if is_table else arrays


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"an object has {quoted(name)} several times.")
    return found


def _sheet(
    given: Path | bytes, source: str, sheet: str | None, text: TextFormat, as_text: Sequence[str]
) -> FileRows:
    """A sheet of a workbook; what is written as text stays text."""
    with opened(given) as stream:
        _check_archive(stream, source, is_workbook=True)
        cells = pd.read_excel(
            stream, sheet_name=sheet or 0, engine="calamine", header=None, dtype=object,
            keep_default_na=False,
        )  # fmt: skip
    cells = cells.drop(index=[row - 1 for row in text.skip_lines], errors="ignore")
    cells = cells[(cells != "").any(axis=1)]
    head = [list(map(_written, row)) for row in cells.head(50).to_numpy()]
    has_header, names, notes = header_of(head, source, text)
    is_front = has_header and not head[0][0].strip()
    frame = cells.iloc[int(has_header) :].set_axis(names, axis=1)
    lines = frame.index + 1
    frame = frame.reset_index(drop=True)
    for name in names:
        gaps = {"", *text.na_values, *(() if name in as_text else MISSING)}
        frame[name] = frame[name].mask([_written(cell).strip() in gaps for cell in frame[name]])
    return FileRows(
        values=named(frame.infer_objects(), as_text, is_front=is_front), source=source,
        has_header=has_header, notes=tuple(notes), line=lambda row: int(lines[row]),
    )  # fmt: skip


def _check_archive(stream: BufferedIOBase, source: str, *, is_workbook: bool = False) -> None:
    """DataError for parts that unpack to too much, or have cells so far apart that they do."""
    with zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()
        check_size(sum(part.file_size for part in parts), stream.seek(0, 2), source)
        for part in parts if is_workbook else ():
            cells = archive.read(part)
            if b"<!DOCTYPE" in cells:
                raise DataError(f"{source}: a part of it declares entities.")
            columns = max(set(_COLUMN.findall(cells)), key=lambda c: (len(c), c), default=b"")
            width = sum((letter - 64) * 26**i for i, letter in enumerate(reversed(columns)))
            height = max(map(int, set(_ROW.findall(cells))), default=0)
            _check_cells(width * height, cells.count(b"<c"), source)
    stream.seek(0)


def _check_cells(n_cells: int, n_filled: int, source: str) -> None:
    if n_cells > max(_CELLS, 100 * n_filled):
        raise DataError(f"{source}: nearly all cells of its table would be empty.")
