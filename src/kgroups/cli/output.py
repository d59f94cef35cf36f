"""Files that a command writes: whole, all of them or none."""

from __future__ import annotations

import copy
import csv
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from kgroups.cli.console import OutputError, UsageError, print_report
from kgroups.runtime.written_whole import real_path, try_to_write, written_whole
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CLUSTER = "cluster"
_DOTS_PER_INCH = 150
# Packages that some files need.
_NEEDED = {"--plot": ("matplotlib",), "--report": ("matplotlib", "jinja2")}
# Options that name files to write, their attributes, and what is in the file.
_WRITTEN = {
    "-o": ("output", ""),
    "--plot": ("plot", "Picture"),
    "--report": ("report", "Report"),
    "--save": ("save", "Model"),
}
# Extensions of files, by what is written.
_ENDINGS = {
    "-o": (".csv", ".parquet", ".txt", ""),
    "picture": (".png", ".svg", ".pdf"), "--plot": (".png", ".svg", ".pdf"),
    "--report": (".html", ".htm"),
}  # fmt: skip


def check_destinations(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | Path | None]
) -> None:
    """Raise, before the work starts, for a file that could not be written after it.

    Outputs are by the options that name them. No input may be overwritten.
    """
    read = [real_path(Path(str(path))) for path in inputs if path not in (None, "-")]
    taken = dict.fromkeys(read, "one that is read")
    wanted = {option: path for option, path in outputs.items() if path is not None}
    for option, path in wanted.items():
        if (other := taken.setdefault(real_path(path), option)) != option:
            raise UsageError(f"{option} {path} is the same file as {other}; give it another name")
    for option, path in wanted.items():
        if str(path) == "-":
            raise UsageError(f"{option} needs a file name; --json prints to standard output")
        if path.suffix.lower() not in (endings := _ENDINGS.get(option, (path.suffix.lower(),))):
            raise UsageError(f"{option} {path} must end in {', '.join(filter(None, endings))}")
        inside = [
            folder for folder in read if folder.is_dir() and folder in real_path(path).parents
        ]
        if inside and is_parquet(path):
            raise UsageError(f"{option} {path} is in the folder {inside[0]}, whose files are read")
        _check_no_stream(path, option, reads="-" in inputs)
        _check_place(path, f"{option} {path}")
        for package in _NEEDED.get(option, ()):
            if find_spec(package) is None:
                raise OutputError(f'{option} needs {package}; run: pip install "kgroups[cli]"')


def check_files(options: Any) -> None:
    """Check where the options write, before the work starts; no file that they read is replaced."""
    given, data = vars(options), getattr(options, "data", None)
    outputs = {option: given.get(name) for option, (name, _) in _WRITTEN.items()}
    read = [given.get(name) for name in ("graph", "model", "labels", "certify")]
    check_destinations(outputs, [*read, *(data if isinstance(data, tuple) else [data])])


def write_and_print(
    report: Any, options: Any, labels: str = "Labels", /, **contents: Callable[[], bytes]
) -> None:
    """Write the files of these options, then print the report and where they are."""
    write_together({getattr(options, name): make for name, make in contents.items()})
    words = {name: what or labels for name, what in _WRITTEN.values()}
    print_report(report, options, {words[n]: getattr(options, n) for n in words if n in contents})


def _check_place(path: Path, what: str) -> None:
    """OutputError unless a file can be created there, which replaces no folder or device."""
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            if not stat.S_ISREG(path.stat().st_mode):
                raise OutputError(f"{what} is a folder or a device; give another name")
        try_to_write(real_path(path).parent)
    except OSError as error:
        raise OutputError(f"{what} cannot be written: {error.strerror or error}") from error


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


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """What to write a file into that is never seen in part; OutputError where that fails."""
    try:
        with written_whole(path) as stream:
            yield stream
            stream.flush()
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


def write_together(files: Mapping[Path | None, Callable[[], bytes]]) -> None:
    """Make and write the contents of all files, then give them their names."""
    contents = {path: make() for path, make in files.items() if path is not None}
    with ExitStack() as stack:
        for path, content in contents.items():
            stream = stack.enter_context(whole_file(path))
            stream.write(content)
            stream.flush()


def label_columns(
    path: Path | None, labels: IntArray, ids: Sequence[str] | None, id_name: str, start: int = 0
) -> dict[str, Any]:
    """The columns of labels: the number of the row in CSV, its name where it has one, its cluster.

    ``start`` is the number of rows before these.
    """
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if not is_parquet(path):
        columns["row"] = pa.array(range(start + 1, start + 1 + len(labels)), pa.int64())
    if ids is not None:
        name = "id" if id_name in (*columns, _CLUSTER) else id_name
        columns[name] = pa.array(ids, pa.string())
    columns[_CLUSTER] = pa.array(labels.astype("int32", copy=False))
    return columns


def columns_bytes(path: Path | None, columns: Mapping[str, Any]) -> bytes:
    """Columns by their names, as CSV or as Parquet by the name of the file."""
    stream = io.BytesIO()
    write_columns(stream, path, [columns])
    return stream.getvalue()


def write_columns(stream: IO[bytes], path: Path | None, parts: Iterable[Mapping[str, Any]]) -> None:
    """Write columns, some rows at a time, as CSV or as Parquet by the name of the file."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    with ExitStack() as stack:
        for number, part in enumerate(parts):
            table = pa.table(dict(part))
            if is_parquet(path):
                if number == 0:
                    writer = stack.enter_context(ParquetWriter(stream, table.schema))
                writer.write_table(table)
                continue
            if number == 0:
                names = io.StringIO()
                csv.writer(names, lineterminator="\n").writerow(table.column_names)
                stream.write(names.getvalue().encode())
            stream.write(_csv_rows(table))


def _csv_rows(table: Any) -> bytes:
    """The rows of a table of Arrow, with texts in quotes only where one of them needs it."""
    from pyarrow import ArrowInvalid
    from pyarrow.csv import WriteOptions, write_csv

    rows = io.BytesIO()
    try:
        write_csv(table, rows, WriteOptions(include_header=False, quoting_style="none"))
    except ArrowInvalid:
        rows = io.BytesIO()
        write_csv(table, rows, WriteOptions(include_header=False))
    return rows.getvalue()


def is_parquet(path: Path | None) -> bool:
    """Whether a file of labels is Parquet, by its name."""
    return path is not None and path.suffix.lower() == ".parquet"


def picture_bytes(figure: Figure, suffix: str) -> bytes:
    """A figure in the format of a file extension; an SVG does not depend on the date."""
    from matplotlib import rc_context

    buffer, kind = io.BytesIO(), suffix.lower().lstrip(".")
    with rc_context({"svg.hashsalt": "kgroups"}):
        figure.savefig(
            buffer, format=kind, dpi=_DOTS_PER_INCH,
            metadata={"Date": None} if kind == "svg" else None,
        )  # fmt: skip
    return buffer.getvalue()


def model_bytes(model: Any) -> bytes:
    """The file of a fitted model, without its line of progress."""
    from kgroups.persistence import write_model

    kept = copy.copy(model)
    kept.verbose = 0
    stream = io.BytesIO()
    write_model(kept, stream)
    return stream.getvalue()
