"""The hunt for wrong results: its oracle by hand, some problems of a fixed seed."""

import numpy as np
import pytest

from benchmarks.hunt.__main__ import main
from benchmarks.hunt.containers import snippet
from benchmarks.hunt.judge_large import faults_of, sums_of
from benchmarks.hunt.pairless import PAIRLESS_EVERY, draw_pairless
from benchmarks.hunt.problems import NAMES, Graph, Table, draw_fit, draw_graph
from benchmarks.hunt.record import keep
from benchmarks.hunt.run import Failure, Tally, drawn, failures, judged
from benchmarks.hunt.shrink import shortest
from benchmarks.hunt.ways import WAYS
from helpers import slow
from kgroups import KernelKGroups
from tests.oracle import long

pytestmark = slow  # the hunt runs outside CI

SEED = 16


class TestProblems:
    def test_number_decides_the_problem(self):
        assert snippet(draw_fit(3, 5), []) == snippet(draw_fit(3, 5), [])
        assert snippet(draw_graph(3, 5), []) != snippet(draw_graph(3, 6), [])

    def test_every_kind_is_drawn(self):
        tables = [draw_fit(0, number) for number in range(400)]
        kinds = {table.metric[0] for table in tables}
        assert kinds == {*NAMES, "column_sum", "precomputed", "precomputed_kernel"}
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
