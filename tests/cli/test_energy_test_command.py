"""The command ``kgroups test``: what it prints and what it says no to."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from helpers import write_csv
from kgroups.cli.column_scales import standardized
from kgroups.report.energy_test_report import distinct_splits
from kgroups.semimetrics import ColumnSum, Energy, Hamming
from kgroups.stats import disco, energy_test

COMMAND = "test"

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
IRIS = load_iris()
SPECIES = [str(IRIS.target_names[t]) for t in IRIS.target]


def write_table(path, names, rows):
    return write_csv(path, [names, *rows])


@pytest.fixture
def iris(folder):
    rows = [[*x, s] for x, s in zip(IRIS.data.tolist(), SPECIES, strict=True)]
    return write_table(folder / "iris.csv", [*NAMES, "species"], rows)


@pytest.fixture
def two(folder):
    """The second and the third species, a file each."""
    return [
        write_table(folder / f"{t}.csv", NAMES, IRIS.data[IRIS.target == t].tolist())
        for t in (1, 2)
    ]


def test_json_is_what_the_function_says(iris, run):
    status, out, err = run(iris, "--by", "species", "--json", "--permutations", 99, "--seed", 5)
    assert (status, err) == (0, "")
    found = json.loads(out)
    expected = energy_test(IRIS.data, labels=SPECIES, n_permutations=99, random_state=5)
    assert found["schema"] == "kgroups.test/1"
    assert found["groups"] == ["setosa", "versicolor", "virginica"]
    assert (found["group_sizes"], found["n_samples"]) == ([50, 50, 50], 150)
    assert found["n_features"] == 4
    assert found["metric"] == {"name": "energy", "params": {"alpha": 1.0}}
    assert (found["statistic"], found["pvalue"]) == (expected.statistic, expected.pvalue)
    assert (found["n_permutations"], found["random_state"]) == (99, 5)
    assert found["pvalue_resolution"] == 0.01
    assert found["e_distances"] == expected.energy.tolist()
    assert found["energy_coefficients"] == expected.coefficients.tolist()
    variance = disco(IRIS.data, SPECIES, n_permutations=1)
    assert found["within_dispersion"] == pytest.approx(variance.within, rel=1e-12)
    assert found["between_statistic"] == pytest.approx(variance.between, rel=1e-12)
    assert found["explained"] == pytest.approx(variance.explained, rel=1e-12)
    assert found["seconds"] > 0


def test_files_are_samples_in_their_order(two, run):
    status, out, _ = run(*reversed(two), "--json", "--metric", "manhattan", "--permutations", 9)
    assert status == 0
    found = json.loads(out)
    samples = [IRIS.data[IRIS.target == t] for t in (2, 1)]
    expected = energy_test(*samples, metric="manhattan", n_permutations=9, random_state=0)
    assert found["groups"] == ["2.csv", "1.csv"]
    assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-12)
    assert found["pvalue"] == expected.pvalue


def test_columns_are_standardized_over_all_samples(two, run):
    status, out, _ = run(*two, "--standardize", "--alpha", 0.5, "--json", "--permutations", 9)
    assert status == 0
    X, _ = standardized(IRIS.data[50:])
    expected = energy_test(X[:50], X[50:], metric=Energy(0.5), n_permutations=9, random_state=0)
    assert json.loads(out)["statistic"] == pytest.approx(expected.statistic, rel=1e-12)


def test_categories_and_missing_numbers_are_settled_on_all_samples(folder, run):
    a = write_table(folder / "a.csv", ["x", "c"], [[1, "p"], ["", "q"], [3, "q"]])
    b = write_table(folder / "b.csv", ["x", "c"], [[6, "q"], [10, "r"]])
    status, out, err = run(
        a, b, "--categorical", "c", "--impute", "mean", "--json", "--permutations", 9
    )
    assert status == 0
    assert "1 missing number replaced by the column mean" in err
    X = np.array([[1, 0], [5, 1], [3, 1], [6, 1], [10, 2]])  # (1 + 3 + 6 + 10) / 4 = 5
    metric = ColumnSum([(Energy(), [0]), (Hamming(), [1])])
    expected = energy_test(X[:3], X[3:], metric=metric, n_permutations=9, random_state=0)
    assert json.loads(out)["statistic"] == pytest.approx(expected.statistic, rel=1e-12)


def test_a_matrix_with_a_column_of_groups(folder, run):
    X = IRIS.data[50:110:6]
    groups = ["u"] * 4 + ["v"] * 6
    rows = [[*row, g] for row, g in zip(Energy().pairwise(X).tolist(), groups, strict=True)]
    name = write_table(folder / "rho.csv", [*(f"d{i}" for i in range(10)), "group"], rows)
    status, out, err = run(name, "--by", "group", "--metric", "precomputed", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["n_features"] is None
    expected = energy_test(X, labels=groups, random_state=0).statistic
    assert found["statistic"] == pytest.approx(expected, rel=1e-12)


def test_text_report(iris, two, run):
    status, out, err = run(iris, "--by", "species")
    assert (status, err) == (0, "")
    head = "iris.csv: 150 rows, 4 columns, 3 samples by Euclidean distance (energy, alpha=1)\n"
    assert out.startswith(head)
    assert "setosa      versicolor     123.554       0.7485" in out
    assert "0.001 (999 permutations; p cannot be smaller than 0.001)" in out
    assert "can be told apart" not in out
    assert "None of 999 random splits of all rows into samples of these sizes differed as" in out
    assert "does not say which of them differ" in out
    assert "share explained                 62.9%" in out
    status, out, _ = run(two[0], two[0])
    assert status == 0
    assert "999 of 999 random splits" in out
    assert "no evidence of a difference, and no proof that there is none" in out


def test_of_many_pairs_the_farthest_apart_are_shown(folder, run):
    rows = [[value, group] for group in range(9) for value in (group**2, group**2 + 1)]
    name = write_table(folder / "many.csv", ["x", "g"], rows)
    status, out, _ = run(name, "--by", "g", "--permutations", 5)
    assert status == 0
    assert "and 8 pairs less far apart" in out  # 36 less 28
    pairs = out.split("\n\n")[2].splitlines()[1:-2]  # less the head and what the columns mean
    assert len(pairs) == 29
    assert pairs[0].split()[:2] == ["0", "8"]


def test_a_sample_may_be_of_one_row(folder, run):
    a = write_table(folder / "a.csv", ["x"], [[0], [1]])
    b = write_table(folder / "b.csv", ["x"], [[5]])
    status, out, _ = run(a, b, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["group_sizes"] == [2, 1]
    assert found["statistic"] == pytest.approx(2 / 3 * (2 * 4.5 - 0.5))
    _, out, _ = run(a, b)
    # The row that stands alone may be any of three.
    assert "Only 3 such splits can be told apart: p is hardly ever below 0.33" in out


def test_columns_that_are_not_compared_may_be_of_any_kind(folder, run):
    a = write_table(folder / "a.csv", ["x", "note"], [[1, "u"], [2, "v"], [3, "w"]])
    b = write_table(folder / "b.csv", ["x", "note"], [[4, 1], [5, 2]])
    status, out, err = run(a, b, "--json", "--columns", "x")
    assert (status, err) == (0, "")
    assert json.loads(out)["n_features"] == 1
    status, _, err = run(a, b)
    assert status == 1
    assert "name the others with --columns" in err


def test_columns_are_matched_by_name(two, folder, run):
    _, expected, _ = run(*two, "--json", "--permutations", 9)
    turned = [3, 0, 2, 1]
    rows = [[row[c] for c in turned] for row in IRIS.data[IRIS.target == 2].tolist()]
    other = write_table(folder / "turned.csv", [NAMES[c] for c in turned], rows)
    status, out, err = run(two[0], other, "--json", "--permutations", 9)
    assert status == 0
    assert "the columns of turned.csv have another order than those of 1.csv; they are" in err
    for key in ("statistic", "pvalue", "n_features"):
        assert json.loads(out)[key] == json.loads(expected)[key]
    _, _, err = run(two[0], other, "--columns", "sepal length,petal width", "--permutations", 9)
    assert "another order" in err
    _, _, err = run(two[0], two[1], "--permutations", 9)
    assert err == ""


def test_columns_that_only_one_file_has_are_left_out_on_request(two, folder, run):
    _, expected, _ = run(*two, "--json", "--permutations", 9)
    rows = [[i, *x, "note"] for i, x in enumerate(IRIS.data[IRIS.target == 2].tolist())]
    other = write_table(folder / "more.csv", ["id", *NAMES, "note"], rows)
    status, _, err = run(two[0], other)
    assert status == 1
    assert "more.csv has 'id', 'note', and not 1.csv. --drop id,note leaves them out" in err
    for options in (["--drop", "id,note"], ["--columns", ",".join(NAMES)]):
        status, out, err = run(two[0], other, *options, "--json", "--permutations", 9)
        assert (status, err) == (0, "")
        assert json.loads(out)["statistic"] == json.loads(expected)["statistic"]
    status, _, err = run(two[0], other, "--drop", "idd,note")
    assert status == 1
    assert "no column 'idd'" in err
    status, _, err = run(two[0], other, "--columns", "id,sepal length")
    assert "more.csv has 'id', and not 1.csv. Give each column the same name in every file" in err


def test_the_index_of_pandas_is_not_a_feature_of_samples(two, folder, run):
    _, expected, _ = run(*two, "--json", "--permutations", 9)
    names = []
    for t in (1, 2):
        rows = [[i, *x] for i, x in enumerate(IRIS.data[IRIS.target == t].tolist())]
        names.append(write_table(folder / f"index {t}.csv", ["", *NAMES], rows))
    status, out, err = run(*names, "--json", "--permutations", 9)
    assert status == 0
    assert "the first column of index 1.csv names the rows" in err
    assert json.loads(out)["statistic"] == json.loads(expected)["statistic"]


def test_files_without_names_are_matched_by_place(folder, run):
    a = write_csv(folder / "a.csv", [[1, 2], [3, 4], [5, 6]])
    b = write_csv(folder / "b.csv", [[1, 2, 3], [3, 4, 5]])
    status, _, err = run(a, b)
    assert status == 1
    assert "a.csv has 2 columns and b.csv has 3, both without names" in err
    assert run(a, a, "--permutations", 9)[0] == 0


def test_groups_are_called_what_the_file_calls_them(folder, run):
    rows = [[1, 1234567890123], [2, 1234567890124], [3, 0.5]]
    name = write_table(folder / "d.csv", ["x", "g"], rows * 2)
    _, out, _ = run(name, "--by", "g", "--json", "--permutations", 5)
    assert json.loads(out)["groups"] == ["0.5", "1234567890123", "1234567890124"]


def test_advice_names_options_of_this_command(folder, run):
    name = write_table(folder / "d.csv", ["x", "c", "g"], [[1, "u", 0], [2, "v", 1]] * 2)
    status, _, err = run(name, "--by", "g")
    assert status == 1
    assert "Use --categorical c to compare such a column for equality, or --drop c to" in err
    assert "--label-column" not in err


@pytest.mark.parametrize(
    ("sizes", "expected"), [((2, 2), 3), ((3, 4), 35), ((1, 1, 2), 6), ((1, 1, 1), 1)]
)
def test_divisions_are_counted_up_to_their_names(sizes, expected):
    """By hand: of the 4!/(1! 1! 2!) = 12 divisions in 1, 1 and 2 half are the other half."""
    assert distinct_splits(sizes) == pytest.approx(expected)


def test_alpha_two_is_said_to_compare_means(two, run):
    _, _, err = run(*two, "--alpha", 2, "--permutations", 5)
    assert "alpha=2 compares means only" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1.csv"], "two or more samples"),
        (["1.csv", "2.csv", "--by", "x"], "--by splits the rows of one file; got 2 files"),
        (["1.csv", "2.csv", "--metric", "precomputed"], "one matrix between all points"),
        (["1.csv", "2.csv", "--permutations", "0"], "must be an integer >= 1"),
        (["1.csv", "2.csv", "--sigma", "1"], "--sigma applies only to --metric laplacian"),
    ],
)
def test_options_that_do_not_go_together(two, run, arguments, words):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert words in " ".join(err.split())


@pytest.mark.parametrize(
    ("rows", "by", "words"),
    [
        (
            [[1, "a"], [2, ""], [3, "b"]],
            "g",
            "line 3: the sample in column 'g' is missing (1 of 3)",
        ),
        ([[1, "a"], [2, "a"]], "g", "column 'g' is 'a' in every row"),
        ([[1, "a"]], "g", "column 'g' is 'a' in every row"),
        ([[1, "a"], [2, "b"]], "group", "no column 'group'"),
        ([["", "a"], [2, "b"], [3, "b"]], "g", "line 2, column 'x' is missing"),
        (
            [[i, f"name {i}"] for i in range(9)],
            "g",
            "column 'g' has another value in every row (9 rows), so nearly every row would be a "
            "sample of its own. --by names a column whose values group the rows; no other column",
        ),
        ([[i, i] for i in range(9)], "g", "column 'g' has another value in every row"),
        ([[i // 4, i % 8 + 0.5] for i in range(12)], "g", "has 8 different numbers (12 rows)"),
        ([[i // 4, i % 8 + 0.5] for i in range(12)], "g", "the rows; --by x would do"),
    ],
)
def test_groups_that_cannot_be_compared(folder, run, rows, by, words):
    name = write_table(folder / "d.csv", ["x", "g"], rows)
    status, out, err = run(name, "--by", by)
    assert (status, out) == (1, "")
    assert words in err


@pytest.mark.parametrize(
    ("names", "rows", "words"),
    [
        (["x", "y"], [[1, 2], [3, 4]], "b.csv has 'y', and not a.csv. --drop y leaves them"),
        (["z"], [[1], [3]], "a.csv has 'x', and not b.csv; b.csv has 'z', and not a.csv. Give"),
        ([5], [[1], [3]], "a.csv has the column names 'x' and b.csv has none; write a first line"),
        (["x"], [["u"], ["v"]], "column 'x' holds text in b.csv and numbers in a.csv"),
        (["x"], [[1], ["NA"]], "a.csv, b.csv, b.csv line 3, column 'x' is missing"),
    ],
)
def test_files_that_cannot_be_compared(folder, run, names, rows, words):
    a = write_table(folder / "a.csv", ["x"], [[1], [2], [3]])
    b = write_table(folder / "b.csv", names, rows)
    status, out, err = run(a, b)
    assert (status, out) == (1, "")
    assert words in err


def test_progress(folder, run, monkeypatch):
    seen = []
    monkeypatch.setattr("kgroups.cli.console.Console.status", lambda _, text: seen.append(text))
    a = write_table(folder / "a.csv", ["x"], [[0], [1], [3]])
    b = write_table(folder / "b.csv", ["x"], [[5], [6]])
    run(a, b, "--permutations", 9000)
    assert len(seen) > 1
    assert (seen[-1].phase, seen[-1].number, seen[-1].total) == ("permutations", 9000, 9000)
    assert str(seen[0]).startswith("permutations ")
    assert " s left, " in str(seen[0])


def test_advice_for_numbers_of_one_file_and_for_names_with_commas(folder, run):
    (folder / "a.csv").write_text("x;y\n1,250;2\n2,125;3\n")
    (folder / "b.csv").write_text("x;y\n1;2\n3;4\n")
    status, _, err = run("a.csv", "b.csv")
    assert (status, "--decimal , says the reverse" in err) == (1, True), err
    assert run("a.csv", "b.csv", "--decimal", ",")[0] == 0
    (folder / "a.csv").write_text('x,"y,z"\n1,2\n2,3\n')
    (folder / "b.csv").write_text("x\n1\n3\n")
    status, _, err = run("a.csv", "b.csv")
    assert (status, """--drop '"y,z"' leaves them out""" in err) == (1, True), err
    assert run("a.csv", "b.csv", "--drop", '"y,z"')[0] == 0


@pytest.mark.parametrize("metric", ["mixed", "levenshtein", "dtw", "samples"])
def test_metrics_of_other_rows_are_those_of_other_commands(two, run, metric):
    status, _, err = run(*two, "--metric", metric)
    assert status == 2
    assert f"--metric {metric} is one of kgroups cluster and choose-k" in err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", "[1, 2]\n[3]\n", "a.jsonl holds arrays, and a table is needed"),
        ("a.json", '["x", "y"]', "a.json holds text where numbers are needed"),
    ],
)
def test_other_rows_are_refused(two, folder, run, name, content, said):
    (folder / name).write_text(content)
    status, _, err = run(name, name)
    assert status == 1
    assert said in err


def test_tables_in_json(two, folder, run):
    for number, data in enumerate(two):
        rows = [line.split(",") for line in (folder / data).read_text().splitlines()]
        objects = [dict(zip(rows[0], map(float, row), strict=True)) for row in rows[1:]]
        (folder / f"{number}.jsonl").write_text("".join(f"{json.dumps(o)}\n" for o in objects))
    options = ("--permutations", 99, "--json")
    expected = json.loads(run(*two, *options)[1])
    status, out, err = run("0.jsonl", "1.jsonl", *options)
    assert (status, err) == (0, "")
    assert json.loads(out)["statistic"] == expected["statistic"]
