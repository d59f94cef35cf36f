"""What a report as JSON says of its run, and what it says without one."""

import json
import platform
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from kgroups import KernelKGroups, __version__
from kgroups.report import ClusterReport, RunRecord, versions
from kgroups.report.run_record import parameters_of
from kgroups.semimetrics import Gaussian

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
