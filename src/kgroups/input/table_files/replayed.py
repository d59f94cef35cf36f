"""Streams that are made as they are read, and made once more to go back."""

from __future__ import annotations

import abc
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BYTES_AT_ONCE = 1 << 20


class Replayed(io.RawIOBase):
    """Bytes that a subclass makes in order; going back begins again from the first."""

    def __init__(self) -> None:
        self._begin()
        self._position = 0

    @abc.abstractmethod
    def _begin(self) -> None:
        """Make the first bytes next."""

    @abc.abstractmethod
    def _made(self, size: int) -> bytes:
        """The next bytes, at most ``size`` of them; none at the end."""

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always; going back makes everything before the position once more."""
        return True

    def tell(self) -> int:
        """How many bytes have been read."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a position, counted from the beginning or from here."""
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation("the end is not known before everything is read")
        target = offset + (self._position if whence == io.SEEK_CUR else 0)
        if target < self._position:
            self._begin()
            self._position = 0
        while self._position < target and self._taken(min(target - self._position, _BYTES_AT_ONCE)):
            pass
        return self._position

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Make as many bytes as there is room for, or fewer; none at the end."""
        view = memoryview(buffer).cast("B")
        content = self._taken(len(view))
        view[: len(content)] = content
        return len(content)

    def _taken(self, size: int) -> bytes:
        content = self._made(size)
        self._position += len(content)
        return content
