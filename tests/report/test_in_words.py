"""Metrics and ends of a search in words."""

import json
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from kgroups.fit.fit import EXACTNESS
from kgroups.report import describe_metric
from kgroups.report.in_words import end_text, metric_text, size_text
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Manhattan,
    PairFunction,
    Semimetric,
)
from kgroups.semimetrics.by_name import BY_NAME


def test_metrics_in_words():
    mixed = ColumnSum([(Gaussian(2.0), [0, 1]), (Hamming(), [2, 3], 2.0)])
    described = describe_metric(mixed)
    by_hamming = {"name": "hamming", "params": {"missing": "error"}}
    assert described == {
        "name": "column_sum",
        "params": {
            "parts": [
                {"name": "gaussian", "params": {"sigma": 2.0}, "columns": [0, 1], "weight": 1.0},
                {**by_hamming, "columns": [2, 3], "weight": 2.0},
            ]
        },
    }
    assert metric_text(described) == "gaussian (sigma=2) on 2 columns + 2 x hamming on 2 columns"
    assert metric_text(describe_metric("precomputed")) == "the given distances"
    assert metric_text(describe_metric("precomputed_kernel")) == "the given kernel matrix"
    for alpha, words in (
        (1, "Euclidean distance (energy, alpha=1)"),
        (2, "squared Euclidean distance (energy, alpha=2)"),
        (0.5, "Euclidean distance to the power 0.5 (energy, alpha=0.5)"),
    ):
        assert metric_text(describe_metric(Energy(alpha))) == words
    json.dumps(describe_metric(mixed))
    assert describe_metric(Energy(np.float64(0.5)))["params"] == {"alpha": 0.5}

    def apart(a, b):
        return abs(a - b)

    assert describe_metric(PairFunction(apart))["params"]["function"] == "apart"


@dataclass
class OfAFamily(Semimetric):
    """A metric that another library knows by a name."""

    name: str = "levenshtein"
    normalized: bool = False

    def pairwise(self, X, Y=None):
        raise NotImplementedError


def test_a_metric_of_a_family_goes_by_its_name():
    found = describe_metric(OfAFamily())
    assert found == {"name": "levenshtein", "params": {"normalized": False}}
    assert metric_text(found) == "levenshtein"
    assert metric_text(describe_metric(OfAFamily("jaro", True))) == "jaro (normalized=True)"


def test_lists_of_parameters_stay_lists():
    from kgroups.semimetrics import Mixed

    found = describe_metric(Mixed(kinds=["number", ["S", "M"]]))
    assert json.loads(json.dumps(found))["params"]["kinds"] == ["number", ["S", "M"]]
    assert metric_text(found) == "columns of several kinds (mixed)"
    partial_distances = describe_metric(Mixed(missing="partial"))
    assert metric_text(partial_distances) == "columns of several kinds (mixed, missing=partial)"


def test_what_a_feature_is_called():
    assert size_text(1, 2) == "1 row, 2 columns"
    assert size_text(2, 1, "word") == "2 rows, 1 word"
    assert size_text(2, None, "word") == "2 rows"


@pytest.mark.parametrize("exactness", EXACTNESS.values())
def test_every_way_to_end_has_words(exactness):
    end = partial(end_text, 2, 1, exactness=exactness, unit="node")
    if exactness == "stopped at max_iter":
        assert end(converged=False) == "Not converged: nodes still moved after 2 passes"
        return
    if exactness == "stopped in a cycle":
        words = "Not converged: labels returned to earlier ones after 2 passes"
        assert end(converged=False) == words
        return
    words = end(converged=True)
    assert words.startswith("Converged after 2 passes and 1 move: ")
    assert exactness not in words
    on_sketch = end_text(2, 1, exactness=f"{exactness} on the sketch", converged=True, unit="node")
    assert "as far as a sample-based approximation shows" in on_sketch
    assert "checked exactly" not in on_sketch


@pytest.mark.parametrize("name", BY_NAME)
def test_every_metric_goes_by_the_name_that_metric_takes(name):
    described = describe_metric(BY_NAME[name]())
    assert described["name"] == name
    assert json.loads(json.dumps(described)) == described


def test_a_metric_of_the_user_goes_by_its_class():
    class Mine(Manhattan):
        pass

    assert metric_text(describe_metric(Mine())) == "Mine"


def test_a_part_is_counted_by_its_columns_and_weight():
    parts = ColumnSum([(Energy(2.0), [0]), (Hamming(), ["a", "b", "c"], 0.5)])
    assert metric_text(describe_metric(parts)) == (
        "squared Euclidean distance (energy, alpha=2) on 1 column + 0.5 x hamming on 3 columns"
    )


@pytest.mark.parametrize(
    ("exactness", "words"),
    [
        ("one-move optimal", "no single row can be moved to improve it (checked exactly)"),
        (
            "pair-move optimal",
            "no row alone, and no two at once, can be moved to improve it (checked exactly)",
        ),
        ("stable under Lloyd's rule", "every row is in the cluster with the nearest center"),
        (
            "one-move optimal on the sketch",
            "as far as a sample-based approximation shows, "
            "no single row can be moved to improve it",
        ),
    ],
)
def test_how_a_search_ended(exactness, words):
    end = partial(end_text, exactness=exactness, unit="row")
    assert end(1, 0, converged=True) == f"Converged: {words}"
    assert end(1, 1234, converged=True) == f"Converged after 1 pass and 1,234 moves: {words}"
    assert end(300, 5, converged=False) == "Not converged: rows still moved after 300 passes"
