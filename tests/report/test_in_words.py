"""Metrics as reports and JSON describe them."""

import json

import numpy as np

from kgroups.report import describe_metric
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Manhattan,
    Mixed,
    PairFunction,
)
from kgroups.semimetrics.by_name import BY_NAME


def test_a_metric_is_described_by_its_name_and_parameters():
    mixed = ColumnSum([(Gaussian(2.0), [0, 1]), (Hamming(), [2, 3], 2.0)])
    by_hamming = {"name": "hamming", "params": {"missing": "error"}}
    by_gaussian = {"name": "gaussian", "params": {"sigma": 2.0}}
    parts = [
        {**by_gaussian, "columns": [0, 1], "weight": 1.0},
        {**by_hamming, "columns": [2, 3], "weight": 2.0},
    ]
    assert describe_metric(mixed) == {"name": "column_sum", "params": {"parts": parts}}
    assert describe_metric(Energy(np.float64(0.5)))["params"] == {"alpha": 0.5}
    kinds = json.loads(json.dumps(describe_metric(Mixed(kinds=["number", ["S", "M"]]))))
    assert kinds["params"]["kinds"] == ["number", ["S", "M"]]


def test_functions_and_classes_of_a_user_go_by_their_names():
    def apart(a, b):
        return abs(a - b)

    class Mine(Manhattan):
        pass

    assert describe_metric(PairFunction(apart))["params"]["function"] == "apart"
    assert describe_metric(Mine())["name"] == "Mine"


def test_every_metric_goes_by_the_name_that_metric_takes():
    for name in BY_NAME:
        described = describe_metric(BY_NAME[name]())
        assert described["name"] == name
        assert json.loads(json.dumps(described)) == described, name
