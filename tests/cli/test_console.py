"""Standard output and error: what is printed, and what if they are closed or full."""

import io
import os
import subprocess
import sys
import tempfile

import pytest

from helpers import each
from kgroups.cli import main
from kgroups.cli.console import Console, OutputError, say


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


def test_names_cannot_control_the_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    console = Console()
    console.error("\x1b[2Jdata.csv does not exist.\nLook again.")
    assert console.stream.getvalue() == (
        "kgroups: error: \\x1b[2Jdata.csv does not exist.\nLook again.\n"
    )


class Full(io.StringIO):
    """A stream on a full disk, in place of a file."""

    def __init__(self, file, number=28):
        super().__init__()
        self.file = file
        self.number = number

    def fileno(self):
        return self.file.fileno()

    def flush(self):
        raise OSError(self.number, os.strerror(self.number))


@pytest.fixture
def file():
    with tempfile.TemporaryFile() as opened:
        yield opened


def test_work_goes_on_where_notes_cannot_be_written(file, monkeypatch):
    monkeypatch.setattr("sys.stderr", Full(file))
    console = Console()
    console.note("one")
    console.error("two")
    assert os.fstat(console.stream.fileno()).st_rdev == os.stat(os.devnull).st_rdev


def test_a_report_that_cannot_be_written_is_an_error(file, monkeypatch):
    monkeypatch.setattr("sys.stdout", Full(file))
    with pytest.raises(OutputError, match="No space left"):
        say("report")
    monkeypatch.setattr("sys.stdout", Full(file, 32))
    with pytest.raises(BrokenPipeError):
        say("report")


@each("arguments", [["--help"], ["cluster", "x.csv", "-k", "2"]])
def test_a_closed_output_is_found_before_the_work(folder, capsys, monkeypatch, arguments):
    (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setattr("sys.stdout", None)
    assert main(arguments) == 1
    assert "standard output is closed" in capsys.readouterr().err


def test_a_closed_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["cluster", "-", "-k", "2"]) == 1
    assert "standard input is closed" in capsys.readouterr().err


def test_a_closed_error_stream(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert main(["cluster", "missing.csv", "-k", "2"]) == 1
    assert main(["cluster", "-k", "0"]) == 2
    sys.stderr.close()
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@each("stream", ["stdout", "stderr"])
def test_a_full_disk_leaves_no_traceback(stream):
    """Python itself would complain at exit, with status 120."""
    arguments = ["--help"] if stream == "stdout" else ["cluster", "missing.csv", "-k", "2"]
    with open("/dev/full", "w") as full:
        other = "stderr" if stream == "stdout" else "stdout"
        done = subprocess.run(
            [sys.executable, "-m", "kgroups", *arguments],
            **{stream: full, other: subprocess.PIPE},
            text=True,
            check=False,
        )
    assert done.returncode == 1
    expected = "kgroups: error: standard output cannot be written: No space left on device\n"
    assert getattr(done, other) == (expected if stream == "stdout" else "")
