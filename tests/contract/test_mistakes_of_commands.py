"""Mistakes in command lines and in the files that they name: exit status and two key words.

Status 2 is a command line that contradicts itself, 1 a file that cannot be meant so, and 0 a
result with a note of what may be meant otherwise. Where the status is not 0 no file is written.
"""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from helpers import assert_each_says, each, has_words
from kgroups import KernelKGroups, load
from kgroups.blocks import from_npy, from_parquet
from kgroups.cli import main
from kgroups.exceptions import DataError

#: A table of two columns, six rows and two clusters.
ROWS = np.array([[1.0, 2], [2, 1], [1, 1], [8, 9], [9, 8], [9, 9]])
TABLE = "a,b\n1,2\n2,1\n1,1\n8,9\n9,8\n9,9\n"
#: Distances between four points, and a list of edges.
HALF = "0,,,\n3,0,,\n4,5,0,\n9,9,9,0\n"
EDGES = "a,b,1\nb,c,1\na,c,1\nc,d,1\nd,e,1\nd,f,1\ne,f,1\n"

#: What is wrong, the content of x.csv, the command line, two words.
TABLES = [
    ("an empty field", "a,b\n1,2\n3,\n4,5\n", "cluster x.csv -k 2", "line 3", "missing"),
    ("infinity", "a,b\n1,2\n3,inf\n4,5\n", "cluster x.csv -k 2", "line 3", "infinite"),
    ("a ragged line", "a,b\n1,2\n3,4,5\n4,5\n", "cluster x.csv -k 2", "line 3", "expected 2"),
    ("two columns of one name", "a,a\n1,2\n3,4\n", "cluster x.csv -k 2", "several columns", "'a'"),
    ("text", "a,b\n1,x\n2,y\n3,x\n4,y\n", "cluster x.csv -k 2", "'b'", "mixed"),
    ("thousands", 'a,b\n1,"1,000"\n2,"2,500"\n3,"1,200"\n', "cluster x.csv -k 2", "'b'",
     "--decimal"),
    ("a line of units", "a,b\ncm,kg\n1,2\n2,1\n8,9\n", "cluster x.csv -k 2", "line 2",
     "--skip-lines"),
    ("a last line of sums", TABLE + "Total,30\n", "cluster x.csv -k 2", "Total", "--skip-lines"),
    ("a title", "My data\n" + TABLE, "cluster x.csv -k 2", "line 2", "expected 1"),
    ("half a matrix", HALF, "cluster x.csv -k 2 --metric precomputed", "half", "fill"),
    ("half a matrix as a table", HALF, "cluster x.csv -k 2", "half", "precomputed"),
    ("not symmetric", "0,1,2\n5,0,2\n2,2,0\n", "cluster x.csv -k 2 --metric precomputed", "x.csv",
     "symmetric"),
    ("more clusters than rows", TABLE, "cluster x.csv -k 7", "x.csv", "n_clusters=7"),
    ("a negative weight", "a,w\n1,1\n2,-1\n3,1\n", "cluster x.csv -k 2 --weight-column w", "line 3",
     "'w'"),
    ("a column that is not there", TABLE, "cluster x.csv -k 2 --columns a,c", "'c'", "'b'"),
    ("no date", "a,b\n2024-01-01,1\nsoon,2\n2024-02-01,3\n",
     "cluster x.csv -k 2 --metric mixed --kinds a=date", "soon", "date"),
    ("day or month", "a,b\n01/02/2003,1\n03/04/2003,2\n05/06/2003,3\n",
     "cluster x.csv -k 2 --metric mixed", "month", "'a'"),
    ("a level without a place", "a,b\nS,1\nM,2\nL,3\n",
     "cluster x.csv -k 2 --metric mixed --kinds a=S<M", "'L'", "--kinds"),
    ("radians and degrees", "lat,lon\n139,35\n35,139\n36,138\n",
     "cluster x.csv -k 2 --metric great_circle", "latitude", "139"),
    ("other columns in a sample", TABLE, "test x.csv y.csv", "'c'", "y.csv"),
    ("every row a sample", "a,g\n1,p\n2,q\n3,r\n4,s\n5,t\n", "test x.csv --by g", "'g'", "row"),
    ("labels of other rows", TABLE, "cluster x.csv --certify labels.csv", "2 labels", "6 rows"),
    ("JSON with a key twice", '{"a": 1, "a": 2}\n', "cluster x.jsonl -k 1", "x.jsonl", "'a'"),
    ("JSON of two kinds", '{"a": 1}\n{"a": "x"}\n', "cluster x.jsonl -k 1", "row 2", "text"),
    ("gzip by another name", "\x1f\x8b\x08\x00", "cluster x.csv -k 2", "x.csv", "ended"),
    ("a model of other columns", "a,c\n1,2\n", "predict m.kg x.csv", "lacks", "'b'"),
    ("text for a model of numbers", "a,b\n1,x\n", "predict m.kg x.csv", "text", "'b'"),
    ("a negative weight", "a,b,-2\nb,c,1\n", "communities x.csv --objective normalized_cut",
     "negative", "x.csv"),
    ("labels of other nodes", EDGES, "communities x.csv --labels labels.csv", "labels.csv",
     "match"),
    ("columns of a graph in GML", "graph [ node [ id 0 ] ]", "communities x.gml --weight-column w",
     "x.gml", "'w'"),
]  # fmt: skip

#: What is wrong, the command line, two words.
LINES = [
    ("sigma without a kernel", "cluster x.csv -k 2 --sigma 1", "--sigma", "gaussian"),
    ("alpha of another metric", "cluster x.csv -k 2 --metric manhattan --alpha 1", "--alpha",
     "manhattan"),
    ("standard deviations of mixed columns", "cluster x.csv -k 2 --metric mixed --standardize",
     "--standardize", "mixed"),
    ("kinds without mixed", "cluster x.csv -k 2 --kinds a=date", "--kinds", "mixed"),
    ("over the data", "cluster x.csv -k 2 -o x.csv", "x.csv", "-o"),
    ("one file for two", "cluster x.csv -k 2 -o y.html --report y.html", "y.html", "--report"),
    ("a column twice", "cluster x.csv -k 2 --label-column a --columns a", "'a'", "twice"),
    ("all rows in blocks", "cluster x.npy -k 2 --stream --standardize", "--standardize", "memory"),
    ("r of another objective", "communities x.csv --r 2 --objective modularity", "--r",
     "bethe_hessian"),
    ("weights of another objective", "communities x.csv --weights unit --objective modularity",
     "--weights", "modularity"),
    ("one end", "communities x.csv --source a", "--source", "--target"),
    ("two files by a column", "test x.csv y.csv --by a", "--by", "2 files"),
]  # fmt: skip

SENTINELS = "a,b\n" + "".join(f"{a},{b}\n" for a, b in enumerate([3, -999, 4, 5] * 3))
COUNTED = "n,a,b\n" + "".join(f"{i},{i * 7 % 5},{i * 3 % 7}\n" for i in range(1, 13))
WIDE = "a,b\n" + "".join(f"{i * 7 % 5},{1000 * (i * 3 % 7)}\n" for i in range(12))
NAMED = "0,1,2\n" + "".join(f"{i * 7 % 5},{i * 3 % 7},{i * 5 % 11}.5\n" for i in range(12))

#: What may be meant otherwise, the content of x.csv, the command line, two words of the note.
NOTES = [
    ("a number for what is missing", SENTINELS, "cluster x.csv -k 2", "-999", "--na-values"),
    ("numbers of rows", COUNTED, "cluster x.csv -k 2", "row number", "--drop"),
    ("one column has all variance", WIDE, "cluster x.csv -k 2", "variance", "--standardize"),
    ("numbers as names", NAMED, "cluster x.csv -k 2", "column names", "--no-header"),
    ("pieces", "a,b\nc,d\n", "communities x.csv", "2 components", "-k 2"),
]  # fmt: skip


def text(path, content):
    """A file with a text."""
    Path(path).write_text(content)
    return path


def numbers(path, table=ROWS):
    """A file of NumPy."""
    np.save(path, table)
    return path


def parquet(path, **columns):
    """A file of columns."""
    pd.DataFrame(columns).to_parquet(path)
    return path


def cut(path):
    """A file without its last bytes."""
    Path(path).write_bytes(Path(path).read_bytes()[:-8])
    return path


def changed(path):
    """Rows of a file that was written once more after it was opened."""
    source = from_npy(numbers(path))
    numbers(path, np.vstack([ROWS, ROWS]))
    return source


def kept(path, **parameters):
    """A file of a model."""
    KernelKGroups(2, **parameters).fit(ROWS).save(path)
    return path


def distance(a, b):
    """A function that no file holds."""
    return abs(a - b).sum()


#: What is wrong with a file, the call, the class of error, two words.
FILES = [
    ("text in an array", lambda: from_npy(numbers("t.npy", np.array([["a", "b"]]))), DataError,
     "t.npy", "numbers"),
    ("an array cut off", lambda: from_npy(cut(numbers("c.npy"))), DataError, "c.npy", "bytes"),
    ("one column", lambda: from_npy(numbers("o.npy", ROWS[:, 0])), DataError, "o.npy", "(6,)"),
    ("another file than before", lambda: KernelKGroups(2).fit(changed("x.npy")), DataError,
     "x.npy", "changed"),
    ("text in a column", lambda: from_parquet(parquet("t.parquet", a=[1.0], b=["x"])), DataError,
     "t.parquet", "'b'"),
    ("a column that is not there", lambda: from_parquet(parquet("t.parquet", a=[1.0]), ["c"]),
     ValueError, "t.parquet", "'c'"),
    ("a column of one file", lambda: from_parquet([parquet("t.parquet", a=[1.0], b=[2.0]),
     parquet("u.parquet", a=[1.0])]), DataError, "u.parquet", "'b'"),
    ("two types of one column", lambda: from_parquet([parquet("t.parquet", a=[1.0]),
     parquet("u.parquet", a=[1])]), DataError, "u.parquet", "int64"),
    ("no model", lambda: load(text("m.kg", "a,b")), DataError, "m.kg", "save"),
    ("a model cut off", lambda: load(cut(kept("m.kg"))), DataError, "m.kg", "damaged"),
    ("a model with a function", lambda: load(kept("m.kg", metric=distance)), ValueError,
     "m.kg", "metric"),
    ("a metric that is kept", lambda: load(kept("m.kg"), metric=distance), ValueError,
     "m.kg", "metric"),
    ("a model that is not fitted", lambda: KernelKGroups(2).save("m.kg"), NotFittedError,
     "KernelKGroups", "fit"),
]  # fmt: skip


def test_files(folder):
    assert_each_says(FILES)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A kept model of TABLE."""
    path = tmp_path_factory.mktemp("model")
    (path / "x.csv").write_text(TABLE)
    assert main(["cluster", str(path / "x.csv"), "-k", "2", "--save", str(path / "m.kg")]) == 0
    return (path / "m.kg").read_bytes()


def status_and_errors(folder, capsys, line, content=TABLE, model=b""):
    """The status of a command, and what it writes to standard error, next to some files."""
    for path in folder.iterdir():
        path.unlink()
    data = next((part for part in line.split() if part.startswith("x.")), "x.csv")
    if data.endswith(".npy"):
        np.save(folder / data, np.arange(12.0).reshape(6, 2))
    else:
        (folder / data).write_bytes(content.encode("latin-1"))
    (folder / "y.csv").write_text("a,c\n1,2\n3,4\n")
    (folder / "labels.csv").write_text("node,label\np,1\nq,2\n")
    (folder / "m.kg").write_bytes(model)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    status = main(shlex.split(line))
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after == before, "a file was written"
    return status, capsys.readouterr().err


@each("name, content, line, one, two", TABLES, ids=lambda row: row[0])
def test_tables_and_networks(folder, capsys, model, name, content, line, one, two):
    status, err = status_and_errors(folder, capsys, line, content, model)
    assert status == 1, err
    assert has_words(err, one, two), err


@each("name, line, one, two", LINES, ids=lambda row: row[0])
def test_command_lines(folder, capsys, name, line, one, two):
    status, err = status_and_errors(folder, capsys, line)
    assert status == 2, err
    assert has_words(err, one, two), err


@each("name, content, line, one, two", NOTES, ids=lambda row: row[0])
def test_notes(folder, capsys, name, content, line, one, two):
    status, err = status_and_errors(folder, capsys, line, content)
    assert status == 0, err
    assert has_words(err, one, two), err
