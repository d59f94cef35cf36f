"""``kgroups demo``: the table, the picture, the report, and the command that it suggests."""

import json
import multiprocessing
from dataclasses import replace

import pytest
from json_cases import faults, schema

from helpers import files
from kgroups.cli import demo_command
from kgroups.cli.demo_scenes import cast, heavy_tails
from kgroups.cli.demo_scenes.cast import PARTS, Part
from kgroups.cli.parser import make_parser

COMMAND = "demo"


@pytest.fixture
def short(monkeypatch):
    """The demo with one scene, and customers, of whom the report is, in another lane."""
    parts = (replace(PARTS[0], lane=1), PARTS[1])
    monkeypatch.setattr(demo_command, "PARTS", parts)


@pytest.fixture
def one_core(monkeypatch):
    """No other processes."""
    monkeypatch.setattr(demo_command, "default_threads", lambda: 1)


@pytest.fixture
def no_report(monkeypatch):
    """No jinja2, without which there is no report, which takes long."""
    monkeypatch.setattr(demo_command, "find_spec", lambda name: None)


def without_seconds(found):
    for scene in found["scenes"]:
        for result in scene["results"]:
            assert result.pop("seconds") > 0
    return found


def test_json_is_the_same_from_two_processes_and_from_one(folder, run, short, monkeypatch):
    before = set(multiprocessing.active_children())
    monkeypatch.setattr(demo_command, "default_threads", lambda: 2)
    status, out, err = run("--json", "-o", "d.svg")
    assert (status, err, files(folder)) == (0, "", ["d.html", "d.svg"])
    assert set(multiprocessing.active_children()) == before
    found = json.loads(out)
    rule = schema("demo")
    assert faults(found, rule, rule) == []
    assert (found["schema"], found["picture"], found["report"]) == (
        "kgroups.demo/2", "d.svg", "d.html",
    )  # fmt: skip
    assert found["left_out"] == {}
    assert [scene["name"] for scene in found["scenes"]] == ["heavy_tails", "customers"]
    first = found["scenes"][0]["results"][0]
    assert (first["data"], first["n_samples"], first["n_classes"]) == ("heavy tails", 800, 4)
    assert first["n_clusters"] == [4] * 5
    assert first["mean_ari"] == pytest.approx(sum(first["ari"]) / 5, abs=1e-15)
    picture = (folder / "d.svg").read_bytes()
    monkeypatch.setattr(demo_command, "default_threads", lambda: 1)
    monkeypatch.setattr(demo_command, "find_spec", lambda name: None)
    again = json.loads(run("--json", "-o", "d.svg")[1])
    assert without_seconds(again) == {**without_seconds(found), "report": None}
    assert (folder / "d.svg").read_bytes() == picture


def test_a_scene_whose_package_is_missing_is_left_out_and_named(folder, run, one_core, monkeypatch):
    missing = Part("network", lane=1, needs="no_such_package")
    monkeypatch.setattr(demo_command, "PARTS", (PARTS[0], missing))
    monkeypatch.setattr(demo_command, "has_matplotlib", lambda: False)
    found = json.loads(run("--json")[1])
    assert found["left_out"] == {"network": "no_such_package"}
    assert (found["picture"], found["report"]) == (None, None)


def test_an_error_in_a_scene_leaves_no_file(folder, run, short, one_core, no_report, monkeypatch):
    def fail():
        raise ValueError("no such luck")

    monkeypatch.setattr(heavy_tails, "play", fail)
    status, out, err = run()
    assert (status, out, files(folder)) == (1, "", [])
    assert "no such luck" in err


def test_the_command_suggested_is_one_that_parses():
    make_parser().parse_args(demo_command._NEXT.split()[1:])


def test_all_lanes_have_work_and_every_scene_has_its_three_functions():
    assert {part.lane for part in PARTS} == set(range(cast.N_LANES))
    assert cast.CUSTOMERS.module == "customers"
    for part in PARTS:
        for name in ("prepare", "play", "draw"):
            assert callable(cast.resolve_name(part.function(name)))
