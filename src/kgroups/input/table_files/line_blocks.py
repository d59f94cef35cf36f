"""Text in blocks of whole lines, for compiled readers."""

from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BYTES_AT_ONCE = 1 << 20


class Block(NamedTuple):
    """Bytes of which the first ``stop`` are whole lines, each with a line feed at its end."""

    content: bytes
    stop: int

    @property
    def text(self) -> NDArray[np.uint8]:
        """The lines as an array."""
        return np.frombuffer(self.content, np.uint8, self.stop)

    @property
    def n_lines(self) -> int:
        """The number of lines."""
        return int(np.count_nonzero(self.text == ord("\n")))  # does not hold the lock of Python

    def is_text(self, encoding: str) -> bool:
        """Whether the lines can be decoded."""
        if self.content.isascii():
            return True
        try:
            str(memoryview(self.content)[: self.stop], encoding)
        except UnicodeDecodeError:
            return False
        return True


def blocks_of_lines(stream: IO[bytes], longest: int) -> Iterator[Block]:
    """The rest of a stream; a line of more than ``longest`` bytes may end in the middle."""
    rest = b""
    while read := stream.read(_BYTES_AT_ONCE):
        content = rest + read
        stop = content.rfind(b"\n", len(rest)) + 1
        if stop:
            yield Block(content, stop)
        rest = content[stop:]
        if len(rest) > longest:
            break
    if rest:
        yield Block(rest + b"\n", len(rest) + 1)
