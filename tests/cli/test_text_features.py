"""``--text COLUMN``: clusters by words, and the words that set them apart."""

import json

import numpy as np
import pytest
from json_cases import faults, schema
from sklearn.feature_extraction.text import TfidfVectorizer

from kgroups import KernelKGroups
from kgroups.cli import main

COMMAND = "cluster"
DOCS = [
    "the cat sat with a cat and a kitten on the mat", "kitten and cat play",
    "cats and a kitten sleep on the mat", "dogs bark at the mailman",
    "a dog barks loudly; dog!", "the dog barks at dogs", "stocks fell as markets closed",
    "markets and stocks rallied", "the stocks market closed lower",
]  # fmt: skip
TOPICS = np.repeat(["pets", "dogs", "money"], 3).tolist()


@pytest.fixture
def docs(folder):
    """The texts in three formats."""
    rows = [
        {"n": i, "body": d, "topic": t} for i, (d, t) in enumerate(zip(DOCS, TOPICS, strict=True))
    ]
    (folder / "docs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "docs.txt").write_text("\n".join([*DOCS, ""]))
    lines = [f'{row["n"]},"{row["body"]}",{row["topic"]}' for row in rows]
    (folder / "docs.csv").write_text("\n".join(["n,body,topic", *lines, ""]))
    return folder


def as_json(run, *arguments):
    status, out, err = run(*arguments, "--json", "--n-init", 3)
    assert status == 0, err
    return json.loads(out), err


@pytest.mark.parametrize(
    "data",
    [["docs.jsonl", "--text", "body"], ["docs.csv", "--text=body"], ["docs.txt", "--text", 1]],
)
def test_it_is_tf_idf_and_cosine(docs, run, data):
    found, _ = as_json(run, *data, "-k", 3)
    rule = schema("cluster")
    assert faults(found, rule, rule) == []
    matrix = TfidfVectorizer(sublinear_tf=True).fit_transform(DOCS)
    model = KernelKGroups(3, metric="cosine", n_init=3, random_state=0).fit(matrix)
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-12)
    assert found["metric"] == {"name": "cosine", "params": {}}
    assert found["n_features"] == matrix.shape[1]
    words = [[one["word"] for one in cluster] for cluster in found["sets_apart"]]
    (money,) = (own for own in words if "stocks" in own)
    assert "markets" in money
    assert "cat" not in money
    assert found["exemplars"] == [[], [], []]


def test_known_classes_names_and_weights_work(docs, run):
    uses = ["--label-column", "topic", "--id-column", "n"]
    found, err = as_json(run, "docs.jsonl", "-k", 3, "--text", "body", *uses)
    assert found["scores"]["ari"] == 1.0
    assert found["columns"]["text"] == "body"
    assert (found["columns"]["numeric"], found["columns"]["dropped"]) == ([], [])
    assert found["ids"] == [str(i) for i in range(9)]
    assert err == ""
    weighted, _ = as_json(
        run, "docs.jsonl", "-k", 3, "--text", "body", "--weight-column", "n", *uses[:2]
    )
    assert sum(weighted["cluster_weights"]) == 36


def test_the_report(docs, run):
    status, out, err = run("docs.csv", "-k", 3, "--text", "body", "-o", "l.csv", "--append")
    assert status == 0
    assert out.startswith("docs.csv: 9 rows, 26 words, 3 clusters by cosine")
    assert "stocks, markets, closed" in out
    assert "the words whose mean weight here most exceeds that of all rows" in out
    assert "only the words of body are compared; 2 other columns are not used" in err
    assert (docs / "l.csv").read_text().startswith("n,body,topic,cluster\n0,the cat sat")


def test_a_picture_and_the_number_of_clusters(docs, run, capsys):
    status, _, err = run("docs.csv", "-k", 3, "--text", "body", "--plot", "a.svg")
    assert status == 0, err
    assert main(["choose-k", "docs.csv", "--text", "body", "--k-max", "3"]) == 0
    assert "docs.csv: 9 rows, 26 words, how many clusters by cosine?" in capsys.readouterr().out


def test_other_metrics(docs, run):
    found, _ = as_json(run, "docs.csv", "-k", 3, "--text", "body", "--metric", "energy")
    assert found["metric"]["name"] == "energy"
    status, _, err = run("docs.csv", "-k", 3, "--text", "body", "--metric", "hellinger")
    assert status == 2
    assert "--text compares words by cosine, angular, energy or manhattan" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('"a b"\n"x y"\n', "holds no word of two letters or more; to compare texts letter by"),
        ('"good day"\n"!"\n"day"\n"?"\n', "line 2, line 4, like each of the others, holds no word"),
        ('"good day"\nnull\n"day"\n', "line 2: text column 1 is missing"),
        ("1\n2\n", "column 1 holds numbers, and --text compares words"),
        ('["good"]\n["day"]\n', "--text applies to tables, and x.jsonl holds an array in each row"),
    ],
)
def test_what_cannot_be_compared_is_said_with_its_line(folder, run, content, said):
    (folder / "x.jsonl").write_text(content)
    status, out, err = run("x.jsonl", "-k", 2, "--text", 1)
    assert (status, out) == (1, "")
    assert said in err


@pytest.mark.parametrize(
    "option",
    [["--columns", "n"], ["--categorical", "topic"], ["--standardize"], ["--impute", "mean"]],
)
def test_options_about_other_features(docs, run, option):
    status, _, err = run("docs.csv", "-k", 3, "--text", "body", *option)
    assert status == 2
    assert f"{option[0]} does not apply to --text" in err


def test_one_column_of_text_is_told_of_it(docs, run):
    status, _, err = run("docs.csv", "-k", 3, "--columns", "body")
    assert status == 1
    assert "--text body by their words" in err
    status, _, err = run("docs.csv", "-k", 3, "--text", "boddy")
    assert "has no column 'boddy'. Did you mean 'body'?" in err
