"""A file that is written whole or not at all, whatever ends the program."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

# Files being written, to be removed after a Ctrl-C that does not unwind the stack.
_unfinished: set[Path] = set()


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """What to write a file into: it has another name within the block, and is renamed at its end.

    An error in the block leaves the file as it was. A file that is replaced keeps its permissions,
    and nobody else reads the new one before. A link stays, and its target is replaced.
    """
    target = real_path(path)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary = temporary_in(target.parent)
    _unfinished.add(temporary)
    try:
        with open(
            temporary, "xb", opener=partial(os.open, mode=0o666 if mode is None else 0o600)
        ) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    finally:
        _discard(temporary)


def try_to_write(folder: Path) -> None:
    """OSError unless a file can be created in a folder, whatever its permissions say."""
    temporary = temporary_in(folder)
    _unfinished.add(temporary)
    try:
        temporary.touch(exist_ok=False)
    finally:
        _discard(temporary)


def discard_unfinished() -> None:
    """Remove the temporary files of writes that did not finish."""
    for temporary in list(_unfinished):
        _discard(temporary)


def _discard(temporary: Path) -> None:
    """Remove one of them; others may be written by other threads."""
    temporary.unlink(missing_ok=True)
    _unfinished.discard(temporary)


def temporary_in(folder: Path) -> Path:
    """A new name in a folder, short however long the names of its files are."""
    return folder / f".kgroups-{secrets.token_hex(4)}.tmp"


def real_path(path: Path) -> Path:
    """The target of a link, so that the link stays and its target is replaced."""
    return Path(os.path.realpath(path))
