"""How the tests of a command run it."""

import io
import sys

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
