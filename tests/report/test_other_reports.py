"""Reports on given labels and on new rows, and what a report says of its run."""

import json
import platform
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

from kgroups import KernelKGroups, __version__
from kgroups.bounds import certify
from kgroups.report import (
    CertificateReport,
    ClusterReport,
    PredictionReport,
    RunRecord,
    describe_metric,
    versions,
)
from kgroups.report.run_record import parameters_of
from kgroups.semimetrics import Energy, Gaussian

ROWS = [[0.0], [1.0], [10.0], [12.0], [13.0], [40.0]]


def report(labels, **changes):
    found = certify(ROWS, labels)
    settings = {
        "found": found, "labels": [str(label) for label in labels], "n_features": 1,
        "metric": describe_metric(Energy()), "source": "x.csv", "label_source": "l.csv",
        "seconds": 1.25,
    }  # fmt: skip
    return CertificateReport(**{**settings, **changes})


def test_rows_that_would_move_come_in_the_order_of_their_gains():
    made = report(list("abbabc"))
    found = made.to_dict()
    gains = [move["gain"] for move in found["moves"]]
    assert gains == sorted(gains, reverse=True)
    assert found["moves"][0]["cluster"] != found["moves"][0]["target"]
    assert found["is_optimal"] is False
    assert found["schema"] == "kgroups.certify/1"
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_names_of_rows_stand_for_their_numbers():
    made = report(list("abbabc"), ids=["u", "v", "w", "x", "y", "z"])
    moves = made.to_dict()["moves"]
    assert all(move["id"] == "uvwxyz"[move["row"] - 1] for move in moves)


REPORT = PredictionReport(
    labels=np.array([2, 0, 2, 2]),
    n_clusters=4,
    n_samples_fit=1200,
    metric=Energy(0.5),
    source="new.csv",
    model_source="m.kg",
    seconds=1.25,
)


@pytest.mark.nojit
def test_sizes_by_hand():
    assert REPORT.sizes == [1, 0, 3, 0]


@pytest.mark.nojit
def test_names_that_move_the_cursor_are_spelled_out():
    text = replace(REPORT, source="a\x1b[2J.csv", model_source="b\nc").to_text()
    assert "\x1b" not in text
    assert text.splitlines()[0].endswith("c")


@pytest.mark.nojit
def test_the_json_of_a_prediction():
    found = json.loads(json.dumps(REPORT.to_dict()))
    assert found == {
        "schema": "kgroups.predict/1", "kgroups_version": __version__, "n_samples": 4,
        "n_clusters": 4, "n_samples_fit": 1200,
        "metric": {"name": "energy", "params": {"alpha": 0.5}}, "labels": [2, 0, 2, 2],
        "ids": None, "cluster_sizes": [1, 0, 3, 0], "seconds": 1.25,
    }  # fmt: skip
    run = RunRecord(command="kgroups predict m.kg new.csv", settings={}, data={}, notes=["x"])
    told = replace(REPORT, ids=list("abcd"), run=run).to_dict()
    assert told["command"] == "kgroups predict m.kg new.csv"
    assert (told["ids"], told["notes"]) == (["a", "b", "c", "d"], ["x"])


X = np.array([[0.0], [1.0], [10.0], [12.0]])


def test_versions_are_those_of_the_packages():
    found = versions()
    assert (found["kgroups"], found["python"]) == (__version__, platform.python_version())
    for name in ("numpy", "scipy", "scikit-learn", "numba"):
        assert found[name] == version(name)


def test_a_record_stands_in_the_report_that_it_belongs_to():
    model = KernelKGroups(2, metric=Gaussian("median"), random_state=0).fit(X)
    report = ClusterReport.of(model, X, ids=["a", "b", "c", "d"])
    assert "settings" not in report.to_dict()
    assert report.settings["metric"]["params"] == {"sigma": model.metric_.sigma}
    record = RunRecord(command="kgroups", settings=report.settings, data={"source": "x"})
    found = replace(report, run=record).to_dict()
    assert list(found) == list(json.loads(json.dumps(found)))
    assert found["settings"]["n_init"] == len(model.start_histories_)
    assert found["ids"] == ["a", "b", "c", "d"]
    assert "columns" not in found


def test_a_memory_limit_is_a_number_of_bytes():
    limits = {"1.5 GiB": 3 << 29, 1_000: 1_000, None: None}
    for given, expected in limits.items():
        assert parameters_of(KernelKGroups(2, memory_limit=given))["memory_limit"] == expected
    assert not {"n_jobs", "verbose"} & set(parameters_of(KernelKGroups(2)))
