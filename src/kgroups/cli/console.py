"""What people see beside the result: notes, errors and one line of progress, all on stderr."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_CLEAR_LINE = "\r\x1b[K"
#: Warnings that speak to programmers, not to people at a terminal.
_FOR_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


class Console:
    """Standard error, where a line of progress may stand that must go before anything else."""

    def __init__(self) -> None:
        self.stream: TextIO = sys.stderr
        self.is_terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._has_progress = False

    def note(self, message: str) -> None:
        """Something that the user should know and need not act on."""
        self._line(f"kgroups: note: {message}")

    def error(self, message: str) -> None:
        """Why there is no result."""
        self._line(f"kgroups: error: {message}")

    def last_words(self, message: str) -> None:
        """An error from a signal handler, which must not enter a stream that may be in use."""
        clear = _CLEAR_LINE if self._has_progress else ""
        os.write(self.stream.fileno(), f"{clear}kgroups: error: {message}\n".encode())

    def status(self, text: object) -> None:
        """Show a line that the next one replaces; nothing unless stderr is a terminal."""
        if self.is_terminal:
            self._has_progress = True
            self.stream.write(f"{_CLEAR_LINE}{text}")
            self.stream.flush()

    def clear(self) -> None:
        """Take the line of progress away."""
        if self._has_progress:
            self._has_progress = False
            self.stream.write(_CLEAR_LINE)
            self.stream.flush()

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show warnings as notes, and take the line of progress away at the end."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for category in _FOR_PROGRAMMERS:
                warnings.simplefilter("ignore", category)
            warnings.showwarning = lambda message, *_, **__: self.note(str(message))
            try:
                yield
            finally:
                self.clear()

    def _line(self, text: str) -> None:
        self.clear()
        print(_encodable(text, self.stream), file=self.stream, flush=True)


def say(text: str) -> None:
    """Print a result on standard output, at once, so that a closed pipe is noticed here."""
    print(_encodable(text, sys.stdout), flush=True)


def wants_color() -> bool:
    """Whether standard output is a terminal whose user has not asked for plain text."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not is_plain


def _encodable(text: str, stream: TextIO) -> str:
    """The text with what the stream cannot write spelled out."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
