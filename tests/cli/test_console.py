"""Notes, errors and the line of progress on standard error."""

import io

import pytest

from kgroups.cli.console import Console


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr("sys.stderr", Terminal())
    return Console()


def test_progress_is_one_line_that_notes_replace(terminal):
    terminal.status("start 1")
    terminal.status("start 2 of a name that is too long")
    terminal.note("done")
    clear = "\r\x1b[K"
    assert terminal.stream.getvalue() == (
        f"{clear}start 1{clear}start 2 of a name …{clear}kgroups: note: done\n"
    )


def test_no_progress_unless_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    console = Console()
    console.status("start 1")
    console.note("one", "two")
    assert console.stream.getvalue() == "kgroups: note: one\nkgroups: note: two\n"


def test_names_cannot_control_the_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    console = Console()
    console.error("\x1b[2Jdata.csv does not exist.\nLook again.")
    assert console.stream.getvalue() == (
        "kgroups: error: \\x1b[2Jdata.csv does not exist.\nLook again.\n"
    )
