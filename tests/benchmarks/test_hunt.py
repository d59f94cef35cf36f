"""The hunt for wrong results: its oracle by hand, some problems of a fixed seed."""

import numpy as np
import pytest

from benchmarks.hunt.__main__ import main
from benchmarks.hunt.judge_large import faults_of, sums_of
from benchmarks.hunt.problems import draw_fit
from benchmarks.hunt.run import failures
from helpers import slow
from kgroups import KernelKGroups
from tests.oracle import long

pytestmark = slow  # the hunt runs outside CI

SEED = 16


@pytest.mark.parametrize(("kind", "count"), [("fit", 120), ("graph", 60)])
def test_answers_are_right(kind, count):
    found = list(failures(kind, SEED, range(count)))
    assert not found, f"python -m benchmarks.hunt --seed {SEED} --only {kind}:{found[0].number}"


def test_one_problem_by_its_number(capsys):
    assert main(["--seed", str(SEED), "--only", "fit:0"]) == 0
    assert capsys.readouterr().out == "right\n"


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
