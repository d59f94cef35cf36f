"""``kgroups predict`` after ``kgroups cluster --save``: files in, files out."""

import csv
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from json_cases import faults, schema
from scipy.sparse import csr_array, save_npz

import kgroups
from helpers import files, write_csv
from kgroups.cli import main
from kgroups.persistence.load import read_model

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
    status, out, err = run("m.kg", people, "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    assert f"people.csv: {N} rows to 3 clusters of m.kg" in out
    assert out.endswith("Labels written to again.csv.\n")


def test_other_formats_and_orders_of_columns(people, run, saved):
    """Parquet has numbers where CSV has digits; columns are found by their names."""
    labels = saved(people, *NUMBERS, "--impute", "mean,category", "--standardize")
    frame = pd.read_csv("people.csv", dtype={"name": str})
    frame[["note", "y", "town", "name", "x"]].to_parquet("people.parquet")
    status, _, err = run("m.kg", "people.parquet", "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    status, _, err = run("m.kg", "-", "-o", "stdin.csv", stdin=Path(people).read_bytes())
    assert status == 0, err
    assert Path("stdin.csv").read_text() == labels


def test_new_rows_by_hand(folder, run, saved):
    """x = 0, 2, 10, 12 has mean 6 and sd √26; 1 is next to {0, 2} and 99 next to {10, 12}."""
    write_csv(folder / "fit.in.csv", [["x", "id"], [0, "a"], [2, "b"], [10, "c"], [12, "d"]])
    saved("fit.in.csv", "--id-column", "id", "--standardize", k=2)
    first = Path("fit.csv").read_text().splitlines()[1].split(",")[2]
    other = "1" if first == "0" else "0"
    write_csv(folder / "new.csv", [["id", "x"], ["007", 1], ["8", 99], ["9", 5.9]])
    status, out, err = run("m.kg", "new.csv", "-o", "out.csv")
    assert (status, err) == (0, "")
    expected = [["row", "id", "cluster"], ["1", "007", first], ["2", "8", other], ["3", "9", first]]
    assert list(csv.reader(Path("out.csv").read_text().splitlines())) == expected
    model = read_model("m.kg").model
    scaled = (np.array([1.0, 99.0, 5.9]) - 6) / np.sqrt(26)
    assert model.predict(scaled[:, None]).tolist() == [int(first), int(other), int(first)]
    assert [line.split() for line in out.splitlines()[3:5]] == [
        [str(j), str([first, other, first].count(str(j)))] for j in (0, 1)
    ]


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


def test_missing_columns_are_an_error_and_extra_ones_a_note(people, run, saved):
    saved(people, *CASES["standardized"])
    Path("new.csv").write_text("y,town,shoe,hat\n1,x,2,3\n")
    status, _, err = run("m.kg", "new.csv", "-o", "out.csv")
    assert status == 1
    assert err == (
        "kgroups: error: new.csv lacks the column 'x', which the fit has used. Its columns are "
        "'y', 'town', 'shoe', 'hat'.\n"
    )
    assert not Path("out.csv").exists()
    Path("new.csv").write_text("x,y,town,shoe,hat\n1,1,x,2,3\n")
    status, _, err = run("m.kg", "new.csv")
    assert status == 0
    assert err == (
        "kgroups: note: 2 columns that the fit did not have are not used: 'shoe', 'hat'\n"
    )


def test_tables_without_names(folder, run, saved):
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [9.0, 9.5], [8.0, 9.0]])
    np.save("rows.npy", rows)
    labels = saved("rows.npy", k=2)
    status, _, err = run("m.kg", "rows.npy", "-o", "again.csv")
    assert (status, err) == (0, "")
    assert Path("again.csv").read_text() == labels
    Path("named.csv").write_text("a,b\n1,2\n")
    status, _, err = run("m.kg", "named.csv")
    assert status == 1
    assert "lacks the columns '1', '2', which the fit, whose table had no header, has used" in err
    Path("narrow.csv").write_text("1\n2\n")
    assert "It has no header, so its columns are named '1'." in run("m.kg", "narrow.csv")[2]


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
    status, _, err = run("m.kg", "gaps.csv", "-o", "again.csv")
    assert status == 0
    assert "1 missing value of column 'x' replaced as at the fit" in err
    assert Path("again.csv").read_text() == labels


@pytest.mark.parametrize(
    ("name", "content", "options", "other"),
    [
        ("sets.jsonl", '["a","b"]\n["a"]\n["c","d"]\n["c"]\n', ["--metric", "jaccard"], "sets"),
        ("s.jsonl", "[1,2]\n[1,2,3]\n[9,8]\n[9,9,9]\n", ["--metric", "samples"], "numbers"),
    ],
)
def test_rows_that_are_arrays(folder, run, name, content, options, other, saved):
    Path(name).write_text(content)
    labels = saved(name, *options, k=2)
    status, _, err = run("m.kg", name, "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    Path("table.csv").write_text("a,b\n1,2\n")
    status, _, err = run("m.kg", "table.csv")
    assert status == 1
    assert "does not hold an array of" in err


def test_sparse_rows(folder, run, saved):
    rows = csr_array(np.array([[1.0, 0, 0], [2, 0.1, 0], [0, 0, 3], [0, 0.2, 4]]))
    save_npz("rows.npz", rows)
    labels = saved("rows.npz", "--metric", "cosine", k=2)
    assert run("m.kg", "rows.npz", "-o", "again.csv")[0] == 0
    assert Path("again.csv").read_text() == labels
    save_npz("wide.npz", csr_array(np.eye(5)))
    status, _, err = run("m.kg", "wide.npz")
    assert status == 1
    assert err.startswith("kgroups: error: wide.npz: ")
    Path("table.csv").write_text("a,b\n1,2\n")
    assert "does not hold sparse rows" in run("m.kg", "table.csv")[2]
    np.save("rows.npy", rows.toarray())
    saved("rows.npy", k=2)
    assert "is not a table, and the model was fitted to one" in run("m.kg", "rows.npz")[2]


def test_words_that_the_fit_does_not_know(people, run, saved):
    saved(people, "--text", "note")
    Path("new.csv").write_text("note\nred zebra\nzebra\n")
    status, _, err = run("m.kg", "new.csv")
    assert status == 1
    assert "new.csv, line 3 holds no word of the texts of the fit (1 such row)" in err
    Path("new.csv").write_text("note\nred zebra\npear\n")
    found = json.loads(run("m.kg", "new.csv", "--json")[1])
    assert found["labels"][0] == found["labels"][1]


def test_models_without_new_rows(folder, run, saved):
    np.save("d.npy", np.abs(np.subtract.outer(*[np.array([0.0, 1, 9, 8])] * 2)))
    saved("d.npy", "--metric", "precomputed", k=2)
    status, _, err = run("m.kg", "d.npy")
    assert status == 1
    assert "holds clusters of a matrix between points" in err
    assert "kgroups.load('m.kg').predict(matrix)" in err
    assert kgroups.load("m.kg").predict(np.load("d.npy")).shape == (4,)
    kgroups.KGroups1D(2).fit([1.0, 2.0, 9.0]).save("line.kg")
    status, _, err = run("line.kg", "d.npy")
    assert status == 1
    assert "line.kg was saved by Python" in err


def test_communities_are_saved_with_the_names_of_the_nodes(folder, run):
    graph = nx.relabel_nodes(nx.barbell_graph(5, 0), {i: f"n{i}" for i in range(10)})
    nx.write_edgelist(graph, "edges.txt", data=False)
    assert main(["communities", "edges.txt", "--save", "c.kg", "-o", "c.csv"]) == 0
    model = kgroups.load("c.kg")
    assert sorted(map(sorted, model.communities_)) == [
        [f"n{i}" for i in range(5)], [f"n{i}" for i in range(5, 10)],
    ]  # fmt: skip
    status, _, err = run("c.kg", "edges.txt")
    assert status == 1
    assert "c.kg holds communities of a network, which has no further rows" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "m.kg does not exist."), (b"PK", "m.kg is damaged, altered, or not a file that save")],
)
def test_files_that_are_no_models(people, run, content, message):
    if content is not None:
        Path("m.kg").write_bytes(content)
    status, out, err = run("m.kg", people, "-o", "out.csv")
    assert (status, out) == (1, "")
    assert message in err
    assert not Path("out.csv").exists()


def test_the_model_and_the_data_are_not_overwritten(people, run, saved):
    saved(people, "--columns", "x,y", "--impute", "mean")
    for target, other in (("m.kg", "MODEL"), ("people.csv", "DATA")):
        status, _, err = run("m.kg", "people.csv", "-o", target)
        assert status == 2
        assert f"is the same file as {other}" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stream"], "--save needs the table in memory"),
        (["--save", "people.csv"], "is the same file as DATA"),
        (["-o", "m.kg"], "is the same file as -o"),
    ],
)
def test_options_that_exclude_save(people, capsys, options, message):
    np.save("rows.npy", np.zeros((4, 2)))
    data = "rows.npy" if "--stream" in options else "people.csv"
    arguments = ["cluster", data, "-k", "2", "--save", "m.kg", *options]
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_save_does_not_apply_to_certify(people, capsys):
    assert main(["cluster", "people.csv", "--certify", "labels.csv", "--save", "m.kg"]) == 2
    assert "--save does not apply to --certify" in capsys.readouterr().err


def test_no_file_is_written_after_an_error(people, capsys):
    before = files(Path.cwd())
    arguments = ["cluster", "people.csv", "-k", "3", "--columns", "x", "--save", "m.kg"]
    assert main(arguments) == 1
    assert files(Path.cwd()) == before
