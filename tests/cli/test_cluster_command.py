"""The command line: what it prints, what it writes, what it says no to and with which status."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from importlib import import_module

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import kgroups
from helpers import files, read_until, write_csv
from kgroups import KernelKGroups
from kgroups.cli import main
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Laplacian
from kgroups.semimetrics.by_name import BY_NAME

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


def fitted(X, k=3, weight=None, **params):
    return KernelKGroups(k, n_init=4, random_state=0, **params).fit(X, sample_weight=weight)


# --- what comes out --------------------------------------------------------------------------


def test_json_is_what_the_estimator_says(iris, run):
    found = cluster_json(run, iris, "-k", 3, "--label-column", "species")
    model = fitted(IRIS.data)
    assert found["labels"] == model.labels_.tolist()
    assert found["schema"] == "kgroups.cluster/1"
    assert found["kgroups_version"] == kgroups.__version__
    assert (found["n_samples"], found["n_features"], found["n_clusters"]) == (150, 4, 3)
    assert found["metric"] == {"name": "energy", "params": {"alpha": 1.0}}
    assert found["objective"] == model.objective_
    assert found["within_dispersion"] == model.within_dispersion_
    assert found["between_statistic"] == model.between_statistic_
    assert found["cluster_sizes"] == np.bincount(model.labels_).tolist()
    assert (found["n_iter"], found["n_moves"]) == (model.n_iter_, model.n_moves_)
    assert (found["n_starts"], found["random_state"]) == (4, 0)
    assert found["seconds"] > 0
    scores = found["scores"]
    assert scores["nmi"] == normalized_mutual_info_score(IRIS.target, model.labels_)
    assert scores["ari"] == adjusted_rand_score(IRIS.target, model.labels_)
    assert scores["accuracy"] == kgroups.metrics.clustering_accuracy(IRIS.target, model.labels_)


def test_a_number_that_is_chosen(folder, run):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (40, 2)) for c in ((0, 0), (9, 0), (0, 9))]).round(3)
    write_columns(folder / "x.csv", {"x": X[:, 0].tolist(), "y": X[:, 1].tolist()})
    text = run("x.csv", "-k", "auto", "-o", "labels.csv")[1]
    assert "3 clusters were chosen: all votes agree." in text
    found = cluster_json(run, "x.csv", "-k", "auto")
    assert found["n_clusters"] == len(set(found["labels"])) == 3
    assert found["settings"]["n_clusters"] == "auto"
    count = choose_n_clusters(X, random_state=0)
    assert found["cluster_count"] == {
        "interval": [3, 3], "votes": count.votes, "reason": "all votes agree", "at_limit": [],
        "n_samples": 120,
    }  # fmt: skip
    given = cluster_json(run, "x.csv", "-k", "3")
    assert given["cluster_count"] is None
    assert given["labels"] == found["labels"]
    assert "chosen" not in run("x.csv", "-k", "3")[1]


def test_a_number_that_is_chosen_for_weighted_rows_and_words(folder, run):
    rng, words = np.random.default_rng(0), []
    for number in range(60):
        letters = list("aaaaaaaaaaaa" if number < 30 else "zzzzzzzzzzzz")
        for place in rng.choice(12, 2, replace=False):
            letters[place] = "bcdefgh"[rng.integers(7)]
        words.append("".join(letters))
    write_columns(folder / "w.csv", {"word": words, "n": [1 + i % 2 for i in range(60)]})
    status, out, err = run("w.csv", "-k", "auto", "--metric", "levenshtein", "--weight-column", "n")
    assert (status, "2 clusters were chosen" in out) == (0, True)
    assert err.count("-k auto counts all rows alike") == 1
    assert run("w.csv", "-k", "Auto")[0] == 2


def test_text_report(iris, run):
    status, out, err = run(iris, "-k", 3, "--label-column", "species")
    assert (status, err) == (0, "")
    assert out.startswith("iris.csv: 150 rows, 4 columns, 3 clusters by Euclidean")
    assert "petal length -1.3 sd" in out
    assert "accuracy against species" in out
    assert "\x1b" not in out


def test_labels_file(iris, folder, run):
    status, out, _ = run(iris, "-k", 3, "--label-column", "species", "--n-init", 4, "-o", "l.csv")
    assert status == 0
    assert "Labels written to l.csv." in out
    assert files(folder) == ["iris.csv", "l.csv"]
    lines = (folder / "l.csv").read_bytes().decode().split("\n")
    expected = [f"{i},{label}" for i, label in enumerate(fitted(IRIS.data).labels_, start=1)]
    assert lines == ["row,cluster", *expected, ""]


def test_seed_and_threads(iris, run):
    features = ("-k", 5, "--columns", ",".join(NAMES))
    found = [
        cluster_json(run, iris, *features, "--seed", 7, "--n-jobs", jobs)["labels"]
        for jobs in (1, 2)
    ]
    expected = KernelKGroups(5, n_init=4, random_state=7).fit(IRIS.data).labels_.tolist()
    assert found == [expected, expected]


@pytest.mark.parametrize(
    ("method", "exactness"),
    [
        ("auto", "one-move optimal"),
        ("dense", "one-move optimal"),
        ("matrix_free", "one-move optimal"),
        ("nystroem", "one-move optimal on the sketch"),
    ],
)
def test_methods(iris, run, method, exactness):
    features = ("-k", 3, "--columns", ",".join(NAMES))
    found = cluster_json(run, iris, *features, "--method", method)
    assert found["method"] == ("dense" if method == "auto" else method)
    assert found["exactness"] == exactness
    assert (found["sketch_error"] is None) == (found["method"] == "dense")
    assert found["within_dispersion"] == pytest.approx(67.5288, rel=1e-2)
    _, text, _ = run(iris, *features, "--method", method)
    assert re.search(rf"\nmethod +{found['method']}: ", text)
    assert ("as far as a sample-based approximation shows" in text) == ("sketch" in exactness)
    assert ("W and S are estimates" in text) == (method == "nystroem")


def test_memory_limit(iris, run):
    features = ("-k", 3, "--columns", ",".join(NAMES))
    assert cluster_json(run, iris, *features, "--memory-limit", "1GiB")["method"] == "dense"
    status, _, err = run(iris, *features, "--memory-limit", "2KB")
    assert status == 1
    assert "A sketch of 150 points needs at least" in err
    assert "the limit is 2.0 KiB" in err
    status, _, err = run(iris, *features, "--memory-limit", "lots")
    assert status == 2
    assert 'a size such as "500 MB" or "2 GiB" was expected; got \'lots\'' in err


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["--alpha", "0.5"], Energy(0.5)),
        (["--metric", "laplacian", "--sigma", "2"], Laplacian(2.0)),
        (["--metric", "laplacian"], Laplacian("median")),
        (["--metric", "gaussian", "--sigma", "median"], Gaussian("median")),
        (["--metric", "gaussian"], Gaussian("median")),
        (["--metric", "manhattan"], "manhattan"),
    ],
)
def test_metrics(iris, run, options, metric):
    found = cluster_json(run, iris, "-k", 3, "--label-column", "species", *options)
    model = fitted(IRIS.data, metric=metric)
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == model.within_dispersion_


@pytest.mark.parametrize(
    ("metric", "matrix"),
    [
        ("precomputed", Energy().pairwise(IRIS.data)),
        ("precomputed_kernel", IRIS.data @ IRIS.data.T),
    ],
)
def test_matrices(folder, run, metric, matrix):
    np.save(folder / "m.npy", matrix)
    found = cluster_json(run, "m.npy", "-k", 3, "--metric", metric)
    assert found["labels"] == fitted(matrix, metric=metric).labels_.tolist()
    assert (found["n_features"], found["metric"]) == (None, {"name": metric, "params": {}})
    status, out, _ = run("m.npy", "-k", 3, "--metric", metric, "--n-init", 4)
    assert status == 0
    given = "distances" if metric == "precomputed" else "kernel matrix"
    assert out.startswith(f"m.npy: 150 rows, 3 clusters by the given {given}\n")


def test_a_matrix_may_carry_its_labels(folder, run):
    rho = Energy().pairwise(IRIS.data)
    columns = {f"p{i}": row.tolist() for i, row in enumerate(rho)}
    path = write_columns(folder / "m.csv", {**columns, "species": SPECIES})
    found = cluster_json(run, path, "-k", 3, "--metric", "precomputed", "--label-column", "species")
    assert found["labels"] == fitted(rho, metric="precomputed").labels_.tolist()
    assert found["scores"] is not None


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_standard_input(run, bom, end):
    rows = [" ".join(map(str, row)).replace(" ", ";").encode() for row in IRIS.data]
    found = cluster_json(run, "-", "-k", 3, stdin=bom + end.join(rows) + end)
    assert found["labels"] == fitted(IRIS.data).labels_.tolist()


def test_columns_by_position(folder, run):
    np.savetxt(folder / "x.csv", IRIS.data, delimiter=",")
    found = cluster_json(run, "x.csv", "-k", 3, "--columns", "3,1")
    assert found["labels"] == fitted(IRIS.data[:, [2, 0]]).labels_.tolist()


def test_columns_with_commas_in_their_names(folder, run):
    path = write_columns(folder / "x.csv", {"a,b": [1, 2, 9], "c": [5, 0, 5], "d": ["x", "y", "z"]})
    found = cluster_json(run, path, "-k", 2, "--columns", '"a,b", c')
    assert found["n_features"] == 2


def test_standardize(folder, run):
    X = np.column_stack([IRIS.data * [1, 10, 100, 1000], np.full(150, 0.1)])
    np.save(folder / "x.npy", X)
    status, out, err = run("x.npy", "-k", 3, "--standardize", "--json", "--n-init", 4)
    assert status == 0
    scaled = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
    model = fitted(np.column_stack([scaled, np.zeros(150)]))
    assert json.loads(out)["labels"] == model.labels_.tolist()
    assert json.loads(out)["within_dispersion"] == pytest.approx(model.within_dispersion_)
    assert err == "kgroups: note: column 5 is constant and becomes 0\n"


def test_a_column_that_decides_alone_is_named(folder, run):
    X = IRIS.data * [50, 1, 1, 1]
    share = X.var(axis=0)[0] / X.var(axis=0).sum()
    np.save(folder / "x.npy", X)
    _, _, err = run("x.npy", "-k", 3, "--json")
    assert err == (
        f"kgroups: note: column 1 has {share:.1%} of the variance, so it decides nearly all "
        "distances; --standardize gives all columns the same weight\n"
    )
    assert run("x.npy", "-k", 3, "--json", "--columns", "2,3,4")[2] == ""


def test_impute(folder, run):
    X = IRIS.data.copy()
    X[[3, 70, 140], [0, 2, 2]] = np.nan
    write_columns(folder / "x.csv", dict(zip("abcd", X.T.tolist(), strict=True)))
    status, out, err = run("x.csv", "-k", 3, "--impute", "mean", "--json", "--n-init", 4)
    assert status == 0
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    assert json.loads(out)["labels"] == fitted(filled).labels_.tolist()
    assert err == ("kgroups: note: 3 missing numbers replaced by the column mean (a: 1, c: 2)\n")


def test_categorical(folder, run):
    rng = np.random.default_rng(0)
    X, color = rng.normal(size=(60, 2)), rng.choice(["red", "green"], 60)
    size = rng.choice([1, 5, 9], 60)
    path = write_columns(folder / "x.csv", {"c": color, "x": X[:, 0], "s": size, "y": X[:, 1]})
    options = ("--categorical", "c,s", "--metric", "manhattan")
    found = cluster_json(run, path, "-k", 3, *options)
    codes = [np.unique(column, return_inverse=True)[1] for column in (color, size)]
    coded = np.column_stack([X, *codes])
    mixed = ColumnSum([(BY_NAME["manhattan"](), [0, 1]), (Hamming(), [2, 3], 2.0)])
    model = fitted(coded, metric=mixed)
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == model.within_dispersion_
    by_hand = np.abs(X[:, None] - X).sum(axis=2)
    by_hand += sum(code[:, None] != code for code in codes)
    by_matrix = fitted(by_hand, metric="precomputed")
    assert found["within_dispersion"] == pytest.approx(by_matrix.within_dispersion_)
    assert found["n_features"] == 4


def test_all_categorical(folder, run):
    rng = np.random.default_rng(0)
    columns = {name: rng.choice(list("pqr"), 40) for name in "abc"}
    path = write_columns(folder / "x.csv", columns)
    found = cluster_json(run, path, "-k", 2, "--categorical", "a,b,c")
    codes = np.column_stack([np.unique(c, return_inverse=True)[1] for c in columns.values()])
    assert found["metric"] == {"name": "hamming", "params": {"missing": "error"}}
    assert found["labels"] == fitted(codes, k=2, metric="hamming").labels_.tolist()
    status, _, err = run(path, "-k", 2, "--categorical", "a,b,c", "--metric", "gaussian")
    assert (status, err) == (
        0,
        "kgroups: note: every feature is categorical: hamming is used instead of gaussian\n",
    )


def test_weights(folder, run):
    weights = np.random.default_rng(0).integers(0, 3, 150).astype(float)
    columns = dict(zip("abcd", IRIS.data.T.tolist(), strict=True))
    path = write_columns(folder / "x.csv", {**columns, "w": weights.tolist()})
    found = cluster_json(run, path, "-k", 3, "--weight-column", "w")
    model = fitted(IRIS.data, weight=weights)
    assert found["labels"] == model.labels_.tolist()
    assert found["cluster_weights"] == model.cluster_weights_.tolist()
    assert found["n_features"] == 4


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?x")]
)
def test_plot(iris, folder, run, suffix, magic):
    options = ("--label-column", "species", "--n-init", 4, "--plot", f"p.{suffix}")
    status, out, err = run(iris, "-k", 3, *options)
    assert (status, err) == (0, "")
    assert f"Picture written to p.{suffix}." in out
    assert files(folder) == ["iris.csv", f"p.{suffix}"]
    assert (folder / f"p.{suffix}").read_bytes().startswith(magic)


def test_plot_of_the_search_is_written_next_to_that_of_the_clusters(iris, folder, run):
    options = ("--label-column", "species", "--plot", "p.png", "--plot-search", "s.svg")
    status, out, err = run(iris, "-k", 3, *options)
    assert (status, err) == (0, "")
    assert out.endswith("Picture written to p.png.\nPicture of the search written to s.svg.\n")
    assert files(folder) == ["iris.csv", "p.png", "s.svg"]
    assert (folder / "s.svg").read_bytes().startswith(b"<?x")


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


def test_plot_of_a_matrix(folder, run):
    np.save(folder / "m.npy", Energy().pairwise(IRIS.data))
    status, _, err = run("m.npy", "-k", 3, "--metric", "precomputed", "--plot", "p.png")
    assert (status, err, files(folder)) == (0, "", ["m.npy", "p.png"])


@pytest.mark.parametrize(
    ("content", "options", "note"),
    [
        (b"a\n1\n2\n9\n", ["--alpha", "2"], "alpha=2 compares means only: this is k-means by Hart"),
        (b"1,2,3x\n1,2,3\n4,5,7\n", [], "read as column names, although 2 of its 3 fields"),
        (b"i,x\n0,5\n1,9\n2,7\n", [], "column 'i' looks like a row number; --drop i leaves it out"),
        (
            b"zip,x\n10001,5\n94110,9\n60601,7\n",
            ["--standardize"],
            "column 'zip' looks like an identifier; --drop zip leaves it out, --id-column zip",
        ),
        (b"a\n1\n2\n9\n", ["--metric", "damped_squared"], "is not of negative type"),
    ],
)
def test_notes(folder, run, content, options, note):
    (folder / "x.csv").write_bytes(content)
    status, out, err = run("x.csv", "-k", 2, "--json", *options)
    assert status == 0
    assert json.loads(out)["n_clusters"] == 2
    assert len(err.splitlines()) == 1
    assert err.startswith("kgroups: note: ")
    assert note in err


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "the following arguments are required: -k"),
        (["-k", "0"], "argument -k: must be an integer >= 1, or auto; got '0'"),
        (["-k", "two"], "argument -k: must be an integer >= 1, or auto; got 'two'"),
        (["-k", "2", "--alpha", "3"], "--alpha: must be a number in (0, 2], such as 1; got '3'"),
        (["-k", "2", "--alpha", "nan"], "--alpha: must be a number in (0, 2]"),
        (["-k", "2", "--sigma", "-1"], "--sigma: must be a positive number or median; got '-1'"),
        (["-k", "2", "--metric", "enrgy"], "'enrgy' is not known. Did you mean 'energy'?"),
        (["-k", "2", "--seed", "-1"], "--seed: must be an integer >= 0 and <= 4294967295"),
        (["-k", "2", "--n-init", "0"], "--n-init: must be an integer >= 1"),
        (["-k", "2", "--n-jobs", "0"], "--n-jobs: must be a number of threads, or -1"),
        (["-k", "2", "--columns", "a,,b"], "--columns: must be names separated by commas; got"),
        (["-k", "2", "--plot", "p.bmp"], "--plot: must end in .png, .svg, .pdf; got 'p.bmp'"),
        (
            ["-k", "2", "--impute", "median"],
            "one or more of mean, most-frequent, category; got 'median'",
        ),
        (["-k", "2", "--unknown"], "unrecognized arguments: --unknown."),
        (["-k", "2", "--standardise"], "--standardise. Did you mean '--standardize'?"),
        (["-k", "2", "--col", "a"], "unrecognized arguments: --col"),
        (
            ["-k", "2", "--alpha", "1", "--metric", "gaussian"],
            "--alpha applies only to --metric energy; omit it for gaussian",
        ),
        (
            ["-k", "2", "--sigma", "1"],
            "--sigma applies only to --metric laplacian and gaussian; omit it for energy",
        ),
        (
            ["-k", "2", "--metric", "precomputed", "--standardize"],
            "--standardize applies to tables of features, but --metric precomputed reads a ma",
        ),
        (["-k", "2", "-o", "iris.csv"], "-o iris.csv is the same file as DATA"),
        (["-k", "2", "-o", "a.png", "--plot", "./a.png"], "--plot a.png is the same file as -o"),
        (
            ["-k", "2", "--plot", "a.png", "--plot-search", "a.png"],
            "--plot-search a.png is the same file as --plot",
        ),
        (["-k", "2", "-o", "-"], "-o needs a file name"),
        (
            ["-k", "2", "--label-column", "species", "--columns", "species"],
            "column 'species' is named twice",
        ),
    ],
)
def test_usage(iris, folder, run, options, message):
    status, out, err = run(iris, *options)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("kgroups cluster: error: ")
    usage = "usage: kgroups cluster DATA -k K [options]; kgroups cluster --help lists them"
    assert err.splitlines()[1:] == [usage]
    assert files(folder) == ["iris.csv"]


def test_unknown_command(capsys):
    assert main(["clutser"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("kgroups: error: argument COMMAND: invalid choice: 'clutser'")
    assert "Did you mean 'cluster'?\nusage: kgroups COMMAND [options]; kgroups --help" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metrc", "energy"], "unrecognized arguments: --metrc energy. Did you mean '--metric'?"),
        (["--metric", "enrgy"], "Did you mean 'energy'?"),
        (["--metric", "euclidian"], "Did you mean 'euclidean'?"),
        (["--method", "desne"], "Did you mean 'dense'?"),
        (["--columns", "petal lenght"], "Did you mean 'petal length'?"),
    ],
)
def test_the_nearest_name_is_named(iris, run, options, message):
    status, _, err = run(iris, "-k", 2, *options)
    assert (status != 0, message in err) == (True, True), err


def test_memory_errors_speak_of_options(folder, run):
    np.save(folder / "x.npy", np.random.default_rng(0).normal(size=(4000, 2)))
    status, _, err = run("x.npy", "-k", 2, "--method", "dense", "--memory-limit", "80MiB")
    assert status == 1
    assert "the limit is 80.0 MiB. --method matrix_free takes" in err
    assert "method=" not in err


def test_no_command(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: kgroups")
    assert "examples:" in err


@pytest.mark.parametrize("command", [[], ["cluster"], ["demo"]])
def test_help(capsys, command):
    assert main([*command, "--help"]) == 0
    assert capsys.readouterr().out.startswith(" ".join(["usage: kgroups", *command]))


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kgroups {kgroups.__version__}\n"


TEXT = "a,b,c\n1,x,p\n2,y,q\n9,x,r\n"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", [], "x.csv is empty."),
        ("a,b\n", [], "x.csv has column names but no rows."),
        ("a,b\n1,2\n", [], "x.csv has 1 row; it must have at least 2."),
        ("a,b\n1,2\n3\n", [], "x.csv, line 3: found 1 field, expected 2 as in line 1."),
        ("a\n1\n2\n", ["-k", "5"], "-k 5 is more than the 2 rows of x.csv; ask for at most 2."),
        ("a\n1\n1\n1\n", [], "-k 2 is more than the number of distinct rows"),
        ("a\n1\ninf\n3\n", [], "x.csv, line 3, column 'a' is infinite; write a number."),
        (
            "a,b\n1,2\n3,\n,5\n4,4\n",
            [],
            "x.csv, line 3, column 'b' is missing, and 1 more (2 of 8); use --impute mean, or rem",
        ),
        ("1,2\n3,NA\n", [], "x.csv, line 2, column 2 is missing (1 of 4); use --impute mean"),
        ("a,b\n1,\n3,\n", ["--impute", "mean"], "column 'b' is missing in every row; --drop leave"),
        (
            TEXT,
            [],
            "x.csv holds text where numbers are needed: column 'b', line 2: 'x'; "
            "column 'c', line 2: 'p'. --metric mixed compares columns by what they hold: numbers, "
            "categories, dates and missing values, as in\n"
            "kgroups cluster x.csv -k 2 -o l.csv --plot p.png --metric mixed --id-column c\n"
            "Or: Column 'b' holds text: --categorical compares it for equality, and --label-column "
            "scores against it.",
        ),
        (
            TEXT,
            ["--columns", "a,b"],
            "column 'b', line 2: 'x'. --metric mixed compares columns by what they hold: numbers, "
            "categories, dates and missing values. Or use --cat",
        ),
        (TEXT, ["--columns", "A"], "x.csv has no column 'A'."),
        (TEXT, ["--label-column", "d"], "x.csv has no column 'd'. Its columns are: 'a', 'b', 'c'."),
        ("a,b\n1,x\n2,\n", ["--categorical", "b"], "line 3: categorical column 'b' is missing (1"),
        ("a,b\n1,x\n2,\n", ["--label-column", "b"], "line 3: label column 'b' is missing (1 of 2)"),
        ("a,w\n1,2\n2,\n", ["--weight-column", "w"], "line 3: weight column 'w' is missing (1 of"),
        ("a,w\n1,2\n2,-1\n", ["--weight-column", "w"], "line 3: weight column 'w' is -1; weights"),
        ("a,w\n1,inf\n2,1\n", ["--weight-column", "w"], "line 2: weight column 'w' is inf"),
        ("a,w\n1,0\n2,0\n", ["--weight-column", "w"], "every weight in column 'w' is 0."),
        ("a,w\n1,2\n2,x\n", ["--weight-column", "w"], "needed: column 'w', line 3: 'x'."),
        ("a\nx\ny\n", ["--label-column", "a"], "x.csv has no column left for features."),
        (
            "a,b\n1,2\n3,4\n5,6\n",
            ["--metric", "precomputed"],
            "x.csv must be a square matrix between points; got 3 rows and 2 columns.",
        ),
        (
            "a,b\np,0\nq,1\n",
            ["--metric", "precomputed"],
            "A matrix between points holds only numbers: remove the names of its rows.",
        ),
        ("0,1\n2,0\n", ["--metric", "precomputed"], "DATA must be a symmetric matrix of distances"),
        (
            "0,\n,0\n",
            ["--metric", "precomputed"],
            "is missing, and 1 more (2 of 4); remove that point",
        ),
        ("1,-2\n3,4\n", ["--metric", "hellinger"], "Hellinger compares histograms"),
    ],
)
def test_bad_data(folder, run, content, options, message):
    (folder / "x.csv").write_text(content)
    (folder / "l.csv").write_text("old")
    chosen = options if "-k" in options else ["-k", "2", *options]
    status, out, err = run("x.csv", *chosen, "-o", "l.csv", "--plot", "p.png")
    assert (status, out) == (1, "")
    assert message in err
    assert sum(line.startswith("kgroups: error: ") for line in err.splitlines()) == 1
    assert "Traceback" not in err
    assert files(folder) == ["l.csv", "x.csv"]
    assert (folder / "l.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "none/l.csv"], "-o none/l.csv: the folder none does not exist; create it first"),
        (["-o", "sub"], "-o sub is a folder; name a file in it"),
        (["--plot", "iris.csv/p.png"], "--plot iris.csv/p.png: the folder iris.csv does not exist"),
        (["-o", "/dev/null"], "-o /dev/null is not a regular file"),
    ],
)
def test_places_that_cannot_be_written(iris, folder, run, options, message):
    (folder / "sub").mkdir()
    status, out, err = run(iris, "-k", 3, "--label-column", "species", *options)
    assert (status, out) == (1, "")
    assert err.startswith(f"kgroups: error: {message}")
    assert files(folder) == ["iris.csv", "sub"]


def test_a_folder_without_permission(iris, folder, run, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    status, _, err = run(iris, "-k", 3, "-o", "l.csv")
    reason = "-o l.csv: no file can be created in the folder .: Permission denied"
    assert (status, err) == (1, f"kgroups: error: {reason}\n")


def test_plot_without_matplotlib(iris, folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(iris, "-k", 3, "--plot", "p.png")
    assert (status, out) == (1, "")
    assert err == 'kgroups: error: --plot needs matplotlib; run: pip install "kgroups[plot]"\n'
    assert "--plot-search needs matplotlib" in run(iris, "-k", 3, "--plot-search", "p.png")[2]


def test_too_little_memory(iris, run, monkeypatch):
    monkeypatch.setattr("kgroups.runtime.memory.available_bytes", lambda: 1000)
    status, _, err = run(iris, "-k", 3, "--label-column", "species")
    assert status == 1
    assert err.startswith("kgroups: error: A sketch of 150 points needs at least")


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_leaves_everything_as_it_was(iris, folder, run, monkeypatch, failing):
    (folder / "l.csv").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failing, full)
    status, out, err = run(iris, "-k", 3, "--label-column", "species", "-o", "l.csv")
    assert (status, out) == (1, "")
    assert err == "kgroups: error: l.csv cannot be written: No space left on device\n"
    assert files(folder) == ["iris.csv", "l.csv"]
    assert (folder / "l.csv").read_text() == "old"


def test_a_picture_that_fails_leaves_no_labels(iris, folder, run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.overview", fail)
    options = ("--label-column", "species", "-o", "l.csv", "--plot", "p.png")
    status, out, err = run(iris, "-k", 3, *options)
    assert (status, out, err) == (1, "", "kgroups: error: no picture today\n")
    assert files(folder) == ["iris.csv"]


# --- terminals, signals and pipes ------------------------------------------------------------


def test_color_only_for_terminals(iris, run, monkeypatch):
    module = import_module("kgroups.cli.console")
    with monkeypatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        patch.setenv("TERM", "xterm")
        assert not module.page_of(sys.stdout).color
        patch.setattr(sys, "stdout", Terminal())
        assert module.page_of(sys.stdout).color
        patch.setenv("NO_COLOR", "1")
        assert not module.page_of(sys.stdout).color
        patch.setenv("NO_COLOR", "")
        assert module.page_of(sys.stdout).color
        patch.setenv("TERM", "dumb")
        assert not module.page_of(sys.stdout).color
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    status, out, _ = run(iris, "-k", 3, "--label-column", "species", "--n-init", 2)
    assert status == 0
    assert out.startswith("\x1b[1miris.csv")


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


def test_interrupt_inside_a_program(iris, folder, run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(KernelKGroups, "fit", interrupt)
    status, out, err = run(iris, "-k", 3, "--label-column", "species", "-o", "l.csv")
    assert (status, out) == (130, "")
    assert err == "kgroups: error: interrupted; no file was left unfinished\n"
    assert files(folder) == ["iris.csv"]


@pytest.fixture
def interruptible():
    """Child processes must not inherit a Ctrl-C that is ignored, as that of background jobs is."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_proof_and_its_limit_of_time(iris, capsys):
    """The report names the distances of the proof, and what a limit has left open."""
    options = ["cluster", iris, "-k", "3", "--label-column", "species", "--method", "certified"]
    assert main([*map(str, options)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "method certified: most rows decided by bounds" in text
    assert re.search(r"proof all rows decided, from [\d,]+ distances", text)
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


def test_warnings_filters_are_put_back(iris, run):
    before = list(warnings.filters)
    run(iris, "-k", 3, "--label-column", "species", "--n-init", 1)
    assert list(warnings.filters) == before


def test_categories_are_named_where_they_set_a_cluster_apart(iris, run):
    """The species of iris as a category: each cluster has one of them above all."""
    options = (iris, "-k", 3, "--categorical", "species")
    status, out, _ = run(*options)
    assert status == 0
    found = cluster_json(run, *options)["sets_apart"]
    named = [[part for part in cluster if part["column"] == "species"] for cluster in found]
    assert {part["value"] for parts in named for part in parts} == {
        "setosa",
        "versicolor",
        "virginica",
    }
    for (part,) in named:
        assert f"species = {part['value']} {part['share']:.0%}" in out
        assert part["share_of_all"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("impute", "named"), [("category", "(missing)"), ("most-frequent", "a")])
def test_missing_categories_that_set_a_cluster_apart_have_a_name(folder, run, impute, named):
    rows = [[1, "b"], [2, "a"], [3, "a"], [4, "a"], [90, ""], [91, ""], [92, ""], [93, ""]]
    path = write_csv(folder / "gaps.csv", [["x", "town"], *rows])
    found = cluster_json(run, path, "-k", 2, "--categorical", "town", "--impute", impute)
    of_far = found["sets_apart"][found["labels"][-1]]
    (part,) = [part for part in of_far if part["column"] == "town"]
    assert (part["value"], part["share"]) == (named, 1.0)
