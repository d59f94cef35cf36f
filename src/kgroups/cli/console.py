"""What a command prints: its report on stdout; notes, errors and a line of progress on stderr.

Reports are as wide as the terminal, and 80 columns in a file or a pipe unless COLUMNS says
otherwise. Notes and errors are broken at the width of a terminal, too; elsewhere each is one line,
which a program can search for.
"""

import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from kgroups.layout import Block, Page, laid_out, one_line, spelled
from kgroups.text import printable

_WIDTH = 80
_CLEAR_LINE = "\r\x1b[K"
#: Warnings for programmers, not for a person at a terminal.
_FOR_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


class UsageError(click.UsageError):
    """Options that contradict each other; the message says what to write instead."""


class OutputError(Exception):
    """A result that cannot be written or drawn; the message gives the reason."""


class Console:
    """Standard error, with a line of progress that is cleared before anything else is printed."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr
        self.is_terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._has_progress = False
        #: What :meth:`note` has printed.
        self.notes: list[str] = []

    def note(self, *messages: str) -> None:
        """Print what the user should know but need not act on, one line each."""
        self.notes += messages
        for message in messages:
            self.line(f"kgroups: note: {message}")

    def error(self, message: str) -> None:
        """Print why there is no result."""
        self.line(f"kgroups: error: {message}")

    def status(self, text: object) -> None:
        """Show a line that the next one replaces, as wide as the terminal; only on a terminal."""
        if self.is_terminal:
            self._has_progress = True
            page = page_of(self.stream)
            # A wrapped line could not be cleared.
            page = replace(page, width=page.width - 1)
            self._write(f"{_CLEAR_LINE}{one_line(printable(str(text)), page)}")

    def clear(self) -> None:
        """Remove the line of progress."""
        if self._has_progress:
            self._has_progress = False
            self._write(_CLEAR_LINE)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show warnings as notes, each once, and remove the line of progress at the end."""

        def noted(message: Warning | str, *_: object, **__: object) -> None:
            """Print what has not been printed."""
            if str(message) not in self.notes:
                self.note(str(message))

        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for category in _FOR_PROGRAMMERS:
                warnings.simplefilter("ignore", category)
            warnings.showwarning = noted
            try:
                yield
            finally:
                self.clear()

    def line(self, text: str) -> None:
        """Print at most as wide as a terminal, unbroken elsewhere; no name controls either."""
        self.clear()
        lines, page = [printable(line) for line in text.splitlines()], page_of(self.stream)
        broken = laid_out([lines], page) if self.stream.isatty() else "\n".join(lines)
        self._write(f"{spelled(broken, page.encoding)}\n")

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
    width = os.environ.get("COLUMNS", "")
    if not (width.isdecimal() and int(width)):
        try:
            width = str(os.get_terminal_size(stream.fileno()).columns or _WIDTH)
        except (OSError, ValueError):  # not a terminal, or closed
            width = str(_WIDTH)
    return Page(int(width), stream.isatty() and not is_plain, stream.encoding or "utf-8")


def say(text: str) -> None:
    """Print a result at once, so that a closed pipe is noticed; OutputError on a full disk."""
    try:
        sys.stdout.write(f"{spelled(text, page_of(sys.stdout).encoding)}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        hush(sys.stdout)
        reason = error.strerror or error
        raise OutputError(f"standard output cannot be written: {reason}") from error


def show(*blocks: Block) -> None:
    """Print blocks on standard output, laid out to its width."""
    say(laid_out(blocks, page_of(sys.stdout)))


def hush(stream: TextIO) -> None:
    """Discard what is left to print, or Python would complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def print_report(report: Any, options: Any, written: Mapping[str, Path | None]) -> None:
    """Print a report and, below its text, which files were written."""
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
        return
    *blocks, last = report.blocks()
    show(*blocks, [*last, *in_words(written)])


def in_words(written: Mapping[str, Path | None]) -> list[str]:
    """Where each file is."""
    files = {what: printable(str(path)) for what, path in written.items() if path is not None}
    return [f"{what} written to {path}." for what, path in files.items()]
