"""Standard output and error, and the process: what is printed, kept, closed, full, interrupted."""

import io
import os
import signal
import subprocess
import sys
import warnings

from helpers import ESCAPE, each, files
from kgroups.cli import main
from kgroups.cli.console import Console, show
from kgroups.layout import Heading


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


def terminal(monkeypatch, stream):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, stream, Terminal())


def test_a_terminal_is_not_overrun(monkeypatch):
    terminal(monkeypatch, "stderr")
    console = Console()
    console.status("a line of progress that is too long")
    console.note("a note that is longer than the terminal is wide")
    shown, written = console.stream.getvalue().rsplit("\r", 1)
    assert len(shown.split(ESCAPE + "K")[1]) < 20
    lines = written.removeprefix(ESCAPE + "K").splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 20
    assert console.notes == ["a note that is longer than the terminal is wide"]


def test_color_is_for_those_who_want_it(monkeypatch):
    terminal(monkeypatch, "stdout")
    show([Heading("Result")])
    monkeypatch.setenv("NO_COLOR", "1")
    show([Heading("Result")])
    first, second = sys.stdout.getvalue().splitlines()
    assert ESCAPE in first
    assert second == "Result"


def test_names_cannot_control_the_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console = Console()
    console.error("\x1b[2Jdata.csv does not exist.\nLook again.")
    console.status("nothing, where there is no terminal")
    assert console.stream.getvalue() == (
        "kgroups: error: \\x1b[2Jdata.csv does not exist.\nLook again.\n"
    )


def test_names_of_written_files_are_printable(folder, capsys):
    (folder / "x.csv").write_text("a\n1\n2\n9\n")
    assert main(["cluster", "x.csv", "-k", "2", "-o", "\x1b[2J.csv"]) == 0
    assert r"Labels written to \x1b[2J.csv." in capsys.readouterr().out


def test_warnings_are_notes_once_and_not_those_for_programmers(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console = Console()
    with console.warnings_as_notes():
        for message, kind in (("a", UserWarning), ("a", UserWarning), ("b", DeprecationWarning)):
            warnings.warn(message, kind, stacklevel=1)
    assert console.stream.getvalue() == "kgroups: note: a\n"


@each("arguments", [["--help"], ["cluster", "x.csv", "-k", "2"]])
def test_a_closed_output_is_found_before_the_work(folder, capsys, monkeypatch, arguments):
    (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(arguments) == 1
    assert "standard output is closed" in capsys.readouterr().err


def test_closed_streams(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["cluster", "-", "-k", "2"]) == 1
    assert "standard input" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["cluster", "missing.csv", "-k", "2"]) == 1
    assert main(["cluster", "-", "-k", "0"]) == 2
    sys.stderr.close()
    assert capsys.readouterr().out == ""


# --- processes -------------------------------------------------------------------------------


def process(*arguments, environment=(), **more):
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
    given["env"] = {**os.environ, **dict(environment)}
    return subprocess.run([sys.executable, *arguments], check=False, **given)


def test_a_reader_that_leaves_early_is_no_error():
    code = "import sys; from kgroups.cli import main; sys.exit(main())"
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as closed:
        done = process("-c", code, "--help", stdout=closed)
    assert (done.returncode, done.stderr) == (141, "")


_WAITS = """
import os, signal, sys, threading, time
from pathlib import Path
from kgroups.cli import main
from kgroups.runtime.written_whole import written_whole
sys.argv = ["kgroups", "--help"]
main()
threading.Thread(target=time.sleep, args=[60]).start()
with written_whole(Path("new.csv")) as stream:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
"""


def test_an_interrupt_ends_at_once_and_leaves_no_part_of_a_file(folder):
    """Also while threads compute, which a KeyboardInterrupt would wait for."""
    done = process("-c", _WAITS, timeout=50)
    assert (done.returncode, files(folder)) == (130, [])
    assert done.stderr == "kgroups: error: interrupted; no file was left unfinished\n"


def test_an_interrupt_that_the_parent_ignores_stays_ignored():
    code = "import signal; from kgroups.cli import main; main(); print(signal.getsignal(2).name)"
    ignored = process(
        "-c", code, "--version", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    assert ignored.stdout.splitlines()[-1] == "SIG_IGN"


def test_help_imports_nothing_heavy_and_a_missing_click_is_named():
    code = "import sys; from kgroups.cli import main; main(); print(*sys.modules)"
    loaded = process("-c", code, "--help").stdout.split()
    assert not {"numpy", "pandas", "scipy", "jinja2", "rich", "kgroups.estimators"} & {*loaded}
    code = "import sys; sys.modules['click'] = None; from kgroups.cli import main; sys.exit(main())"
    done = process("-c", code, "--help")
    assert done.returncode == 1
    assert 'click is missing; run: pip install "kgroups[cli]"' in done.stderr


_KEPT = """
import importlib.machinery, sys
import kgroups.cli
kgroups.cli.__spec__.cached = sys.argv.pop(1)
before = sys.pycache_prefix
kgroups.cli.main()
print(sys.pycache_prefix != before)
"""


@each("no_bytecode, cached, is_kept", [("1", "", True), ("1", __file__, False), ("", "", False)])
def test_modules_are_kept_in_a_cache_of_our_own(folder, no_bytecode, cached, is_kept):
    """Only where nothing is kept next to them, and only of the latest versions."""
    home = folder / f"{no_bytecode}{bool(cached)}"
    kept = home / "kgroups" / "modules"
    for number in range(5):
        (kept / f"old{number}").mkdir(parents=True)
        os.utime(kept / f"old{number}", (number, number))
    given = {"PYTHONDONTWRITEBYTECODE": no_bytecode, "XDG_CACHE_HOME": str(home)}
    done = process("-c", _KEPT, cached, "--version", environment=given)
    assert done.stdout.splitlines()[-1:] == [str(is_kept)], done.stderr
    assert len(list(kept.iterdir())) == (4 if is_kept else 5)
    assert any(kept.rglob("*.pyc")) == is_kept
