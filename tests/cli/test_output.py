"""Files that are written whole, all of them or none; labels as CSV and Parquet."""

import csv
import io
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers import each, files
from kgroups.cli.console import OutputError, UsageError
from kgroups.cli.output import (
    check_destinations,
    columns_bytes,
    label_columns,
    write_columns,
    write_together,
)


def write(path, content):
    write_together({path: lambda: content})


def check(path, option="-o", *inputs):
    check_destinations({option: Path(path)}, inputs)


def test_written_files_are_ordinary(folder):
    """Readable as the user's other files are, and a link stays a link."""
    (folder / "target").write_text("old")
    (folder / "link").symlink_to("target")
    write(folder / "link", b"new")
    assert (folder / "link").is_symlink()
    assert (folder / "target").read_bytes() == b"new"
    (folder / "plain").touch()
    assert (folder / "target").stat().st_mode == (folder / "plain").stat().st_mode
    (folder / "plain").chmod(0o640)
    write(folder / "plain", b"new")
    assert (folder / "plain").stat().st_mode & 0o777 == 0o640
    assert files(folder) == ["link", "plain", "target"]


def test_nobody_else_reads_a_private_file_while_it_is_written(tmp_path, monkeypatch):
    path, seen = tmp_path / "private.csv", []
    path.write_text("old")
    path.chmod(0o600)
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(os.fstat(fd).st_mode) or fsync(fd))
    write(path, b"new")
    assert [stat.S_IMODE(mode) for mode in seen] == [0o600]
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)


def test_no_file_is_written_if_one_cannot_be(folder):
    (folder / "old").write_text("old")
    with pytest.raises(OutputError, match="none"):
        write_together({Path("old"): lambda: b"new", Path("none/x"): lambda: b"new"})
    with pytest.raises(ZeroDivisionError):
        write_together({Path("old"): lambda: b"new", Path("x"): lambda: 1 / 0})
    assert files(folder) == ["old"]
    assert (folder / "old").read_text() == "old"


def test_places_that_are_found_before_the_work(folder):
    (folder / "x.csv").write_text("1\n")
    (folder / "loop").symlink_to("loop")
    (folder / "far").symlink_to("none/x")
    (folder / "near").symlink_to("y.csv")
    for path in (".", "none/y", "x.csv/y", "loop", "far", "n" * 300, os.devnull):
        with pytest.raises(OutputError, match=path if len(path) > 1 else "folder"):
            check(path)
    for path, option in {"-": "-o", "x.csv": "-o", "y.tsv": "-o", "y.gif": "--plot",
                         "y.txt": "--report"}.items():  # fmt: skip
        with pytest.raises(UsageError, match=path):
            check(path, option, "./x.csv")
    with pytest.raises(UsageError, match="--report"):
        check_destinations({"--save": Path("y.html"), "--report": Path("y.html")}, [])
    for path in ("near", "o", "O.CSV", "o.parquet", "n" * os.pathconf(folder, "PC_NAME_MAX")):
        check(path, "-o", "-")
    assert files(folder) == ["far", "loop", "near", "x.csv"]


@pytest.mark.parametrize("name", ["stdout", "stderr", "stdin"])
def test_redirected_streams_are_not_replaced(folder, monkeypatch, name):
    """The report would go to the old file, which is gone once the new one has its name."""
    (folder / "f").write_text("old")
    data = "-" if name == "stdin" else "x.csv"
    with (folder / "f").open("r" if name == "stdin" else "a") as stream:
        monkeypatch.setattr(sys, name, stream)
        (folder / "link").symlink_to("f")
        for path in ("f", "link"):
            with pytest.raises(UsageError, match=r"where standard .* is redirected"):
                check(path, "-o", data)
        check("other", "-o", data)


# --- labels ----------------------------------------------------------------------------------


@each("names", [["a", "", "bc"], ["é", "日本", "x"], ["a,b", 'a"b', "x"], ["a\nb", " x ", "007"]])
def test_names_are_read_as_they_were(names):
    labels = np.array([0, 10, -1])
    text = columns_bytes(None, label_columns(None, labels, names, "name")).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    expected = [[str(i), n, str(c)] for i, n, c in zip((1, 2, 3), names, labels, strict=True)]
    assert rows == [["row", "name", "cluster"], *expected]
    path = Path("o.PARQUET")
    parquet = columns_bytes(path, label_columns(path, labels, names, "cluster"))
    found = pd.read_parquet(io.BytesIO(parquet))
    assert found.to_dict("list") == {"id": names, "cluster": labels.tolist()}
    assert found["cluster"].dtype == np.int32


@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_parts_are_written_one_after_the_other(name):
    stream = io.BytesIO()
    write_columns(stream, Path(name), ({"x": [i, i + 1], "y": ["a", None]} for i in (0, 2)))
    stream.seek(0)
    found = pd.read_csv(stream) if name.endswith("csv") else pd.read_parquet(stream)
    assert found["x"].tolist() == [0, 1, 2, 3]
    assert found["y"].isna().tolist() == [False, True] * 2
