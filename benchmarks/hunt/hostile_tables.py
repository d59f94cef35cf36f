"""Table files that hold no table: what each contains, by its name."""

from __future__ import annotations

import bz2
import gzip
import io
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

#: What a file holds, or how it is written where that takes more than bytes.
Content = bytes | Callable[[Path], None]

GOOD = b"a,b\n1,2\n3,4\n5,9\n7,1\n"
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00"
_HTML = b"<!DOCTYPE html>\n<html><head><title>404, not found</title></head>\n<body></body></html>\n"
_WIDE = 9_000


def sparse(n_bytes: int, head: bytes = b"") -> Callable[[Path], None]:
    """A file that takes no room on the disk, with a beginning and then zeros."""

    def write(path: Path) -> None:
        """Write the beginning, and move the end."""
        with path.open("wb") as stream:
            stream.write(head)
            stream.truncate(n_bytes)

    return write


def large(make: Callable[[], bytes]) -> Callable[[Path], None]:
    """Content that is made only when it is written."""

    def write(path: Path) -> None:
        """Make it, and write it."""
        path.write_bytes(make())

    return write


def text_tables() -> dict[str, Content]:
    """CSV and TSV files."""
    noise = np.random.default_rng(0).bytes(20_000)
    row = b",".join([b"1"] * _WIDE) + b"\n"
    return {
        "empty.csv": b"",
        "bom.csv": b"\xef\xbb\xbf",
        "bom-and-blanks.csv": b"\xef\xbb\xbf\n \r\n\n",
        "header-only.csv": b"a,b\n",
        "one-row.csv": b"a,b\n1,2\n",
        "nuls.csv": bytes(5_000),
        "nul-in-a-field.csv": b"a,b\n1,\x002\n3,4\n",
        "noise.csv": noise,
        "noise.tsv": noise,
        "utf-16-cut-in-a-character.csv": GOOD.decode().encode("utf-16")[:-1],
        "utf-16-half-a-pair.csv": GOOD.decode().encode("utf-16") + b"\x00\xd8\n\x00",
        "utf-16-be.csv": GOOD.decode().encode("utf-16-be"),
        "latin-1.csv": "größe,alter\n1,2\n3,4\n".encode("latin-1"),
        "latin-1-at-the-end.csv": large(lambda: b"a,b\n" + b"1,2\n" * 500_000 + b"\xff,1\n"),
        "lone-carriage-returns.csv": GOOD.replace(b"\n", b"\r"),
        "ragged.csv": GOOD + b"1,2,3\n",
        "blank-line.csv": GOOD + b"\n1,2\n",
        "text.csv": b"a,b\n1,x\n3,y\n",
        "text-everywhere.csv": (b"x," * _WIDE + b"x\n").join([row[:-1] + b",1\n"] * 2),
        "same-names.csv": b"a," * (_WIDE - 1) + b"a\n" + row * 2,
        "long-names.csv": large(lambda: b"n" * 100_000 + b"," + b"n" * 100_000 + b"\n1,2\n3,4\n"),
        "long-text.csv": large(lambda: b"a,b\n1," + b"x" * 100_000 + b"\n2,3\n"),
        "long-field.csv": large(lambda: b"a,b\n1," + b"7" * 200_000 + b"\n2,3\n"),
        "open-quote.csv": b'a,b\n1,2\n"3,4\n5,6\n',
        "open-quote-of-megabytes.csv": large(lambda: b'a,b\n"1,2\n' + b"3,4\n" * 2_000_000),
        "quotes.csv": large(lambda: b'"' * 5_000_001),
        "text-after-a-quote.csv": b'a,b\n"1"2,3\n4,5\n',
        "one-line.csv": large(lambda: b"7" * 40_000_000),
        "one-line-of-commas.csv": large(lambda: b"," * 20_000_000),
        "lines-of-commas.csv": large(lambda: b"," * 15_000_000 + b"\n" + b"," * 15_000_000),
        "wide-second-line.csv": large(lambda: GOOD + b"," * 20_000_000),
        "one-line-of-two-byte-letters.csv": large(lambda: "é".encode() * 16_000_000),
        "infinite.csv": b"a,b\n1,inf\n3,4\n",
        "overflow.csv": b"a,b\n1,1e999\n3,4\n",
        "400-digits.csv": b"a,b\n1," + b"9" * 400 + b"\n3,4\n",
        "missing.csv": b"a,b\n1,\n3,4\n",
        "all-missing.csv": b"a,b\nNA,NA\n,\n",
        "identifier.csv": b"a,b\n1,1_000\n3,4\n",
        "thousands.csv": b'a,b\n1,"1,000"\n3,4\n',
        "terminal.csv": b"\x1b[2J\x07,b\nx,2\n3,4\n",
        "gzip.csv": gzip.compress(GOOD, mtime=0),
        "picture.csv": _PNG + noise,
        "page.csv": _HTML,
        "json.csv": b'{"a": [1, 2], "b": [3, 4]}\n',
        "zip.csv": zip_of({"a.csv": GOOD}),
        "terabyte.csv": sparse(1 << 40),
        "terabyte-of-lines.csv": sparse(1 << 40, GOOD),
    }


def arrays() -> dict[str, Content]:
    """NPY files."""
    whole = npy(np.arange(12.0).reshape(6, 2))
    numbers: dict[str, Content] = {
        f"{name}.npy": _npy_bytes(header)
        for name, header in {
            "shape-true": _header("(True, 3)"),
            "shape-negative": _header("(-2, -3)"),
            "shape-of-text": _header("('a', 2)"),
            "shape-of-floats": _header("(2.0, 3.0)"),
            "shape-huge": _header("(1000000000000000000, 2)"),
            "shape-beyond-64-bits": _header(f"({2**64}, {2**64})"),
            "shape-of-4000-digits": _header(f"({'9' * 4_000}, 2)"),
            "shape-nested": _header("((2, 3), 3)"),
            "shape-empty": _header("()"),
            "shape-is-a-number": _header("6"),
            "one-dimension": _header("(6,)"),
            "three-dimensions": _header("(1, 2, 3)"),
            "forty-dimensions": _header(str((1,) * 40)),
            "no-shape": "{'descr': '<f8', 'fortran_order': False}",
            "more-keys": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
            "order-of-text": "{'descr': '<f8', 'fortran_order': 'F', 'shape': (2, 3)}",
            "objects": _header("(2, 3)", "'|O'"),
            "text": _header("(2, 3)", "'<U1'"),
            "complex": _header("(2, 3)", "'<c16'"),
            "dates": _header("(2, 3)", "'<M8[s]'"),
            "structures": _header("(2, 3)", "[('a', '<f8')]"),
            "void": _header("(2, 3)", "'|V0'"),
            "type-unknown": _header("(2, 3)", "'<q99'"),
            "type-of-many": _header("(2, 3)", "'f8,' * 9"),
            "type-nested": _header("(2, 3)", "(" * 90 + "'<f8'" + ",)" * 90),
            "expression": "__import__('os').system('false')",
            "parentheses": "(" * 9_000,
            "signs": "-" * 9_000 + "1",
            "not-a-dictionary": "[1, 2, 3]",
            "noise-in-header": "\x00\x01\x02",
        }.items()
    }
    return {
        **numbers,
        "empty.npy": b"",
        "magic-only.npy": b"\x93NUMPY",
        "no-length.npy": b"\x93NUMPY\x01\x00",
        "version-3.npy": b"\x93NUMPY\x03\x00" + whole[8:],
        "version-9.npy": b"\x93NUMPY\x09\x09" + whole[8:],
        "header-of-gigabytes.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 30) + whole[10:],
        "header-cut-short.npy": whole[:40],
        "data-cut-short.npy": whole[:-8],
        "no-data.npy": whole[:-96],
        "csv.npy": GOOD,
        "pickle.npy": pickle.dumps(np.eye(3)),
        "pickled-objects.npy": npy(np.array([[{}, "a"]] * 3, dtype=object)),
        "infinite.npy": npy(np.array([[1.0, np.inf], [2.0, 3.0]])),
        "missing.npy": npy(np.full((4, 2), np.nan)),
        "no-rows.npy": npy(np.zeros((0, 3))),
        "no-columns.npy": npy(np.zeros((3, 0))),
        "zeros.npy": bytes(10_000),
        "terabyte.npy": sparse(1 << 40, _npy_bytes(_header(f"({2**36}, 2)"))[:-48]),
    }


def archives() -> dict[str, Content]:
    """NPZ files."""
    whole = npy(np.eye(3))
    long = b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 20) + b" " * (3 << 20)
    good = zip_of({"X.npy": whole})
    damaged = bytearray(zip_of({"X.npy": npy(np.arange(4000.0).reshape(-1, 2))}))
    damaged[200:300] = bytes(100)
    return {
        "empty.npz": b"",
        "empty-archive.npz": zip_of({}),
        "cut-short.npz": good[: len(good) // 2],
        "end-only.npz": b"PK\x05\x06" + bytes(18),
        "end-that-lies.npz": b"PK\x05\x06" + b"\xff" * 16 + bytes(2),
        "csv.npz": GOOD,
        "npy.npz": whole,
        "no-arrays.npz": zip_of({"a.txt": b"hello"}),
        "archive-in-an-archive.npz": zip_of({"X.npy": good}),
        "two-tables.npz": zip_of({"a.npy": whole, "b.npy": whole}),
        "20000-arrays.npz": large(lambda: zip_of({f"array_{i}.npy": whole for i in range(20_000)})),
        "long-names.npz": zip_of({f"{i}{'n' * 60_000}.npy": whole for i in range(9)}),
        "path-upwards.npz": zip_of({"../../a.npy": whole, "/etc/b.npy": whole}),
        "damaged-data.npz": bytes(damaged),
        "wrong-sum.npz": good.replace(whole[-8:], b"12345678"),
        "locked.npz": _with_flag(good),
        "method-unknown.npz": _with_method(good, 99),
        "method-not-that-of-the-data.npz": _with_method(good, zipfile.ZIP_LZMA),
        "bzip2-not-that-of-the-data.npz": _with_method(good, zipfile.ZIP_BZIP2),
        "objects.npz": zip_of({"X.npy": npy(np.array([[None]]))}),
        "shape-true.npz": zip_of({"X.npy": _npy_bytes(_header("(True, 3)"))}),
        "header-of-megabytes.npz": zip_of({"X.npy": long}),
        "bomb.npz": _bomb,
        "size-that-lies.npz": _size_that_lies(),
        "terabyte.npz": sparse(1 << 40, good),
    }


def parquets() -> Mapping[str, Content]:
    """Parquet files; those that pyarrow writes need it."""
    return {
        "empty.parquet": b"",
        "magic-only.parquet": b"PAR1PAR1",
        "footer-that-lies.parquet": b"PAR1" + b"\xff\xff\xff\x7fPAR1",
        "footer-of-noise.parquet": b"PAR1" + b"\x15\x99" * 600 + struct.pack("<I", 1_000) + b"PAR1",
        "csv.parquet": GOOD,
        "terabyte.parquet": sparse(1 << 40, b"PAR1"),
        "cut-short.parquet": _parquet({"x": [1.0, 2.0] * 500}, cut=300),
        "damaged.parquet": _parquet({"x": list(range(4_000))}, damage=True),
        "dates.parquet": _parquet({"x": [np.datetime64(0, "s")] * 3}),
        "lists.parquet": _parquet({"x": [[1, 2], [3]]}),
        "structures.parquet": _parquet({"x": [{"a": 1}, {"a": 2}]}),
        "bytes.parquet": _parquet({"x": [b"a", b"\xff"]}),
        "text.parquet": _parquet({"x": ["a", "b" * 50_000]}),
        "no-rows.parquet": _parquet({"x": []}),
        "no-columns.parquet": _parquet({}),
        "nothing-but-missing.parquet": _parquet({"x": [None] * 4}),
        "infinite.parquet": _parquet({"x": [float("inf"), 1.0]}),
        "billion-of-missing.parquet": _billion,
    }


def compressed() -> dict[str, Content]:
    """Compressed text; Zstandard is written by pyarrow."""
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip_of,
        "bz2": bz2.compress,
        "zst": _zstandard,
    }
    found: dict[str, Content] = {
        "name-only.gz": gzip_of(GOOD),
        "array.npy.gz": gzip_of(npy(np.eye(3))),
        "long-window.csv.zst": b"\x28\xb5\x2f\xfd\x00\xa8" + bytes(40),
    }
    for suffix, pack in packers.items():
        found |= {
            f"empty.csv.{suffix}": b"",
            f"nothing-in-it.csv.{suffix}": large(partial(pack, b"")),
            f"text.csv.{suffix}": GOOD,
            f"noise.csv.{suffix}": large(partial(_noise_in, pack)),
            f"ragged.tsv.{suffix}": large(partial(pack, GOOD + b"1\t2\t3\n")),
            f"cut-short.csv.{suffix}": large(partial(_damaged, pack, cut=-9)),
            f"damaged.csv.{suffix}": large(partial(_damaged, pack, at=400)),
            f"magic-only.csv.{suffix}": large(partial(_damaged, pack, cut=4)),
            f"twice.csv.{suffix}": large(lambda pack=pack: pack(pack(GOOD))),
            f"bomb-of-one-line.csv.{suffix}": large(lambda pack=pack: pack(b"7" * 100_000_000)),
            f"bomb-of-zeros.csv.{suffix}": large(lambda pack=pack: pack(bytes(100_000_000))),
        }
    return found


def feathers() -> Mapping[str, Content]:
    """Feather and Arrow files; those that pyarrow writes need it."""
    numbers = {"x": list(range(4_000))}
    return {
        "empty.feather": b"",
        "magic-only.feather": b"ARROW1\0\0",
        "magic-twice.arrow": b"ARROW1\0\0ARROW1",
        "footer-that-lies.feather": b"ARROW1\0\0" + b"\xff\xff\xff\x7fARROW1",
        "footer-of-noise.feather": b"ARROW1\0\0" + b"\x15\x99" * 600 + b"\xb0\x04\0\0ARROW1",
        "stream-of-noise.arrow": b"\xff\xff\xff\xff\x10\x27\0\0" + b"\x15\x99" * 6_000,
        "version-1.feather": b"FEA1" + bytes(60) + b"FEA1",
        "csv.feather": GOOD,
        "terabyte.feather": sparse(1 << 40, b"ARROW1\0\0"),
        "cut-short.feather": _feather(numbers, cut=-300),
        "damaged.feather": _feather(numbers, damage=True),
        "damaged.arrow": _feather(numbers, damage=True, compression="uncompressed"),
        "dates.feather": _feather({"x": [np.datetime64(0, "s")] * 3}),
        "lists.feather": _feather({"x": [[1, 2], [3]]}),
        "bytes.arrow": _feather({"x": [b"a", b"\xff"]}),
        "text.arrow": _feather({"x": ["a", "b" * 50_000]}),
        "no-rows.feather": _feather({"x": []}),
        "no-columns.feather": _feather({}),
        "nothing-but-missing.feather": _feather({"x": [None] * 4}),
        "infinite.arrow": _feather({"x": [float("inf"), 1.0]}),
    }


def workbooks() -> Mapping[str, Content]:
    """Excel files; most are written by openpyxl, and changed."""
    far = b'<row r="900000000"><c r="A900000000"><v>1</v></c></row></sheetData>'
    wide = b'<row r="2"><c r="AAAAAAA2"><v>1</v></c></row></sheetData>'
    laughs = b"<!DOCTYPE x [" + b"".join(
        b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10 if i else b"ha") for i in range(12)
    )
    return {
        "empty.xlsx": b"",
        "csv.xlsx": GOOD,
        "page.xlsx": _HTML,
        "old.xlsx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000),
        "arrays.xlsx": zip_of({"X.npy": npy(np.eye(3))}),
        "empty-archive.xlsx": zip_of({}),
        "document.xlsx": zip_of({"[Content_Types].xml": b"<a/>", "word/document.xml": b"<a/>"}),
        "size-that-lies.xlsx": _size_that_lies(),
        "terabyte.xlsx": sparse(1 << 40, zip_of({"a.xml": GOOD})),
        "no-table.xlsx": _workbook([]),
        "header-only.xlsx": _workbook([["a", "b"]]),
        "text.xlsx": _workbook([["a", "b"], [1, "x"], [2, "y"]]),
        "error.xlsx": _workbook([["a", "b"], [1, "#DIV/0!"], [2, 3]]),
        "formula.xlsx": _workbook([["a", "b"], [1, "=A2"], [2, 3]]),
        "blank-row.xlsx": _workbook([["a", "b"], [1, 2], [], [3, 4]]),
        "beyond-the-names.xlsx": _workbook([["a", "b"], [1, 2], [3, 4, 5]]),
        "cut-short.xlsx": _workbook(cut=-100),
        "bomb.xlsx": _workbook(change=lambda xml: xml + b" " * 100_000_000),
        "bomb-of-texts.xlsx": _workbook(
            part="xl/sharedStrings.xml", change=lambda xml: xml + b"<si/>" * 20_000_000
        ),
        "far-row.xlsx": _workbook(change=lambda xml: xml.replace(b"</sheetData>", far)),
        "far-column.xlsx": _workbook(change=lambda xml: xml.replace(b"</sheetData>", wide)),
        "entities.xlsx": _workbook(change=lambda xml: laughs + b"]><worksheet>&l11;</worksheet>"),
        "broken-sheet.xlsx": _workbook(change=lambda xml: xml[:200]),
        "broken-book.xlsx": _workbook(part="xl/workbook.xml", change=lambda xml: xml[:90]),
        "no-sheet.xlsx": _workbook(change=lambda xml: b""),
        "digits.xlsx": _workbook(
            change=lambda xml: xml.replace(b"<v>2<", b"<v>" + b"9" * 9_000 + b"<")
        ),
        "infinite.xlsx": _workbook(change=lambda xml: xml.replace(b"<v>2<", b"<v>1E999<")),
    }


def gzip_of(content: bytes) -> bytes:
    """Compressed by gzip, always to the same bytes."""
    return gzip.compress(content, mtime=0)


def _zstandard(content: bytes) -> bytes:
    import pyarrow as pa

    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


def _noise_in(pack: Callable[[bytes], bytes]) -> bytes:
    return pack(np.random.default_rng(2).bytes(20_000))


def _damaged(pack: Callable[[bytes], bytes], *, cut: int | None = None, at: int = 0) -> bytes:
    """Numbers, of which the end is missing or some are overwritten."""
    numbers = np.random.default_rng(3).normal(size=(500, 2))
    found = bytearray(pack(b"".join(f"{a},{b}\n".encode() for a, b in numbers)))
    if at:
        found[at : at + 300] = b"\xa5" * 300
    return bytes(found[:cut])


def _feather(
    columns: Mapping[str, list[Any]],
    *,
    cut: int | None = None,
    damage: bool = False,
    compression: str = "lz4",
) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        """Write with pyarrow, and then less of it."""
        import pyarrow as pa
        from pyarrow import feather

        table = pa.table({k: pa.array(v) for k, v in columns.items()})
        feather.write_feather(table, str(path), compression=compression)
        content = bytearray(path.read_bytes()[:cut])
        if damage:
            content[16:1_000] = b"\xa5" * 984
        path.write_bytes(content)

    return write


def _workbook(
    rows: list[list[Any]] | None = None,
    *,
    part: str = "xl/worksheets/sheet1.xml",
    change: Callable[[bytes], bytes] = bytes,
    cut: int | None = None,
) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        """Write with openpyxl, and change one part of the archive."""
        import openpyxl

        book = openpyxl.Workbook()
        for row in [["a", "b"], [1, 2], [3, 4], [5, 9]] if rows is None else rows:
            book.active.append(row)
        book.save(path)
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        parts[part] = change(parts.get(part, b""))
        path.write_bytes(zip_of(parts, zipfile.ZIP_DEFLATED)[:cut])

    return write


def npy(values: Any) -> bytes:
    """An array as a file."""
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def _header(shape: str, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def _npy_bytes(header: str) -> bytes:
    head = f"{header}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(48)


def zip_of(members: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive with some members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def _with_flag(archive: bytes) -> bytes:
    """An archive whose first member claims to be encrypted."""
    found = bytearray(archive)
    found[6] |= 1
    found[archive.index(b"PK\x01\x02") + 8] |= 1
    return bytes(found)


def _with_method(archive: bytes, method: int) -> bytes:
    found = bytearray(archive)
    found[8] = method
    found[archive.index(b"PK\x01\x02") + 10] = method
    return bytes(found)


def _bomb(path: Path) -> None:
    """Some megabytes that unpack to the gigabytes of a header."""
    head = b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 30)
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("X.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(head)
        for _ in range(600):  # that much is enough to see whether it is read
            stream.write(bytes(1 << 20))


def _size_that_lies() -> bytes:
    """A member that claims four gigabytes, as does the header in it."""
    content = _npy_bytes(_header("(268435200, 2)"))
    found = bytearray(zip_of({"X.npy": content}))
    size = struct.pack("<I", 0xFFFFFFF0)
    found[22:26] = size
    start = bytes(found).index(b"PK\x01\x02") + 24
    found[start : start + 4] = size
    return bytes(found)


def _parquet(
    columns: Mapping[str, list[Any]], *, cut: int | None = None, damage: bool = False
) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        """Write with pyarrow, and then less of it."""
        import pyarrow as pa
        from pyarrow import parquet

        stream = io.BytesIO()
        parquet.write_table(pa.table({k: pa.array(v) for k, v in columns.items()}), stream)
        content = bytearray(stream.getvalue()[:cut])
        if damage:
            content[50:3_000] = b"\xa5" * 2_950
        path.write_bytes(content)

    return write


def _billion(path: Path) -> None:
    """A few hundred bytes that declare two billion rows."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({f"x{i}": pa.nulls(1_000, pa.float64()) for i in range(4)})
    with parquet.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    # The number of rows is a variable-length integer, which thrift writes in zigzag: 1000 is d0 0f.
    path.write_bytes(content.replace(b"\xd0\x0f", b"\xfe\x7f"))
