"""Sparse arrays that ``scipy.sparse.save_npz`` wrote, checked before and after they are read.

Nothing is unpickled. Memory is that of the arrays in the file, three times.
"""

import zipfile
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, dia_array

from kgroups.exceptions import DataError
from kgroups.input.sparse_matrices import sound
from kgroups.input.table_files.binary import Header, read_header, readable
from kgroups.input.table_files.other_rows import SparseRows
from kgroups.runtime.memory import require
from kgroups.text import quoted

# The arrays that say where entries are, by the format of the array.
_INDICES = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
_COMPRESSED = {"csr": csr_array, "csc": csc_array, "bsr": bsr_array}
# What the name of a format or a shape may take.
_SMALL = 1_000
_WRITER = "scipy.sparse.save_npz"


def read_sparse_npz(stream: IO[bytes], source: str) -> SparseRows:
    """The rows of a sparse array in any of the formats that SciPy saves.

    Entries with the same indices are added, as SciPy does; explicit zeros are removed.

    Raises
    ------
    DataError
        If arrays are missing, cut short or of another type, indices point outside of the array, or
        an entry is missing or infinite.
    MemoryError
        Before reading, if it would not fit.
    """
    with readable(source, _WRITER), zipfile.ZipFile(stream) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        headers = {}
        for name, info in members.items():
            with archive.open(info) as content:
                headers[name] = read_header(content, info.file_size)
        kind, shape = _kind_and_shape(archive, members, headers, source)
        wanted = ("data", *_INDICES[kind])
        for name in wanted:
            _check(name, headers, source)
        _require(shape, [headers[name] for name in wanted], source)
        arrays = {name: _array(archive, members[name]) for name in wanted}
    with readable(source, _WRITER):
        rows = _rows(kind, shape, arrays)
    _check_finite(rows, source)
    return SparseRows(source=source, matrix=rows)


def _kind_and_shape(
    archive: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    headers: Mapping[str, Header],
    source: str,
) -> tuple[str, tuple[int, int]]:
    for name, kinds in {"format": "SU", "shape": "iu"}.items():
        header = headers[name]
        if header.dtype.kind not in kinds or prod(header.shape) * header.dtype.itemsize > _SMALL:
            raise ValueError(f"its array {name} holds {header.dtype} of shape {header.shape}")
    named = _array(archive, members["format"]).item()
    kind = named.decode("ascii") if isinstance(named, bytes) else str(named)
    if kind not in _INDICES:
        raise ValueError(f"its format is {quoted(kind)}, not one of {', '.join(_INDICES)}")
    sides = tuple(int(side) for side in _array(archive, members["shape"]).ravel())
    if len(sides) != 2:
        raise DataError(f"{source} has shape {sides}; rows to cluster have two dimensions.")
    if min(sides) < 0 or max(sides) > np.iinfo(np.int64).max // 2:
        raise ValueError(f"its shape is said to be {sides}")
    return kind, (sides[0], sides[1])


def _check(name: str, headers: Mapping[str, Header], source: str) -> None:
    """The array is there, whole, and of numbers."""
    if name not in headers:
        raise DataError(f"{source} is incomplete: it has no array {quoted(name)}; save it again.")
    header = headers[name]
    kinds, what = ("biuf", "real numbers") if name == "data" else ("iu", "whole numbers")
    if header.dtype.kind not in kinds:
        raise DataError(f"{source}, array {quoted(name)} holds {header.dtype}, not {what}.")
    declared = prod(header.shape) * header.dtype.itemsize
    if declared > header.n_bytes:
        raise DataError(
            f"{source} is incomplete: array {quoted(name)} announces {declared:,} bytes, but there "
            f"are {max(0, header.n_bytes):,}."
        )


def _require(shape: tuple[int, int], headers: list[Header], source: str) -> None:
    """MemoryError for more than fits: entries as saved, sorted by row, and as float64."""
    # The place at which each row starts is not in the file for every format.
    n_bytes = 3 * sum(8 * prod(header.shape) for header in headers) + 8 * (shape[0] + 1)
    require(
        n_bytes,
        what=f"Reading {source}, a sparse array of {shape[0]:,} x {shape[1]:,},",
        instead="Save fewer rows or columns.",
    )


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as content:
        found: NDArray[Any] = npy.read_array(content, allow_pickle=False)
    return found


def _rows(kind: str, shape: tuple[int, int], arrays: Mapping[str, NDArray[Any]]) -> csr_array:
    """Rows in their order, each with sorted columns; ValueError for indices that point outside."""
    data: Any = arrays["data"]
    found: Any
    if kind == "coo":
        found = coo_array((data, (arrays["row"], arrays["col"])), shape=shape)
    elif kind == "dia":
        found = dia_array((data, arrays["offsets"]), shape=shape)
    else:
        found = _COMPRESSED[kind]((data, arrays["indices"], arrays["indptr"]), shape=shape)
    checked: Any = sound(found, "it")
    rows: Any = csr_array(checked)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    made: csr_array = rows
    return made


def _check_finite(rows: csr_array, source: str) -> None:
    """DataError for the first entry that is missing or infinite."""
    bad = ~np.isfinite(rows.data)
    if not bad.any():
        return
    place = int(bad.argmax())
    row = int(np.searchsorted(rows.indptr, place, side="right"))
    what = "missing" if np.isnan(rows.data[place]) else "infinite"
    more = f", and {int(bad.sum()) - 1} more" if bad.sum() > 1 else ""
    raise DataError(
        f"{source}: row {row}, column {int(rows.indices[place]) + 1} is {what}{more}; write a "
        "number, or nothing for 0."
    )
