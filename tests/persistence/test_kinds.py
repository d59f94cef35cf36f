"""All kinds of models in another process, and files that an older version wrote."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kgroups
from benchmarks import saved
from benchmarks.saved import KINDS, keep, main
from kgroups.persistence.format_steps import FORMAT

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# Importing tslearn takes five seconds in each process.
SLOW = ("series",)

pytestmark = [
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning"),
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


def test_another_process_gives_the_same_labels_and_the_same_files(tmp_path):
    """One process for all kinds: ``python -m benchmarks.saved --python`` takes another Python."""
    assert len(KINDS) >= 20
    keep(tmp_path, SLOW)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.saved", "--check", str(tmp_path), "--without", *SLOW],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(KINDS) - len(SLOW) + 1
    assert all(line.endswith("the same") for line in told[:-1])


def test_the_check_notices_another_answer(tmp_path, monkeypatch, capsys):
    """One cluster more, and a file that says something else than the answers."""
    monkeypatch.setattr(saved, "KINDS", {name: KINDS[name] for name in ("line", "tree")})
    keep(tmp_path)
    assert main(["--check", str(tmp_path)]) == 0
    kgroups.KGroups1D(2).fit([1.0, 2.0, 9.0]).save(tmp_path / "line.kg")
    assert main(["--check", str(tmp_path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[3].split() == ["line", "labels,", "predict"]
    assert told[4].split() == ["tree", "the", "same"]


@pytest.mark.parametrize("number", range(1, FORMAT + 1))
def test_files_of_every_format_are_read(number, tmp_path):
    """Models of all kinds as they were written when the format was new, and what they said."""
    with zipfile.ZipFile(HERE / f"format_{number}.zip") as file:
        file.extractall(tmp_path)
    names = sorted(path.stem for path in tmp_path.glob("*.kg"))
    assert len(names) >= 20
    with np.load(tmp_path / "answers.npz") as answers:
        for name in names:
            kind = KINDS[name]
            model = kgroups.load(tmp_path / f"{name}.kg", metric=kind.metric)
            assert model.labels_.tolist() == answers[f"{name}/labels"].tolist(), name
            if kind.new is not None and name not in SLOW:
                said = model.predict(kind.new()).tolist()
                assert said == answers[f"{name}/predict"].tolist(), name
