"""The command ``kgroups reproduce``: what it prints, what it writes, how it ends."""

import json
import sys
from dataclasses import replace
from importlib import import_module

import pytest

import toy_experiments as toys
from helpers import each, files
from kgroups.cli import main
from kgroups_papers.catalog import catalog
from kgroups_papers.page import page
from kgroups_papers.published import published

command = import_module("kgroups_papers.command")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test sees the runs or the data of this machine."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("KGROUPS_CACHE", str(cache))
    monkeypatch.delenv("KGROUPS_DATA", raising=False)
    return cache


@pytest.fixture
def experiments(monkeypatch):
    """Made-up experiments in place of those of the papers."""
    found = {}

    def find(name):
        return sys.modules["kgroups_papers.catalog"].find(name)

    def use(*chosen):
        found.update({experiment.name: experiment for experiment in chosen})

    for name in ("kgroups_papers.command", "kgroups_papers.catalog"):
        monkeypatch.setattr(sys.modules[name], "catalog", lambda: found)
    monkeypatch.setattr(sys.modules["kgroups_papers.page"], "catalog", lambda: found)
    module = sys.modules["kgroups_papers.published"]
    monkeypatch.setattr(module, "_entry", lambda name: toys.PUBLISHED if name == "toy" else {})
    published.cache_clear()
    use(toys.TOY)
    yield use
    published.cache_clear()


@pytest.fixture
def run(capsys, folder, experiments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # what is said, not where lines are broken

    def call(*arguments, jobs=1):
        status = main(["reproduce", *map(str, arguments), "--n-jobs", str(jobs)])
        return status, *capsys.readouterr()

    return call


def fail(parameters, rng, data):
    raise ZeroDivisionError("nothing goes into nothing")


def test_json(run):
    status, out, err = run("toy", "--json", "--seed", 7)
    assert (status, err) == (0, "")
    (document,) = json.loads(out)["results"]
    assert (document["experiment"], document["seed"], document["runs"]) == ("toy", 7, 40)
    assert len(document["rows"]) == 12
    assert document["counts"]["agree"] == 4
    assert (document["counts"]["defaults"], document["counts"]["defaults_not_below"]) == (2, 0)


def test_files_of_all_experiments_and_their_page(run, folder, experiments):
    experiments(toys.on_data("iris", "wine"))
    assert run("all", "--quick", "-o", "made/here")[0] == 0
    made = folder / "made" / "here"
    kinds = ("json", "png", "svg")
    assert files(made) == ["results.md", *(f"{n}.{k}" for n in ("sets", "toy") for k in kinds)]
    documents = [json.loads((made / f"{name}.json").read_text()) for name in ("sets", "toy")]
    assert (made / "results.md").read_text("utf-8") == page(documents) == page(documents[::-1])
    before = (made / "toy.svg").read_bytes()
    assert run("toy", "--quick", "-o", "made/here")[0] == 0
    assert (made / "toy.svg").read_bytes() == before


def test_others_go_on_when_one_fails_and_missing_data_are_no_failure(run, folder, experiments):
    bad = replace(toys.on_data("iris", name="bad"), run=fail)
    experiments(bad, toys.on_data("iris", "glass"))
    status, out, err = run("all", "--quick", "--json")
    assert status == 1
    assert "nothing goes into nothing" in err
    assert [found["experiment"] for found in json.loads(out)["results"]] == ["toy", "sets"]
    assert list(json.loads(out)["results"][1]["missing"]) == ["glass"]
    assert run("bad", "-o", "made")[0] == 1
    assert files(folder) == []


@each(
    ("arguments", "status"),
    [
        ([], 2), (["toi"], 2), (["toy", "--seed", "-1"], 2), (["toy", "--list"], 2),
        (["toy", "-o", "file"], 1), (["toy", "--data-dir", "nowhere"], 1),
    ],
)  # fmt: skip
def test_what_it_says_no_to(run, folder, arguments, status):
    (folder / "file").write_text("")
    found, out, err = run(*arguments)
    assert (found, out) == (status, "")
    assert "Traceback" not in err
    assert files(folder) == ["file"]


def test_finished_runs_are_kept(run, own_cache, experiments, tmp_path):
    experiments(toys.counted(tmp_path / "marks", most=4))
    assert run("counted")[0] == 130
    experiments(toys.counted(tmp_path / "marks"))
    assert "(4 runs from before)" in run("counted")[1]
    assert "from before" not in run("counted", "--fresh")[1]
    assert len(files(own_cache / "runs")) == 1


def test_the_papers_are_all_listed(capsys):
    assert main(["reproduce", "--list", "--json"]) == 0
    listed = [e["name"] for e in json.loads(capsys.readouterr().out)["experiments"]]
    assert listed == list(catalog())
