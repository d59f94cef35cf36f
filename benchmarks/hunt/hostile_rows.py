"""Files of sparse rows, of JSON and of words that hold none: what each contains, by its name."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.hunt.hostile_graphs import sparse_arrays
from benchmarks.hunt.hostile_tables import GOOD, Content, gzip_of, large, npy, sparse, zip_of
from kgroups.typing import Float64Array, IntArray

# Good rows in these files of the catalogue of graphs.
_GOOD_ROWS = ("shape-not-square.npz",)


def sparse_rows() -> dict[str, Content]:
    """Archives in the form of ``scipy.sparse.save_npz``, to be read as rows."""
    graphs = {name: file for name, file in sparse_arrays().items() if name not in _GOOD_ROWS}
    return {
        **graphs,
        "rows-without-end.npz": _rows_without_end,
        "bomb.npz": _bomb,
        "zero-rows.npz": _coordinates(np.array([3, 2])),
        "dia-of-nothing.npz": _dia(np.zeros((0, 3)), np.zeros(0, int)),
        "dia-too-few.npz": _dia(np.ones((2, 3)), np.zeros(1, int)),
    }


def json_lines() -> dict[str, Content]:
    """JSON files, of one value per line and of one array."""
    return {
        "empty.jsonl": b"",
        "blank.jsonl": b"\n\n\n",
        "nulls.jsonl": b"null\n" * 3,
        "nul-bytes.jsonl": bytes(5_000),
        "noise.jsonl": np.random.default_rng(0).bytes(20_000),
        "csv.jsonl": GOOD,
        "gzip.jsonl": gzip_of(b"1\n2\n"),
        "utf-16.jsonl": '{"a": 1}\n{"a": 2}\n'.encode("utf-16"),
        "half-a-pair.jsonl": b'"\\ud800"\n"a"\n',
        "cut-short.jsonl": b'{"a": 1}\n{"a": ',
        "two-kinds.jsonl": b'{"a": 1}\n[1]\n',
        "two-kinds-in-a-column.jsonl": b'{"a": 1}\n{"a": "x"}\n',
        "same-key.jsonl": b'{"a": 1, "a": 2}\n' * 2,
        "infinite.jsonl": b'{"a": 1}\n{"a": Infinity}\n',
        "overflow.jsonl": b"1\n1e999\n",
        "400-digits.jsonl": b"1\n" + b"9" * 400 + b"\n",
        "5000-digits.jsonl": b"1\n" + b"9" * 5_000 + b"\n",
        "terminal.jsonl": b'{"\\u001b[2J": "x"}\n' * 2,
        "empty-objects.jsonl": b"{}\n" * 4,
        "empty-arrays.jsonl": b"[]\n" * 4,
        "ragged.jsonl": b"[1]\n[1, 2]\n",
        "nested-arrays.jsonl": b"[[[1]]]\n" * 2,
        "texts.jsonl": b'"a"\n"b"\n',
        "deep.jsonl": large(lambda: b"[" * 10_000_000 + b"\n"),
        "deep-objects.jsonl": large(lambda: b'{"a":' * 3_000_000 + b"\n"),
        "long-line.jsonl": large(lambda: b'"' + b"x" * 40_000_000 + b'"\n'),
        "line-of-arrays.jsonl": large(lambda: b"[" + b"[]," * 4_000_000 + b"[]]\n[[]]\n"),
        "wide-object.jsonl": large(
            lambda: json.dumps({f"k{i}": i for i in range(700_000)}).encode() + b"\n{}\n"
        ),
        "other-keys-in-each-row.jsonl": large(
            lambda: b"".join(b'{"k%d": 1}\n' % i for i in range(250_000))
        ),
        "long-key.jsonl": large(lambda: b'{"%s": "x"}\n' % (b"k" * 1_000_000) * 2),
        "bomb.jsonl.gz": large(lambda: gzip_of(b"7" * 100_000_000)),
        "terabyte.jsonl": sparse(1 << 40),
        "terabyte.json": sparse(1 << 40, b"["),
        "empty.json": b"",
        "empty-array.json": b"[]",
        "object.json": b'{"a": {"0": 1, "1": 2}}',
        "number.json": b"3",
        "cut-short.json": b"[1, 2",
        "deep.json": large(lambda: b"[" * 5_000_000),
        "gzip.json.gz": gzip_of(b"[1, 2]"),
    }


def words() -> dict[str, Content]:
    """Files of words."""
    return {
        "empty.txt": b"",
        "blank-line.txt": b"a\n\nb\n",
        "latin-1.txt": "größe\nalter\n".encode("latin-1"),
        "one.txt": b"a\n",
        "long-line.txt": large(lambda: b"x" * 40_000_000),
        "terabyte.txt": sparse(1 << 40),
        "numbers.jsonl": b"1\n2\n3\n",
        "missing.jsonl": b'"a"\nnull\n"b"\n',
        "table.csv": b"a,b\nx,y\nz,w\n",
        "sets.jsonl": b'["a"]\n["b"]\n',
    }


def _coordinates(shape: IntArray) -> bytes:
    """Entries by row and column, of an array with some shape."""
    arrays = {
        "format": np.array(b"coo"),
        "shape": shape,
        "row": np.array([0, 2]),
        "col": np.array([0, 1]),
        "data": np.ones(2),
    }
    return _archived(arrays)


def _dia(data: Float64Array, offsets: IntArray) -> bytes:
    arrays = {
        "format": np.array(b"dia"), "shape": np.array([3, 3]), "data": data, "offsets": offsets,
    }  # fmt: skip
    return _archived(arrays)


def _archived(arrays: dict[str, NDArray[Any]]) -> bytes:
    return zip_of({f"{name}.npy": npy(values) for name, values in arrays.items()})


def _rows_without_end(path: Path) -> None:
    """A small file whose rows, in a sorted array, would need more places than there is memory."""
    path.write_bytes(_coordinates(np.array([2**45, 2])))


def _bomb(path: Path) -> None:
    """Some megabytes that unpack to an array of hundreds of megabytes where a few bytes belong."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("format.npy", npy(np.array(b"csr")))
        for name in ("data", "indices", "indptr"):
            archive.writestr(f"{name}.npy", npy(np.zeros(3, int)))
        with archive.open("shape.npy", "w", force_zip64=True) as stream:
            head = b"{'descr': '<i8', 'fortran_order': False, 'shape': (39321600,), }"
            stream.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
            for _ in range(300):
                stream.write(bytes(1 << 20))
