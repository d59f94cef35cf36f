"""Files of every format, and standard input, in the commands that read tables."""

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

from helpers import each, write_csv
from kgroups import KernelKGroups
from kgroups.cli import main

COMMAND = "cluster"

IRIS = load_iris()
HEADER = ["a", "b", "c", "d", "species"]
ROWS = [[*x, f"s{t}"] for x, t in zip(IRIS.data.tolist(), IRIS.target, strict=True)]


def labels_of(run, *arguments, **options):
    status, out, err = run(*arguments, "-k", 3, "--n-init", 4, "--json", **options)
    assert status == 0, err
    return json.loads(out)["labels"]


@pytest.fixture(scope="module")
def expected():
    return KernelKGroups(3, n_init=4, random_state=0).fit(IRIS.data).labels_.tolist()


def written(folder, name):
    """Iris in the format of the name."""
    if name.startswith("iris.csv"):
        content = Path(write_csv(folder / "plain.csv", [HEADER, *ROWS])).read_bytes()
        pack = gzip.compress if name.endswith(".gz") else bytes
        Path(folder / name).write_bytes(pack(content))
    elif name.endswith(".xlsx"):
        book = openpyxl.Workbook()
        book.active.append(["no table"])
        sheet = book.create_sheet("data")
        for row in (HEADER, *ROWS):
            sheet.append(row)
        book.save(folder / name)
    else:
        from pyarrow import feather, parquet

        table = pa.table(dict(zip(HEADER, map(list, zip(*ROWS, strict=True)), strict=True)))
        write = parquet.write_table if name.endswith(".parquet") else feather.write_feather
        write(table, str(folder / name))
    return name


@pytest.mark.parametrize(
    "name", ["iris.csv", "iris.csv.gz", "iris.parquet", "iris.feather", "iris.arrow", "iris.xlsx"]
)
def test_labels_do_not_depend_on_the_format(folder, run, expected, name):
    written(folder, name)
    sheet = ["--sheet", "data"] if name.endswith(".xlsx") else []
    chosen = [*sheet, "--label-column", "species"]
    assert labels_of(run, name, *chosen) == expected
    assert labels_of(run, "-", *chosen, stdin=Path(name).read_bytes()) == expected
    assert run(name, "-k", 3, "--n-init", 4, *chosen, "-o", "o.csv", "--append")[0] == 0
    rows = [line.split(",") for line in Path("o.csv").read_text().splitlines()]
    assert rows[0] == [*HEADER, "cluster"]
    assert rows[1] == [*(str(v).removesuffix(".0") if sheet or ".csv" not in name else str(v)
                         for v in ROWS[0]), str(expected[0])]  # fmt: skip
    assert [int(row[-1]) for row in rows[1:]] == expected


def test_the_sheet_is_named(folder, run):
    name = written(folder, "iris.xlsx")
    _, out, _ = run(name, "-k", 3, "--sheet", "data", "--drop", "species", "--json")
    assert json.loads(out)["settings"]["sheet"] == "data"


@each("command", [["choose-k", "-", "--quick"], ["test", "-", "--by", "species"]])
def test_other_commands_read_standard_input(folder, capsys, monkeypatch, command):
    content = Path(written(folder, "iris.csv.gz")).read_bytes()
    by_name = ["iris.csv.gz" if word == "-" else word for word in command]
    drop = [] if command[0] == "test" else ["--drop", "species", "--k-max", "3"]
    found = []
    for words in (command, by_name):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert main([*words, *drop, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        found.append({key: report[key] for key in report.keys() - {"command", "data", "seconds"}})
        data = report["data"]
        found[-1]["sha256"] = (data[0] if isinstance(data, list) else data)["sha256"]
    assert found[0] == found[1]


def test_standard_input_is_one_sample(folder, capsys, monkeypatch):
    values = np.random.default_rng(0).normal(size=(20, 2))
    np.savetxt("x.csv", values, delimiter=",")
    assert main(["test", "-", "-"]) == 2
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("x.csv").read_bytes())))
    assert main(["test", "-", "x.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["statistic"] == 0


def test_options_of_text_hold_for_compressed_text(folder, run, expected):
    rows = ("|".join(str(v).replace(".", ",") for v in row) for row in IRIS.data)
    Path("x.csv.gz").write_bytes(gzip.compress("\n".join(["ä|b|c|d", *rows]).encode("utf-16")))
    assert labels_of(run, "x.csv.gz") == expected
