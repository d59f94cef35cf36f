"""How to repeat a result: the command, the data and their digest."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from kgroups.pages.data_digest import data_digest
from kgroups.pages.settings_section import settings_section
from kgroups.report import RunRecord


def pairs(part):
    return dict(part.pairs)


@pytest.fixture
def section():
    run = RunRecord(
        command="kgroups cluster 'a b.csv' -k 3",
        settings={
            "sigma": None,
            "metric": {"name": "energy"},
            "long": "n" * 500,
        },
        data={"source": "a b.csv", "n_rows": 12345, "n_columns": 3, "sha256": "ab" * 32},
        notes=["column 'id' looks like a row number"],
    )
    return settings_section(run)


def test_the_command_and_the_data(section):
    command, data, *_ = section.parts
    assert command.text == "kgroups cluster 'a b.csv' -k 3"
    assert pairs(data) == {
        "data": "a b.csv", "rows": "12,345", "columns": "3", "SHA-256 of the data": "ab" * 32,
    }  # fmt: skip


def test_a_command_that_a_page_could_not_hold_is_spelled():
    run = RunRecord(command="kgroups cluster 'a\u202eb\udcff.csv'\nmodel", settings={}, data={})
    command = settings_section(run).parts[0]
    assert command.text == "kgroups cluster 'a\\u202eb\\udcff.csv'\nmodel"
    assert command.text.encode("utf-8")


def test_the_same_data_have_the_same_digest():
    X = np.arange(12.0).reshape(4, 3)
    assert data_digest(X) == data_digest(X.copy()) == data_digest(np.asfortranarray(X))
    frame = pd.DataFrame(X, columns=list("abc"))
    assert data_digest(frame) == data_digest(frame.copy())
    assert data_digest(["a", "b"]) == data_digest(["a", "b"])
    assert data_digest(csr_array(X)) == data_digest(csr_array(X.copy()))
    assert len(data_digest(X)) == 64


def test_other_data_have_another_one():
    X = np.arange(12.0).reshape(4, 3)
    frame = pd.DataFrame(X, columns=list("abc"))
    other = X.copy()
    other[3, 2] += 1e-12
    several = [
        X, other, X.T, X.reshape(3, 4), X.astype(np.float32), X[:3], frame,
        frame.rename(columns={"a": "z"}), frame.astype(object), csr_array(X), csr_array(other),
        ["ab", "c"], ["a", "bc"], ["a", "b", "c"], [[1.0, 2.0], [3.0]], [[1.0], [2.0, 3.0]],
        pd.DataFrame({"a": ["x", None]}), pd.DataFrame({"a": ["x", "None"]}),
    ]  # fmt: skip
    assert len({data_digest(data) for data in several}) == len(several)


def test_text_that_no_file_can_hold():
    assert len(data_digest(pd.DataFrame({"a": pd.Series(["\ud800"], dtype=object)}))) == 64


def test_sets_have_no_order():
    code = (
        "from kgroups.pages.data_digest import data_digest\n"
        "print(data_digest([frozenset(['ab', 'cd', 'ef']), {'gh', 'ij', 'kl'}]))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
