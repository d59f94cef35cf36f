"""Columns that are left out, name the rows or are copied: --drop, --id-column, --append."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups.cli import main

COMMAND = "cluster"

IDS = ["007", "b,1", "c", "d", "e", "f"]
X = [0.0, 0.5, 0.25, 9.0, 9.5, 9.25]
GROUPS = [0, 0, 0, 1, 1, 1]


@pytest.fixture
def table(folder):
    """Ids that are text or look like numbers, one feature, and text that nobody needs."""
    with (folder / "x.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [["id", "x", "note"], *zip(IDS, map("{:.3f}".format, X), "uvwxyz", strict=True)]
        )
    return "x.csv"


def rows_of(path):
    return list(csv.reader(io.StringIO(path.read_text())))


def labels_in(out):
    """Labels as JSON has them, the first group first."""
    labels = json.loads(out)["labels"]
    return labels if labels[0] == 0 else [1 - label for label in labels]


def test_names_of_rows_are_those_of_the_file(folder, run):
    """Numbers that float64 does not hold, and zeros in front."""
    ids = ["9007199254740993", "001", "9007199254740995", "02100", "1e3", "6"]
    lines = [f"{name},{x}" for name, x in zip(ids, X, strict=True)]
    (folder / "x.csv").write_text("\n".join(["id,x", *lines]))
    assert run("x.csv", "-k", 2, "--id-column", "id", "-o", "l.csv")[0] == 0
    assert [row[1] for row in rows_of(folder / "l.csv")[1:]] == ids
    status, _, err = run("-", "-k", 2, "--id-column", "id", stdin=b"id,x\n1,2\n2,3\n")
    assert (status, "name a file instead of -" in err) == (2, True)


def test_the_whole_table_is_written_with_a_cluster_column(table, folder, run):
    status, out, _ = run(table, "-k", 2, "--drop", "note,id", "-o", "all.csv", "--append", "--json")
    assert status == 0
    given, written = rows_of(folder / "x.csv"), rows_of(folder / "all.csv")
    assert [row[:-1] for row in written] == given  # 007 and 0.500 as they stood there
    assert [row[-1] for row in written] == ["cluster", *map(str, json.loads(out)["labels"])]


@each("kind", ["npy", "parquet", "tsv"])
def test_append_to_other_files(folder, run, kind):
    numbers = np.column_stack([X, [1e-7, 1 / 3, 2.0, -5.0, 1e20, 7.0]])
    names = ["1", "2"] if kind == "npy" else ["a", "b"]
    frame = pd.DataFrame(numbers, columns=names)
    path = folder / f"x.{kind}"
    if kind == "npy":
        np.save(path, numbers)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t", index=False)
    assert run(path.name, "-k", 2, "--columns", names[0], "-o", "all.csv", "--append")[0] == 0
    header, *rows = rows_of(folder / "all.csv")
    assert header == [*names, "cluster"]
    np.testing.assert_array_equal(np.array(rows, float)[:, :2], numbers)
    assert sorted(row[2] for row in rows) == list("000111")


@each(
    ("index", "ids"),
    [(None, list("012345")), (IDS, IDS), ("named", list("012345"))],
)
def test_the_index_that_pandas_wrote_names_the_rows(folder, run, index, ids):
    frame = pd.DataFrame({"x": X}, index=index if isinstance(index, list) else None)
    frame.to_csv(folder / "x.csv")
    if index == "named":
        pd.read_csv(folder / "x.csv").to_csv(folder / "x.csv", index=False)  # "Unnamed: 0"
    status, out, _ = run("x.csv", "-k", 2, "-o", "l.csv", "--json")
    assert status == 0
    assert labels_in(out) == GROUPS
    assert [row[1] for row in rows_of(folder / "l.csv")[1:]] == ids


@each("content", [",x\n5,0\n7,1\n5,8\n", "a,x\n0,0\n1,1\n2,8\n"])
def test_other_first_columns_are_features(folder, run, content):
    (folder / "x.csv").write_text(content)
    status, out, _ = run("x.csv", "-k", 2, "--json")
    assert status == 0
    assert json.loads(out)["n_features"] == 2


@each("suffix", ["csv", "xlsx"])
def test_the_index_of_some_rows_names_them(folder, run, suffix):
    """As df[mask] keeps it: whole numbers, all different, that do not count the rows."""
    frame = pd.DataFrame({"x": [1.5, 1.6, 9.0, 9.1], "y": [2, 2.1, 8, 8.2]}, index=[17, 2, 4, 33])
    getattr(frame, "to_excel" if suffix == "xlsx" else "to_csv")(folder / f"x.{suffix}")
    status, out, _ = run(f"x.{suffix}", "-k", 2, "-o", "l.csv", "--json")
    assert (status, json.loads(out)["n_features"]) == (0, 2)
    assert [row[1] for row in rows_of(folder / "l.csv")[1:]] == ["17", "2", "4", "33"]


MATRIX = ["0,1,7,8", "1,0,6,7", "7,6,0,1", "8,7,1,0"]


@each(
    "lines",
    [
        [",1,2,3,4", *(f"{i},{row}" for i, row in enumerate(MATRIX, 1))],
        [f"{row}," for row in MATRIX],
    ],
)
def test_a_matrix_with_numbers_as_names_or_with_commas_at_the_end(folder, run, lines):
    (folder / "m.csv").write_text("\n".join(lines))
    status, out, err = run("m.csv", "-k", 2, "--metric", "precomputed", "--json")
    assert status == 0, err
    assert labels_in(out) == [0, 0, 1, 1]


def test_columns_of_a_matrix_are_matched_with_its_rows(folder, run):
    rho = pd.DataFrame(np.abs(np.subtract.outer(X, X)), index=[*"abcdef"], columns=[*"abcdef"])
    rho.iloc[::-1].to_csv(folder / "m.csv")
    status, out, _ = run("m.csv", "-k", 2, "--metric", "precomputed", "-o", "l.csv", "--json")
    assert (status, labels_in(out)) == (0, [0, 0, 0, 1, 1, 1])
    assert [row[1] for row in rows_of(folder / "l.csv")[1:]] == [*"fedcba"]


@each(
    ("rows", "columns", "status"),
    [
        ([*"xyzuvw"], [*"abcdef"], 1),
        ([*"abcdeg"], [*"abcdef"], 1),
        ([f"s{i}" for i in range(6)], [*"abcdef"], 1),
        (range(6), [*"abcdef"], 0),
        ([3, 0, 5, 1, 4, 2], range(6), 0),  # the index of shuffled rows
        ([*"abcdef"], [f"V{i}" for i in range(1, 7)], 0),
        (["a b", *"bcdef"], ["a.b", *"bcdef"], 0),
    ],
)
def test_rows_of_a_matrix_are_named_like_its_columns(folder, run, rows, columns, status):
    pd.DataFrame(np.abs(np.subtract.outer(X, X)), rows, columns).to_csv(folder / "m.csv")
    found, _, err = run("m.csv", "-k", 2, "--metric", "precomputed", "--json")
    assert found == status, err
    if status:
        assert run("m.csv", "-k", 2, "--metric", "precomputed", "--id-column", 1)[0] == 0


def test_an_unnamed_index_may_be_a_feature(folder, run):
    pd.DataFrame({"x": X}).to_csv(folder / "x.csv")
    status, out, _ = run("x.csv", "-k", 2, "--columns", "1,x", "--json")
    assert status == 0
    assert json.loads(out)["n_features"] == 2


def test_append_is_refused_where_it_would_lose_something(folder, run):
    (folder / "x.csv").write_text("cluster,x\n1,2\n3,4\n5,9\n")
    status, _, err = run("x.csv", "-k", 2, "-o", "y.csv", "--append")
    assert (status, "'cluster', which x.csv has already" in err) == (2, True)
    status, _, err = run("-", "-k", 2, "-o", "y.csv", "--append", stdin=b"a,x\n1,2\n3,4\n5,9\n")
    assert (status, "name a file instead of -" in err) == (2, True)
    assert not (folder / "y.csv").exists()


def test_an_index_without_a_name_stays_without_one(folder, run):
    pd.DataFrame({"x": X}).to_csv(folder / "x.csv")
    assert run("x.csv", "-k", 2, "-o", "all.csv", "--append")[0] == 0
    assert rows_of(folder / "all.csv")[0] == ["", "x", "cluster"]


# --- several levels of an index --------------------------------------------------------------

LEVELS = pd.DataFrame(
    {"x": [1.0, 2.0, 9.0, 8.0], "y": [3.0, 3.5, 8.0, 8.5]},
    index=pd.MultiIndex.from_product([["a", "b"], [1, 2]]),
)


@each("saved", [1, 2])
def test_levels_of_an_index_name_the_rows(folder, capsys, saved):
    LEVELS.to_csv("x.csv")
    for _ in range(1, saved):  # read and written again, which adds row numbers
        pd.read_csv("x.csv").to_csv("x.csv")
    assert main(["cluster", "x.csv", "-k", "2", "--json", "-o", "o.csv"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = ["a, 1", "a, 2", "b, 1", "b, 2"]
    expected = names if saved == 1 else [f"{i}, {name}" for i, name in enumerate(names)]
    assert found["ids"] == pd.read_csv("o.csv")["id"].tolist() == expected
    assert found["columns"]["numeric"] == ["x", "y"]


def test_levels_of_an_index_in_two_samples(folder, capsys):
    LEVELS.to_csv("x.csv")
    LEVELS.add(1).to_csv("y.csv")
    assert main(["test", "x.csv", "y.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"]["numeric"] == ["x", "y"]


@each(
    ("header", "rows", "numeric"),
    [
        (",,x", ["a,,1", "b,,2", "c,,9"], ["x"]),  # the second is empty
        (",,x", ["a,.5,1", "b,.5,2", "c,.25,9"], ["2", "x"]),  # and here it is a measurement
        (",,x", [".1,.5,1", ".2,.5,2", ".3,.25,9"], ["1", "2", "x"]),
        (",,x", ["1,1,1", "1,1,2", "2,1,9"], ["1", "2", "x"]),
        ("Unnamed: 0,Unnamed: 1,", ["a,1,1", "b,1,2", "c,2,9"], ["Unnamed: 1", "3"]),
    ],
)
def test_columns_without_names_that_are_not_levels(folder, capsys, header, rows, numeric):
    (folder / "x.csv").write_text("\n".join([header, *rows]))
    assert main(["cluster", "x.csv", "-k", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"]["numeric"] == numeric
