"""``kgroups predict`` after ``kgroups cluster --save``: the rows of the fit, and new ones."""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from json_cases import faults, schema
from scipy.sparse import csr_array, save_npz

import kgroups
from helpers import each, write_csv
from kgroups.cli import main

COMMAND = "predict"
N = 30


NUMBERS = ["--columns", "x,y", "--categorical", "town", "--id-column", "name"]
OTHERS = "note,name,w"
CASES = {
    "standardized": [*NUMBERS, "--standardize", "--impute", "mean,category"],
    "weights": [*NUMBERS, "--impute", "most-frequent", "--weight-column", "w"],
    "categories": ["--drop", "x,y,day,note,w,name", "--categorical", "town,size", "--impute",
                   "category"],
    "laplacian": ["--columns", "x,y", "--metric", "laplacian", "--impute", "mean"],
    "k-means": ["--columns", "x,y", "--alpha", 2, "--impute", "mean", "--standardize"],
    "mixed": ["--metric", "mixed", "--drop", OTHERS, "--kinds", "size=S<M<L"],
    "mixed, own category": ["--metric", "mixed", "--drop", OTHERS, "--impute", "category"],
    "words": ["--text", "note", "--id-column", "name"],
    "letters": ["--metric", "levenshtein", "--columns", "note"],
    "samples": ["--metric", "samples", "--columns", "x,y,w", "--impute", "mean"],
    "sketch": ["--columns", "x,y", "--impute", "mean", "--method", "nystroem"],
    "curved": ["--curved", "--columns", "x,y", "--impute", "mean", "--standardize"],
}  # fmt: skip


def saved(data, *options, k=3):
    """The labels of a file, whose model is in m.kg."""
    arguments = ["cluster", data, "-k", k, "-o", "fit.csv", "--save", "m.kg", *options]
    with redirect_stdout(io.StringIO()):
        assert main([str(argument) for argument in arguments]) == 0
    return Path("fit.csv").read_text()


@pytest.mark.filterwarnings("ignore:.*negative type")
@pytest.mark.parametrize("case", CASES)
def test_the_rows_of_the_fit_get_its_labels_from_a_file_and_from_a_frame(people, run, case):
    labels = saved("people.csv", *CASES[case])
    status, _, err = run("m.kg", "people.csv", "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    model = kgroups.load("m.kg")
    frame = people[people.columns[::-1]].assign(more=1.5)
    assert model.predict(frame).tolist() == model.labels_.tolist()
    if case not in ("words", "curved"):  # a sparse row has no place among centers yet
        assert model.transform(frame).shape == (N, 3)
        assert model.predict_proba(frame).argmax(axis=1).tolist() == model.labels_.tolist()


def test_a_frame_of_another_library_and_what_it_lacks(people, folder):
    saved("people.csv", *CASES["standardized"])
    model = kgroups.load("m.kg")
    frame = pa.Table.from_pandas(people)
    assert model.predict(frame).tolist() == model.labels_.tolist()
    with pytest.raises(ValueError, match="lacks the column 'town'"):
        model.predict(people.drop(columns="town"))
    with pytest.raises(ValueError, match="text where numbers are needed: column 'x', row 2"):
        model.predict(people.astype({"x": object}).replace({"x": {people["x"][2]: "no"}}))
    with pytest.warns(UserWarning, match="'Rome'"):
        model.predict(people.assign(town="Rome"))
    with pytest.warns(UserWarning, match="standardized"):
        model.predict(np.zeros((2, 3)))
    assert not hasattr(model.fit(people[["y", "w", "w"]].to_numpy()), "preparation_")


def test_all_columns_and_probabilities_are_written(people, run):
    saved("people.csv", *CASES["standardized"])
    assert run("m.kg", "people.csv", "--append", "--proba", "-o", "all.csv")[0] == 0
    found = pd.read_csv("all.csv", dtype={"name": str})
    assert found.columns.tolist() == [*people.columns, "cluster", "p0", "p1", "p2"]
    assert found["name"].tolist() == people["name"].tolist()
    proba = kgroups.load("m.kg").predict_proba(people)
    np.testing.assert_allclose(found[["p0", "p1", "p2"]], proba, rtol=1e-12)
    assert run("m.kg", "people.csv", "--proba", "-o", "l.parquet")[0] == 0
    assert pd.read_parquet("l.parquet").columns.tolist() == ["name", "cluster", "p0", "p1", "p2"]


def test_tables_without_names_and_models_of_python(folder, run):
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [9.0, 9.5], [8.0, 9.0]])
    np.save("rows.npy", rows)
    labels = saved("rows.npy", k=2)
    status, _, err = run("m.kg", "rows.npy", "-o", "again.csv")
    assert (status, err) == (0, "")
    assert Path("again.csv").read_text() == labels
    frame = pd.DataFrame(rows, columns=["b", "a"])
    model = kgroups.KernelKGroups(2, random_state=0).fit(frame)
    model.save("m.kg")
    frame[["a", "b"]].to_csv("t.csv", index=False)
    assert json.loads(run("m.kg", "t.csv", "--json")[1])["labels"] == model.labels_.tolist()


def test_codes_and_marks_of_missing_values_are_those_of_the_fit(folder, run):
    """At the fit 'b' made the column text; in the new file all codes are digits."""
    rows = [["code", "x"], ["01", 0], ["1", 5], ["b", 9], ["01", -999], ["1", 5.5], ["b", 9.5]]
    write_csv(folder / "codes.csv", rows)
    saved("codes.csv", "--categorical", "code", "--na-values=-999", "--impute", "mean")
    fit = pd.read_csv("fit.csv")["cluster"].tolist()
    write_csv(folder / "new.csv", [["code", "x"], ["01", 0], ["1", 5], ["01", -999]])
    status, out, _ = run("m.kg", "new.csv", "--json")
    found, rule = json.loads(out), schema("predict")
    assert (status, found["labels"], faults(found, rule, rule)) == (0, [*fit[:2], fit[3]], [])


@each(
    ("name", "content", "options"),
    [
        ("sets.jsonl", '["a","b"]\n["a"]\n["c","d"]\n["c"]\n', ["--metric", "jaccard"]),
        ("s.jsonl", "[1,2]\n[1,2,3]\n[9,8]\n[9,9,9]\n", ["--metric", "samples"]),
        ("rows.npz", csr_array([[1.0, 0, 0], [2, 0.1, 0], [0, 0, 3], [0, 0.2, 4]]),
         ["--metric", "cosine"]),
    ],
)  # fmt: skip
def test_rows_without_columns(folder, run, name, content, options):
    if isinstance(content, str):
        Path(name).write_text(content)
    else:
        save_npz(name, content)
    labels = saved(name, *options, k=2)
    status, _, err = run("m.kg", name, "-o", "again.csv")
    assert status == 0, err
    assert Path("again.csv").read_text() == labels
    Path("table.csv").write_text("a,b\n1,2\n")
    assert run("m.kg", "table.csv")[0] == 1


def test_words_that_the_fit_does_not_know(people, run):
    saved("people.csv", "--text", "note")
    Path("new.csv").write_text("note\nred zebra\nzebra\n")
    assert run("m.kg", "new.csv")[0] == 1
    Path("new.csv").write_text("note\nred zebra\npear\n")
    found = json.loads(run("m.kg", "new.csv", "--json")[1])
    assert found["labels"][0] == found["labels"][1]
    assert kgroups.load("m.kg").predict(["red zebra", "pear"]).tolist() == found["labels"]


def test_communities_are_saved_with_the_names_of_the_nodes(folder, run):
    graph = nx.relabel_nodes(nx.barbell_graph(5, 0), {i: f"n{i}" for i in range(10)})
    nx.write_edgelist(graph, "edges.txt", data=False)
    assert main(["communities", "edges.txt", "--save", "c.kg", "-o", "c.csv"]) == 0
    model = kgroups.load("c.kg")
    assert sorted(map(sorted, model.communities_)) == [
        [f"n{i}" for i in range(5)], [f"n{i}" for i in range(5, 10)],
    ]  # fmt: skip
    assert run("c.kg", "edges.txt")[0] == 1
