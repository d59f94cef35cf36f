"""How files of each format begin, for those without a name and those with a wrong one."""

from typing import IO, NamedTuple


class Signature(NamedTuple):
    """The first bytes of a format, its name in messages, and its extension."""

    begin: bytes
    name: str
    suffix: str


_SIGNATURES = (
    Signature(b"\x1f\x8b", "gzip", ".gz"),
    *(Signature(b"BZh%d1AY&SY" % level, "bzip2", ".bz2") for level in range(1, 10)),
    Signature(b"\x28\xb5\x2f\xfd", "Zstandard", ".zst"),
    Signature(b"\x93NUMPY", "NPY", ".npy"),
    Signature(b"PK\x03\x04", "a ZIP archive", ".npz"),
    Signature(b"PK\x05\x06", "a ZIP archive", ".npz"),
    # With the byte that follows, because a column of a text file may be called PAR1.
    Signature(b"PAR1\x15", "Parquet", ".parquet"),
    Signature(b"ARROW1\0\0", "Arrow", ".arrow"),
    Signature(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or locked Office file", ".xls"),
    Signature(b"\xfd7zXZ\x00", "xz", ".xz"),
    Signature(b"%PDF-", "PDF", ".pdf"),
    Signature(b"\x89PNG\r\n", "a picture", ".png"),
)
_LONGEST = max(len(signature.begin) for signature in _SIGNATURES)


def signature_of(stream: IO[bytes]) -> Signature | None:
    """The format that the next bytes of a stream belong to; None for text and what is not known.

    The stream must be able to go back, and does.
    """
    begin = stream.tell()
    head = stream.read(_LONGEST)
    stream.seek(begin)
    return next((found for found in _SIGNATURES if head.startswith(found.begin)), None)
