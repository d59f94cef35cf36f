"""Files of tables: what each holds, and how to see what the command line reads from it.

Nothing here knows how a table is read. The rows of a file are seen as the centers of a clustering
by squared distances with as many clusters as there are different rows; texts as the names of rows
in a file of labels; kinds of columns by the clusters that ``--metric mixed`` finds. A reader of
another build only has to keep the command line.
"""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import kgroups
from kgroups.cli import main


class Ended(NamedTuple):
    status: int
    out: str
    err: str


def run(*arguments):
    """A command line in this process: its exit status and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    return Ended(status, out.getvalue(), err.getvalue())


def written(folder, name, content):
    """A file of bytes, of text in UTF-8, or of what a function writes to a path."""
    path = Path(folder, name)
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_in(path, n_different, *options):
    """The numbers in a table, in the order of its rows."""
    kept = path.with_name("model.kg")
    ended = run("cluster", path, "-k", n_different, "--alpha", 2, "--save", kept, *options)
    assert ended.status == 0, ended.err
    model = kgroups.load(kept)
    return model.cluster_centers_[model.labels_]


def assert_columns(path, expected, *options):
    """That a file holds these columns of numbers, under these names, and no others."""
    whole = np.column_stack([np.asarray(values, float) for values in expected.values()])
    found = rows_in(path, len(np.unique(whole, axis=0)), *options)
    np.testing.assert_allclose(found, whole, rtol=1e-14, err_msg=str(path.name))
    for name, values in expected.items():
        found = rows_in(path, len(set(values)), "--columns", name, *options)
        np.testing.assert_allclose(found[:, 0], values, rtol=1e-14, err_msg=f"{path.name}: {name}")


def texts_in(path, name, number, *options):
    """The texts of a column next to one of numbers."""
    labels = path.with_name("labels.csv")
    ended = run(
        "cluster", path, "-k", 1, "--columns", number, "--id-column", name, "-o", labels, *options
    )  # fmt: skip
    assert ended.status == 0, ended.err
    with labels.open(encoding="utf-8", newline="") as stream:
        return [row[1] for row in csv.reader(stream)][1:]


def mixed_clusters(path, k, columns, *options):
    """The labels and W of clusters that depend on the kinds of the columns."""
    ended = run("cluster", path, "-k", k, "--metric", "mixed", "--columns", ",".join(columns),
                "--json", *options)  # fmt: skip
    assert ended.status == 0, ended.err
    found = json.loads(ended.out)
    return found["labels"], found["within_dispersion"]


def refusal(path, *options, command=("cluster",)):
    """The message of a command that refuses a file: one line, which names it."""
    ended = run(*command, path, *(("-k", 2) if command == ("cluster",) else ()), *options)
    assert ended.status in (1, 2), (path.name, ended)
    (line,) = [line for line in ended.err.splitlines() if "error:" in line]
    assert path.name in line, ended.err
    assert "Traceback" not in ended.err
    return ended.err


#: A frame with a column of every kind: text that is no number, gaps, and dates.
FRAME = pd.DataFrame(
    {
        "id": ["007", "008", "0019", "020", "NA", "5e3"],
        "x": [1.5, None, 3.0, 0.25, 7.5, -2.0],
        "n": [1, 2, 4, 8, 16, 32],
        "yes": [True, False, True, True, False, False],
        "day": pd.to_datetime(
            ["2023-12-31", "2024-02-01", None, "2024-03-15", "2024-04-01", "2024-04-02"]
        ),
        "size": pd.Categorical(["S", "M", "S", None, "M", "S"]),
    }
)
#: The same with dates as text, for files that hold nothing else.
PLAIN = FRAME.assign(day=FRAME["day"].dt.strftime("%Y-%m-%d"))

#: Writers of :data:`FRAME` by the name of the file.
FRAME_FILES = {
    "frame.csv": lambda path: PLAIN.to_csv(path, index=False),
    "frame.tsv": lambda path: PLAIN.to_csv(path, index=False, sep="\t"),
    "frame.csv.gz": lambda path: PLAIN.to_csv(path, index=False),
    "frame.tsv.bz2": lambda path: PLAIN.to_csv(path, index=False, sep="\t"),
    "frame.json": lambda path: FRAME.to_json(path, orient="records", date_format="iso"),
    "frame.jsonl": lambda path: FRAME.to_json(
        path, orient="records", lines=True, date_format="iso"
    ),
    "frame.parquet": FRAME.to_parquet,
    "frame.feather": FRAME.to_feather,
    "frame.xlsx": lambda path: FRAME.to_excel(path, index=False),
}  # fmt: skip


def workbook(**frames):
    """A writer of an Excel workbook with a sheet for each frame."""

    def write(path):
        with pd.ExcelWriter(path) as book:
            for name, frame in frames.items():
                frame.to_excel(book, sheet_name=name, index=False)

    return write


#: How a missing value is written.
GAPS = ["", " ", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "<NA>"]
AB = {"a": [1, 3, 5.5], "b": [2, 4, 9]}
_AB = "a,b\n1,2\n3,4\n5.5,9\n"
_NUMBERS = np.array([[1, 2], [3, 4], [5.5, 9]])
_NO_NAMES = {"1": [1, 3, 5.5], "2": [2, 4, 9]}
_GERMAN = {"preis": [1234.5, 99.9, 12000], "menge": [3, 4, 7]}

#: Name → (content, the columns that it holds, options).
TABLES = {
    "comma.csv": (_AB, AB, ()),
    "semicolon.csv": (_AB.replace(",", ";"), AB, ()),
    "bar.csv": (_AB.replace(",", "|"), AB, ()),
    "tab.tsv": (_AB.replace(",", "\t"), AB, ()),
    "tab.txt": (_AB.replace(",", "\t"), AB, ()),
    "blanks.txt": ("1.0 2.0\n3.0  4.0\n5.5 9\n", _NO_NAMES, ()),
    "after_commas.csv": (_AB.replace(",", ", "), AB, ()),
    "sep.csv": ("sep=;\n" + _AB.replace(",", ";"), AB, ()),
    "crlf.csv": (_AB.replace("\n", "\r\n"), AB, ()),
    "cr.csv": (_AB.replace("\n", "\r"), AB, ()),
    "no_last_end.csv": (_AB.rstrip(), AB, ()),
    "blank_lines_last.csv": (_AB + "\n\n", AB, ()),
    "bom.csv": (_AB.encode("utf-8-sig"), AB, ()),
    "utf16.csv": (_AB.encode("utf-16"), AB, ()),
    "utf16be.csv": (("\ufeff" + _AB).encode("utf-16-be"), AB, ()),
    "latin1.csv": (
        "größe;wert\n1,5;2\n2,5;4\n".encode("latin-1"),
        {"größe": [1.5, 2.5], "wert": [2, 4]},
        ("--encoding", "latin-1"),
    ),
    "quoted_names.csv": ('"a b","c"\n"1","2"\n3,4\n', {"a b": [1, 3], "c": [2, 4]}, ()),
    "last_comma.csv": ("a,b,\n1,2,\n3,4,\n5.5,9,\n", AB, ()),
    "no_header.csv": ("1,2\n3,4\n5.5,9\n", _NO_NAMES, ()),
    "one_column.csv": ("x\n1\n2.5\n4\n", {"x": [1, 2.5, 4]}, ()),
    "notations.csv": (
        "a,b\n-1.5,2e3\n+.5,1E-2\n1e+2,.25\n", {"a": [-1.5, 0.5, 100], "b": [2000, 0.01, 0.25]}, ()
    ),
    "big.csv": ("a,b\n12345678901234567890,1\n-1,2\n", {"a": [12345678901234567890, -1],
                                                       "b": [1, 2]}, ()),
    "truths.csv": ("a,b\nTrue,1\nFALSE,2.5\ntrue,4\n", {"a": [1, 0, 1], "b": [1, 2.5, 4]}, ()),
    "decimal_commas.csv": ("x;y\n1,5;2,25\n-0,5;3,5\n", {"x": [1.5, -0.5], "y": [2.25, 3.5]}, ()),
    "german.csv": ("preis;menge\n1.234,50;3\n99,90;4\n12.000,00;7\n", _GERMAN, ()),
    "swiss.csv": ("preis;menge\n1'234,50;3\n99,90;4\n12'000,00;7\n", _GERMAN, ("--decimal", ",")),
    "thousands.csv": (
        'a,b\n"1,234",2\n"5,678,901",3\n', {"a": [1234, 5678901], "b": [2, 3]}, ("--decimal", ".")
    ),
    "skipped.csv": ("Report\n" + _AB + "Total,15\n", AB, ("--skip-lines", "1,6")),
    "index_of_pandas.csv": (",a,b\n0,1,2\n1,3,4\n2,5.5,9\n", AB, ()),
    "numbers_of_pandas.csv": (
        ",0,1\n0,1,2\n1,3,4\n2,5.5,9\n", {"0": AB["a"], "1": AB["b"]}, ()
    ),
    "arrays_in_objects.jsonl": (
        '{"v": [1, 2]}\n{"v": [3, 4]}\n{"v": [5.5, 9]}\n', {"v[0]": AB["a"], "v[1]": AB["b"]}, ()
    ),
    "names_of_r.csv": ('"","a","b"\n"Fiat",1,2\n"Audi",3,4\n"Opel",5.5,9\n', AB, ()),
    "short_header_of_r.txt": ('"a" "b"\n"51" 1 2\n"3" 3 4\n"7" 5.5 9\n', AB, ()),
    "short_header_of_r.csv": ('"a","b"\n"Fiat",1,2\n"Audi",3,4\n"Opel",5.5,9\n', AB, ()),
    "short_header_of_r.tsv": ("a\tb\n1\t1\t2\n2\t3\t4\n3\t5.5\t9\n", AB, ()),
    "numbers_of_r.csv": ('"","a","b"\n"51",1,2\n"3",3,4\n"7",5.5,9\n', AB, ()),
    "gaps.csv": (
        "x,y\n1,0\n" + "".join(f"{gap},{i}\n" for i, gap in enumerate(GAPS, 1)) + "5,-1\n",
        {"x": [1, *[3] * len(GAPS), 5], "y": [0, *range(1, len(GAPS) + 1), -1]},
        ("--impute", "mean"),
    ),
    "own_gaps.csv": ("x,y\n1,5\n-999,6\n4,7\n", {"x": [1, 2.5, 4], "y": [5, 6, 7]},
                     ("--na-values", "-999", "--impute", "mean")),
    "rows.json": ('[{"a": 1, "b": 2}, {"b": 4, "a": 3}, {"a": 5.5, "b": 9}]', AB, ()),
    "rows.jsonl": ('{"a": 1, "b": 2}\n{"b": 4, "a": 3}\n{"a": 5.5, "b": 9}\n', AB, ()),
    "arrays.jsonl": ("[1, 2]\n[3, 4]\n[5.5, 9]\n", _NO_NAMES, ()),
    "a.csv.gz": (gzip.compress(_AB[:8].encode()) + gzip.compress(_AB[8:].encode()), AB, ()),
    "a.csv.bz2": (bz2.compress(_AB.encode()), AB, ()),
    "a.csv.xz": (lzma.compress(_AB.encode()), AB, ()),
    "a.npy": (lambda path: np.save(path, np.asfortranarray(_NUMBERS)), _NO_NAMES, ()),
    "swapped.npy": (lambda path: np.save(path, _NUMBERS.astype(">f4")), _NO_NAMES, ()),
    "one.npz": (lambda path: np.savez(path, some=_NUMBERS, y=[1, 2]), _NO_NAMES, ()),
    "a.npz": (lambda path: np.savez_compressed(path, X=_NUMBERS, other=np.eye(2)), _NO_NAMES, ()),
    "a.xlsx": (workbook(one=pd.DataFrame({"q": [1.0, 2.0]}), two=pd.DataFrame(AB)), AB,
               ("--sheet", "two")),
    "first.xlsx": (workbook(one=pd.DataFrame(AB), two=pd.DataFrame({"q": [1.0, 2.0]})), AB, ()),
    "indexed.parquet": (lambda path: pd.DataFrame(AB, index=[51, 3, 7]).to_parquet(path), AB, ()),
    "numbered.csv": ("0,1,2\n5,8.5,13\n7,2,4\n1,9,6\n", {"0": [5, 7, 1], "1": [8.5, 2, 9],
                                                        "2": [13, 4, 6]}, ()),
    "wavelengths.csv": (
        "400.5,401,401.5,402\n0.12,0.15,0.11,0.17\n0.32,0.25,0.41,0.37\n0.62,0.55,0.51,0.57\n",
        {"400.5": [0.12, 0.32, 0.62], "401": [0.15, 0.25, 0.55], "401.5": [0.11, 0.41, 0.51],
         "402": [0.17, 0.37, 0.57]}, (),
    ),
    "indexed_wavelengths.csv": (
        ",400.5,401\n0,0.12,0.15\n1,0.32,0.25\n2,0.62,0.55\n",
        {"400.5": [0.12, 0.32, 0.62], "401": [0.15, 0.25, 0.55]}, (),
    ),
}  # fmt: skip
