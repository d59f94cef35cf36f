"""Rows are read in the type that the same table has in memory."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from helpers import each
from kgroups.blocks import from_array, from_npy, from_parquet
from kgroups.blocks.row_source import float_type

FLOATS = [np.float64, np.float32]


@each(
    "kinds",
    [
        ("f4", "f4"),
        ("f2", "f2"),
        ("f2", "f4"),
        ("?", "f4"),
        ("i1", "f4"),
        ("u2", "f4"),
        ("i4", "f4"),
        ("f8", "f4"),
        ("?", "?"),
    ],
)
def test_types_are_those_of_a_frame_in_memory(tmp_path, kinds):
    ones = {name: pd.Series([0, 1, 1]).astype(kind) for name, kind in zip("ab", kinds, strict=True)}
    frame = pd.DataFrame(ones)
    expected = check_array(frame, dtype=FLOATS).dtype
    frame.to_parquet(tmp_path / "rows.parquet")
    assert float_type(frame.dtypes) == expected
    for source in (from_array(frame), from_parquet(tmp_path / "rows.parquet")):
        assert source.dtype == source.read(0, 3).dtype == expected


@each("kind", ["f2", "f4", ">f4", "f8", ">f8", "g", "i2", "?"])
def test_types_are_those_of_an_array_in_memory(tmp_path, kind):
    table = np.eye(3).astype(kind)
    expected = check_array(table, dtype=FLOATS).dtype
    np.save(tmp_path / "rows.npy", table)
    for source in (from_array(table), from_npy(tmp_path / "rows.npy")):
        assert source.dtype == source.read(0, 3).dtype == expected


def test_types_with_gaps_become_float64():
    assert float_type([pd.Float32Dtype(), np.dtype("f4")]) == np.float64
    assert from_array(pd.DataFrame({"a": pd.array([1, 2], "Float32")})).dtype == np.float64
