"""Families of graphs: resumed where they stopped, judged by their limits, and a few real graphs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import communities
from benchmarks.networks.families import FAMILIES, command, graphs, named, one, record
from benchmarks.networks.families.family import Case, Family, Line
from benchmarks.networks.families.lfr import lines as lfr_lines

RUN: list[str] = []


def squared(case):
    RUN.append(case.key)
    return {"digest": case.name, "square": case.seed**2}


SQUARES = Family(
    name="squares",
    question="squares up to 64",
    titles=("seed", "square"),
    cases=lambda: [Case("cell", "square", seed) for seed in range(10)],
    run=squared,
    lines=lambda rows, references: [
        Line((row["key"], str(row["square"])), "too large" if row["square"] > 64 else "")
        for row in rows
    ],
    peers=squared,
    alone=True,
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    RUN.clear()
    monkeypatch.setitem(FAMILIES, "squares", SQUARES)
    folder = tmp_path / "out"
    return lambda *more: communities.main(["--families", "squares", "--out", str(folder), *more])


def test_goes_on_where_it_stopped(run, tmp_path, capsys):
    assert run("--quick") == 0
    assert [key.split(" | ")[2] for key in RUN] == ["0"]
    assert run() == 1  # 81 is above the limit
    assert len(RUN) == 10
    path = tmp_path / "out" / "squares.jsonl"
    path.write_text(path.read_text()[:-10])  # the last line was cut off
    assert run() == 1
    assert RUN[10:] == ["cell | square | 9"]
    assert "squares, cell | square | 9: too large" in capsys.readouterr().out
    run("--fresh", "--quick")
    assert len(record.read(path)) == 1
    run("--fresh", "--seeds", "3")
    assert len(record.read(path)) == 3


def test_figures_of_other_graphs_are_left_out(run, tmp_path, capsys):
    run("--peers", "--quick")
    path = tmp_path / "out" / "squares.peers.jsonl"
    if path.exists():  # where one of the programs is installed
        path.unlink()
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"key": "cell | square | 0", "digest": "another"}) + "\n")
    capsys.readouterr()
    assert run("--quick") == 0
    assert "figures of other programs on 1 graphs are left out" in capsys.readouterr().out


def test_a_collected_graph_that_is_absent_is_missed(run, monkeypatch, capsys):
    monkeypatch.setattr(command.graphs, "available", set)
    cases = [Case("cell", "dolphins"), Case("cell", "square")]
    monkeypatch.setitem(FAMILIES, "squares", replace(SQUARES, cases=lambda: cases))
    assert run() == 1
    assert "squares, dolphins: not here; give --data-dir" in capsys.readouterr().out


@pytest.mark.parametrize("name", FAMILIES)
def test_cases_have_keys_of_their_own(name):
    cases = FAMILIES[name].cases()
    assert len({case.key for case in cases}) == len(cases)


@pytest.mark.parametrize("name", ["one", "lfr"])
def test_a_real_case(name):
    case = FAMILIES[name].cases()[0]
    row = {"key": case.key, "cell": case.cell, **FAMILIES[name].run(case)}
    assert json.loads(json.dumps(row)) == row
    assert len(FAMILIES[name].lines([row], {})) == 1


def test_seeds_and_orders_of_lines(monkeypatch):
    monkeypatch.setattr(named, "SEEDS", 2)
    monkeypatch.setattr(named, "ORDERS", 2)
    case = Case("named", "florentine")
    row = {"key": case.key, "cell": case.cell, **named.run(case)}
    assert sum(row["numbers"].values()) == 4
    assert row["worst NMI"] <= row["median NMI"] <= 1
    assert len(named.lines([row], {})) == 1


def test_degrees_of_random_graphs():
    degrees = one.graph(Case("degrees of karate", "one", 3)).sum(axis=1)
    assert degrees.sum() == 2 * 78
    assert sorted(degrees)[-3:] == [12, 16, 17]
    assert set(one.graph(Case("regular 30 4", "one", 0)).sum(axis=1)) == {4}
    A = one.graph(Case("power law 400 6", "one", 0))
    assert A.sum() / 400 == pytest.approx(6, rel=0.2)
    assert not A.diagonal().any()


def test_the_best_other_program_is_the_limit():
    rows = [{"key": str(s), "cell": "c", "digest": "d", "nmi": 0.9, "seconds": 1} for s in range(2)]
    theirs = {str(s): {"Leiden": 0.89, "Infomap": 0.906 + s / 100} for s in range(2)}
    (line,) = lfr_lines(rows, theirs)
    assert line.missed == "NMI 0.9000 is below 0.9110 - 0.005"
    theirs["1"].pop("Infomap")
    assert lfr_lines(rows, theirs)[0].missed == ""
    assert "no figures" in lfr_lines(rows, {})[0].missed


def test_digests_tell_graphs_apart():
    A = csr_array(np.array([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]]))
    assert graphs.digest(A) == graphs.digest(csr_array(A.toarray()))
    assert graphs.digest(A) != graphs.digest(csr_array(2 * A))
