"""Limits decide the exit status of a comparison, and scores are those of their definitions."""

import gzip

import numpy as np
import pytest

from comparisons import communities, shapes
from comparisons.common import Limits
from helpers import each


def test_limits_by_hand(capsys):
    limits = Limits()
    assert limits.status() == 1  # nothing was compared
    limits.at_most("time", 1.0, 1.0)
    limits.at_least("score", 0.9, 0.9)
    assert limits.status() == 0
    limits.at_most("time", 1.01, 1.0)
    limits.at_least("score", np.nan, 0.0)
    limits.at_most("memory", np.nan, 9.0)
    assert limits.status() == 1
    printed = capsys.readouterr().out
    assert [line.split(":")[1].strip() for line in printed.splitlines() if "missed:" in line] == [
        "time", "score", "memory",
    ]  # fmt: skip


def test_scores_of_shapes_by_hand():
    # Of three clusters two are found whole and the third is in one of them: (2/3 − 1/3)/(2/3).
    truth = np.repeat([1, 2, 3], 4)
    assert shapes.normalized_accuracy(truth, truth[::-1]) == 1
    assert shapes.normalized_accuracy(truth, [5] * 4 + [6] * 8) == pytest.approx(0.5)
    assert shapes.normalized_accuracy(truth, np.zeros(12)) == 0


def test_shapes_are_read_with_noise_left_out_and_the_best_labeling_counts(tmp_path, monkeypatch):
    battery = tmp_path / "made"
    battery.mkdir()
    X = np.r_[np.zeros((6, 2)), np.ones((6, 2)), [[0.1, 0.1]]] + np.linspace(0, 0.1, 13)[:, None]
    files = {"data": X, "labels0": [1, 2] * 6 + [0], "labels1": [1] * 6 + [2] * 6 + [0]}
    for kind, values in files.items():
        with gzip.open(battery / f"two.{kind}.gz", "wt") as file:
            np.savetxt(file, values, fmt="%g")
    monkeypatch.setattr(shapes, "METHODS", {"k-means": shapes.METHODS["k-means"]})
    ((found,),) = shapes.compare(battery)
    # With the row of noise as a class of its own no two clusters would score 1.
    assert found == (1.0, 1.0)


def graphs(*scores, **stored):
    """Answers of one kind of graph, and a row of the file for each."""
    answers = [communities.Answer(score, 2, 0.1, "") for score in scores]
    rows = [{name: str(value) for name, value in stored.items()}] * len(scores)
    return communities.Cell("kind", answers, rows)


@each(
    ("judge", "cell", "status"),
    [
        (communities.judge_scores, graphs(0.9, 0.8, ours=0.7, Leiden=0.854), 0),
        (communities.judge_scores, graphs(0.9, 0.8, ours=0.7, Leiden=0.856), 1),
        (communities.judge_scores, graphs(0.9, 0.8, ours=0.856), 1),
        (communities.judge_counts, graphs(*[1.0] * 97, *[0.0] * 3, ours=1), 0),
        (communities.judge_counts, graphs(*[1.0] * 96, *[0.0] * 4, ours=1), 1),
    ],
)
def test_graphs_are_judged_by_the_best_other_program_or_by_ours_of_earlier(judge, cell, status):
    limits = Limits()
    judge([cell], limits)
    assert limits.status() == status


def test_few_graphs_may_miss_by_chance():
    """97 of 100 must be right; of ten one in a thousand has fewer than 7."""
    assert communities.enough(100) == 97
    assert communities.enough(10) == 7
    assert communities.enough(1) == 0
