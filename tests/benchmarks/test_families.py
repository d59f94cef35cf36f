"""Families of graphs: resumed where they stopped, judged by their limits, and a few real graphs."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks import communities
from benchmarks.networks.families import FAMILIES, graphs, named, one, record
from benchmarks.networks.families.family import Case, Family, Line

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


def test_digests_tell_graphs_apart():
    A = csr_array(np.array([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]]))
    assert graphs.digest(A) == graphs.digest(csr_array(A.toarray()))
    assert graphs.digest(A) != graphs.digest(csr_array(2 * A))
