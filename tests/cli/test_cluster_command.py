"""``kgroups cluster``: its numbers are those of the library, its files are whole or absent."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.datasets import load_iris

from helpers import files, read_until, write_csv
from kgroups import KernelKGroups
from kgroups.cli import main

COMMAND = "cluster"

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
IRIS = load_iris()
SPECIES = [str(IRIS.target_names[t]) for t in IRIS.target]


def write_columns(path, columns):
    return write_csv(path, [columns, *zip(*columns.values(), strict=True)])


@pytest.fixture
def iris(folder):
    """iris.csv with its species, and only that in the folder."""
    columns = dict(zip(NAMES, IRIS.data.T.tolist(), strict=True))
    return write_columns(folder / "iris.csv", {**columns, "species": SPECIES})


def cluster_json(run, *arguments, **options):
    status, out, err = run(*arguments, "--json", "--n-init", "4", **options)
    assert status == 0, err
    return json.loads(out)


# --- what comes out --------------------------------------------------------------------------


def test_the_picture_has_columns_in_their_own_units_and_categories_by_their_names(
    folder, run, monkeypatch
):
    import kgroups.plots

    drawn = {}

    def overview(model, X, **options):
        drawn.update(options, k=len(model.cluster_weights_))
        return kgroups.plots.style.blank(1, 1)

    monkeypatch.setattr("kgroups.plots.overview", overview)
    rows = [["id", "size", "color"], *([f"r{i}", 100 + i % 2, "ab"[i % 2]] for i in range(8))]
    write_csv(folder / "x.csv", rows)
    options = ("--categorical", "color", "--standardize", "--id-column", "id", "--plot", "p.png")
    assert run("x.csv", "-k", 2, *options)[0] == 0
    size, color = drawn["table"].columns
    assert (size.name, sorted(size.means), size.mean_of_all) == ("size", [100, 101], 100.5)
    assert (color.name, sorted(color.categories)) == ("color", ["a", "b"])
    assert drawn["names"] == [f"r{i}" for i in range(8)]
    assert drawn["feature_names"] == ["size", "color"]


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_leaves_everything_as_it_was(iris, folder, run, monkeypatch, failing):
    (folder / "l.csv").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failing, full)
    status, out, err = run(iris, "-k", 3, "--label-column", "species", "-o", "l.csv")
    assert (status, out) == (1, "")
    assert "No space left" in err
    assert files(folder) == ["iris.csv", "l.csv"]
    assert (folder / "l.csv").read_text() == "old"


def test_a_picture_that_fails_leaves_no_labels(iris, folder, run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.overview", fail)
    options = ("--label-column", "species", "-o", "l.csv", "--plot", "p.png")
    status, out, err = run(iris, "-k", 3, *options)
    assert (status, out, "no picture today" in err) == (1, "", True)
    assert files(folder) == ["iris.csv"]


# --- terminals, signals and pipes ------------------------------------------------------------


def test_interrupt_inside_a_program(iris, folder, run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(KernelKGroups, "fit", interrupt)
    status, out, err = run(iris, "-k", 3, "--label-column", "species", "-o", "l.csv")
    assert (status, out) == (130, "")
    assert "interrupted" in err
    assert files(folder) == ["iris.csv"]


@pytest.fixture
def interruptible():
    """Child processes must not inherit a Ctrl-C that is ignored, as that of background jobs is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_proof_and_its_limit_of_time(iris, capsys):
    options = ["cluster", iris, "-k", "3", "--label-column", "species", "--method", "certified"]
    assert main([*map(str, options)]) == 0
    capsys.readouterr()
    assert main([*map(str, options), "--time-limit", "1e-9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["time_limit"] == 1e-9
    assert found["certificate"]["is_repeatable"] is False
    assert found["certificate"]["n_pairs_full"] == 150 * 149 // 2
    assert main([*map(str, options), "--time-limit", "0"]) == 2


def test_progress_and_ctrl_c(iris, folder, interruptible):
    """A long run shows its starts on a terminal; Ctrl-C ends it at once and leaves nothing."""
    ours, theirs = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "kgroups", "cluster", iris, "-k", "20", "--json"]
    process = subprocess.Popen(
        [*command, "--label-column", "species", "--n-init", "20000", "-o", "l.csv"],
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


def test_a_closed_pipe_is_no_error(iris):
    command = [sys.executable, "-m", "kgroups", "cluster", iris, "-k", "2"]
    options = ["--label-column", "species", "--json", "--n-init", "1"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*command, *options], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom kgroups.cli import main\nassert main(['cluster', '--help']) == 0\n"
        "print(sorted({'numpy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_a_fit_imports_nothing_that_it_does_not_use(iris):
    code = (
        "import sys\nfrom kgroups.cli import main\n"
        f"assert main(['cluster', {str(iris)!r}, '-k', '3', '--drop', 'species']) == 0\n"
        "unused = {'sklearn.cluster', 'sklearn.metrics', 'kgroups.select', 'kgroups.graphs',"
        " 'matplotlib', 'networkx'}\n"
        "print(sorted(unused & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_a_process_of_its_own_collects_garbage_rarely(iris):
    """Collections among what libraries define took a third of a short command."""
    code = (
        "import gc, sys\nfrom kgroups.cli import main\n"
        f"sys.argv = ['kgroups', 'cluster', {str(iris)!r}, '-k', '3', '--drop', 'species']\n"
        "before = sum(g['collections'] for g in gc.get_stats())\n"
        "main()\n"
        "print(sum(g['collections'] for g in gc.get_stats()) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) < 20


@pytest.mark.parametrize(("impute", "named"), [("category", "(missing)"), ("most-frequent", "a")])
def test_missing_categories_that_set_a_cluster_apart_have_a_name(folder, run, impute, named):
    rows = [[1, "b"], [2, "a"], [3, "a"], [4, "a"], [90, ""], [91, ""], [92, ""], [93, ""]]
    path = write_csv(folder / "gaps.csv", [["x", "town"], *rows])
    found = cluster_json(run, path, "-k", 2, "--categorical", "town", "--impute", impute)
    of_far = found["sets_apart"][found["labels"][-1]]
    (part,) = [part for part in of_far if part["column"] == "town"]
    assert (part["value"], part["share"]) == (named, 1.0)
