"""Text out of archives, in memory alone and never more than a limit."""

import gzip
import io
import zipfile
import zlib
from pathlib import PurePosixPath

from kgroups.exceptions import DataError
from kgroups_papers.data.fetch import MOST_BYTES

# What zipfile and gzip raise for damaged, encrypted and unknown contents.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


def zip_member(archive: bytes, name: str, source: str) -> str:
    """The text of the one file called ``name`` in whatever folder of a ZIP archive.

    Raises
    ------
    DataError
        For an archive that is damaged, has no such file or two, or unpacks to more than the limit.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            found = [member for member in opened.infolist() if _is_called(member.filename, name)]
            if len(found) != 1:
                there = ", ".join(member.filename for member in opened.infolist()[:12])
                how_many = "several files" if found else "no file"
                raise DataError(f"{source} has {how_many} {name}; it has: {there or 'nothing'}.")
            (member,) = found
            if member.file_size > MOST_BYTES:
                raise _too_large(name, source)
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile(f"{name} is packed in a way that is not common")
            # Without a size, zipfile unpacks all that is there before it compares.
            with opened.open(member) as stream:
                return _text(stream.read(member.file_size))
    except _UNREADABLE as error:
        raise DataError(f"{source} is not a sound ZIP archive: {error}.") from error


def gzip_text(data: bytes, source: str) -> str:
    """The text of a GZIP file."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            raw = stream.read(MOST_BYTES + 1)
            if len(raw) > MOST_BYTES:
                raise _too_large("what it unpacks to", source)
            return _text(raw)
    except _UNREADABLE as error:
        raise DataError(f"{source} is not a sound GZIP file: {error}.") from error


def _is_called(filename: str, name: str) -> bool:
    path = PurePosixPath(filename)
    # What macOS adds to archives has the same names.
    return path.name.lower() == name.lower() and "__MACOSX" not in path.parts


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _too_large(name: str, source: str) -> DataError:
    return DataError(f"{source}: {name} has more than {MOST_BYTES >> 20} MiB; it is not the file.")
