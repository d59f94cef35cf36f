"""``kgroups choose-k``, ``test``, ``predict`` and ``demo`` by functions and definitions."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, save_npz
from sklearn.feature_extraction.text import TfidfVectorizer

import oracle
from door_cases import GROUP, NAME, NEW, N, X, found, run, table
from helpers import slow
from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters
from kgroups.semimetrics import Energy
from kgroups.stats import energy_test

RHO = oracle.distances("energy", X)
ONES = np.ones(N)


@pytest.fixture
def data(folder: Any) -> Any:
    """The rows of a fit, new ones, and one file for each sample."""
    table().to_csv("t.csv", index=False)
    table()[["x", "y"]].to_csv("xy.csv", index=False)
    new = table(NEW)[["class", "y", "kind", "name", "x"]][GROUP == 1]
    new.to_csv("new.csv", index=False)
    new.to_parquet("new.parquet")
    for g, name in enumerate("abc"):
        table()[["x", "y"]][g == GROUP].to_csv(f"{name}.csv", index=False)
    table()[["y", "x"]][GROUP == 1].to_csv("turned.csv", index=False)
    np.save("rho.npy", RHO.astype(float))
    return folder


# --- choose-k --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        ("--k-max 5", {"k_range": range(1, 6)}),
        ("--k-max 4 --seed 3 --alpha 1.5",
         {"k_range": range(1, 5), "random_state": 3, "metric": Energy(1.5)}),
        ("--k-max 4 --max-samples 30 --n-jobs 2", {"k_range": range(1, 5), "max_samples": 30}),
    ],
)  # fmt: skip
def test_the_number_of_clusters_is_that_of_the_function(words, parameters, data):
    printed = found("choose-k xy.csv", words)
    count = choose_n_clusters(X, **{"random_state": 0, **parameters})
    assert (printed["n_clusters"], printed["votes"]) == (count.n_clusters, count.votes)
    assert printed["n_clusters"] == 3
    assert printed["n_given"] == N
    for name, criterion in printed["criteria"].items():
        values = [np.nan if value is None else value for value in criterion["values"]]
        np.testing.assert_allclose(values, count[name].values, rtol=1e-12, err_msg=name)


# --- test ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "rho", "k"),
    [
        ("t.csv --by class --columns x,y", RHO, 3),
        ("a.csv b.csv c.csv --permutations 199 --seed 4", RHO, 3),
        ("a.csv turned.csv", RHO[np.ix_(GROUP < 2, GROUP < 2)], 2),
        ("t.csv --by class --columns x,y --alpha 0.5", RHO**0.5, 3),
        ("t.csv --by class --columns x,y --standardize",
         oracle.distances("energy", (X - X.mean(axis=0)) / X.std(axis=0)), 3),
    ],
)  # fmt: skip
def test_statistics_are_those_of_the_definitions(words, rho, k, data):
    printed = found("test", words)
    group = GROUP[k > GROUP]
    T = oracle.test_statistic(rho, group, k)
    W = oracle.within_dispersion(rho, group, np.ones(len(group)), k)
    S = oracle.between(rho, group, np.ones(len(group)), k)
    apart, _ = oracle.e_distances(rho, group, np.ones(len(group)), k)
    assert printed["statistic"] == pytest.approx(float(T), rel=1e-9)
    assert printed["within_dispersion"] == pytest.approx(float(W), rel=1e-9)
    assert printed["between_statistic"] == pytest.approx(float(S), rel=1e-9)
    np.testing.assert_allclose(printed["e_distances"], apart.astype(float) * 6, atol=1e-9)
    assert printed["group_sizes"] == [12] * k
    assert printed["pvalue"] == (1 + printed["n_as_extreme"]) / (1 + printed["n_permutations"])


def test_permutations_are_those_of_the_function(data):
    """Two samples of the same rows, whose p depends on the seed."""
    halves = pd.DataFrame({"x": NEW[:, 0], "half": np.arange(N) // 3 % 2}, index=None)
    halves.to_csv("halves.csv", index=False)
    for seed in (8, 9):
        printed = found("test halves.csv --by half --permutations 99 --seed", seed)
        result = energy_test(
            halves[["x"]], labels=halves["half"], n_permutations=99, random_state=seed
        )
        assert printed["pvalue"] == result.pvalue, seed
        assert 0.05 < result.pvalue < 1
        assert printed["groups"] == ["0", "1"]


# --- predict ---------------------------------------------------------------------------------

TRAINED = {
    "columns": "--columns x,y",
    "standardized": "--columns x,y --standardize",
    "classes": "--columns x,y --categorical kind",
    "mixed": "--drop name,w,class --metric mixed",
    "names": "--columns x,y --id-column name",
}


@pytest.mark.parametrize("name", TRAINED)
def test_new_rows_go_to_the_nearest_cluster(name, data):
    """Columns are found by their names, and prepared as at the fit: new rows are of one group."""
    fitted = found("cluster t.csv -k 3", TRAINED[name], "--save m.kg")
    assert found("predict m.kg t.csv")["labels"] == fitted["labels"]
    printed = found("predict m.kg new.parquet" if name == "columns" else "predict m.kg new.csv")
    assert printed["labels"] == [fitted["labels"][1]] * 12
    assert (printed["n_samples_fit"], printed["n_clusters"]) == (N, 3)
    assert printed["ids"] == (NAME[GROUP == 1].tolist() if name == "names" else None)


def test_predicted_labels_are_written_in_every_format(data):
    assert run("cluster xy.csv -k 3 --save m.kg").status == 0
    labels = found("predict m.kg new.csv -o l.csv")["labels"]
    assert pd.read_csv("l.csv").to_dict("list") == {"row": [*range(1, 13)], "cluster": labels}
    assert run("predict m.kg - -o l.parquet", stdin=(data / "new.csv").read_bytes()).status == 0
    assert pd.read_parquet("l.parquet")["cluster"].tolist() == labels


def test_words_of_new_texts_weigh_as_at_the_fit(data):
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:02d}" for i in range(30)])
    share = 1 / np.arange(1, 31) / (1 / np.arange(1, 31)).sum()
    texts = [" ".join(rng.choice(words, 6, p=share)) for _ in range(120)]
    pd.DataFrame({"text": texts[:60]}).to_csv("texts.csv", index=False)
    pd.DataFrame({"text": [f"{text} new" for text in texts[60:]]}).to_csv("q.csv", index=False)
    vectorizer = TfidfVectorizer(sublinear_tf=True).fit(texts[:60])
    old, new = (csr_array(vectorizer.transform(part)) for part in (texts[:60], texts[60:]))
    model = KernelKGroups(4, metric="cosine", random_state=0).fit(old)
    assert (
        found("cluster texts.csv -k 4 --text text --save m.kg")["labels"] == model.labels_.tolist()
    )
    assert found("predict m.kg q.csv")["labels"] == model.predict(new).tolist()


def test_other_rows_than_tables_are_predicted(data):
    """Words letter by letter, and sparse rows."""
    words = ["aaaa", "aaab", "zzzz", "zzzy"]
    (data / "w.jsonl").write_text("".join(f"{json.dumps(word)}\n" for word in words))
    fitted = found("cluster w.jsonl -k 2 --metric levenshtein --save m.kg")["labels"]
    (data / "q.jsonl").write_text('"zzyy"\n"aabb"\n')
    assert found("predict m.kg q.jsonl")["labels"] == [fitted[2], fitted[0]]
    save_npz("s.npz", csr_array(np.kron(np.eye(2), np.ones((3, 2)))))
    fitted = found("cluster s.npz -k 2 --metric cosine --save m.kg")["labels"]
    save_npz("q.npz", csr_array(np.array([[0.0, 0.0, 5.0, 4.0], [1.0, 2.0, 0.0, 0.0]])))
    assert found("predict m.kg q.npz")["labels"] == [fitted[5], fitted[0]]


# --- demo ------------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize(("words", "n_scenes"), [("", 3), ("--all", 6)])
def test_the_demo_finds_what_is_known(words, n_scenes, data):
    printed = found("demo -o demo.png", words)
    assert len(printed["scenes"]) == n_scenes
    assert (data / "demo.png").read_bytes().startswith(b"\x89PNG")
    for scene in printed["scenes"]:
        for result in scene["results"]:
            assert result["mean_ari"] == pytest.approx(np.mean(result["ari"])), scene["name"]
