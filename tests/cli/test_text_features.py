"""``--text COLUMN``: clusters by words, and the words that set them apart."""

import json

import numpy as np
import pytest
from json_cases import faults, schema
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers import each
from kgroups import KernelKGroups

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


@each(
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


def test_other_metrics(docs, run):
    found, _ = as_json(run, "docs.csv", "-k", 3, "--text", "body", "--metric", "energy")
    assert found["metric"]["name"] == "energy"
