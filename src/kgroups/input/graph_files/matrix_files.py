"""Adjacency matrices in files: Matrix Market, and sparse arrays saved by SciPy."""

from __future__ import annotations

import zipfile
from math import prod
from pathlib import Path

import numpy as np
from scipy.io import mminfo, mmread
from scipy.sparse import load_npz

from kgroups.exceptions import DataError
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.library_graph import checked_graph, readable
from kgroups.input.table_files.binary import read_header
from kgroups.runtime.memory import require

# The shortest line of a coordinate file is "1 1\n", that of an array file "1\n".
_LEAST_LINE = {"coordinate": 4, "array": 2}


def read_mtx(path: Path, source: str) -> Graph:
    """A graph from a Matrix Market file, whose header is checked before anything is allocated."""
    with readable("Matrix Market", source):
        n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(path)
    if symmetry == "skew-symmetric":
        raise DataError(
            f"{source} is skew-symmetric, which is not a graph: directions would cancel."
        )
    declared, size = n_entries * _LEAST_LINE.get(layout, 1), path.stat().st_size
    if declared > size:
        raise DataError(
            f"{source} is cut short: its header declares {n_entries:,} entries, for which {size:,} "
            "bytes are too few."
        )
    _check_square((n_rows, n_columns), source)
    _require(n_rows, n_entries, source)
    with readable("Matrix Market", source):
        matrix = mmread(path)
    return checked_graph(matrix, source)


def read_npz(path: Path, source: str) -> Graph:
    """A graph from a sparse array in a .npz file; sizes are checked before it is loaded."""
    with readable("scipy.sparse.save_npz", source):
        shape, n_entries = _npz_size(path, source)
        _check_square(shape, source)
        _require(shape[0], n_entries, source)
        matrix = load_npz(path)
    return checked_graph(matrix, source)


def _npz_size(path: Path, source: str) -> tuple[tuple[int, ...], int]:
    """The shape of a saved matrix and the total length of its arrays, before these are read."""
    total = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as stream:
                header = read_header(stream, member.file_size)
            if prod(header.shape) * header.dtype.itemsize > header.n_bytes:
                raise DataError(
                    f"{source} is cut short: {member.filename} should hold {header.shape} numbers."
                )
            total += prod(header.shape)
        if "shape.npy" not in archive.namelist():
            raise ValueError("it holds no array named shape")
    require(16 * total, what=f"Reading {source}", instead="Save fewer entries.")
    with np.load(path, allow_pickle=False) as arrays:
        return tuple(int(side) for side in arrays["shape"]), total


def _check_square(shape: tuple[int, ...], source: str) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(
            f"{source} must be square: one row and one column per node; got shape {shape}."
        )


def _require(n_nodes: int, n_entries: int, source: str) -> None:
    # Row starts, ids and degrees per node; per entry and per its mirror image, an index and a
    # weight, twice.
    require(
        64 * n_nodes + 64 * n_entries,
        what=f"Reading {source}, a graph of {n_nodes:,} nodes and {n_entries:,} entries,",
        instead="Save a smaller graph.",
    )
