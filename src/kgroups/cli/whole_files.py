"""Files that are written whole or not at all, and figures as the bytes of a file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kgroups.cli.console import OutputError, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150
# Files being written, to be removed after a Ctrl-C that does not unwind the stack.
_unfinished: set[Path] = set()


def check_destinations(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]
) -> None:
    """Raise, before the work starts, for a file that could not be written after it.

    Both mappings give the option that names each file. No input may be overwritten.
    """
    taken = {_real(Path(str(p))): name for name, p in inputs.items() if p not in (None, "-")}
    wanted = {option: path for option, path in outputs.items() if path is not None}
    for option, path in wanted.items():
        other = taken.setdefault(_real(path), option)
        if other != option:
            raise UsageError(f"{option} {path} is the same file as {other}; give it another name")
    for option, path in wanted.items():
        check_writable(path, option)
    if "--plot" in wanted:
        require_matplotlib("--plot")


def check_writable(path: Path, option: str) -> None:
    """Raise unless the folder exists and is writable, and ``path`` is not a folder or device."""
    target = _real(path)
    if str(path) == "-":
        raise UsageError(f"{option} needs a file name; --json prints to standard output")
    if target.is_dir():
        raise OutputError(f"{option} {path} is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise OutputError(f"{option} {path} is not a regular file; give another name")
    if not target.parent.is_dir():
        raise OutputError(
            f"{option} {path}: the folder {path.parent} does not exist; create it first"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{option} {path}: the folder {path.parent} is not writable")


def check_folder(path: Path, option: str) -> None:
    """Raise unless ``path`` is a writable folder, or one can be created there."""
    if str(path) == "-":
        raise UsageError(f"{option} needs a folder name; --json prints to standard output")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{option} {path} is a file; name a folder")
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise OutputError(f"{option} {path}: {nearest} is a file; name another folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OutputError(f"{option} {path}: the folder {nearest} is not writable")


def make_folder(path: Path) -> None:
    """Create a folder with those above it, if it does not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be created: {error.strerror or error}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen in part: under another name first, then renamed."""
    target = _real(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    _unfinished.add(temporary)
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        discard_unfinished()


def write_together(files: Mapping[Path | None, Callable[[], bytes]]) -> None:
    """Make the contents of all files, then write them, so that an error leaves none of them."""
    contents = {path: make() for path, make in files.items() if path is not None}
    for path, content in contents.items():
        write_whole(path, content)


def discard_unfinished() -> None:
    """Remove the temporary files of writes that did not finish."""
    while _unfinished:
        _unfinished.pop().unlink(missing_ok=True)


def has_matplotlib() -> bool:
    """Whether pictures can be drawn; matplotlib is not imported."""
    return find_spec("matplotlib") is not None


def require_matplotlib(option: str) -> None:
    """OutputError, with how to install matplotlib, if it is missing."""
    if not has_matplotlib():
        raise OutputError(f'{option} needs matplotlib; run: pip install "kgroups[plot]"')


def saved(figure: Figure, suffix: str) -> bytes:
    """A figure in the format of a file extension; an SVG does not depend on the date."""
    from matplotlib import rc_context

    buffer, kind = io.BytesIO(), suffix.lower().lstrip(".")
    metadata = {"Date": None} if kind == "svg" else None
    with rc_context({"svg.hashsalt": "kgroups"}):
        figure.savefig(buffer, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def _real(path: Path) -> Path:
    """The target of a link, so that the link stays and its target is replaced."""
    return Path(os.path.realpath(path))
