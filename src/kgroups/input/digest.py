"""SHA-256 of what was read, by which others can tell whether they have the same data."""

import hashlib
from pathlib import Path
from typing import IO

_BYTES_AT_ONCE = 1 << 20


def sha256_of(path: str | Path) -> str:
    """The digest of a file's bytes, in hexadecimal. Memory: 1 MiB."""
    with Path(path).open("rb") as stream:
        return sha256_of_rest(stream)


def sha256_of_rest(stream: IO[bytes]) -> str:
    """The digest of all bytes from here to the end of a stream.

    >>> from io import BytesIO
    >>> sha256_of_rest(BytesIO(b"abc"))[:16]
    'ba7816bf8f01cfea'
    """
    digest = hashlib.sha256()
    while chunk := stream.read(_BYTES_AT_ONCE):
        digest.update(chunk)
    return digest.hexdigest()
