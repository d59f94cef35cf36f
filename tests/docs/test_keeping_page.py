"""The examples of the page on keeping a model, in Python and on the command line."""

import doctest
import shlex
from pathlib import Path

import numpy as np
import pytest

from helpers import write_csv
from kgroups.cli import main
from pages import blocks, page


@pytest.fixture
def text():
    found = page("keeping-a-model")
    assert found.startswith("# I want to ask a model again tomorrow\n")
    return found


def test_the_examples(text, folder):
    code = "\n".join(blocks(text, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "keeping", None, 0)
    assert len(example.examples) > 12
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0


def test_the_commands(text, folder, capsys):
    rows = np.random.default_rng(0).normal(size=(30, 2)) + 5 * np.arange(30)[:, None] // 10
    write_csv(folder / "data.csv", [["a", "b"], *rows.round(3).tolist()])
    write_csv(folder / "new.csv", [["b", "a"], *rows[:5, ::-1].round(3).tolist()])
    (commands,) = blocks(text, "bash")
    for line in commands.splitlines():
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert len(Path("labels.csv").read_text().splitlines()) == 6
