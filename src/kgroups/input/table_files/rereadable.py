"""Streams of text that are read several times, with lines that end in line feeds."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from typing import IO, TYPE_CHECKING

from kgroups.exceptions import DataError
from kgroups.runtime.memory import human_bytes

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BYTES_IN_MEMORY = 1 << 24
_BYTES_AT_ONCE = 1 << 20
# What a copy leaves free on the disk for others.
_LEFT_FREE = 1 << 26
# The beginning of a text that shows how its lines end.
_HEAD = 1 << 16


@contextmanager
def rereadable(stream: IO[bytes], source: str) -> Iterator[IO[bytes]]:
    """The stream itself if it can be read again; a pipe is copied, to a file if it is long.

    The file has no name, so it is gone when the process ends, whatever ends it.

    Raises
    ------
    DataError
        If the temporary folder has no room for the copy.
    """
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_BYTES_IN_MEMORY) as copy:
        size = 0
        while block := stream.read(_BYTES_AT_ONCE):
            size += len(block)
            if size > _BYTES_IN_MEMORY:
                is_new = size - len(block) <= _BYTES_IN_MEMORY
                _check_room(source, size, size if is_new else len(block))
            try:
                copy.write(block)
            except OSError as error:
                if error.errno not in (ENOSPC, EDQUOT):
                    raise
                raise DataError(_no_room(source, size)) from error
        copy.seek(0)
        yield copy


def _check_room(source: str, size: int, more: int) -> None:
    """DataError unless the temporary folder has room for so many bytes more."""
    if shutil.disk_usage(tempfile.gettempdir()).free < more + _LEFT_FREE:
        raise DataError(_no_room(source, size))


def _no_room(source: str, size: int) -> str:
    return (
        f"{source} is read more than once, so it is copied to {tempfile.gettempdir()}, which has "
        f"no room for its first {human_bytes(size)}. Write it to a file and name that, or set "
        "TMPDIR to a folder with more room."
    )


def with_line_feeds(stream: IO[bytes]) -> IO[bytes]:
    r"""The stream, with line feeds for the carriage returns of a text without any line feed.

    Macs wrote lines so until 2001, and Excel for Mac still offers it.

    >>> with_line_feeds(io.BytesIO(b"a,b\r1,2\r")).readline()
    b'a,b\n'
    """
    start = stream.tell()
    head = stream.read(_HEAD)
    stream.seek(start)
    if b"\r" not in head.removesuffix(b"\r") or b"\n" in head or b"\0" in head:
        return stream
    return io.BufferedReader(_LineFeeds(stream), _BYTES_AT_ONCE)


class _LineFeeds(io.RawIOBase):
    """A stream of the same length with line feeds for carriage returns."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a position."""
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read what the stream has."""
        view = memoryview(buffer).cast("B")
        content = self._stream.read(len(view))
        view[: len(content)] = content.replace(b"\r", b"\n")
        return len(content)
