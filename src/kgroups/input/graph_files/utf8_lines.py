"""Text in another encoding, or with lines that are not read, as a stream of UTF-8."""

import io
from codecs import BOM_UTF8, lookup
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.text_lines import LONGEST_LINE
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.replayed import Replayed
from kgroups.input.table_files.rereadable import with_line_feeds
from kgroups.input.table_files.sniffing import is_utf16
from kgroups.input.table_files.text_format import TextFormat
from kgroups.text import counted

_BYTES_AT_ONCE = 1 << 20


def in_utf8(stream: IO[bytes], source: str, text: TextFormat) -> tuple[IO[bytes], str]:
    """The text as UTF-8 with line feeds, lines to be skipped left blank, and its encoding."""
    stream.seek(0)
    head = stream.read(4)
    stream.seek(0)
    encoding = text.encoding or ("utf-16" if is_utf16(head) else "utf-8")
    if lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        if head.startswith(BOM_UTF8):
            raise DataError(
                f'{source} begins with the mark of UTF-8, so it is not encoding="{encoding}"; '
                "leave that out."
            )
        stream = _rewritten(partial(_decoded, stream, source, encoding))
    stream = with_line_feeds(stream)
    if text.skip_lines:
        stream = _rewritten(partial(_without, stream, source, text.skip_lines))
    return stream, encoding


def notes_on_text(text: TextFormat, source: str, encoding: str) -> list[str]:
    """Notes on lines that were skipped and on an encoding that was found."""
    notes = []
    if text.skip_lines:
        are = "line {} of {} is" if len(text.skip_lines) == 1 else "lines {} of {} are"
        notes.append(f"{are.format(as_ranges(text.skip_lines), source)} skipped.")
    if text.encoding is None and encoding != "utf-8":
        notes.append(f"{source} is {encoding.upper()}.")
    return notes


def _decoded(stream: IO[bytes], source: str, encoding: str) -> Iterator[bytes]:
    """All lines, as UTF-8."""
    stream.seek(0)
    wrapper = io.TextIOWrapper(stream, encoding, newline="\n")
    try:
        for line in iter(partial(wrapper.readline, LONGEST_LINE), ""):
            yield line.encode()
    except UnicodeError as error:
        raise DataError(
            f"{source} is not {encoding} text: {error}; save it as UTF-8, or name its encoding."
        ) from error
    finally:
        wrapper.detach()


def _without(stream: IO[bytes], source: str, skipped: tuple[int, ...]) -> Iterator[bytes]:
    """All lines, blank in place of some, so that the others keep their numbers."""
    stream.seek(0)
    number, left_out = 0, frozenset(skipped)
    whole = iter(partial(stream.readline, LONGEST_LINE + 1), b"")
    for number, line in enumerate(whole, start=1):
        yield b"\n" if number in left_out else line
    beyond = [line for line in skipped if line > number]
    if beyond:
        raise DataError(
            f"{source} has {counted(number, 'line')}; skip_lines=[{beyond[0]}] names none of them."
        )


def _rewritten(lines: Callable[[], Iterator[bytes]]) -> IO[bytes]:
    return io.BufferedReader(_Rewritten(lines), _BYTES_AT_ONCE)


class _Rewritten(Replayed):
    """Lines as a stream."""

    def __init__(self, lines: Callable[[], Iterator[bytes]]) -> None:
        self._lines = lines
        super().__init__()

    def _begin(self) -> None:
        self._left, self._rest = self._lines(), b""

    def _made(self, size: int) -> bytes:
        whole = self._rest or next(self._left, b"")
        content, self._rest = whole[:size], whole[size:]
        return content
