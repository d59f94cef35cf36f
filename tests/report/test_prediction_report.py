"""The report on new rows."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kgroups.report import PredictionReport
from kgroups.report.run_record import RunRecord
from kgroups.semimetrics import Energy
from kgroups.version import __version__

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
def test_the_text():
    lines = [line.split() for line in REPORT.to_text(width=100).splitlines()]
    assert lines[0] == ["new.csv:", "4", "rows", "to", "4", "clusters", "of", "m.kg"]
    assert lines[2:7] == [["cluster", "rows"], ["0", "1"], ["1", "0"], ["2", "3"], ["3", "0"]]
    told = " ".join(word for line in lines[8:] for word in line)
    assert told.startswith(
        "The fit had 1,200 rows, compared by Euclidean distance to the power 0.5"
    )
    assert told.endswith("; 1.25 s in all.")


@pytest.mark.nojit
def test_names_that_move_the_cursor_are_spelled_out():
    text = replace(REPORT, source="a\x1b[2J.csv", model_source="b\nc").to_text()
    assert "\x1b" not in text
    assert text.splitlines()[0].endswith("c")


@pytest.mark.nojit
def test_json():
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
