"""Items, one per row, from the containers in which people have them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cells import cells
from kgroups.semimetrics.items import arrays_of, is_missing, strings_of


@pytest.mark.nojit
@cells(
    "X",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        np.array(["a", "b"], object),
        np.array([["a"], ["b"]]),
        pd.Series(["a", "b"], index=[7, 3]),
        pd.DataFrame({"x": ["a", "b"]}),
        pl.Series(["a", "b"]),
        pl.DataFrame({"x": ["a", "b"]}),
        pa.array(["a", "b"]),
        list("ab"),
    ],
)
def test_strings_in_any_container(X):
    assert strings_of(X) == ["a", "b"]
    assert all(type(item) is str for item in strings_of(X))


@pytest.mark.nojit
def test_what_is_missing():
    for value in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT):
        assert is_missing(value)
    for value in ("", 0, 0.0, "nan", np.array([np.nan])):
        assert not is_missing(value)


@pytest.mark.nojit
@cells(
    "X",
    [
        np.array([[1, 2], [3, 4]]),
        [[1, 2], [3, 4]],
        [np.array([1, 2]), (3, 4)],
        [pd.Series([1, 2]), pl.Series([3, 4])],
        pd.DataFrame([[1, 2], [3, 4]]),
        pd.Series([[1, 2], [3, 4]]),
        pl.Series([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], object),
    ],
)
def test_arrays_in_any_container(X):
    arrays = arrays_of(X, "series")
    assert [array.dtype for array in arrays] == [np.float64] * 2
    np.testing.assert_array_equal(arrays, [[1, 2], [3, 4]])


@pytest.mark.nojit
def test_none_among_numbers_is_a_gap():
    (array,) = arrays_of([[1.0, None]], "series")
    np.testing.assert_array_equal(array, [1.0, np.nan])
