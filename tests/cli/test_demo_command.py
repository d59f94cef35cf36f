"""``kgroups demo``: the table, the picture, and the command that it suggests."""

import json
import sys

import pytest

from helpers import files
from kgroups import KernelKGroups
from kgroups.cli import demo_command
from kgroups.cli.parser import make_parser
from kgroups.metrics import same_partition

COMMAND = "demo"


def test_demo(folder, run):
    status, out, err = run("--json", "-o", "d.png")
    assert (status, err, files(folder)) == (0, "", ["d.png"])
    found = json.loads(out)
    assert (found["schema"], found["picture"]) == ("kgroups.demo/1", "d.png")
    assert len(found["results"]) == 12
    for group in ("iris", "wine", "breast cancer", "digits"):
        W = {r["method"]: r["within_dispersion"] for r in found["results"] if r["data"] == group}
        assert list(W) == ["k-groups", "k-means", "mixture"]
        assert W["k-groups"] <= min(W.values()) * (1 + 1e-9)
    wine = next(r for r in found["results"] if r["data"] == "wine")
    assert (wine["n_samples"], wine["n_features"], wine["n_clusters"]) == (178, 13, 3)
    assert wine["accuracy"] > 0.95


def test_demo_measures_w_as_the_estimator_does():
    data = demo_command.data_sets()[1]
    model = KernelKGroups(3, random_state=0).fit(data.X)
    W = demo_command.within_dispersion(data.X, model.labels_, 3)
    assert pytest.approx(model.within_dispersion_, rel=1e-10) == W
    assert same_partition(demo_command.k_groups(data), model.labels_)


@pytest.fixture
def small_demo(monkeypatch):
    """The demo with wine alone."""
    wine = demo_command.data_sets()[1]
    monkeypatch.setattr(demo_command, "data_sets", lambda: [wine])


def test_demo_text(folder, run, small_demo):
    status, out, err = run()
    assert (status, err, files(folder)) == (0, "", ["kgroups-demo.png"])
    lines = out.splitlines()
    assert lines[0].split() == [
        "data", "n", "D", "k", "method", "accuracy", "NMI", "W", "seconds",
    ]  # fmt: skip
    assert [line.split()[:5] for line in lines[1:3]] == [
        ["wine", "178", "13", "3", method] for method in ("k-groups", "k-means")
    ]
    assert "written to kgroups-demo.png" in out
    assert "kgroups cluster " in lines[-1]


def test_demo_without_matplotlib(folder, run, small_demo, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, _ = run()
    assert (status, files(folder)) == (0, [])
    assert 'No picture, because matplotlib is missing: pip install "kgroups[plot]"' in out
    status, _, err = run("-o", "x.png")
    assert (status, err) == (
        1,
        'kgroups: error: -o needs matplotlib; run: pip install "kgroups[plot]"\n',
    )


def test_the_command_suggested_is_one_that_parses():
    make_parser().parse_args(demo_command._NEXT.split()[1:])
