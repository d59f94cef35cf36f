"""Rows of every kind: columns with their types, words, sparse rows, strings, sets and series."""

import json

import numpy as np
import pandas as pd
import pytest
from json_cases import faults, schema
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers import each, write_csv
from kgroups import KernelKGroups

COMMAND = "cluster"
WORDS = ["apple", "apples", "appel", "banana", "bananas", "bannana", "cherry", "cherries", "chery"]
DOCS = [
    "the cat sat with a cat and a kitten on the mat", "kitten and cat play",
    "cats and a kitten sleep on the mat", "dogs bark at the mailman",
    "a dog barks <b class='x'>loudly</b>; dog!", "the dog barks at dogs",
    "stocks fell as markets closed", "markets &amp; stocks rallied",
    "the stocks market closed lower",
]  # fmt: skip
TOPICS = np.repeat(["pets", "dogs", "money"], 3).tolist()


def lines(path, values):
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))


def as_json(run, *arguments):
    status, out, err = run(*arguments, "--json", "--n-init", 3)
    assert status == 0, err
    found = json.loads(out)
    rule = schema("cluster")
    assert faults(found, rule, rule) == []
    return found


# --- columns ---------------------------------------------------------------------------------


def test_columns_of_all_kinds_are_those_of_a_frame(people, run):
    uses = ["--id-column", "name", "--label-column", "size", "--weight-column", "w"]
    found = as_json(run, "people.csv", "-k", 3, "--metric", "mixed", "--drop", "note", *uses)
    assert found["columns"] == {
        "numeric": ["x", "y", "day"], "categorical": ["town"], "text": None, "label": "size",
        "weight": "w", "id": "name", "dropped": ["note"],
        "kinds": {"x": "number", "y": "number", "town": "category", "day": "date"},
        "n_missing": {"x": 1, "town": 1},
    }  # fmt: skip
    assert (found["scores"]["ari"], found["ids"][1]) == (1.0, "001")
    frame = people[["x", "y", "town"]].assign(day=pd.to_datetime(people["day"]))
    model = KernelKGroups(3, metric="mixed", n_init=3, random_state=0)
    model.fit(frame, sample_weight=people["w"])
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-12)


def test_days_by_the_order_in_which_they_are_written(folder, run):
    """13.02. is a day of February, and with a format 03/02 is one as well."""
    days = pd.to_datetime(["2024-02-13", "2024-02-03", "2024-07-01", "2024-07-09", None])
    words = ["--date-format", "%d %B %Y"]
    for pattern in ("%d.%m.%Y", "%d/%m/%Y", "%m-%d-%Y", "%d %B %Y"):
        frame = pd.DataFrame({"day": days, "x": [0, 3, 1.5, 7, 4]})
        frame.assign(day=days.strftime(pattern)).to_csv("d.csv", index=False)
        options = words if "B" in pattern else []
        found = as_json(run, "d.csv", "-k", 2, "--metric", "mixed", *options)
        model = KernelKGroups(2, metric="mixed", n_init=3, random_state=0).fit(frame)
        assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-9)


@each(
    "values, found",
    [
        ([1.5, "-", 2.5, 3], "line 3: '-'"),
        (["2024-01-02", "soon", "2024-01-04", "2024-03-01"], "line 3: 'soon'"),
        (["1,234.5", "2,345.5", "3,456.5", "7,890.5"], "line 2: '1,234.5'"),
    ],
)
def test_a_cell_among_numbers_or_days_that_is_none_is_named(folder, run, values, found):
    write_csv(folder / "x.csv", [["x", "y"], *([value, 1] for value in values)])
    status, _, err = run("x.csv", "-k", 2, "--metric", "mixed")
    assert (status, found in err, "--na-values" in err) == (1, True, True)


def test_columns_without_a_value_and_texts_that_stand_for_gaps(folder, run):
    frame = pd.DataFrame(
        {"x": [0, 1, 8, 9], "none": [None] * 4, "t": ["None", "None", "None", "a"]}
    )
    frame.astype({"none": object}).to_parquet("x.parquet")
    assert run("x.parquet", "-k", 2, "--metric", "mixed")[0] == 0
    frame.assign(none=pd.Series([pd.NaT] * 4)).to_parquet("x.parquet")
    status, _, err = run("x.parquet", "-k", 2, "--columns", "x,none")
    assert (status, "missing values" in err) == (1, True)


def test_what_is_compared_as_it_is_written(folder, run):
    rows = [["007", "1.0", i] for i in range(4)] + [["7", "1", i] for i in range(4)]
    write_csv(folder / "x.csv", [["code", "level", "x"], *rows])
    asked = "code=category,level=ordered"
    found = as_json(run, "x.csv", "-k", 2, "--metric", "mixed", "--kinds", asked)
    assert found["labels"][:4] == [found["labels"][0]] * 4
    values = {one.get("value") for own in found["sets_apart"] for one in own}
    assert {"007", "7"} <= values


# --- words -----------------------------------------------------------------------------------


@each(
    "data",
    [["docs.jsonl", "--text", "body"], ["docs.csv", "--text=body"], ["docs.txt", "--text", 1]],
)
def test_words_are_weighted_by_tf_idf_without_marks_of_html(folder, run, data):
    frame = pd.DataFrame({"n": range(9), "body": DOCS, "topic": TOPICS})
    frame.to_csv("docs.csv", index=False)
    frame.to_json("docs.jsonl", orient="records", lines=True)
    (folder / "docs.txt").write_text("\n".join([*DOCS, ""]))
    found = as_json(run, *data, "-k", 3)
    texts = [doc.replace("<b class='x'>", " ").replace("</b>", " ") for doc in DOCS]
    matrix = TfidfVectorizer(sublinear_tf=True).fit_transform(t.replace("&amp;", "") for t in texts)
    model = KernelKGroups(3, metric="cosine", n_init=3, random_state=0).fit(matrix)
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-12)
    assert found["n_features"] == matrix.shape[1]
    words = [[one["word"] for one in cluster] for cluster in found["sets_apart"]]
    (money,) = (own for own in words if "stocks" in own)
    assert "markets" in money


def test_words_are_left_out_on_request(folder, run):
    pd.DataFrame({"n": range(9), "body": DOCS, "topic": TOPICS}).to_csv("d.csv", index=False)
    options = ["--text", "body", "--label-column", "topic", "--weight-column", "n"]
    found = as_json(run, "d.csv", "-k", 3, *options, "--stop-words", "the,and", "--min-df", 2)
    stop = {"stop_words": ["the", "and"], "min_df": 2}
    vectorizer = TfidfVectorizer(sublinear_tf=True, **stop).fit(DOCS)
    assert found["n_features"] == len(vectorizer.vocabulary_)
    assert (found["columns"]["text"], sum(found["cluster_weights"])) == ("body", 36)
    assert {key: found["settings"][key] for key in stop} == stop


# --- rows without columns --------------------------------------------------------------------


@each("metric", ["energy", "cosine"])
def test_sparse_rows(folder, run, metric):
    rng = np.random.default_rng(0)
    dense = rng.random((45, 30)) * (rng.random((45, 30)) < 0.2)
    for j in range(3):
        dense[15 * j : 15 * j + 15, 5 * j : 5 * j + 5] += 2.0
    rows = sparse.csr_array(dense)
    sparse.save_npz("docs.npz", rows)
    found = as_json(run, "docs.npz", "-k", 3, "--metric", metric)
    model = KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
    assert found["labels"] == model.labels_.tolist()
    assert found["data"]["n_columns"] == found["n_features"] == 30
    words = [one["word"] for one in found["sets_apart"][found["labels"][0]]]
    assert set(words) >= {f"column {j}" for j in range(1, 6)}
    sparse.save_npz("gram.npz", sparse.csr_array(rows @ rows.T))
    found = as_json(run, "gram.npz", "-k", 3, "--metric", "precomputed_kernel", "--plot", "a.svg")
    assert found["labels"] == np.repeat(found["labels"][::15], 15).tolist()


@each("name", ["words.jsonl", "words.txt", "words.json", "words.csv"])
def test_strings(folder, run, name):
    write = {
        "words.txt": "\n".join([*WORDS, ""]), "words.csv": "\n".join(["word", *WORDS, ""]),
        "words.json": json.dumps(WORDS, indent=1),
        "words.jsonl": "".join(f"{json.dumps(word)}\n" for word in WORDS),
    }  # fmt: skip
    (folder / name).write_text(write[name])
    found = as_json(run, name, "-k", 3, "--metric", "levenshtein")
    assert found["labels"] == np.repeat(found["labels"][::3], 3).tolist()
    shown = found["exemplars"][found["labels"][0]]
    assert {one["text"] for one in shown} == {"apple", "apples", "appel"}
    assert all(WORDS[one["row"] - 1] == one["text"] for one in shown)


def test_sets_series_and_samples(folder, run):
    sets = [[list("abc"), list("ab"), []][i % 3] if i < 9 else list("xyz")[: 2 + i % 2] for i in
            range(18)]  # fmt: skip
    lines(folder / "sets.jsonl", sets)
    found = as_json(run, "sets.jsonl", "-k", 3, "--metric", "jaccard")
    assert frozenset("xyz") in {frozenset(w["word"] for w in own) for own in found["sets_apart"]}
    time = np.linspace(0, 6, 30)
    lines(
        folder / "a.jsonl", [np.sin((1 + i // 5) * time[: 25 + i % 5]).tolist() for i in range(10)]
    )
    found = as_json(run, "a.jsonl", "-k", 2, "--metric", "dtw")
    assert found["labels"] == np.repeat(found["labels"][::5], 5).tolist()
    (folder / "x.csv").write_text("a,b\n1,2\n2,1\n7,9\n9,7\n")
    assert as_json(run, "x.csv", "-k", 2, "--metric", "samples")["labels"] == [0, 0, 1, 1]


def test_arrays_that_are_equally_long_are_a_table(folder, run):
    values = [(10 * (i // 6) + np.random.default_rng(i).normal(size=3)).tolist() for i in range(18)]
    lines(folder / "keys.jsonl", [{"id": f"r{i}", "e": row} for i, row in enumerate(values)])
    found = as_json(run, "keys.jsonl", "-k", 3, "--id-column", "id")
    model = KernelKGroups(3, n_init=3, random_state=0).fit(np.array(values))
    assert found["labels"] == model.labels_.tolist()
    assert found["columns"]["numeric"] == ["e[0]", "e[1]", "e[2]"]
