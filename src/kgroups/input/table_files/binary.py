"""Arrays saved by NumPy, checked by their headers before their data is read; never unpickled."""

import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import SEEK_END, BytesIO
from lzma import LZMAError
from math import prod
from struct import error as StructError
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from kgroups.exceptions import DataError
from kgroups.input.table_files.table import Table, positional_names, some
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

#: The array of an NPZ file that is read if there are several.
_DEFAULT_NAME = "X"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# In how many bytes a version states the length of its header, and what NumPy allows that to be.
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4}
_LONGEST_HEADER = 10_000
# More arrays would hide the rest of a message.
_ARRAYS_SHOWN = 12
#: Some of their reasons quote all that they could not read.
LONGEST_REASON = 200
#: What NumPy, SciPy and zipfile raise for damaged files, such as a header that cannot be parsed.
DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    EOFError,
    RuntimeError,
    SyntaxError,
    TokenError,
    StructError,
    LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class Header:
    """Shape and type of an array as its file states them, and the number of bytes that follow."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    n_bytes: int


def read_npy(stream: IO[bytes], source: str) -> Table:
    """The array of an NPY file."""
    with readable(source):
        begin = stream.tell()
        size = stream.seek(0, SEEK_END)
        stream.seek(begin)
        _check(read_header(stream, size), source)
        stream.seek(begin)
        return _table(stream, source)


def read_npz(stream: IO[bytes], source: str) -> Table:
    """The array named X of an NPZ file, or its only two-dimensional array."""
    with readable(source), zipfile.ZipFile(stream) as archive:
        headers, members = {}, {}
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            members[name] = member
            with archive.open(member) as content:
                headers[name] = read_header(content, member.file_size)
        name = _chosen(headers, source)
        _check(headers[name], f"{source}, array {quoted(name)}")
        with archive.open(members[name]) as content:
            return _table(content, source)


def is_sparse(stream: IO[bytes]) -> bool:
    """Whether SciPy wrote an archive: it has a format besides its arrays. The stream goes back."""
    begin = stream.tell()
    try:
        with zipfile.ZipFile(stream) as archive:
            return {"format.npy", "shape.npy"} <= set(archive.namelist())
    except zipfile.BadZipFile:
        return False
    finally:
        stream.seek(begin)


@contextmanager
def readable(source: str, writer: str = "numpy.save or numpy.savez") -> Iterator[None]:
    """A block in which an error means that a file is damaged, and DataError says so."""
    try:
        yield
    except DAMAGE as error:
        reason = short(error, LONGEST_REASON).rstrip(".")
        raise DataError(f"{source} is not a file that {writer} wrote: {reason}.") from error


def read_header(stream: IO[bytes], size: int) -> Header:
    """The header of an NPY stream of ``size`` bytes; its data is not read.

    Raises
    ------
    ValueError
        If it is not a header, is longer than NumPy writes (it could take all memory to read), or
        states a shape that no array has.
    """
    version = npy.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"format version {version} holds no plain array of numbers")
    stated = stream.read(_LENGTH_BYTES[version])
    length = int.from_bytes(stated, "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header is said to be {length:,} bytes long")
    head = BytesIO(stated + stream.read(length))
    try:
        shape, _, dtype = _HEADERS[version](head)
    except MemoryError:  # how Python's parser gives up
        raise ValueError("its header is nested too deeply") from None
    if any(type(side) is not int or not 0 <= side <= sys.maxsize for side in shape):
        raise ValueError(f"its header states the shape {shape}")
    return Header(shape, dtype, size - stream.tell())


def _chosen(headers: Mapping[str, Header], source: str) -> str:
    tables = [name for name, header in headers.items() if len(header.shape) == 2]
    if _DEFAULT_NAME in headers:
        return _DEFAULT_NAME
    if len(tables) == 1:
        return tables[0]
    shown = [f"{quoted(name)} of shape {h.shape}" for name, h in headers.items()]
    raise DataError(
        f"{source}: expected one 2-D array; if there are several, name the table "
        f"{_DEFAULT_NAME!r}. Found {some(shown[:_ARRAYS_SHOWN], len(shown)) or 'no array'}."
    )


def _check(header: Header, source: str) -> None:
    shape, dtype = header.shape, header.dtype
    if len(shape) != 2:
        raise DataError(
            f"{source} has shape {shape}; a table has two dimensions. "
            "For a single column save X.reshape(-1, 1)."
        )
    if dtype.kind not in "biuf":
        raise DataError(f"{source} holds {dtype}, not numbers; write text as CSV or Parquet.")
    declared = prod(shape) * dtype.itemsize
    if declared > header.n_bytes:
        raise DataError(
            f"{source} is incomplete: its header announces {declared:,} bytes of data, but "
            f"there are {max(0, header.n_bytes):,}."
        )
    # Once as saved, once as float64.
    require(
        declared + prod(shape) * 8,
        what=f"Reading {source}, a table of {shape[0]} x {shape[1]},",
        instead="Save fewer rows or columns.",
    )


def _table(stream: IO[bytes], source: str) -> Table:
    saved = npy.read_array(stream, allow_pickle=False)
    array = np.asarray(saved, dtype=np.float64)
    return Table(
        source=source,
        names=positional_names(array.shape[1]),
        columns=tuple(array.T),
        has_header=False,
        booleans=frozenset(range(array.shape[1]) if saved.dtype == np.bool_ else ()),
    )
