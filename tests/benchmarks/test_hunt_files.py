"""Hostile files: a sample of the catalogue, and what counts as a fault."""

import numpy as np

from benchmarks.hunt.files import Outcome, faults_of
from benchmarks.hunt.hostile_files import Hostile, hostile_files, small_files
from helpers import each, slow
from kgroups.cli import main

pytestmark = slow  # the hunt runs outside CI

#: The whole catalogue is tried by ``python -m benchmarks.hunt.files``.
N_FILES = 24


def test_a_sample_is_refused(tmp_path, capsys):
    rng = np.random.default_rng(16)
    names = rng.choice(small_files(), N_FILES, replace=False).tolist()
    chosen = hostile_files(tmp_path, names)
    assert {file.name for file in chosen} == set(names)
    for file in chosen:
        status = main(file.command)
        assert faults_of(file, Outcome(status, capsys.readouterr().err)) == []


@each(
    ("ended", "fault"),
    [
        (Outcome(0, "kgroups: error: gml/x"), "status 0"),
        (Outcome(1, "Traceback\nkgroups: error: gml/x"), "a traceback"),
        (Outcome(1, "gml/x"), "no error in 'gml/x'"),
        (Outcome(1, "kgroups: error: x"), "the file is not named in 'kgroups: error: x'"),
        (Outcome(1, "kgroups: error: gml/x" + "x" * 3_000), "3,021 characters"),
        (Outcome(1, "kgroups: error: gml/x", seconds=6.0), "6.0 s"),
        (Outcome(1, "kgroups: error: gml/x", peak=600_000_000), "600 MB"),
    ],
)
def test_faults(tmp_path, ended, fault):
    file = Hostile(tmp_path / "gml" / "x", ("communities",))
    assert faults_of(file, ended) == [f"'gml/x': {fault}"]
