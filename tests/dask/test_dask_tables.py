"""Dask arrays and dataframes as tables: lengths, places, and rows of any span."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.dask.dask_tables import DaskTable, pieces_of, weights_of

X = np.arange(60.0).reshape(20, 3)
LENGTHS = (0, 4, 1, 0, 8, 7, 0)
SPANS = [(0, 6), (6, 12), (12, 18), (18, 20)]


def test_lengths_and_places(client, lazy):
    found = DaskTable.of(lazy(X, LENGTHS), client)
    assert (found.n_rows, found.n_columns, found.dtype, found.names) == (20, 3, float, None)
    assert found.lengths == LENGTHS
    assert found.array.chunks[0] == (4, 1, 8, 7)
    assert found.place(0) == "chunk 1 of 7 of X, row 0 of it"
    assert found.place(4) == "chunk 2 of 7 of X, row 0 of it"
    assert found.place(5) == "chunk 4 of 7 of X, row 0 of it"
    assert found.place(19) == "chunk 5 of 7 of X, row 6 of it"


def test_chunks_of_unknown_lengths_are_counted(client, lazy):
    rows = lazy(X, LENGTHS, are_known=False)
    assert DaskTable.of(rows, client).lengths == LENGTHS
    assert np.isnan(rows.shape[0])  # which is as it was
    few = rows[rows[:, 0] > 30]
    assert DaskTable.of(few, client).lengths == (0, 0, 0, 0, 2, 7, 0)


def test_pieces_are_the_rows_of_spans(client, lazy):
    for rows in (lazy(X, LENGTHS), lazy(X, LENGTHS, are_known=False), lazy(X, (20,))):
        pieces = DaskTable.of(rows, client).pieces(SPANS)
        for (a, b), piece in zip(SPANS, pieces, strict=True):
            assert piece.compute().tolist() == X[a:b].tolist()


@each(
    ("dtypes", "expected"),
    [
        (["f4", "f4"], "f4"),
        (["f4", "f8"], "f8"),
        (["i2", "f4"], "f4"),
        (["i4", "f4"], "f8"),
        (["?", "u1"], "f8"),
        (["f2", "f2"], "f8"),
    ],
)
def test_frames_have_the_type_that_they_have_in_memory(client, dtypes, expected):
    frame = pd.DataFrame({"a": np.array([0, 1], dtypes[0]), 3: np.array([1, 0], dtypes[1])})
    frame.columns = ["a", "3"]
    found = DaskTable.of(dd.from_pandas(frame, npartitions=2), client)
    assert found.array.dtype == np.dtype(expected)
    assert found.names == ["a", "3"]
    assert found.lengths == (1, 1)
    assert found.array.compute().tolist() == [[0, 1], [1, 0]]


def test_columns_without_names_and_columns_of_one_name(client):
    numbered = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    assert DaskTable.of(numbered, client).names is None
    repeated = dd.from_pandas(pd.DataFrame(X, columns=["a", "b", "a"]), npartitions=2)
    with pytest.raises(ValueError, match="X has 2 columns called 'a'; give each a name of its own"):
        DaskTable.of(repeated, client)


def test_frames_of_unknown_and_empty_partitions(client):
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=5)
    found = DaskTable.of(frame[frame.a > 20], client)
    assert sum(found.lengths) == found.n_rows == 13
    assert found.lengths[0] == 0
    assert found.array.compute().tolist() == X[7:].tolist()


def test_weights_are_one_per_row(client, lazy):
    w = np.arange(20.0)
    for weights in (
        w,
        w.tolist(),
        lazy(w, LENGTHS),
        dd.from_pandas(pd.Series(w), npartitions=3),
    ):
        known = weights_of(weights, 20, client)
        found = dask.compute(*pieces_of(known, SPANS))
        assert np.concatenate(found).tolist() == w.tolist()
        assert [len(part) for part in found] == [6, 6, 6, 2]
    unknown = lazy(w, LENGTHS)
    assert sum(weights_of(unknown[unknown >= 0], 20, client).chunks[0]) == 20
    with pytest.raises(ValueError, match="sample_weight has 10 weights, and X has 20 rows"):
        weights_of(unknown[unknown >= 10], 20, client)
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(20, 3\)"):
        weights_of(lazy(X), 20, client)
