"""What a command prints: its report on stdout; notes, errors and a line of progress on stderr.

Reports are as wide as the terminal, and 80 columns in a file or a pipe unless COLUMNS says
otherwise. Notes and errors are broken at the width of a terminal, too; elsewhere each is one line,
which a program can search for.
"""

import json
import os
import sys
import threading
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TextIO

from kgroups.layout import Block, Page, laid_out, one_line, spelled
from kgroups.text import printable

# The width of what is not a terminal, unless COLUMNS says otherwise.
_WIDTH = 80
_CLEAR_LINE = "\r\x1b[K"
#: Warnings for programmers, not for a person at a terminal.
_FOR_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


class UsageError(Exception):
    """Options that contradict each other; the message says what to write instead."""


def refuse_with(option: str, because: str, others: Mapping[str, bool]) -> None:
    """UsageError for the first of the other options that is given next to one that excludes it."""
    for other, is_given in others.items():
        if is_given:
            raise UsageError(
                f"{other} does not apply to {option}, which {because}; omit one of the two"
            )


class OutputError(Exception):
    """A result that cannot be written or drawn; the message gives the reason."""


class Console:
    """Standard error, with a line of progress that is cleared before anything else is printed."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr
        self.is_terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._has_progress = False
        #: What :meth:`note` has said.
        self.notes: list[str] = []

    def note(self, *messages: str) -> None:
        """Print what the user should know but need not act on, one line each."""
        self.notes += messages
        for message in messages:
            self._line(f"kgroups: note: {message}")

    def error(self, message: str) -> None:
        """Print why there is no result."""
        self._line(f"kgroups: error: {message}")

    def last_words(self, message: str) -> None:
        """Print an error from a signal handler, past the stream, which may be in use."""
        clear = _CLEAR_LINE if self._has_progress else ""
        text = f"{clear}{on_stderr(f'kgroups: error: {message}', self.stream)}\n"
        os.write(self.stream.fileno(), text.encode(self.stream.encoding or "utf-8"))

    def status(self, text: object) -> None:
        """Show a line that the next one replaces, as wide as the terminal; only on a terminal."""
        if self.is_terminal:
            self._has_progress = True
            page = page_of(self.stream)
            # A wrapped line could not be cleared.
            page = replace(page, width=page.width - 1)
            self._write(f"{_CLEAR_LINE}{one_line(printable(str(text)), page)}")

    @contextmanager
    def status_after(self, seconds: float, text: str) -> Iterator[None]:
        """:meth:`status` where the work within takes longer than so many seconds."""
        timer = threading.Timer(seconds, self.status, [text])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def clear(self) -> None:
        """Remove the line of progress."""
        if self._has_progress:
            self._has_progress = False
            self._write(_CLEAR_LINE)

    @contextmanager
    def warnings_as_notes(self, worded: Callable[[str], str] = str) -> Iterator[None]:
        """Show warnings as notes, each once, and remove the line of progress at the end.

        ``worded`` puts what is written for Python into words of the command line.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for category in _FOR_PROGRAMMERS:
                warnings.simplefilter("ignore", category)
            warnings.showwarning = lambda message, *_, **__: self._noted(worded(str(message)))
            try:
                yield
            finally:
                self.clear()

    def _noted(self, message: str) -> None:
        if message not in self.notes:
            self.note(message)

    def _line(self, text: str) -> None:
        self.clear()
        self._write(f"{on_stderr(text, self.stream)}\n")

    def _write(self, text: str) -> None:
        """Write and flush; where standard error cannot be written, work goes on without it."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            hush(self.stream)


def page_of(stream: TextIO) -> Page:
    """The page that a stream is: its width, its encoding, and whether its user wants color."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    color = stream.isatty() and not is_plain
    return Page(_columns(stream), color, stream.encoding or "utf-8")


def _columns(stream: TextIO) -> int:
    """COLUMNS, or the width of the terminal, or 80."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    except (OSError, ValueError):  # not a terminal, or closed
        return _WIDTH


def on_stderr(text: str, stream: TextIO) -> str:
    """A message as standard error has it: at most as wide as a terminal, unbroken elsewhere."""
    # The name of a file may hold what moves the cursor.
    lines = [printable(line) for line in text.splitlines()]
    page = page_of(stream)
    if stream.isatty():
        return laid_out([lines], page)
    return spelled("\n".join(lines), page.encoding)


def say(text: str) -> None:
    """Print a result on standard output, at once, so that a closed pipe is noticed here."""
    _print(f"{spelled(text, page_of(sys.stdout).encoding)}\n")


def show(*blocks: Block) -> None:
    """Print blocks on standard output, laid out to its width."""
    say(laid_out(blocks, page_of(sys.stdout)))


def flush_stdout() -> None:
    """Print what argparse has left in the buffer of standard output."""
    _print("")


def _print(text: str) -> None:
    """Write and flush; OutputError where that fails, as on a full disk."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        hush(sys.stdout)
        reason = error.strerror or error
        raise OutputError(f"standard output cannot be written: {reason}") from error


def hush(stream: TextIO) -> None:
    """Discard what is left to print, or Python would complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class Report(Protocol):
    """A result that can be shown to a person or a program."""

    def blocks(self) -> Sequence[Block]:
        """The report for people."""

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""


def print_report(
    report: Report, options: Namespace, written: Mapping[str, Path | None] | None = None
) -> None:
    """Print a report and, below its text, which files were written."""
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
        return
    files = [(what, path) for what, path in (written or {}).items() if path is not None]
    *blocks, last = report.blocks()
    show(*blocks, [*last, *(f"{what} written to {path}." for what, path in files)])
