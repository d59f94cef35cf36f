"""``kgroups demo``: what its sentences claim, against thresholds that were fixed once."""

import json

import numpy as np
import pytest
from json_cases import faults, schema

from helpers import each, files, slow
from kgroups.cli import demo

COMMAND = "demo"


def scores(scene, data=None):
    """The ARI of each data set by method."""
    return {r["method"]: np.array(r["ari"]) for r in scene.results if data in (None, r["data"])}


def test_json_the_picture_and_the_report(folder, run, monkeypatch):
    monkeypatch.setattr(demo, "SCENES", (demo.heavy_tails, demo.customers))
    status, out, err = run("--json", "-o", "d.svg")
    assert (status, err, files(folder)) == (0, "", ["d.html", "d.svg"])
    found, rule = json.loads(out), schema("demo")
    assert faults(found, rule, rule) == []
    assert [scene["name"] for scene in found["scenes"]] == ["heavy_tails", "customers"]
    first = found["scenes"][0]["results"][0]
    assert (first["data"], first["n_samples"], first["n_classes"]) == ("heavy tails", 800, 4)
    assert first["n_clusters"] == [4] * 5
    assert "customers" in (folder / "d.html").read_text(encoding="utf-8")


def test_an_error_in_a_scene_leaves_no_file(folder, run, monkeypatch):
    def fail():
        raise ValueError("no such luck")

    monkeypatch.setattr(demo, "SCENES", (demo.flowers, fail))
    status, out, err = run()
    assert (status, out, files(folder)) == (1, "", [])
    assert "no such luck" in err
    assert run("-o", "d.gif")[0] == 2


@each(
    "play, rival, least, margin",
    [
        (demo.heavy_tails, "Gaussian mixture", 0.7, 0.2),
        (demo.customers, "k-means, imputed", 0.7, 0.05),
        (demo.misspelled_names, "k-means, n-grams", 0.8, 0.1),
    ],
)
def test_kgroups_wins_on_every_table(play, rival, least, margin):
    found = scores(play())
    assert found["kgroups"].mean() > least
    assert (found["kgroups"] > found[rival] + margin).all()


def test_a_fifth_of_each_column_is_missing():
    frame, _ = demo.customers_drawn(0)
    assert (abs(frame.isna().mean() - 0.2) < 0.05).all()


@slow
def test_the_number_of_communities_is_found_and_none_in_a_random_network():
    scene = demo.network()
    for result in scene.results:
        if result["method"] == "kgroups":
            assert set(result["n_clusters"]) == {result["n_classes"]}
    there, random = scores(scene, "network"), scores(scene, "random network")
    assert (there["kgroups"] > np.maximum(0.7, there["Louvain"] + 0.2)).all()
    assert (random["kgroups"] == 1).all()
    assert (random["Louvain"] == 0).all()


@slow
def test_all_rows_are_proved_from_a_part_of_the_distances():
    scene = demo.proof()
    assert scene.facts["n_proved"] == 200_000
    assert scene.facts["n_pairs_full"] == 200_000 * 199_999 // 2
    assert scene.facts["n_pairs"] < 0.25 * scene.facts["n_pairs_full"]
    found = scores(scene)
    assert found["kgroups"] == pytest.approx(found["k-means"], abs=0.01)
    assert scene.results[0]["seconds"] > 2 * scene.results[1]["seconds"]


def test_the_mixture_wins_on_iris_and_kgroups_is_no_better_than_k_means():
    found = scores(demo.flowers())
    assert found["Gaussian mixture"] > 0.9
    assert found["kgroups"] < 0.65
    assert found["kgroups"] == pytest.approx(found["k-means"], abs=0.05)
