"""Rows of Parquet files, decoded in order and a block at a time."""

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from helpers import each
from kgroups.blocks import from_parquet
from kgroups.exceptions import DataError
from kgroups.input import rows as module


def written(path, X, row_group_size=None, **options):
    """A file with the columns c0, c1, ... of an array."""
    columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    parquet.write_table(pa.table(columns), path, row_group_size=row_group_size, **options)
    return path


def counted_up(n_rows, n_columns=2, start=0, dtype=np.float64):
    """Rows of consecutive numbers, so that each tells where it was."""
    n = n_rows * n_columns
    return (start * n_columns + np.arange(n, dtype=dtype)).reshape(n_rows, n_columns)


def parts(folder, *lengths, **options):
    """Files part-0.parquet, part-1.parquet, ... whose rows follow each other."""
    X = counted_up(sum(lengths))
    ends = np.cumsum(lengths)
    for i, rows in enumerate(np.split(X, ends[:-1])):
        written(folder / f"part-{i}.parquet", rows, **options)
    return X


def error_of(path, match, columns=None):
    with pytest.raises(DataError, match=match):
        from_parquet(path, columns)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 10 rows."""
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 10)


@pytest.fixture
def decoded(monkeypatch):
    """The row groups that were begun, in order."""
    begun = []
    real = parquet.ParquetFile.iter_batches

    def spied(self, *args, row_groups, **options):
        begun.extend(row_groups)
        return real(self, *args, row_groups=row_groups, **options)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", spied)
    return begun


# --- rows and blocks -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 10, 33, 1000])
def test_row_groups_of_any_size_make_the_same_blocks(tmp_path, small_blocks, decoded, size):
    X = counted_up(103)
    rows = from_parquet(written(tmp_path / "t.parquet", X, size))
    for _ in range(2):
        found = list(rows.blocks())
        assert [start for start, _ in found] == list(range(0, 103, 10))
        assert [len(block) for _, block in found] == [10] * 10 + [3]
        assert_array_equal(np.concatenate([block for _, block in found]), X)
    groups = list(range(-(-103 // size)))
    assert decoded == groups * 2


def test_rows_by_number_are_decoded_once_in_order(tmp_path, small_blocks, decoded):
    X = parts(tmp_path, 40, 60, row_group_size=5)
    rows = from_parquet(tmp_path)
    index = np.random.default_rng(0).integers(0, 100, 300)
    assert_array_equal(rows.take(index), X[index])
    assert decoded == [*range(8), *range(12)]
    assert_array_equal(rows.take(slice(90, 2, -7)), X[90:2:-7])
    with pytest.raises(IndexError, match=r"row 100 was asked for"):
        rows.take(np.array([3, 100]))


# --- which row groups are decoded ------------------------------------------------------------


def test_a_short_step_ahead_goes_on_and_keeps_what_it_passes(tmp_path, small_blocks, decoded):
    X = counted_up(300)
    rows = from_parquet(written(tmp_path / "t.parquet", X, 25))
    for block in (1, 0, 3, 2, 5, 4):
        start = 10 * block
        assert_array_equal(rows.read(start, start + 10), X[start : start + 10])
    assert decoded == [0, 1, 2]


def test_a_step_back_within_six_blocks_decodes_nothing(tmp_path, small_blocks, decoded):
    X = counted_up(300)
    rows = from_parquet(written(tmp_path / "t.parquet", X, 300))
    rows.read(0, 100)
    assert_array_equal(rows.read(40, 100), X[40:100])
    assert decoded == [0]
    assert_array_equal(rows.read(30, 40), X[30:40])
    assert decoded == [0, 0]


@pytest.mark.parametrize("n_threads", [2, 4])
def test_threads_of_neighboring_blocks_decode_once(tmp_path, small_blocks, decoded, n_threads):
    """In each round the threads read the following blocks, whichever is first."""
    X = parts(tmp_path, 400, 611, row_group_size=33)
    rows = from_parquet(tmp_path)
    round_begins = Barrier(n_threads)

    def read(thread):
        found = []
        for start in range(10 * thread, 1011 + 10 * thread, 10 * n_threads):
            round_begins.wait()
            found.append((start, rows.read(min(start, 1011), min(start + 10, 1011))))
        return found

    with ThreadPoolExecutor(n_threads) as pool:
        found = [piece for pieces in pool.map(read, range(n_threads)) for piece in pieces]
    found.sort(key=lambda piece: piece[0])
    assert_array_equal(np.concatenate([some for _, some in found]), X)
    assert decoded == [*range(13), *range(19)]


# --- several files ---------------------------------------------------------------------------


def test_a_folder_is_read_in_the_order_of_its_paths(tmp_path):
    for i, name in enumerate(["b/2.parquet", "a/Ünï.parquet", "b/10.parquet", "c.parquet"]):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, counted_up(1, start=i))
    (tmp_path / "_temporary").mkdir()
    for name in ("_temporary/x.parquet", "_metadata.parquet", ".hidden.parquet", "notes.txt"):
        (tmp_path / name).write_bytes(b"not Parquet")
    (tmp_path / "empty.parquet").mkdir()
    rows = from_parquet(tmp_path)
    assert rows.read(0, 4)[:, 0].tolist() == [2, 4, 0, 6]
    assert [rows.place(row) for row in range(4)] == [
        "a/Ünï.parquet, row group 0, row 0",
        "b/10.parquet, row group 0, row 0",
        "b/2.parquet, row group 0, row 0",
        "c.parquet, row group 0, row 0",
    ]
    assert repr(rows) == "ParquetRows('Ünï.parquet', 3 more files, 4 rows, 2 columns, float64)"


def test_files_without_rows_may_have_any_columns(tmp_path):
    pd.DataFrame({"c0": []}, dtype=object).to_parquet(tmp_path / "0.parquet")
    X = counted_up(3)
    written(tmp_path / "1.parquet", X)
    parquet.write_table(pa.table({"other": pa.array([], pa.string())}), tmp_path / "2.parquet")
    assert_array_equal(from_parquet(tmp_path).read(0, 3), X)


# --- types -----------------------------------------------------------------------------------


@each(
    ("column", "numbers"),
    [
        (pa.array([1, None, 3], pa.int64()), [1, np.nan, 3]),
        (pa.array([1, 2, 255], pa.uint8()), [1, 2, 255]),
        (pa.array([True, None, False]), [1, np.nan, 0]),
        (pa.array([Decimal("1.25"), None, Decimal("-2")], pa.decimal128(5, 2)), [1.25, np.nan, -2]),
        (pa.array([0.5, None, np.nan]), [0.5, np.nan, np.nan]),
        (pa.array([None, None, None], pa.null()), [np.nan] * 3),
        (pa.array([7, None, 7]).dictionary_encode(), [7, np.nan, 7]),
        (pa.array([2**60 + 1, 0, 1]), [2.0**60, 0, 1]),
    ],
)
def test_what_counts_as_numbers_becomes_float64(tmp_path, column, numbers):
    parquet.write_table(pa.table({"a": column, "f": [1.0, 2.0, 3.0]}), tmp_path / "t.parquet")
    rows = from_parquet(tmp_path / "t.parquet")
    some = rows.read(0, 3)
    assert rows.dtype == some.dtype == np.float64
    assert_array_equal(some, np.column_stack([numbers, [1, 2, 3]]))


# --- what is refused -------------------------------------------------------------------------


def test_other_and_cut_off_files_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_text("a,b\n1,2\n")
    error_of(path, r"t\.parquet cannot be read as Parquet: ")
    written(path, counted_up(1000))
    os.truncate(path, path.stat().st_size - 100)
    error_of(path, r"t\.parquet cannot be read as Parquet: ")
    path.write_bytes(b"")
    error_of(path, r"t\.parquet cannot be read as Parquet: ")


# --- damage and changes ----------------------------------------------------------------------


def damaged(path, group, offset, n_bytes):
    """Overwrite some bytes of the first column of a row group; -1 is the last byte."""
    column = parquet.read_metadata(path).row_group(group).column(0)
    begin = column.data_page_offset + offset % column.total_compressed_size
    with path.open("r+b") as stream:
        stream.seek(begin)
        before = stream.read(n_bytes)
        stream.seek(begin)
        stream.write(bytes(255 - byte for byte in before))


PLAIN = {"use_dictionary": False, "compression": None}


def test_a_damaged_page_is_named_by_file_and_row_group(tmp_path, small_blocks):
    X = counted_up(90)
    path = written(tmp_path / "t.parquet", X, 30, **PLAIN)
    damaged(path, group=1, offset=0, n_bytes=20)
    rows = from_parquet(path)
    assert_array_equal(rows.read(0, 30), X[:30])
    for _ in range(2):
        with pytest.raises(
            DataError, match=r"t\.parquet, row group 1, cannot be read as Parquet: "
        ):
            rows.read(30, 40)
        assert_array_equal(rows.read(60, 90), X[60:])
        assert_array_equal(rows.read(0, 10), X[:10])


def test_a_row_group_with_other_rows_than_announced_is_noticed(tmp_path, monkeypatch):
    path = written(tmp_path / "t.parquet", counted_up(30), 10)
    rows = from_parquet(path)
    real = parquet.ParquetFile.iter_batches

    def shortened(self, **options):
        return (batch.slice(1) for batch in real(self, **options))

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", shortened)
    with pytest.raises(DataError, match=r"row group 0, .* 1 of its rows"):
        rows.read(0, 30)


def test_a_file_of_another_time_is_noticed_when_it_is_read_again(tmp_path, small_blocks):
    X = parts(tmp_path, 100, 10)
    rows = from_parquet(tmp_path)
    first = tmp_path / "part-0.parquet"
    list(rows.blocks())
    before = first.stat().st_mtime_ns
    os.utime(first, ns=(before, before + 1000))
    assert_array_equal(rows.read(100, 110), X[100:])  # still in memory
    with pytest.raises(DataError, match=r"part-0\.parquet was changed"):
        next(rows.blocks())
    os.utime(first, ns=(before, before))
    assert_array_equal(next(rows.blocks())[1], X[:10])


# --- pickles, fingerprints, memory -----------------------------------------------------------


def test_a_pickle_holds_paths_and_edges_and_not_the_rows(tmp_path, small_blocks):
    X = np.random.default_rng(0).normal(size=(4000, 3))
    rows = from_parquet(written(tmp_path / "t.parquet", X, 20), columns=["c2", "c0"])
    rows.read(0, 1000)
    content = pickle.dumps(rows)
    assert len(content) < 4000  # 200 row groups
    copy = pickle.loads(content)
    assert copy.names == ["c2", "c0"]
    assert copy.fingerprint() == rows.fingerprint()
    assert_array_equal(copy.read(0, 4000), X[:, [2, 0]])


def test_a_row_group_is_not_held_in_memory(tmp_path):
    """One of 8 MB per column is decoded page by page, with far less than its 32 MB in use."""
    X = np.random.default_rng(0).normal(size=(1_000_000, 4))
    rows = from_parquet(written(tmp_path / "t.parquet", X, len(X), use_dictionary=False))
    before = pa.total_allocated_bytes()
    most = 0
    for _ in rows.blocks():
        most = max(most, pa.total_allocated_bytes() - before)
    assert 0 < most < 12_000_000
