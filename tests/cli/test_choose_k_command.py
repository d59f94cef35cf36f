"""The command ``kgroups choose-k``: what it prints and draws, and what it says no to."""

import json
import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import kgroups
from helpers import files, write_csv
from kgroups.cli.column_scales import standardized
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Manhattan

COMMAND = "choose-k"

CRITERIA = ["separation", "gap", "prediction strength", "silhouette", "eigengap"]
VOTES = CRITERIA[:3]
# Three clusters of 20 points, in a column of its own their names.
X = np.random.default_rng(0).normal(size=(60, 2)) + 12.0 * np.array([[0, 0], [1, 0], [0, 1]] * 20)
KINDS = ["a", "b", "c"] * 20


def write_table(path, names, rows):
    return write_csv(path, [names, *rows])


@pytest.fixture
def three(folder):
    """three.csv with two features and the names of the clusters."""
    rows = [[*x, kind] for x, kind in zip(X.tolist(), KINDS, strict=True)]
    return write_table(folder / "three.csv", ["x", "y", "kind"], rows)


def found_json(run, *arguments):
    status, out, err = run(*arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def assert_same(found, count):
    """Every number of the report is that of the Python call."""
    assert found["n_clusters"] == count.n_clusters
    assert found["votes"] == count.votes
    assert list(found["criteria"]) == CRITERIA
    for criterion in count.criteria:
        assert found["criteria"][criterion.name] == criterion.to_dict()


# --- what comes out --------------------------------------------------------------------------


def test_json_is_what_the_function_says(three, run):
    found = found_json(run, three, "--label-column", "kind", "--k-max", 4)
    assert_same(found, choose_n_clusters(X, range(1, 5), random_state=0))
    assert found["schema"] == "kgroups.choose-k/1"
    assert found["kgroups_version"] == kgroups.__version__
    assert (found["n_clusters"], found["votes"]) == (3, dict.fromkeys(VOTES, 3))
    assert (found["n_samples"], found["n_given"]) == (60, 60)
    assert (found["n_features"], found["n_classes"]) == (2, 3)
    assert found["metric"] == {"name": "energy", "params": {"alpha": 1.0}}
    assert found["seconds"] > 0
    # What is not defined is null, for JSON has no NaN.
    assert found["criteria"]["silhouette"]["values"][0] is None
    assert [c["votes"] for c in found["criteria"].values()] == [True] * 3 + [False] * 2


def test_an_answer_at_the_limit_is_said(three, run):
    found = found_json(run, three, "--label-column", "kind", "--k-max", 2)
    count = choose_n_clusters(X, k_max=2, random_state=0)
    assert found["at_limit"] == list(count.at_limit) != []
    _, out, _ = run(three, "--label-column", "kind", "--k-max", 2)
    limit = count.limit[0].upper() + count.limit[1:]
    assert f"{limit}: raise --k-max." in " ".join(out.split())
    assert found_json(run, three, "--label-column", "kind", "--k-max", 4)["at_limit"] == []


def test_what_was_taken_for_rounded_is_said(tmp_path, run):
    path = tmp_path / "scales.csv"
    scale = np.random.default_rng(0).integers(1, 6, 60)
    path.write_text(
        "a,b\n" + "".join(f"{x!r},{j}\n" for x, j in zip(X[:, 0].tolist(), scale, strict=True))
    )
    assert found_json(run, path, "--k-max", 2)["rounded_columns"] == [1]
    _, out, _ = run(path, "--k-max", 2)
    assert "\nSeparation, gap: repeated values of 1 column were treated as rounded: spread " in out


def test_text_report(three, run):
    status, out, err = run(three, "--label-column", "kind", "--k-max", 4)
    assert (status, err) == (0, "")
    head, table, end = out.split("\n\n")
    metric = "Euclidean distance (energy, alpha=1)"
    assert head == f"three.csv: 60 rows, 2 columns, how many clusters by {metric}?"
    names, *lines = table.splitlines()
    assert names.split() == ["criterion", "suggests", "k=1", "k=2", "k=3", "k=4"]
    assert [line[: len(name)] for line, name in zip(lines, CRITERIA, strict=True)] == CRITERIA
    count = choose_n_clusters(X, range(1, 5), random_state=0)
    for line, criterion in zip(lines, count.criteria, strict=True):
        said, first, *_, third, fourth = line.removeprefix(criterion.name).split()
        assert said == "3"
        assert third == f"[{criterion.values[2]:.3f}]"
        assert fourth == f"{criterion.values[3]:.3f}"
        assert first == (f"{criterion.values[0]:.3f}" if criterion.name in VOTES[1:] else "-")
    answer, votes, shown, key, *rules, classes = end.splitlines()
    assert votes == ("Votes: separation, gap, prediction strength.")
    assert shown == "Only shown, because they cannot suggest 1: silhouette, eigengap."
    assert key.startswith("[ ] = suggested k.")
    assert rules == [f"{criterion.name}: {criterion.rule}" for criterion in count.criteria]
    assert answer.startswith("3 clusters (all votes agree); ")
    assert classes == "kind has 3 classes."
    assert "\x1b" not in out


def test_one_cluster_is_an_answer(folder, run):
    rows = np.random.default_rng(3).normal(size=(60, 2)).tolist()
    status, out, err = run(write_table(folder / "one.csv", ["x", "y"], rows), "--k-max", 3)
    assert (status, err) == (0, "")
    assert "1 cluster: no structure that these criteria can tell from chance (all votes" in out
    assert "classes" not in out


def test_votes_far_apart_are_told(three, run, monkeypatch):
    module = import_module("kgroups.cli.choose_k_command")
    real = choose_n_clusters(X[:12], [1, 2], random_state=0)
    said = dict(zip(VOTES, (1, 2, 4), strict=True))
    for criterion in real.criteria[:3]:
        object.__setattr__(criterion, "n_clusters", said[criterion.name])
    object.__setattr__(real, "n_clusters", 2)
    monkeypatch.setattr(module, "choose_n_clusters", lambda *_, **__: real)
    _, out, _ = run(three, "--label-column", "kind")
    assert "2 clusters (the median of separation 1, gap 2, prediction strength 4); " in out
    assert "The criteria disagree: look at the picture (--plot), and try 1 to 4 clusters." in out


def test_of_many_rows_some_are_drawn(three, run):
    options = (three, "--label-column", "kind", "--k-max", 3, "--max-samples", 40, "--seed", 5)
    found = found_json(run, *options)
    assert_same(found, choose_n_clusters(X, range(1, 4), max_samples=40, random_state=5))
    assert (found["n_samples"], found["n_given"]) == (40, 60)
    said = "\nComputed from a random sample of 40 rows; --thorough uses up to 5,000.\n"
    assert said in run(*options)[1]


def sampled(n, rows, options, run, monkeypatch):
    """How many rows a call of the criteria takes at most, and what the report says of them."""
    module = import_module("kgroups.cli.choose_k_command")
    heard = []

    def count(X, **how):
        heard.append(how["max_samples"])
        real = choose_n_clusters(X[:12], k_max=1, random_state=0)
        return replace(real, n_samples=min(n, how["max_samples"]), n_given=n)

    monkeypatch.setattr(module, "choose_n_clusters", count)
    status, out, err = run(rows, "--k-max", 2, *options)
    assert (status, err) == (0, "kgroups: note: only k = 1 was tried; raise --k-max\n")
    return heard[0], [line for line in out.splitlines() if line.startswith("Computed ")]


@pytest.mark.parametrize(
    ("options", "most", "said"),
    [
        ([], 2_000, ["2,000 rows (--quick, the default); --thorough uses up to 5,000."]),
        (["--quick"], 2_000, ["2,000 rows (--quick, the default); --thorough uses up to 5,000."]),
        (["--thorough"], 5_000, ["5,000 rows."]),
        (["--max-samples", "6000"], 6_000, ["6,000 rows."]),
        (["--max-samples", "30000"], 30_000, []),
    ],
)
def test_a_large_table_is_quick_by_default_and_says_how_to_undo_it(
    folder, run, monkeypatch, options, most, said
):
    name = write_table(folder / "large.csv", ["x"], [[i] for i in range(20)])
    used, lines = sampled(20_000, name, options, run, monkeypatch)
    assert used == most
    assert lines == [f"Computed from a random sample of {words}" for words in said]


def test_a_table_that_is_used_whole_needs_no_such_sentence(folder, run, monkeypatch):
    name = write_table(folder / "small.csv", ["x"], [[i] for i in range(20)])
    assert sampled(2_000, name, [], run, monkeypatch) == (2_000, [])


def test_threads_and_the_range_by_default(three, run):
    """Up to half as many clusters as rows, and 10 at most."""
    found = found_json(run, three, "--columns", "x,y", "--n-jobs", 2, "--seed", 1)
    assert found["criteria"]["gap"]["k"] == list(range(1, 11))
    assert_same(found, choose_n_clusters(X, random_state=1, n_jobs=1))
    assert found["n_classes"] is None


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["--alpha", "0.5"], Energy(0.5)),
        (["--metric", "manhattan"], Manhattan()),
        (["--metric", "gaussian", "--sigma", "5"], Gaussian(5.0)),
    ],
)
def test_metrics(three, run, options, metric):
    found = found_json(run, three, "--columns", "x,y", "--k-max", 3, *options)
    assert_same(found, choose_n_clusters(X, range(1, 4), metric=metric, random_state=0))


def test_columns_are_standardized_and_categories_compared(three, run):
    options = ("--columns", "x", "--categorical", "kind", "--standardize", "--k-max", 3)
    found = found_json(run, three, *options)
    scaled, _ = standardized(X[:, :1])
    table = np.column_stack([scaled, np.arange(60) % 3])
    metric = ColumnSum([(Energy(), [0]), (Hamming(), [1])])
    assert_same(found, choose_n_clusters(table, range(1, 4), metric=metric, random_state=0))
    assert found["n_features"] == 2


def test_a_matrix_with_a_column_of_classes(folder, run):
    rho = Energy().pairwise(X)
    rows = [[*row, kind] for row, kind in zip(rho.tolist(), KINDS, strict=True)]
    name = write_table(folder / "rho.csv", [*(f"d{i}" for i in range(60)), "kind"], rows)
    options = ("--metric", "precomputed", "--label-column", "kind", "--k-max", 3)
    found = found_json(run, name, *options)
    count = choose_n_clusters(rho, range(1, 4), metric="precomputed", random_state=0)
    assert_same(found, count)
    assert (found["n_clusters"], found["n_features"], found["n_classes"]) == (3, None, 3)


def test_few_rows_are_told_that_nothing_else_was_tried(folder, run):
    name = write_table(folder / "few.csv", ["x"], [[0], [1], [2], [9]])
    status, out, err = run(name)
    assert (status, out.splitlines()[2].split()) == (0, ["criterion", "suggests", "k=1"])
    assert err == "kgroups: note: only k = 1 was tried; raise --k-max\n"
    assert "1 cluster, because no other number was tried; " in out
    assert run(name, "--k-max", 2)[2] == ""


def test_missing_numbers_are_imputed_with_a_note(folder, run):
    name = write_table(folder / "gaps.csv", ["x", "y"], [[1, 2], [3, ""], [2, 5], [9, 9]])
    status, _, err = run(name, "--k-max", 2, "--impute", "mean")
    assert (status, len(err.splitlines())) == (0, 1)
    assert "1 missing number replaced by the column mean" in err


# --- the picture -----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["png", "PNG", "svg"])
def test_plot(three, folder, run, suffix):
    options = ("--label-column", "kind", "--k-max", 2, "--plot", f"p.{suffix}")
    status, out, err = run(three, *options)
    assert (status, err) == (0, "")
    assert out.endswith(f"\nPicture written to p.{suffix}.\n")
    assert files(folder) == [f"p.{suffix}", "three.csv"]
    picture = (folder / f"p.{suffix}").read_bytes()
    if suffix == "svg":
        assert picture.startswith(b"<?xml")
        assert picture.endswith(b"</svg>\n")
    else:
        assert picture.startswith(b"\x89PNG\r\n")
        assert picture.endswith(b"IEND\xaeB`\x82")  # the last chunk: nothing is cut off


def test_json_and_plot_together(three, folder, run):
    found = found_json(run, three, "--columns", "x,y", "--k-max", 2, "--plot", "p.png")
    assert found["schema"] == "kgroups.choose-k/1"
    assert files(folder) == ["p.png", "three.csv"]


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_picture_is_written_whole_or_not_at_all(three, folder, run, monkeypatch, failing):
    (folder / "p.png").write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failing, full)
    status, out, err = run(three, "--label-column", "kind", "--k-max", 1, "--plot", "p.png")
    assert (status, out) == (1, "")
    assert err.endswith("kgroups: error: p.png cannot be written: No space left on device\n")
    assert files(folder) == ["p.png", "three.csv"]
    assert (folder / "p.png").read_bytes() == b"old"


def test_a_picture_that_cannot_be_drawn_leaves_nothing(three, folder, run, monkeypatch):
    def fail(*_):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.ClusterCountDisplay.on_page", fail)
    status, out, err = run(three, "--label-column", "kind", "--k-max", 2, "--plot", "p.png")
    assert (status, out, err) == (1, "", "kgroups: error: no picture today\n")
    assert files(folder) == ["three.csv"]


def test_what_forbids_a_picture_is_said_before_any_work(three, folder, run, monkeypatch):
    def work(*_, **__):
        raise AssertionError("it should not have come to this")

    monkeypatch.setattr(import_module("kgroups.cli.choose_k_command"), "read_any", work)
    assert run(three, "--plot", "none/p.png")[2] == (
        "kgroups: error: --plot none/p.png: the folder none does not exist; create it first\n"
    )
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(three, "--plot", "p.png")
    assert (status, out) == (1, "")
    assert err == 'kgroups: error: --plot needs matplotlib; run: pip install "kgroups[plot]"\n'


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k-max", "0"], "argument --k-max: must be an integer >= 1; got '0'"),
        (["--k-max", "-2"], "argument --k-max: must be an integer >= 1; got '-2'"),
        (["--k-max", "ten"], "argument --k-max: must be an integer >= 1; got 'ten'"),
        (["--k-max", "2.5"], "argument --k-max: must be an integer >= 1; got '2.5'"),
        (["--max-samples", "0"], "argument --max-samples: must be an integer >= 1; got '0'"),
        (["--plot", "p.bmp"], "--plot: must end in .png, .svg, .pdf; got 'p.bmp'"),
        (["--metric", "gausian"], "'gausian' is not known. Did you mean 'gaussian'?"),
        (["--sigma", "1"], "--sigma applies only to --metric laplacian and gaussian"),
        (
            ["--metric", "precomputed", "--standardize"],
            "--standardize applies to tables",
        ),
        (["-k", "3"], "unrecognized arguments: -k 3"),
    ],
)
def test_usage(three, folder, run, options, message):
    status, out, err = run(three, *options)
    assert (status, out) == (2, "")
    assert err.startswith("kgroups choose-k: error: ")
    assert message in err
    assert files(folder) == ["three.csv"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            "x\n1\n2\n9\n",
            ["--k-max", "4"],
            "--k-max 4 is more than the 3 rows of d.csv that",
        ),
        (
            "x\n1\n2\n9\n",
            ["--k-max", "3", "--max-samples", "2"],
            "--k-max 3 is more than the 2 rows of d.csv that are used.",
        ),
        ("x,y\n1,2\n", [], "d.csv has 1 row; it must have at least 2."),
        ("x,y\n", [], "d.csv has column names but no rows."),
        ("x,c\n1,p\n2,q\n", [], "d.csv holds text where numbers are needed: column 'c'"),
        ("x,c\n1,p\n2,\n", ["--label-column", "c"], "line 3: label column 'c' is missing"),
        ("x\n1\n2\n", ["--label-column", "z"], "d.csv has no column 'z'."),
        ("x\n1\nNA\n", [], "d.csv, line 3, column 'x' is missing"),
        (
            "a,b\n1,2\n3,4\n5,6\n",
            ["--metric", "precomputed"],
            "d.csv must be a square matrix between points; got 3 rows and 2 columns.",
        ),
        (None, [], "d.csv does not exist."),
    ],
)
def test_bad_data(folder, run, content, options, message):
    if content is not None:
        (folder / "d.csv").write_text(content)
    status, out, err = run("d.csv", "--plot", "p.png", *options)
    assert (status, out) == (1, "")
    assert err.startswith("kgroups: error: ")
    assert message in err
    assert not (folder / "p.png").exists()


@pytest.mark.parametrize("text", ["x,g\n1,a\n2,b\n9,a\n", "x,g,h\n1,a,a\n2,b,a\n9,a,b\n"])
def test_labels_are_not_offered_for_scores(folder, run, text):
    (folder / "t.csv").write_text(text)
    status, _, err = run("t.csv")
    assert (status, "--categorical" in err, "score" in err) == (1, True, False), err
