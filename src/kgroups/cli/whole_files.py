"""Files that are written whole or not at all, and figures as the bytes of a file."""

from __future__ import annotations

import io
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kgroups.cli.console import OutputError, UsageError
from kgroups.names import COMPRESSIONS, GRAPH_SUFFIXES, TABLE_SUFFIXES
from kgroups.runtime.written_whole import real_path, try_to_write, written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150
# Extensions of files that hold no text with commas between fields, uncompressed.
_NOT_CSV = {
    *TABLE_SUFFIXES, *COMPRESSIONS, *GRAPH_SUFFIXES, ".xz", ".zip",
    ".tab", ".json", ".jsonl", ".html", ".md", ".xls", ".xlsm", ".ods", ".pq", ".ipc", ".mat",
    ".h5", ".hdf5", ".pkl", ".pickle", ".joblib", ".sav", ".dta", ".rds", ".rdata",
    ".png", ".svg", ".pdf", ".jpg", ".jpeg",
} - {".csv", ".txt"}  # fmt: skip


def check_destinations(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]
) -> None:
    """Raise, before the work starts, for a file that could not be written after it.

    Both mappings give the option that names each file. No input may be overwritten.
    """
    taken = {real_path(Path(str(p))): name for name, p in inputs.items() if p not in (None, "-")}
    wanted = {option: path for option, path in outputs.items() if path is not None}
    for option, path in wanted.items():
        other = taken.setdefault(real_path(path), option)
        if other != option:
            raise UsageError(f"{option} {path} is the same file as {other}; give it another name")
    for option, path in wanted.items():
        _check_no_stream(path, option, reads="-" in inputs.values())
        check_writable(path, option)
    for option in wanted:
        if option.startswith("--plot") or option == "--report":
            require_matplotlib(option)
    if "--report" in wanted and find_spec("jinja2") is None:
        raise OutputError('--report needs jinja2; run: pip install "kgroups[report]"')


def check_csv_name(path: Path | None, option: str, formats: str = "CSV") -> None:
    """UsageError for the name of a file of another format than CSV, which is what is written.

    ``formats`` are those that the option writes, for the message.
    """
    suffixes = [] if path is None else path.suffixes
    if path is None or not suffixes or suffixes[-1].lower() not in _NOT_CSV:
        return
    stem = path.with_suffix("")
    if suffixes[-1].lower() in COMPRESSIONS and stem.suffix:
        stem = stem.with_suffix("")
    raise UsageError(
        f"{option} writes {formats}, and {path} has the name of another format; write {option} "
        f"{shlex.quote(f'{stem}.csv')}"
    )


def _check_no_stream(path: Path, option: str, *, reads: bool) -> None:
    """Raise for a file that the shell redirects, whose content would be lost with the old file."""
    streams = {"output": sys.stdout, "error": sys.stderr, **({"input": sys.stdin} if reads else {})}
    for name, stream in streams.items():
        try:
            is_same = os.path.samestat(path.stat(), os.fstat(stream.fileno()))
        except (OSError, ValueError, AttributeError):  # no such file; a stream that has none
            continue
        if is_same and path.is_file():
            raise UsageError(
                f"{option} {path} is where standard {name} is redirected; give it another name"
            )


def check_writable(path: Path, option: str) -> None:
    """Raise unless a file can be created next to ``path``, which is not a folder or device."""
    if str(path) == "-":
        raise UsageError(f"{option} needs a file name; --json prints to standard output")
    target, mode = real_path(path), _mode(path, option)
    if mode is None:
        _check_parent(path, target, option)
    elif stat.S_ISDIR(mode):
        raise OutputError(f"{option} {path} is a folder; name a file in it")
    elif not stat.S_ISREG(mode):
        raise OutputError(f"{option} {path} is not a regular file; give another name")
    folder = target.parent if path.is_symlink() else path.parent
    _try_to_write(folder, f"{option} {path}")


def _mode(path: Path, option: str) -> int | None:
    """Type and permissions of a file; None if there is none, an error if there can be none."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutputError(f"{option} {path} cannot be written: {error.strerror}") from error


def _check_parent(path: Path, target: Path, option: str) -> None:
    """Raise if the folder of a new file does not exist."""
    if target.parent.is_dir():
        return
    if path.is_symlink():
        raise OutputError(
            f"{option} {path} is a link to {target}, in a folder that does not exist; create "
            f"{target.parent} first, or remove the link"
        )
    raise OutputError(f"{option} {path}: the folder {path.parent} does not exist; create it first")


def _try_to_write(folder: Path, what: str) -> None:
    """OutputError unless a file can be created in a folder."""
    try:
        try_to_write(folder)
    except OSError as error:
        raise OutputError(
            f"{what}: no file can be created in the folder {folder}: {error.strerror or error}"
        ) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen in part."""
    with whole_file(path) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """:func:`written_whole`, where an error of the system becomes OutputError."""
    try:
        with written_whole(path) as stream:
            yield stream
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


def write_together(files: Mapping[Path | None, Callable[[], bytes]]) -> None:
    """Make the contents of all files, then write them, so that an error leaves none of them."""
    contents = {path: make() for path, make in files.items() if path is not None}
    for path, content in contents.items():
        write_whole(path, content)


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
