"""Every command on terminals of several widths: no line is broken by the terminal, none remains."""

import io
import os
import re
import struct
import sys
import threading

import networkx as nx
import numpy as np
import pytest

from helpers import write_csv
from kgroups.cli import demo_command, main
from kgroups.cli.console import on_stderr

pty = pytest.importorskip("pty")
fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")

COMMANDS = {
    "cluster": "cluster rows.csv -k 3 --label-column kind --standardize -o labels.csv",
    "categories": "cluster rows.csv -k 2 --categorical kind --n-init 4 --bound semidefinite",
    "sketch": "cluster rows.csv -k 2 --drop kind --method nystroem --n-init 2",
    "choose-k": "choose-k rows.csv --drop kind --k-max 7",
    "communities": "communities karate.csv --objective modularity",
    "test": "test rows.csv --by kind --permutations 99",
    "list": "reproduce --list",
    "reproduce": "reproduce draft-fig4 --quick --n-jobs 1",
    "version": "--version --verbose",
    "missing": "cluster missing-file-with-a-long-name.csv -k 3 --label-column kind --standardize",
    "wrong": "cluster rows.csv -k 3 --objective modularity --largest-component --standardise",
    "help": "cluster --help",
    "help of all": "--help",
}
SLOW = ("reproduce", "choose-k")
# What progress looks like; and after it is cleared, no part of it is left.
PROGRESS = re.compile(r"(?m)^(plan|sketch|start|sweep|pass|improve|level|permutations|runs)\b.*:")


class Screen:
    """What a terminal shows: it understands carriage returns, erasing a line, and styles."""

    def __init__(self, width):
        self.width = width
        self.lines = [""]
        self.column = 0
        self.too_wide = []

    def feed(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Za-z]|[^\x1b]", text):
            if part == "\x1b[K":
                self.lines[-1] = self.lines[-1][: self.column]
            elif part == "\r":
                self.column = 0
            elif part == "\n":
                self.lines.append("")
            elif not part.startswith("\x1b"):
                self.put(part)

    def put(self, character):
        if self.column == self.width:
            self.too_wide.append(self.lines[-1])
            self.lines.append("")
            self.column = 0
        line = self.lines[-1]
        self.lines[-1] = line[: self.column] + character + line[self.column + 1 :]
        self.column += 1


@pytest.fixture
def on_terminal(monkeypatch, folder):
    """Run a command with one or both of its streams on a terminal; gives the screen."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("KGROUPS_CACHE", str(folder / "cache"))

    def call(arguments, width, encoding="utf-8", streams=("stdout", "stderr")):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        seen = []
        reader = threading.Thread(target=drain, args=(ours, seen))
        reader.start()
        stream = open(theirs, "w", encoding=encoding, errors="backslashreplace")  # noqa: SIM115
        with stream, monkeypatch.context() as patch:
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, stream if name in streams else io.StringIO())
            main(arguments.split())
        reader.join()
        os.close(ours)
        raw = b"".join(seen).decode(encoding)
        screen = Screen(width)
        screen.feed(raw)
        return screen, raw

    return call


def drain(descriptor, seen):
    while True:
        try:
            chunk = os.read(descriptor, 1 << 16)
        except OSError:  # the other side is closed
            return
        if not chunk:
            return
        seen.append(chunk)


@pytest.fixture
def data(folder):
    rng = np.random.default_rng(0)
    names = ["alcohol", "od280/od315_of_diluted_wines", "flavanoids", "kind"]
    rows = [[*rng.normal(3 * (i % 3), 1, 3).round(3), "abc"[i % 3] * 12] for i in range(30)]
    write_csv(folder / "rows.csv", [names, *rows])
    write_csv(folder / "karate.csv", nx.karate_club_graph().edges)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_wider_than_the_terminal_and_no_progress_remains(data, on_terminal, name):
    for width in (60, 80, 115) if name not in SLOW else (60,):
        screen, raw = on_terminal(COMMANDS[name], width)
        shown = "\n".join(screen.lines)
        paths = [line for line in screen.too_wide if "/" not in line]
        assert paths == [], width
        assert not PROGRESS.search(shown), width
        assert len(shown) > 60
        if name in ("cluster", "choose-k", "communities", "reproduce"):
            assert raw.count("\r\x1b[K") > 1, "there was progress"
            assert "\x1b[1m" in raw


def test_a_demo_leaves_its_table(folder, on_terminal, monkeypatch):
    monkeypatch.setattr(demo_command, "PARTS", demo_command.PARTS[-1:])
    monkeypatch.setattr(demo_command, "default_threads", lambda: 1)
    monkeypatch.setattr(demo_command, "find_spec", lambda name: None)
    screen, _ = on_terminal("demo -o wine.svg", 60)
    assert screen.too_wide == []
    assert not any(line.startswith(("clustering", "compiling", "drawing")) for line in screen.lines)


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_progress_is_as_wide_as_the_terminal_that_shows_it(data, on_terminal, monkeypatch, term):
    """Standard output is a pipe, of which nothing follows for the width of standard error."""
    monkeypatch.setenv("TERM", term)
    screen, raw = on_terminal("choose-k rows.csv --drop kind --k-max 2", 30, streams=("stderr",))
    assert screen.too_wide == []
    assert ("\x1b" in raw) == (term == "xterm")
    assert "".join(screen.lines) == ""


@pytest.mark.parametrize("name", ["cluster", "choose-k", "communities", "list"])
def test_a_pipe_gets_80_columns_without_styles_or_carriage_returns(data, capsys, monkeypatch, name):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(COMMANDS[name].split()) == 0
    out, err = capsys.readouterr()
    assert 60 < max(map(len, out.splitlines())) <= 80
    assert not re.search("[\r\x1b]", out + err)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_symbols_where_the_encoding_has_none(data, on_terminal, encoding):
    screen, raw = on_terminal(COMMANDS["cluster"], 60, encoding)
    assert "(W >= " in " ".join(raw.split())
    assert "\\u" not in raw
    assert screen.too_wide == []


def test_messages_are_whole_lines_in_a_log_and_broken_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    message = "kgroups: note: " + "word " * 10
    assert on_stderr(message.rstrip(), io.StringIO()) == message.rstrip()
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    lines = on_stderr(message.rstrip(), terminal).split("\n")
    assert [len(line) for line in lines] == [29, 26, 11]
    assert lines[1].startswith("  word")


def test_help_is_ascii(capsys):
    """So that no encoding is too small for it."""
    for command in ("cluster", "choose-k", "communities", "test", "reproduce", "demo"):
        assert main([command, "--help"]) == 0
        assert capsys.readouterr().out.isascii()
