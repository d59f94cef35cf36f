"""How the tests of a command run it."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from kgroups.cli import main


@pytest.fixture
def run(request, capsys, monkeypatch):
    """Run the command that the test module names; gives the exit status, output and errors."""

    monkeypatch.setenv("COLUMNS", "200")  # what is said, not where lines are broken

    def call(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main([request.module.COMMAND, *(str(a) for a in arguments)])
        return status, *capsys.readouterr()

    return call


_WORDS = [["red", "apple", "pear"], ["blue", "car", "bus"], ["green", "tree", "leaf"]]


@pytest.fixture
def people(folder):
    """Three groups with a column of each kind and some gaps."""
    rng, group = np.random.default_rng(0), np.arange(30) % 3
    frame = pd.DataFrame({
        "name": [f"{i:03d}" for i in range(30)],
        "x": (3 * group + rng.normal(size=30)).round(3),
        "y": (300 * group + 50 * rng.normal(size=30)).round(2),
        "town": np.array(list("xyz"))[np.where(np.arange(30) % 7, group, (group + 1) % 3)],
        "size": np.array(list("SML"))[group],
        "day": [f"2024-0{1 + 2 * g}-{10 + i % 9}" for i, g in enumerate(group)],
        "note": [" ".join(rng.choice(_WORDS[g], 4)) for g in group],
        "w": 1 + np.arange(30) % 3,
    })  # fmt: skip
    frame.loc[7, "x"] = np.nan
    frame.loc[4, "town"] = None
    frame.to_csv("people.csv", index=False)
    return frame
