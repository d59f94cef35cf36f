"""Rows that are no table of numbers: sparse ones, strings, sets, series and samples."""

import json

import numpy as np
import pytest
from json_cases import faults, schema
from scipy import sparse

from helpers import each
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


@each("metric", ["energy", "cosine", "manhattan", "sqeuclidean", "gaussian"])
def test_sparse_rows(rows, run, metric):
    found = as_json(run, "docs.npz", "-k", 3, "--metric", metric)
    model = KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
    assert (
        found["labels"] == model.labels_.tolist() == np.repeat(found["labels"][::15], 15).tolist()
    )
    assert found["data"]["n_columns"] == found["n_features"] == 30
    words = [one["word"] for one in found["sets_apart"][found["labels"][0]]]
    assert set(words) >= {"column 1", "column 2", "column 3", "column 4", "column 5"}


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


# --- strings ---------------------------------------------------------------------------------


@each("name", ["words.jsonl", "words.txt", "words.json", "words.csv"])
@each("metric", ["levenshtein", "jaro_winkler"])
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


def test_a_column_among_others(folder, run):
    rows = [{"word": word, "kind": word[0], "n": i} for i, word in enumerate(WORDS)]
    lines(folder / "words.jsonl", rows)
    uses = ["--columns", "word", "--label-column", "kind", "--id-column", "n"]
    found = as_json(run, "words.jsonl", "-k", 3, "--metric", "levenshtein", *uses)
    assert found["scores"]["ari"] == 1.0
    assert found["columns"]["text"] == "word"


def test_numbers_as_they_are_written(folder, run):
    (folder / "codes.csv").write_text("code\n0011\n0012\n9911\n9912\n")
    found = as_json(run, "codes.csv", "-k", 2, "--metric", "levenshtein", "--columns", "code")
    assert found["exemplars"][found["labels"][0]][0]["text"] in ("0011", "0012")
    assert found["labels"] in ([0, 0, 1, 1], [0, 1, 0, 1])


# --- sets and arrays -------------------------------------------------------------------------


def test_sets(folder, run):
    sets = [[list("abc"), list("ab"), []][i % 3] if i < 9 else list("xyz")[: 2 + i % 2] for i in
            range(18)]  # fmt: skip
    lines(folder / "sets.jsonl", sets)
    found = as_json(run, "sets.jsonl", "-k", 3, "--metric", "jaccard")
    words = {frozenset(one["word"] for one in own) for own in found["sets_apart"]}
    assert frozenset("xyz") in words


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


def test_rows_of_a_table_as_samples(folder, run):
    (folder / "x.csv").write_text("a,b\n1,2\n2,1\n7,9\n9,7\n")
    found = as_json(run, "x.csv", "-k", 2, "--metric", "samples")
    assert found["labels"] == [0, 0, 1, 1]


def test_series(folder, run):
    time = np.linspace(0, 6, 30)
    series = [np.sin((1 + i // 5) * time[: 25 + i % 5]).tolist() for i in range(10)]
    lines(folder / "a.jsonl", series)
    found = as_json(run, "a.jsonl", "-k", 2, "--metric", "dtw")
    assert found["labels"] == np.repeat(found["labels"][::5], 5).tolist()
    assert found["metric"]["name"] == "dtw"
