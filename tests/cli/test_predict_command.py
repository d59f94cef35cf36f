"""``kgroups predict`` after ``kgroups cluster --save``: the rows of the fit, and new ones."""

import csv
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from json_cases import faults, schema
from scipy.sparse import csr_array, save_npz

import kgroups
from helpers import each, write_csv
from kgroups.cli import main

COMMAND = "predict"

N = 30


@pytest.fixture
def people(folder):
    """Three groups with a column of each kind and some gaps."""
    rng = np.random.default_rng(0)
    rows = [
        [
            f"{i:03d}",
            "" if i == 7 else f"{3 * g + rng.normal():.3f}",
            f"{300 * g + 50 * rng.normal():.2f}",
            "" if i == 4 else "xyz"[g if i % 7 else (g + 1) % 3],
            "SML"[g],
            f"2024-0{1 + 2 * g}-{10 + i % 9}",
            ["yes", "no"][i % 2],
            " ".join(rng.choice(WORDS[g], 4)),
            1 + i % 3,
        ]
        for i, g in enumerate([0, 1, 2] * (N // 3))
    ]
    head = ["name", "x", "y", "town", "size", "day", "member", "note", "w"]
    return write_csv(folder / "people.csv", [head, *rows])


WORDS = [["red", "apple", "pear"], ["blue", "car", "bus"], ["green", "tree", "leaf"]]
NUMBERS = ["--columns", "x,y", "--categorical", "town", "--id-column", "name"]
OTHERS = "note,name,w"
CASES = {
    "standardized": [*NUMBERS, "--standardize", "--impute", "mean,category"],
    "weights": [*NUMBERS, "--impute", "most-frequent", "--weight-column", "w"],
    "categories": ["--columns", "", "--categorical", "town,size", "--impute", "category"],
    "laplacian": ["--columns", "x,y", "--metric", "laplacian", "--impute", "mean"],
    "k-means": ["--columns", "x,y", "--alpha", 2, "--impute", "mean", "--standardize"],
    "mixed": ["--metric", "mixed", "--drop", OTHERS, "--kinds", "size=S<M<L"],
    "mixed, own category": ["--metric", "mixed", "--drop", OTHERS, "--impute", "category"],
    "words": ["--text", "note", "--id-column", "name"],
    "letters": ["--metric", "levenshtein", "--columns", "note"],
    "samples": ["--metric", "samples", "--columns", "x,y,w", "--impute", "mean"],
    "sketch": ["--columns", "x,y", "--impute", "mean", "--method", "nystroem"],
    "curved": ["--curved", "--columns", "x,y", "--impute", "mean", "--standardize"],
}


@pytest.fixture
def saved(capsys):
    """Clusters a file: the labels are returned, and the model is in m.kg."""

    def call(data, *options, k=3):
        arguments = ["cluster", data, "-k", k, "-o", "fit.csv", "--save", "m.kg", *options]
        assert main([str(argument) for argument in arguments]) == 0, capsys.readouterr().err
        assert capsys.readouterr().out.endswith("Model written to m.kg.\n")
        return Path("fit.csv").read_text()

    return call


def without_empty(options):
    """The options without a pair whose value is empty."""
    at = options.index("") if "" in options else None
    return options if at is None else [*options[: at - 1], *options[at + 1 :]]


@pytest.mark.filterwarnings("ignore:.*negative type")
@pytest.mark.parametrize("case", CASES)
def test_the_rows_of_the_fit_get_its_labels(people, run, case, saved):
    options = without_empty(CASES[case])
    if case == "categories":
        options = ["--drop", "x,y,day,member,note,w,name", *options]
    labels = saved(people, *options)
    status, _, err = run("m.kg", people, "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels


def test_one_row_is_enough(people, run, saved):
    saved(people, "--columns", "x,y", "--impute", "mean")
    status, out, err = run("m.kg", "-", "--json", stdin=b"x,y\n0.1,10\n")
    assert status == 0, err
    assert len(json.loads(out)["labels"]) == 1


def test_json_is_as_its_schema_says(people, run, saved):
    saved(people, *CASES["standardized"])
    status, out, err = run("m.kg", people, "--json")
    assert status == 0, err
    found = json.loads(out)
    rule = schema("predict")
    assert faults(found, rule, rule) == []
    assert "".join(f"kgroups: note: {note}\n" for note in found["notes"]) == err
    assert found["cluster_sizes"] == np.bincount(found["labels"], minlength=3).tolist()
    assert found["ids"][7] == "007"
    assert (found["n_samples"], found["n_samples_fit"]) == (N, N)
    assert found["command"] == f"kgroups predict m.kg {people} --json"


def test_tables_without_names(folder, run, saved):
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [9.0, 9.5], [8.0, 9.0]])
    np.save("rows.npy", rows)
    labels = saved("rows.npy", k=2)
    status, _, err = run("m.kg", "rows.npy", "-o", "again.csv")
    assert (status, err) == (0, "")
    assert Path("again.csv").read_text() == labels


def test_codes_that_look_like_numbers_stay_text(folder, run, saved):
    """At the fit 'b' made the column text; in the new file all codes are digits."""
    rows = [["code", "x"], ["01", 0], ["1", 5], ["b", 9], ["01", 0.5], ["1", 5.5], ["b", 9.5]]
    write_csv(folder / "codes.csv", rows)
    labels = saved("codes.csv", "--categorical", "code")
    fit = [row[1] for row in csv.reader(labels.splitlines())][1:]
    write_csv(folder / "new.csv", [["code", "x"], ["01", 0], ["1", 5]])
    status, out, err = run("m.kg", "new.csv", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["labels"] == [int(label) for label in fit[:2]]


def test_marks_of_missing_values_are_those_of_the_fit(folder, run, saved):
    rows = [["x", "y"], [0, 1], [-999, 1], [9, 9], [8, 8]]
    write_csv(folder / "gaps.csv", rows)
    labels = saved("gaps.csv", "--na-values=-999", "--impute", "mean", k=2)
    status, _, _ = run("m.kg", "gaps.csv", "-o", "again.csv")
    assert status == 0
    assert Path("again.csv").read_text() == labels


@each(
    ("name", "content", "options"),
    [
        ("sets.jsonl", '["a","b"]\n["a"]\n["c","d"]\n["c"]\n', ["--metric", "jaccard"]),
        ("s.jsonl", "[1,2]\n[1,2,3]\n[9,8]\n[9,9,9]\n", ["--metric", "samples"]),
    ],
)
def test_rows_that_are_arrays(folder, run, name, content, options, saved):
    Path(name).write_text(content)
    labels = saved(name, *options, k=2)
    status, _, err = run("m.kg", name, "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    Path("table.csv").write_text("a,b\n1,2\n")
    assert run("m.kg", "table.csv")[0] == 1


def test_sparse_rows(folder, run, saved):
    rows = csr_array(np.array([[1.0, 0, 0], [2, 0.1, 0], [0, 0, 3], [0, 0.2, 4]]))
    save_npz("rows.npz", rows)
    labels = saved("rows.npz", "--metric", "cosine", k=2)
    assert run("m.kg", "rows.npz", "-o", "again.csv")[0] == 0
    assert Path("again.csv").read_text() == labels
    save_npz("wide.npz", csr_array(np.eye(5)))
    assert run("m.kg", "wide.npz")[0] == 1


def test_words_that_the_fit_does_not_know(people, run, saved):
    saved(people, "--text", "note")
    Path("new.csv").write_text("note\nred zebra\nzebra\n")
    assert run("m.kg", "new.csv")[0] == 1
    Path("new.csv").write_text("note\nred zebra\npear\n")
    found = json.loads(run("m.kg", "new.csv", "--json")[1])
    assert found["labels"][0] == found["labels"][1]


def test_communities_are_saved_with_the_names_of_the_nodes(folder, run):
    graph = nx.relabel_nodes(nx.barbell_graph(5, 0), {i: f"n{i}" for i in range(10)})
    nx.write_edgelist(graph, "edges.txt", data=False)
    assert main(["communities", "edges.txt", "--save", "c.kg", "-o", "c.csv"]) == 0
    model = kgroups.load("c.kg")
    assert sorted(map(sorted, model.communities_)) == [
        [f"n{i}" for i in range(5)], [f"n{i}" for i in range(5, 10)],
    ]  # fmt: skip
    assert run("c.kg", "edges.txt")[0] == 1
