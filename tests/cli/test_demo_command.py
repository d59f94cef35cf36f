"""``kgroups demo``: the table, the picture, the report, and the command that it suggests."""

import json
import multiprocessing
import os
import sys
from dataclasses import replace

import pytest
from json_cases import faults, schema

from helpers import files
from kgroups.cli import demo_command
from kgroups.cli.demo_scenes import cast, customers, heavy_tails
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


def test_text(folder, run, short, one_core):
    status, out, err = run()
    assert (status, err, files(folder)) == (0, "", ["kgroups-demo.html", "kgroups-demo.png"])
    assert (folder / "kgroups-demo.png").read_bytes()[:4] == b"\x89PNG"
    lines = out.splitlines()
    assert lines[0].split() == ["data", "n", "k", "method", "found", "ARI", "seconds"]
    assert lines[1].split()[:6] == ["heavy", "tails", "800", "4", "kgroups", "4"]
    assert [line.split()[0] for line in lines[1:6]] == ["heavy"] * 3 + ["customers"] * 2
    told = " ".join(out.split())
    assert heavy_tails._LESSON in told
    assert customers._LESSON in told
    assert "Picture written to kgroups-demo.png." in out
    assert "Report of the customers written to kgroups-demo.html" in out
    page = (folder / "kgroups-demo.html").read_text("utf-8")
    assert "4 clusters in customers made up for the demo" in page
    assert "kgroups demo" in page
    assert all(name in page for name in customers._NAMES)
    assert "column 1" not in page
    assert lines[-1].startswith("Next, try your own data: kgroups cluster ")


def test_the_whole_table_fits_80_columns(capsys, monkeypatch):
    from kgroups.cli.demo_scenes.scene import Outcome, Played

    monkeypatch.setenv("COLUMNS", "80")
    widest = Outcome("misspelled names", 200_000, 12, "k-means, n-grams", [10, 14], [0.5], 123.4)
    demo_command._print({"x": Played([widest], "So.")}, demo_command.Files(None, None))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == [
        "misspelled", "names", "200,000", "12", "k-means,", "n-grams", "10-14", "0.50", "123.40",
    ]  # fmt: skip


def test_without_matplotlib(folder, run, short, one_core, monkeypatch):
    monkeypatch.setattr(demo_command, "has_matplotlib", lambda: False)
    status, out, _ = run()
    assert (status, files(folder)) == (0, [])
    assert (
        'No picture and no report, because matplotlib is missing: pip install "kgroups[report]"'
        in out
    )


def test_a_picture_that_cannot_be_drawn_is_an_error(folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, err = run("-o", "x.png")
    assert (status, err) == (
        1, 'kgroups: error: -o needs matplotlib; run: pip install "kgroups[plot]"\n',
    )  # fmt: skip


def test_without_jinja2_there_is_a_picture_alone(folder, run, short, one_core, no_report):
    status, out, _ = run()
    assert (status, files(folder)) == (0, ["kgroups-demo.png"])
    assert 'No report, because jinja2 is missing: pip install "kgroups[report]"' in out


def test_a_scene_whose_package_is_missing_is_left_out_and_named(folder, run, one_core, monkeypatch):
    missing = Part("network", lane=1, needs="no_such_package")
    monkeypatch.setattr(demo_command, "PARTS", (PARTS[0], missing))
    monkeypatch.setattr(demo_command, "has_matplotlib", lambda: False)
    _, out, _ = run()
    assert "Network: left out, because no_such_package is missing" in out
    assert "random network" not in out
    found = json.loads(run("--json")[1])
    assert found["left_out"] == {"network": "no_such_package"}
    assert (found["picture"], found["report"]) == (None, None)


@pytest.mark.parametrize(("made", "reason"), [
    ("d.png", "-o d.png is a folder; name a file in it"),
    ("d.html", "-o d.html is a folder; name a file in it"),
])  # fmt: skip
def test_no_work_begins_for_files_that_cannot_be_written(folder, run, made, reason, monkeypatch):
    monkeypatch.setattr(demo_command, "lanes", None)
    (folder / made).mkdir()
    status, out, err = run("-o", "d.png")
    assert (status, out, err) == (1, "", f"kgroups: error: {reason}\n")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_no_permission(folder, run):
    folder.chmod(0o500)
    status, _, err = run("-o", "d.png")
    folder.chmod(0o700)
    assert status == 1
    assert "no file can be created in the folder" in err


def test_an_error_in_a_scene_leaves_no_file(folder, run, short, one_core, no_report, monkeypatch):
    def fail():
        raise ValueError("no such luck")

    monkeypatch.setattr(heavy_tails, "play", fail)
    status, out, err = run()
    assert (status, out, files(folder)) == (1, "", [])
    assert err == "kgroups: error: no such luck\n"


def test_the_command_suggested_is_one_that_parses():
    make_parser().parse_args(demo_command._NEXT.split()[1:])


def test_all_lanes_have_work_and_every_scene_has_its_three_functions():
    assert {part.lane for part in PARTS} == set(range(cast.N_LANES))
    assert cast.CUSTOMERS.module == "customers"
    for part in PARTS:
        for name in ("prepare", "play", "draw"):
            assert callable(cast.resolve_name(part.function(name)))
