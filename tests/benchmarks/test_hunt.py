"""The hunt for wrong results: its oracle by hand, some problems of a fixed seed, planted faults."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hunt import oracle
from benchmarks.hunt.__main__ import main
from benchmarks.hunt.containers import snippet
from benchmarks.hunt.faults import FAULTS, find
from benchmarks.hunt.judge_large import faults_of, sums_of
from benchmarks.hunt.oracle import long
from benchmarks.hunt.pairless import PAIRLESS_EVERY, draw_pairless
from benchmarks.hunt.problems import Graph, Table, draw_fit, draw_graph
from benchmarks.hunt.record import keep
from benchmarks.hunt.run import Failure, Tally, drawn, failures, judged
from benchmarks.hunt.shrink import shortest
from benchmarks.hunt.ways import WAYS
from helpers import each
from kgroups import KernelKGroups

SEED = 16
FOUR = long([[0.0], [1.0], [10.0], [12.0]])
PAIRS = np.array([0, 0, 1, 1])
PATH = long([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])


class TestOracle:
    def test_dispersions_of_four_points(self):
        G = -oracle.distances(("energy", {}), FOUR, FOUR) / 2
        ones = long(np.ones(4))
        assert oracle.dispersions(G, PAIRS, ones, 2).tolist() == [0.5, 1.0]
        assert oracle.between(-2 * G, PAIRS, ones, 2) == 9.75
        assert oracle.gains(G, PAIRS, ones, 2)[0, 1] < 0

    def test_gain_is_the_difference_of_two_objectives(self):
        rng = np.random.default_rng(0)
        half = rng.normal(size=(9, 9))
        G, w = long(half + half.T), long(rng.random(9))
        labels = np.arange(9) % 3
        gains = oracle.gains(G, labels, w, 3)
        before = oracle.objective(G, labels, w, 3)
        for i in range(9):
            for j in set(range(3)) - {int(labels[i])}:
                moved = labels.copy()
                moved[i] = j
                assert abs(oracle.objective(G, moved, w, 3) - before - gains[i, j]) < 1e-15

    @each(
        ("metric", "x", "y", "rho"),
        [
            (("energy", {"alpha": 0.5}), [0.0], [4.0], 2.0),
            (("laplacian", {}), [0.0], [2.0], 2 - 2 * np.exp(-1)),
            (("gaussian", {}), [0.0], [2.0], 2 - 2 * np.exp(-2)),
            (("manhattan", {}), [0.0, 0.0], [1.0, -2.0], 3.0),
            (("hamming", {}), [1, 2, 3, 4], [1, 2, 0, 0], 0.5),
            (("jaccard", {}), [1, 1, 0], [0, 1, 1], 2 / 3),
            (("jensen_shannon", {}), [1, 0], [0, 5], np.log(2)),
            (("jensen_shannon", {}), [1, 1], [1 + 1e-9, 1 - 1e-9], 1.25e-19),
            (("hellinger", {}), [1, 0], [0, 5], 1.0),
            (("great_circle", {}), [90.0, 0.0], [0.0, 77.0], np.pi / 2),
            (("kendall_tau", {}), [1, 2, 3], [2, 1, 3], 1 / 3),
            (("damped_squared", {}), [0.0], [2.0], 4 * np.exp(-1)),
            (("sine_squared", {"theta": 1.0}), [0.0], [2.0], 4 * np.sin(2)),
            (("column_sum", {"parts": [(("energy", {}), [0], 2.0)]}), [0.0, 9.0], [3.0, 0.0], 6.0),
        ],
    )
    def test_distances_by_hand(self, metric, x, y, rho):
        found = oracle.distances(metric, long([x]), long([y]))[0, 0]
        assert float(found) == pytest.approx(rho, rel=1e-9)

    def test_line_equals_all_partitions(self):
        rng = np.random.default_rng(1)
        x, w = long(rng.normal(size=7)), long(rng.random(7))
        G = -oracle.distances(("energy", {}), x[:, None], x[:, None]) / 2
        W = -oracle.best_partition(G, w, 3)
        assert abs(oracle.best_on_line(x, w, 3, 1.0) - W) < 1e-15

    def test_scores_of_a_path(self):
        assert float(oracle.modularity(PATH, PAIRS, 2)) == pytest.approx(1 / 6)
        assert float(oracle.normalized_cut(PATH, PAIRS, 2)) == pytest.approx(2 / 3)
        assert oracle.coverage(PATH, PAIRS) == pytest.approx(2 / 3)
        assert oracle.performance(PATH, PAIRS) == pytest.approx(5 / 6)

    def test_imports_nothing_of_the_library(self):
        text = Path(oracle.__file__).read_text("utf-8")
        assert "import kgroups" not in text
        assert "from kgroups" not in text


class TestProblems:
    def test_number_decides_the_problem(self):
        assert snippet(draw_fit(3, 5), []) == snippet(draw_fit(3, 5), [])
        assert snippet(draw_graph(3, 5), []) != snippet(draw_graph(3, 6), [])

    def test_every_kind_is_drawn(self):
        tables = [draw_fit(0, number) for number in range(400)]
        assert {table.metric[0] for table in tables} == {
            *oracle.BY_NAME, "column_sum", "precomputed", "precomputed_kernel",
        }  # fmt: skip
        assert {table.X.dtype.kind for table in tables} == set("fiub")
        assert len({table.form for table in tables}) == 7

    def test_every_way_without_pairs_is_drawn(self):
        tables = [draw_pairless(0, number) for number in range(300)]
        assert {table.way for table in tables} == set(WAYS)
        kinds = {table.metric[0] for table in tables}
        assert kinds == {"energy", "manhattan", "hamming", "column_sum"}
        assert drawn("fit", 0, PAIRLESS_EVERY - 1).X.shape[0]

    @pytest.mark.parametrize("way", WAYS)
    def test_a_way_is_taken(self, way, monkeypatch):
        """Also where there are too few rows for it, and only while the problem is judged."""
        from kgroups.fit import fit, plan

        seen = []

        def noted(name, made):
            return lambda *given: seen.append(name) or made(*given)

        for name in ("ColumnGram", "labels_from_sample"):
            made = getattr(fit, name)
            if name == "ColumnGram":
                monkeypatch.setattr(made, "from_terms", noted(name, made.from_terms))
            else:
                monkeypatch.setattr(fit, name, noted(name, made))
        X = np.random.default_rng(0).normal(size=(30, 2))
        metric = ("energy", {"alpha": 2.0}) if way == "sampled starts" else ("manhattan", {})
        problem = Table(
            act="KernelKGroups", X=X, metric=metric, n_clusters=3, new=X[:2], way=way,
            settings={"random_state": 0, "method": "matrix_free", "n_jobs": 1},
        )  # fmt: skip
        before = plan.COLUMNS_FROM, plan.STARTS_ON_ALL
        assert judged(problem) == []
        expected = {"sampled starts": "labels_from_sample", "as planned": None}
        assert set(seen) == {expected.get(way, "ColumnGram")} - {None}
        assert before == (plan.COLUMNS_FROM, plan.STARTS_ON_ALL)

    def test_program_of_a_problem_runs(self):
        for number in range(20):
            compile(snippet(draw_fit(1, number), ["wrong"]), "fit", "exec")
            compile(snippet(draw_graph(1, number), ["wrong"]), "graph", "exec")


class TestShrinking:
    def test_rows_weights_and_options_go(self):
        problem = draw_fit(0, 7)

        def judge(problem: Table) -> list[str]:
            return ["too many rows"] if len(problem.X) >= 3 else []

        short = shortest(problem, judge)
        assert len(short.X) == 3
        assert short.weights is None
        assert short.form == "array"

    def test_nodes_go(self):
        def judge(problem: Graph) -> list[str]:
            return ["an edge"] if problem.A.any() else []

        short = shortest(draw_graph(0, 3), judge)
        assert len(short.A) <= 2


@pytest.mark.parametrize(("kind", "count"), [("fit", 120), ("graph", 60)])
def test_answers_are_right(kind, count):
    found = list(failures(kind, SEED, range(count)))
    assert not found, f"python -m benchmarks.hunt --seed {SEED} --only {kind}:{found[0].number}"


@pytest.mark.parametrize("name", ["predict with unweighted means", "history repeats itself"])
def test_planted_fault_is_found(name):
    assert find(next(fault for fault in FAULTS if fault.name == name), SEED)


def test_every_fault_can_be_planted():
    for fault in FAULTS:
        text = Path(importlib.util.find_spec(fault.module).origin).read_text("utf-8")
        assert fault.line in text, fault.name


def test_one_problem_by_its_number(capsys):
    assert main(["--seed", str(SEED), "--only", "fit:0"]) == 0
    assert capsys.readouterr().out == "right\n"


def test_record_replaces_the_table(tmp_path):
    page = tmp_path / "reliability.md"
    page.write_text("before\n<!-- last hunt -->\nold\n<!-- end of last hunt -->\nafter\n")
    keep(Tally({"fit": 1200}, [Failure("fit", 3, ["wrong"])], 90.0), 7, 2, page)
    text = page.read_text()
    assert "| fits | 1,200 |" in text
    assert "| wrong | 1 |" in text
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_large_fit_with_one_row_astray_is_found():
    problem = draw_fit(SEED, 499)
    n, k = len(problem.X), problem.n_clusters
    assert problem.act == "large"
    assert n > 2000
    w = long(np.ones(n) if problem.weights is None else problem.weights)
    labels = np.argmin(((problem.X[:, None] - problem.X[:k]) ** 2).sum(axis=2), axis=1)
    model = KernelKGroups(k, metric=problem.metric[0], init=labels, random_state=0)
    model.fit(problem.X, sample_weight=problem.weights)
    assert not list(faults_of(model, sums_of(problem, model.labels_, w), w, k))
    model.labels_[0] = (model.labels_[0] + 1) % k
    found = list(faults_of(model, sums_of(problem, model.labels_, w), w, k))
    assert any("within_dispersion_ is" in fault for fault in found)
    assert any("not one-move optimal: row 0 gains" in fault for fault in found)
