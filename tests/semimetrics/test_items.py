"""Items, one per row, from the containers in which people have them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups
from kgroups.semimetrics.items import arrays_of, is_missing, items_of, strings_of


@pytest.mark.nojit
@pytest.mark.parametrize(
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
@pytest.mark.parametrize(
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


@pytest.mark.parametrize("metric", ["levenshtein", "dtw", "samples", "jaccard", "chebyshev"])
def test_sparse_rows_are_refused_in_words(metric):
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        KernelKGroups(2, metric=metric).fit(csr_array(np.eye(4)))


@pytest.mark.nojit
def test_what_holds_no_items():
    with pytest.raises(TypeError, match="X must be a sequence of objects; got int"):
        items_of(3, "string")
    with pytest.raises(TypeError, match="X is one string or text, 'abc'"):
        items_of("abc", "string")
    with pytest.raises(ValueError, match=r"X has shape \(2, 2\), and one set per row"):
        items_of(np.eye(2), "set")
    with pytest.raises(ValueError, match=r"X has shape \(3,\), and each item is a sample"):
        arrays_of(np.arange(3.0), "sample")
