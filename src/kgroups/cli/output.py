"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from kgroups.cli.errors import OutputError, UsageError

# Files being written, for a Ctrl-C that leaves no time to unwind.
_unfinished: set[Path] = set()


def check_destinations(outputs: dict[str, Path | None], source: str) -> None:
    """Say before the work starts that a file could not be written after it.

    ``outputs`` has the option that names each file.
    """
    taken = {} if source == "-" else {_real(Path(source)): "DATA"}
    for option, path in outputs.items():
        if path is None:
            continue
        other = taken.setdefault(_real(path), option)
        if other != option:
            raise UsageError(f"{option} {path} is the same file as {other}; give it another name")
    for option, path in outputs.items():
        if path is not None:
            check_writable(path, option)


def check_writable(path: Path, option: str) -> None:
    """The folder is there and lets files be made; what is replaced is an ordinary file."""
    target = _real(path)
    if str(path) == "-":
        raise UsageError(f"{option} needs the name of a file; --json prints to standard output")
    if target.is_dir():
        raise OutputError(f"{option} {path} is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise OutputError(f"{option} {path} is not an ordinary file; give another name")
    if not target.parent.is_dir():
        raise OutputError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{option} {path}: the folder {path.parent} is not writable")


def check_folder(path: Path, option: str) -> None:
    """A folder that files can be made in, or a place where such a folder can be made."""
    if str(path) == "-":
        raise UsageError(f"{option} needs the name of a folder; --json prints to standard output")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{option} {path} is a file; name a folder")
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise OutputError(f"{option} {path}: {nearest} is a file; name another folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OutputError(f"{option} {path}: the folder {nearest} is not writable")


def make_folder(path: Path) -> None:
    """The folder with those above it; nothing when it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be made: {error.strerror or error}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen in part: beside its place first, then moved there."""
    target = _real(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    _unfinished.add(beside)
    try:
        with beside.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        discard_unfinished()


def discard_unfinished() -> None:
    """Remove what was not moved to its place."""
    while _unfinished:
        _unfinished.pop().unlink(missing_ok=True)


def _real(path: Path) -> Path:
    """Where a link points, so that the link stays and its target is replaced."""
    return Path(os.path.realpath(path))
