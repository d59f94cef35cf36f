"""Results as frames of the library that the user has."""

import pandas as pd
import polars as pl
import pytest

from kgroups.runtime import data_frames
from kgroups.runtime.data_frames import data_frame

COLUMNS = {"cluster": [0, 1], "size": [3, 2]}


def test_pandas_comes_first():
    found = data_frame(COLUMNS)
    pd.testing.assert_frame_equal(found, pd.DataFrame({"cluster": [0, 1], "size": [3, 2]}))


@pytest.mark.parametrize("library", [pd, pl])
def test_the_library_of_what_was_handed_in(library):
    given = library.DataFrame({"x": [1.0]})
    assert type(data_frame(COLUMNS, like=given)) is library.DataFrame
    assert type(data_frame(COLUMNS, like=given["x"])) is library.DataFrame


def test_polars_where_there_is_no_pandas(monkeypatch):
    monkeypatch.setattr(data_frames, "find_spec", lambda name: None if name == "pandas" else name)
    assert type(data_frame(COLUMNS)) is pl.DataFrame


def test_neither_of_them(monkeypatch):
    monkeypatch.setattr(data_frames, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pandas"):
        data_frame(COLUMNS)
