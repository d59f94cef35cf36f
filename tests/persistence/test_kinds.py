"""All kinds of models in another process, and files that an older version wrote."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kgroups
from kgroups.persistence.format_steps import FORMAT
from model_kinds import KINDS, SLOW, check, keep

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

pytestmark = [
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning"),
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


def test_another_process_gives_the_same_labels_and_the_same_files(tmp_path):
    assert len(KINDS) >= 20
    keep(tmp_path, [name for name in KINDS if name not in SLOW])
    done = subprocess.run(
        [sys.executable, "-m", "tests.model_kinds", "check", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr


def test_the_check_notices_another_answer(tmp_path):
    """One cluster more, and a file that says something else than the answers."""
    keep(tmp_path, ["line", "tree"])
    assert check(tmp_path, ["line", "tree"]) == []
    kgroups.KGroups1D(2).fit([1.0, 2.0, 9.0]).save(tmp_path / "line.kg")
    assert check(tmp_path, ["line", "tree"]) == ["line: labels", "line: predict"]


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
