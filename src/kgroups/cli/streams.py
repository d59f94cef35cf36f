"""Which tables ``kgroups cluster`` reads block by block, and the options that need all of them."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from pathlib import Path
from typing import NamedTuple

from kgroups.cli.console import Console, UsageError, refuse_with
from kgroups.cli.row_kinds import ARRAY_METRICS, MIXED, STRING_METRICS
from kgroups.exceptions import DataError
from kgroups.names import MATRICES

#: What DATA may be.
PARQUET, FOLDER, NPY = "parquet", "folder", "npy"
_KINDS = {".parquet": PARQUET, ".npy": NPY}
_METHODS = ("auto", "nystroem")
# Once as the file has it and once as float64, as where a whole table is read.
_BYTES_PER_ENTRY = 16
# How polars reads text block by block.
_SCAN = {
    ".csv": "scan_csv({data})",
    ".tsv": 'scan_csv({data}, separator="\\t")',
    ".txt": "scan_csv({data})",
    ".jsonl": "scan_ndjson({data})",
    ".ndjson": "scan_ndjson({data})",
}


class Asked(NamedTuple):
    """Why a table is read block by block, for messages: what reads it so, and what to do then."""

    reason: str
    instead: str


def is_streamed(options: Namespace, console: Console) -> bool:
    """Whether DATA is read block by block: as asked, on a cluster, a folder, or a large table.

    UsageError for options that need the whole table.
    """
    kind, option = kind_of(options.data), _option(options)
    if option:
        _check_kind(kind, options.data, option)
        _refuse(options, Asked(f"{option} reads it block by block", "omit one of the two"))
        _check_method(options)
        return True
    if kind == FOLDER:
        _refuse(options, Asked(f"the files of {options.data} are read block by block", "omit it"))
        return True
    size = None if kind is None or options.metric in MATRICES else _size(kind, options.data)
    if size is None or not _is_too_large(size, options):
        return False
    shape = f"a table of {size[0]:,} x {size[1]:,}"
    _refuse(options, Asked(f"{options.data}, {shape}, does not fit", "omit it"))
    console.note(f"{options.data}, {shape}, does not fit the memory and is read block by block")
    return True


def kind_of(data: str) -> str | None:
    """What DATA is, if it can be read block by block: a folder only if it holds Parquet files."""
    path = Path(data)
    if path.is_dir():
        return FOLDER if parquet_files(path) else None
    return _KINDS.get(path.suffix.lower())


def parquet_files(path: Path) -> list[Path]:
    """A Parquet file, or those of a folder as :func:`kgroups.blocks.from_parquet` reads them."""
    if not path.is_dir():
        return [path]
    found = [file for file in sorted(path.rglob("*.parquet")) if file.is_file()]
    inside = [file.relative_to(path) for file in found]
    return [path / file for file in inside if not any(part[0] in "_." for part in file.parts)]


def _option(options: Namespace) -> str:
    """The option that asks for blocks, or nothing."""
    if options.stream:
        return "--stream"
    return "" if options.scheduler is None else "--cluster"


def _check_kind(kind: str | None, data: str, option: str) -> None:
    """An error for what is not read block by block, with how to convert it."""
    if data == "-":
        raise UsageError(f"{option} reads DATA several times; name a file instead of -")
    if not Path(data).exists():
        raise DataError(f"{data} does not exist.")
    if kind is not None:
        return
    if Path(data).is_dir():
        raise DataError(f"{data} is a folder without Parquet files; {option} reads those in it.")
    advice = _conversion(Path(data)) or "save it as one of them"
    raise DataError(f"{option} reads .parquet and .npy files, and {data} is neither; {advice}.")


def _conversion(path: Path) -> str | None:
    """A command that makes a Parquet file of text, for a shell."""
    scan = _SCAN.get(path.suffix.lower())
    if scan is None:
        return None
    source, target = json.dumps(str(path)), json.dumps(str(path.with_suffix(".parquet")))
    call = f"import polars; polars.{scan.format(data=source)}.sink_parquet({target})"
    return f"convert it once: python -c {shlex.quote(call)}"


def _check_method(options: Namespace) -> None:
    """UsageError for a method that holds all rows."""
    if options.stream:
        others = {f"--method {options.method}": options.method not in _METHODS}
        refuse_with("--stream", "does not hold all rows", others)


def _refuse(options: Namespace, asked: Asked) -> None:
    """UsageError for the first option that needs all rows at once, or columns of other kinds."""
    option = needs_memory(options)
    if option is not None:
        raise UsageError(f"{option} needs the table in memory, and {asked.reason}; {asked.instead}")


def needs_memory(options: Namespace) -> str | None:
    """The first option that needs the whole table in memory."""
    metric, others = options.metric, (MIXED, *STRING_METRICS, *ARRAY_METRICS, *MATRICES)
    given = {
        "--plot": options.plot is not None,
        "--plot-search": options.plot_search is not None,
        "--report": options.report is not None,
        "--standardize": options.standardize,
        "--impute": options.impute,
        "--categorical": options.categorical,
        "--label-column": options.label_column is not None,
        "--weight-column": options.weight_column is not None,
        "--append": options.append,
        "--save": options.save is not None,
        f"--bound {options.bound}": options.bound not in (None, "none"),
        "--certify": options.certify is not None,
        "--curved": options.curved,
        "--text": options.text_column is not None,
        f"--metric {metric}": metric in others,
    }
    return next((option for option, is_given in given.items() if is_given), None)


def _size(kind: str, data: str) -> tuple[int, int] | None:
    """Rows and columns of a file; None where reading it says what is wrong with it."""
    try:
        return _npy_size(data) if kind == NPY else _parquet_size(data)
    except (DataError, OSError, ImportError):
        return None


def _npy_size(data: str) -> tuple[int, int] | None:
    from kgroups.input.table_files.binary import read_header, readable

    with open(data, "rb") as stream, readable(data):
        shape = read_header(stream, Path(data).stat().st_size).shape
    return (shape[0], shape[1]) if len(shape) == 2 else None


def _parquet_size(data: str) -> tuple[int, int] | None:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(data)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return metadata.num_rows, metadata.num_columns


def _is_too_large(size: tuple[int, int], options: Namespace) -> bool:
    """Whether a table does not fit: what may be used, or what is free if all rows are needed.

    A fit reads all of a table with few rows, so blocks would not help.
    """
    from kgroups.runtime.memory import memory_limit

    given = options.memory_limit if needs_memory(options) is None else None
    limit = memory_limit(given)
    if limit is None or _BYTES_PER_ENTRY * size[0] * size[1] <= limit:
        return False
    from kgroups.fit.plan import STARTS_ON_ALL

    return size[0] > STARTS_ON_ALL
