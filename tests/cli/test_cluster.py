"""``kgroups cluster``: its numbers are those of the library, its files are whole or absent."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from helpers import files, read_until, write_csv
from kgroups import KernelKGroups
from kgroups.bounds import certify
from page_cases import headings, parsed

COMMAND = "cluster"
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
X, SPECIES = load_iris(return_X_y=True)


@pytest.fixture
def iris(folder):
    """iris.csv with its species, and only that in the folder."""
    pd.DataFrame(X, columns=NAMES).assign(species=SPECIES).to_csv("iris.csv", index=False)
    return folder / "iris.csv"


def as_json(run, *arguments):
    status, out, err = run(*arguments, "--json", "--n-init", 4)
    assert status == 0, err
    return json.loads(out)


# --- what is written -------------------------------------------------------------------------


def test_a_page_of_standardized_columns_in_their_own_units_and_its_labels(iris, folder, run):
    options = ("--drop", "species", "--standardize", "--report", "p.html", "-o", "l.csv")
    assert run(iris, "-k", 3, *options)[0] == 0
    html = (folder / "p.html").read_text(encoding="utf-8")
    parsed(html)
    assert "5.84" in html  # the mean of the first column, not the 0 of standardized ones
    assert "What sets each cluster apart" in headings(html)
    data = json.loads(re.search(r'id="label-data">(.*?)</script>', html)[1])
    labels = pd.read_csv("l.csv")["cluster"].tolist()
    assert [int(digit, 36) for digit in data["digits"]] == labels


def test_fields_are_appended_to_as_they_are_written(folder, run):
    (folder / "t.csv").write_text("code;x\n007;1,50\n;8\n019;1,5\n")
    assert run("t.csv", "-k", 2, "--columns", "x", "--append", "--proba", "-o", "a.csv")[0] == 0
    head, *rows = (folder / "a.csv").read_text().splitlines()
    assert head == "code,x,cluster,p0,p1"
    assert [row.split(",")[0] for row in rows] == ["007", "", "019"]
    assert rows[0].startswith('007,"1,50",')
    found = pd.read_csv("a.csv")
    assert found[["p0", "p1"]].sum(axis=1).tolist() == pytest.approx([1, 1, 1])
    assert found[["p0", "p1"]].to_numpy().argmax(axis=1).tolist() == found["cluster"].tolist()


def test_names_of_rows_and_types_are_kept_where_columns_are_appended(folder, run):
    rows = [[f"r{i}", i % 3 + 9 * (i % 2), -999 if i == 4 else i] for i in range(8)]
    write_csv(folder / "t.csv", [["", "x", "y"], *rows])
    given = ("t.csv", "-k", 2, "--na-values=-999", "--impute", "mean", "--append", "-o")
    for name, read in (("a.csv", pd.read_csv), ("a.parquet", pd.read_parquet)):
        assert run(*given, name)[0] == 0
        found = read(name, **({"index_col": 0} if "csv" in name else {}))
        assert found.index.tolist() == [row[0] for row in rows]
        assert found["x"].tolist() == [row[1] for row in rows]
        assert found["cluster"].nunique() == 2
    assert pd.read_csv("a.csv")["y"].tolist()[4] == -999
    status, _, err = run("a.csv", *given[1:], "b.csv")
    assert (status, "'cluster'" in err) == (2, True)


@pytest.mark.parametrize(("impute", "named"), [("category", "(missing)"), ("most-frequent", "a")])
def test_missing_categories_that_set_a_cluster_apart_have_a_name(folder, run, impute, named):
    rows = [[1, "b"], [2, "a"], [3, "a"], [4, "a"], [90, ""], [91, ""], [92, ""], [93, ""]]
    write_csv(folder / "gaps.csv", [["x", "town"], *rows])
    found = as_json(run, "gaps.csv", "-k", 2, "--categorical", "town", "--impute", impute)
    of_far = found["sets_apart"][found["labels"][-1]]
    (part,) = [part for part in of_far if part["column"] == "town"]
    assert (part["value"], part["share"]) == (named, 1.0)


# --- other clusterings -----------------------------------------------------------------------


def test_given_labels_by_the_numbers_of_their_rows(iris, folder, run):
    rows = [[i + 1, int(label)] for i, label in enumerate(SPECIES)]
    write_csv(folder / "labels.csv", [["row", "cluster"], *reversed(rows)])
    write_csv(folder / "words.csv", [["species"], *([["a", "b", "c"][s]] for s in SPECIES)])
    options = (iris, "--drop", "species", "--certify")
    found = json.loads(run(*options, "labels.csv", "--json")[1])
    expected = certify(X, SPECIES)
    assert sorted(move["row"] - 1 for move in found["moves"]) == expected.rows.tolist()
    assert found["moves"][0]["gain"] == expected.gains.max()
    assert found["within_dispersion"] == expected.within_dispersion
    named = json.loads(run(*options, "words.csv", "--json", "-o", "moves.csv")[1])
    assert {move["target"] for move in named["moves"]} == {"b", "c"}
    moves = pd.read_csv("moves.csv")
    assert moves["row"].tolist() == [move["row"] for move in found["moves"]]
    assert moves["gain"].tolist() == [move["gain"] for move in found["moves"]]


def test_a_proof_and_its_limit_of_time(iris, run):
    options = (iris, "-k", 3, "--method", "certified", "--time-limit", "1e-9", "--json")
    found = json.loads(run(*options)[1])
    assert found["settings"]["time_limit"] == 1e-9
    assert found["certificate"]["is_repeatable"] is False
    assert found["certificate"]["n_pairs_full"] == 150 * 149 // 2


# --- terminals, signals and pipes ------------------------------------------------------------


def test_interrupt_inside_a_program(iris, folder, run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(KernelKGroups, "fit", interrupt)
    status, out, err = run(iris, "-k", 3, "-o", "l.csv")
    assert (status, out) == (130, "")
    assert "interrupted" in err
    assert files(folder) == ["iris.csv"]


@pytest.fixture
def interruptible():
    """Child processes must not inherit a Ctrl-C that is ignored, as that of background jobs is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_progress_and_ctrl_c(iris, folder, interruptible):
    """A long run shows its starts on a terminal; Ctrl-C ends it at once and leaves nothing."""
    ours, theirs = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "kgroups", "cluster", iris, "-k", "20", "--json"]
    process = subprocess.Popen(
        [*command, "--drop", "species", "--n-init", "20000", "-o", "l.csv"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    seen = read_until(ours, rb"start \d+/20000: .*?, best \d+\.\d+, \d+\.\d s", seconds=60)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, _ = process.communicate(timeout=20)
    took = time.monotonic() - sent
    seen += read_until(ours, rb"\n", seconds=5)
    os.close(ours)
    assert (process.returncode, out) == (130, b"")
    assert seen.endswith(b"\r\x1b[Kkgroups: error: interrupted; no file was left unfinished\r\n")
    assert seen.count(b"\n") == 1, "progress is one line"
    assert took < 5
    assert files(folder) == ["iris.csv"]


def test_a_fit_imports_nothing_that_it_does_not_use(iris):
    code = (
        "import sys\nfrom kgroups.cli import main\n"
        f"assert main(['cluster', {str(iris)!r}, '-k', '3', '--drop', 'species']) == 0\n"
        "unused = {'sklearn.cluster', 'sklearn.metrics', 'kgroups.select', 'kgroups.graphs',"
        " 'matplotlib', 'networkx', 'distributed'}\n"
        "print(sorted(unused & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
