"""Compressed files as streams that can be read again; nothing is unpacked to the disk."""

from __future__ import annotations

import bz2
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import LONGEST_REASON
from kgroups.input.table_files.replayed import Replayed
from kgroups.names import COMPRESSIONS, registered
from kgroups.text import short

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BYTES_AT_ONCE = 1 << 20


class Suffixes(NamedTuple):
    """The last extensions of a name: that of the format, and that of the compression or ""."""

    format: str
    compression: str


def suffixes(path: Path) -> Suffixes:
    """The extensions of a file, in lower case.

    >>> suffixes(Path("a.CSV.gz")), suffixes(Path("a.b.npy"))
    (Suffixes(format='.csv', compression='.gz'), Suffixes(format='.npy', compression=''))
    """
    last = path.suffix.lower()
    if last in COMPRESSIONS:
        return Suffixes(path.with_suffix("").suffix.lower(), last)
    return Suffixes(last, "")


@contextmanager
def opened(path: Path, source: str) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked if its last extension says that it is compressed."""
    with path.open("rb") as stream:
        yield unpacked(stream, suffixes(path).compression, source)


def unpacked(stream: IO[bytes], compression: str, source: str) -> IO[bytes]:
    """What is compressed in a stream, as a stream that can be rewound; memory: some megabytes.

    Going back means to unpack once more from the beginning.

    Raises
    ------
    DataError
        While it is read, if it is damaged or cut short; at once if Zstandard is not installed.
    """
    if not compression:
        return stream
    return io.BufferedReader(_Unpacked(stream, compression, source), _BYTES_AT_ONCE)


class _Decoder(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Unpacked(Replayed):
    """Bytes that are unpacked when they are asked for."""

    def __init__(self, packed: IO[bytes], compression: str, source: str) -> None:
        self._packed = packed
        self._start = packed.tell()
        self._compression = compression
        self._source = source
        super().__init__()

    def _begin(self) -> None:
        self._packed.seek(self._start)
        self._decoder = _DECODERS[self._compression](self._packed, self._source)

    def _made(self, size: int) -> bytes:
        try:
            return self._decoder.read(size)
        except _damage() as error:
            if getattr(error, "errno", None) is not None:  # an error of the system, not of the file
                raise
            raise DataError(
                f"{self._source} cannot be unpacked as {self._compression}: "
                f"{short(error, LONGEST_REASON).rstrip('.')}."
            ) from error


# --- decoders --------------------------------------------------------------------------------


def _gzip(packed: IO[bytes], source: str) -> _Decoder:
    return gzip.GzipFile(fileobj=packed, mode="rb")


def _bzip2(packed: IO[bytes], source: str) -> _Decoder:
    return bz2.BZ2File(packed)


def _zstandard(packed: IO[bytes], source: str) -> _Decoder:
    """By Python 3.14 or pyarrow; both refuse frames that need more than 128 MiB to be decoded."""
    decoder: _Decoder
    if sys.version_info >= (3, 14):
        with suppress(ImportError):  # Python can be built without it
            from compression import zstd

            decoder = zstd.ZstdFile(packed)
            return decoder
    try:
        from pyarrow import CompressedInputStream
    except ImportError as error:
        raise DataError(
            f'{source}: reading .zst needs pyarrow or Python 3.14; run: pip install "kgroups[cli]"'
        ) from error
    decoder = CompressedInputStream(_Borrowed(packed), "zstd")
    return decoder


def _damage() -> tuple[type[Exception], ...]:
    """What decoders raise; an error of pyarrow is an OSError."""
    errors: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error)
    if sys.version_info >= (3, 14):
        with suppress(ImportError):
            from compression import zstd

            errors = (*errors, zstd.ZstdError)
    return errors


class _Borrowed(io.RawIOBase):
    """A stream that stays open when pyarrow closes what it was given."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read what the stream has."""
        view = memoryview(buffer).cast("B")
        content = self._stream.read(len(view))
        view[: len(content)] = content
        return len(content)


_DECODERS: dict[str, Callable[[IO[bytes], str], _Decoder]] = registered(
    COMPRESSIONS, {".gz": _gzip, ".bz2": _bzip2, ".zst": _zstandard}
)
