"""Rows that are no table of numbers: sparse ones, strings, sets, series and samples."""

import json

import numpy as np
import pytest
from json_cases import faults, schema
from scipy import sparse

from kgroups import KernelKGroups
from kgroups.cli import main

COMMAND = "cluster"
WORDS = ["apple", "apples", "appel", "banana", "bananas", "bannana", "cherry", "cherries", "chery"]


def lines(path, values):
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))


def as_json(run, *arguments):
    status, out, err = run(*arguments, "--json", "--n-init", 3)
    assert status == 0, err
    found = json.loads(out)
    rule = schema("cluster")
    assert faults(found, rule, rule) == []
    return found


# --- sparse rows -----------------------------------------------------------------------------


@pytest.fixture
def rows(folder):
    """Sparse rows of three groups, in a file."""
    rng = np.random.default_rng(0)
    dense = rng.random((45, 30)) * (rng.random((45, 30)) < 0.2)
    for j in range(3):
        dense[15 * j : 15 * j + 15, 5 * j : 5 * j + 5] += 2.0
    found = sparse.csr_array(dense)
    sparse.save_npz(folder / "docs.npz", found)
    return found


@pytest.mark.parametrize("metric", ["energy", "cosine", "manhattan", "sqeuclidean", "gaussian"])
def test_sparse_rows(rows, run, metric):
    found = as_json(run, "docs.npz", "-k", 3, "--metric", metric)
    model = KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
    assert (
        found["labels"] == model.labels_.tolist() == np.repeat(found["labels"][::15], 15).tolist()
    )
    assert found["data"]["n_columns"] == found["n_features"] == 30
    words = [one["word"] for one in found["sets_apart"][found["labels"][0]]]
    assert set(words) >= {"column 1", "column 2", "column 3", "column 4", "column 5"}


@pytest.mark.parametrize("metric", ["energy", "cosine"])
def test_a_picture_of_sparse_rows(rows, folder, run, metric):
    status, out, _ = run("docs.npz", "-k", 3, "--metric", metric, "--plot", "a.svg")
    assert status == 0
    assert "Picture written to a.svg." in out
    assert (folder / "a.svg").stat().st_size > 10_000


def test_the_number_of_clusters_of_sparse_rows(rows, capsys):
    assert main(["choose-k", "docs.npz", "--metric", "cosine", "--k-max", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rule = schema("choose-k")
    assert faults(found, rule, rule) == []
    assert (found["n_clusters"], found["n_features"]) == (3, 30)


def test_a_sparse_gram_matrix(rows, folder, run):
    sparse.save_npz(folder / "gram.npz", sparse.csr_array(rows @ rows.T))
    status, _, _ = run("gram.npz", "-k", 3, "--metric", "precomputed_kernel", "--plot", "a.svg")
    assert status == 0
    found = as_json(run, "gram.npz", "-k", 3, "--metric", "precomputed_kernel")
    assert found["labels"] == np.repeat(found["labels"][::15], 15).tolist()
    status, _, err = run("docs.npz", "-k", 3, "--metric", "precomputed_kernel")
    assert status == 1
    assert "must be a square matrix between points; got 45 rows and 30 columns" in err


def test_rows_of_length_zero_are_named(folder, run):
    dense = np.eye(5)
    dense[[1, 3]] = 0
    sparse.save_npz(folder / "a.npz", sparse.csr_array(dense))
    status, _, err = run("a.npz", "-k", 2, "--metric", "cosine")
    assert status == 1
    assert "a.npz, row 2, row 4, like each of the others, has no entry that is not 0" in err
    assert "use --metric energy" in err
    assert as_json(run, "a.npz", "-k", 2, "--metric", "energy")["n_samples"] == 5


@pytest.mark.parametrize(
    ("option", "status", "said"),
    [
        (["--metric", "hellinger"], 1, "sparse rows, which --metric hellinger does not compare"),
        (["--metric", "precomputed"], 1, "--metric precomputed does not compare; use energy"),
        (["--columns", "1"], 1, "--columns applies to tables, and docs.npz holds sparse rows"),
        (["--standardize"], 1, "--standardize applies to tables"),
        (["--label-column", "y"], 1, "--label-column applies to tables"),
        (["--curved"], 1, "--curved needs columns of numbers"),
        (["--metric", "mixed"], 1, "--metric mixed does not compare"),
    ],
)
def test_options_that_do_not_apply_to_sparse_rows(rows, run, option, status, said):
    found, _, err = run("docs.npz", "-k", 2, *option)
    assert found == status
    assert said in err


# --- strings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["words.jsonl", "words.txt", "words.json", "words.csv"])
@pytest.mark.parametrize("metric", ["levenshtein", "jaro_winkler"])
def test_strings(folder, run, name, metric):
    if name == "words.txt":
        (folder / name).write_text("\n".join([*WORDS, ""]))
    elif name == "words.csv":
        (folder / name).write_text("\n".join(["word", *WORDS, ""]))
    elif name == "words.json":
        (folder / name).write_text(json.dumps(WORDS, indent=1))
    else:
        lines(folder / name, WORDS)
    found = as_json(run, name, "-k", 3, "--metric", metric)
    assert found["labels"] == np.repeat(found["labels"][::3], 3).tolist()
    assert found["metric"]["name"] == metric
    assert found["n_features"] is None
    shown = found["exemplars"][found["labels"][0]]
    assert {one["text"] for one in shown} == {"apple", "apples", "appel"}
    assert all(WORDS[one["row"] - 1] == one["text"] for one in shown)


def test_the_report_on_strings(folder, run):
    lines(folder / "words.jsonl", WORDS)
    status, out, err = run("words.jsonl", "-k", 3, "--metric", "levenshtein", "-o", "l.csv")
    assert status == 0
    assert out.startswith("words.jsonl: 9 rows, 3 clusters by levenshtein")
    assert "'apple', 'apples', 'appel'" in out
    assert "EditDistance" not in out + err
    assert (folder / "l.csv").read_text().splitlines()[0] == "row,cluster"


def test_a_column_among_others(folder, run):
    rows = [{"word": word, "kind": word[0], "n": i} for i, word in enumerate(WORDS)]
    lines(folder / "words.jsonl", rows)
    uses = ["--columns", "word", "--label-column", "kind", "--id-column", "n"]
    found = as_json(run, "words.jsonl", "-k", 3, "--metric", "levenshtein", *uses)
    assert found["scores"]["ari"] == 1.0
    assert found["columns"]["text"] == "word"
    status, _, err = run("words.jsonl", "-k", 3, "--metric", "levenshtein")
    assert status == 1
    assert "has 3 columns of features: 'word', 'kind', 'n'. Name it, as in --columns 'word'" in err


@pytest.mark.parametrize(
    ("values", "option", "status", "said"),
    [
        (["a", None, "b"], [], 1, "line 2: text column 1 is missing"),
        ([1, 2], [], 1, "column 1 holds numbers, and --metric levenshtein compares text; put them"),
        (["a", "b"], ["--standardize"], 2, "--standardize does not apply to --metric levenshtein"),
        (["a", "b"], ["--impute", "mean"], 2, "--impute does not apply to --metric levenshtein"),
        (["a", "b"], ["--curved"], 2, "--metric levenshtein does not apply to --curved"),
        ([["a"], ["b"]], [], 1, "a set, which --metric levenshtein does not compare; use --metric"),
    ],
)
def test_what_strings_cannot_do(folder, run, values, option, status, said):
    lines(folder / "words.jsonl", values)
    found, _, err = run("words.jsonl", "-k", 2, "--metric", "levenshtein", *option)
    assert found == status
    assert said in err


def test_a_picture_and_the_number_of_clusters_of_strings(folder, run, capsys):
    (folder / "words.txt").write_text("\n".join([*WORDS, ""]))
    status, _, err = run("words.txt", "-k", 3, "--metric", "levenshtein", "--plot", "a.svg")
    assert status == 0, err
    assert main(["choose-k", "words.txt", "--metric", "levenshtein", "--k-max", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_samples"] == 9
    assert found["n_features"] is None


def test_numbers_as_they_are_written(folder, run):
    (folder / "codes.csv").write_text("code\n0011\n0012\n9911\n9912\n")
    status, _, err = run("codes.csv", "-k", 2, "--metric", "levenshtein")
    assert status == 1
    assert "--columns 'code' takes them as they are written" in err
    found = as_json(run, "codes.csv", "-k", 2, "--metric", "levenshtein", "--columns", "code")
    assert found["exemplars"][found["labels"][0]][0]["text"] in ("0011", "0012")
    assert found["labels"] in ([0, 0, 1, 1], [0, 1, 0, 1])


def test_strings_without_a_metric_of_strings(folder, run):
    lines(folder / "words.jsonl", WORDS)
    status, _, err = run("words.jsonl", "-k", 2)
    assert status == 1
    assert "--metric levenshtein compares its texts letter by letter, --text 1 by their" in err


# --- sets and arrays -------------------------------------------------------------------------


def test_sets(folder, run):
    sets = [[list("abc"), list("ab"), []][i % 3] if i < 9 else list("xyz")[: 2 + i % 2] for i in
            range(18)]  # fmt: skip
    lines(folder / "sets.jsonl", sets)
    found = as_json(run, "sets.jsonl", "-k", 3, "--metric", "jaccard")
    words = {frozenset(one["word"] for one in own) for own in found["sets_apart"]}
    assert frozenset("xyz") in words
    status, _, err = run("sets.jsonl", "-k", 3)
    assert status == 1
    assert "holds an array of texts in each row, a set, which --metric energy does not" in err
    lines(folder / "sets.jsonl", [["a"], ["b"]])
    status, _, err = run("sets.jsonl", "-k", 2, "--metric", "jaccard", "--drop", "a")
    assert "--drop applies to tables, and sets.jsonl holds an array in each row" in err


def test_arrays_that_are_equally_long_are_a_table(folder, run):
    rng = np.random.default_rng(0)
    values = [(10 * (i // 6) + rng.normal(size=3)).tolist() for i in range(18)]
    lines(folder / "rows.jsonl", values)
    found = as_json(run, "rows.jsonl", "-k", 3)
    model = KernelKGroups(3, n_init=3, random_state=0).fit(np.array(values))
    assert found["labels"] == model.labels_.tolist()
    assert found["columns"]["numeric"] == ["column 1", "column 2", "column 3"]
    lines(folder / "keys.jsonl", [{"id": f"r{i}", "e": row} for i, row in enumerate(values)])
    again = as_json(run, "keys.jsonl", "-k", 3, "--id-column", "id")
    assert again["labels"] == found["labels"]
    assert again["columns"]["numeric"] == ["e[0]", "e[1]", "e[2]"]
    status, _, _ = run("keys.jsonl", "-k", 3, "--id-column", "id", "-o", "l.csv", "--append")
    assert status == 0
    assert (folder / "l.csv").read_text().startswith("id,e[0],e[1],e[2],cluster\nr0,0.")


def test_samples(folder, run):
    rng = np.random.default_rng(0)
    lines(
        folder / "a.jsonl",
        [(9 * (i // 6) + rng.normal(size=4 + i % 5)).tolist() for i in range(18)],
    )
    found = as_json(run, "a.jsonl", "-k", 3, "--metric", "samples")
    assert found["labels"] == np.repeat(found["labels"][::6], 6).tolist()
    assert found["n_features"] is None
    status, _, err = run("a.jsonl", "-k", 3)
    assert status == 1
    assert (
        "arrays of different lengths, which --metric energy does not compare; --metric dtw" in err
    )


def test_rows_of_a_table_as_samples(folder, run):
    (folder / "x.csv").write_text("a,b\n1,2\n2,1\n7,9\n9,7\n")
    found = as_json(run, "x.csv", "-k", 2, "--metric", "samples")
    assert found["labels"] == [0, 0, 1, 1]
    assert found["notes"] == ["each row is taken for a sample of 2 numbers"]


def test_an_empty_array_is_named(folder, run):
    lines(folder / "a.jsonl", [[1, 2], [], [3]])
    status, _, err = run("a.jsonl", "-k", 2, "--metric", "samples")
    assert status == 1
    assert "a.jsonl, line 2 holds an empty array" in err


def test_series(folder, run):
    time = np.linspace(0, 6, 30)
    series = [np.sin((1 + i // 5) * time[: 25 + i % 5]).tolist() for i in range(10)]
    lines(folder / "a.jsonl", series)
    found = as_json(run, "a.jsonl", "-k", 2, "--metric", "dtw")
    assert found["labels"] == np.repeat(found["labels"][::5], 5).tolist()
    assert found["metric"]["name"] == "dtw"
