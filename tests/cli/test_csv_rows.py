"""Rows as CSV: the bytes that the module csv writes."""

import csv
import io

import numpy as np

from helpers import each
from kgroups.cli import csv_rows
from kgroups.cli.labels_file import labels_bytes


def by_csv(columns):
    text = io.StringIO()
    rows = zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in columns), strict=True)
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


@each(
    "names",
    [
        ["a", "", "bc"],
        ["é", "日本", "x"],
        ["a,b", 'a"b', "x"],
        ["a\nb", "a\rb", " x "],
        ["\n", "", "\0"],
        ["n" * 1_000, "007", "'"],
    ],
)
def test_names_are_quoted_as_csv_does(names, monkeypatch):
    monkeypatch.setattr(csv_rows, "_ROWS_AT_ONCE", 4)
    columns = [np.arange(1, 10), names * 3, np.array([0, 10, -7] * 3)]
    assert b"".join(csv_rows.csv_rows(columns)) == by_csv(columns)


def test_integers_of_all_lengths():
    numbers = np.r_[0, [s * (10**p + d) for p in range(18) for d in (-1, 0) for s in (1, -1)]]
    numbers = np.r_[numbers, np.iinfo(np.int64).max, np.iinfo(np.int64).min]
    columns = [numbers, numbers[::-1].copy()]
    assert b"".join(csv_rows.csv_rows(columns)) == by_csv(columns)


def test_labels_with_and_without_names():
    labels = np.arange(20_000) % 11
    expected = "row,cluster\n" + "".join(f"{i + 1},{i % 11}\n" for i in range(20_000))
    assert labels_bytes(None, labels, None, "id") == expected.encode()
    assert labels_bytes(None, labels[:1], ["a;b"], "row") == b"row,row,cluster\n1,a;b,0\n"
    assert labels_bytes(None, labels[:0], None, "id") == b"row,cluster\n"
