"""``kgroups cluster`` for tables that are read block by block, here or on a Dask cluster."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.blocks import RowSource, from_npy, from_parquet
from kgroups.blocks.parquet_rows import ROW_INDEX, footer_of
from kgroups.blocks.row_source import StoredRows, fingerprint_of
from kgroups.cli.columns import check_names
from kgroups.cli.console import Console, OutputError, UsageError, print_report
from kgroups.cli.exclusions import NOT_IN_BLOCKS
from kgroups.cli.interrupt import raised_interrupt
from kgroups.cli.output import label_columns, whole_file, write_columns
from kgroups.cli.record import command_line
from kgroups.cli.rows import metric_of
from kgroups.exceptions import DataError
from kgroups.names import MATRICES
from kgroups.typing import FloatArray, IntArray

# Once as the file has it and once as float64, as where a whole table is read.
_BYTES_PER_ENTRY = 16
# Rows whose names are read together, and seconds that a scheduler may take to answer.
_NAMES_AT_ONCE, _PATIENCE = 1 << 18, 10


def is_streamed(options: Namespace, console: Console) -> bool:
    """Whether DATA is read block by block: as asked, on a cluster, a folder, or a large table.

    UsageError for options that need the whole table.
    """
    path = Path(options.data)
    can_be = path.suffix.lower() in (".parquet", ".npy") or (path.is_dir() and _parquet(path))
    asked = "--stream" if options.stream else "--cluster" if options.scheduler else ""
    if asked and not can_be:
        raise DataError(f"{asked} reads .parquet and .npy files, and {path} is neither; save one.")
    if not asked and not (can_be and (path.is_dir() or _is_too_large(options))):
        return False
    if option := _needs_memory(options):
        raise UsageError(
            f"{option} needs the table in memory, and {asked or f'{path}, which does not fit,'} is "
            "read block by block; omit it"
        )
    if not asked and not path.is_dir():
        console.note(f"{path} does not fit the memory and is read block by block")
    return True


def _needs_memory(options: Namespace) -> str:
    """The first option that needs the whole table in memory."""
    return next((word.replace("=", " ") for word in NOT_IN_BLOCKS if word in options.given), "")


def _is_too_large(options: Namespace) -> bool:
    """Whether a table does not fit: what may be used, or what is free if all rows are needed.

    A fit reads all of a table with few rows, so blocks would not help.
    """
    from kgroups.fit.plan import STARTS_ON_ALL
    from kgroups.runtime.memory import memory_limit

    if options.metric in MATRICES:
        return False
    with suppress(DataError, OSError, ValueError):  # which reading the file says
        rows = _Source.of(options).rows
        limit = memory_limit(None if _needs_memory(options) else options.memory_limit)
        size = _BYTES_PER_ENTRY * rows.n_rows * rows.n_columns
        return limit is not None and size > limit and rows.n_rows > STARTS_ON_ALL
    return False


# --- rows -------------------------------------------------------------------------------------


def _parquet(path: Path) -> list[Path]:
    """A Parquet file, or those of a folder as :func:`kgroups.blocks.from_parquet` reads them."""
    if not path.is_dir():
        return [path]
    found = [file.relative_to(path) for file in sorted(path.rglob("*.parquet")) if file.is_file()]
    return [path / file for file in found if not any(part[0] in "_." for part in file.parts)]


@dataclass(frozen=True, eq=False)
class _Source:
    """Rows in blocks, with the names of their columns by their use."""

    rows: RowSource
    features: list[str]
    dropped: list[str]

    @classmethod
    def of(cls, options: Namespace) -> _Source:
        """The rows that DATA and the options about columns choose; only sizes are read."""
        path, asked = Path(options.data), [*(options.columns or ()), *options.drop]
        asked += [] if options.id_column is None else [options.id_column]
        is_npy = path.suffix.lower() == ".npy"
        rows: RowSource
        if is_npy:
            rows = from_npy(path)
            names = [str(column + 1) for column in range(rows.n_columns)]
        elif asked:
            names = _names(path)
        else:
            rows = from_parquet(path)
            return cls(rows, list(rows.names or ()), [])
        check_names(str(path), names, asked)
        wanted = names if options.columns is None else options.columns
        chosen = [name for name in wanted if name not in (*options.drop, options.id_column)]
        if not chosen:
            raise DataError(f"{path} has no column left for features.")
        dropped = [name for name in names if name not in (*chosen, options.id_column)]
        if not is_npy:
            return cls(from_parquet(path, chosen), chosen, dropped)
        if chosen != names:
            places = [names.index(name) for name in chosen]
            rows = _SomeColumns(rows, places)
        return cls(rows, *([f"column {name}" for name in some] for some in (chosen, dropped)))


class _SomeColumns(StoredRows):
    """Rows without names for their columns, of which some are read."""

    def __init__(self, rows: RowSource, places: list[int]) -> None:
        names = [str(place + 1) for place in places]
        super().__init__((rows.n_rows, len(places)), names, rows.dtype)
        self.rows, self.places = rows, places

    def _read(self, start: int, stop: int) -> FloatArray:
        return np.ascontiguousarray(self.rows.read(start, stop)[:, self.places])

    def place(self, row: int) -> str:
        """Where a row is stored."""
        return self.rows.place(row)

    def check_unchanged(self) -> None:
        """DataError if the file is gone or has changed."""
        self.rows.check_unchanged()

    def fingerprint(self) -> str:
        """A digest of the file and of the columns."""
        return fingerprint_of(self.rows.fingerprint(), self.places)


def _names(path: Path) -> list[str]:
    """The names of the columns of a file, or of the first file of a folder that has rows."""
    footers = [footer_of(file, file.name) for file in _parquet(path)]
    _, schema = next((f for f in footers if f[0].n_rows > 0), footers[0])
    return [name for name in schema.names if not ROW_INDEX.fullmatch(name)]


def _parts(options: Namespace, labels: IntArray) -> Iterator[dict[str, Any]]:
    """The columns of labels, with names of rows if they have any, some rows at a time."""
    path, name, start = options.output, options.id_column, 0
    ids: Any = [None] * -(-len(labels) // _NAMES_AT_ONCE) if name is None else _ids(options)
    for some in ids:
        stop = start + (_NAMES_AT_ONCE if some is None else len(some))
        yield label_columns(path, labels[start:stop], some, name or "", start)
        start = stop


def _ids(options: Namespace) -> Iterator[list[str]]:
    from pyarrow.parquet import ParquetFile

    from kgroups.input.preparation import as_written

    for file in _parquet(Path(options.data)):
        for batch in ParquetFile(file).iter_batches(_NAMES_AT_ONCE, columns=[options.id_column]):
            yield list(as_written(batch.to_pandas()[options.id_column]).fillna(""))


# --- fits -------------------------------------------------------------------------------------


def cluster_stream(options: Namespace, console: Console) -> None:
    """Fit rows block by block, write their labels, and print the report."""
    from kgroups.report import RunRecord
    from kgroups.report.stream_report import StreamReport

    path, output = Path(options.data), options.output
    is_inside = output is not None and path.is_dir() and path.resolve() in output.resolve().parents
    if is_inside and output.suffix.lower() == ".parquet":
        raise UsageError(f"-o {output} is in the folder {path}, whose files are DATA; name another")
    source, begun = _Source.of(options), time.perf_counter()
    n = source.rows.n_rows
    if isinstance(options.n_clusters, int) and options.n_clusters > n:
        raise DataError(f"-k {options.n_clusters} is more than the {n:,} rows of {path}.")
    settings, n_workers = _settings(source, options, console), None
    try:
        if options.scheduler is None:
            from kgroups.estimators import KernelKGroups

            model: Any = KernelKGroups(**settings).fit(source.rows)
            labels = model.labels_
        else:
            model, labels, n_workers = _on_cluster(settings, source.rows, options.scheduler)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    console.clear()
    if output is not None:
        with whole_file(output) as stream:
            write_columns(stream, output, _parts(options, labels))
            source.rows.check_unchanged()
    report = StreamReport.of(
        model, n_samples=n, seconds=time.perf_counter() - begun, source=options.data,
        n_workers=n_workers,
    )  # fmt: skip
    if options.stream and options.method == "auto":
        report = replace(report, method_reason="as --stream asks")
    data = {"source": options.data, "n_rows": n, "n_columns": source.rows.n_columns,
            "fingerprint": source.rows.fingerprint()}  # fmt: skip
    columns = {"numeric": source.features, "id": options.id_column, "dropped": source.dropped}
    run = RunRecord(command=command_line(options), settings=report.settings, data=data,
                    notes=console.notes, columns=columns)  # fmt: skip
    print_report(replace(report, run=run), options, {"Labels": output})


def _settings(source: _Source, options: Namespace, console: Console) -> dict[str, Any]:
    """The parameters of the estimator; with ``--stream`` a method that never gathers the rows."""
    from kgroups.fit.block_plan import size_of_blocks, space_of_blocks
    from kgroups.input.spaces import space_for
    from kgroups.select.criterion import DEFAULT_MOST

    metric, few, method = metric_of(options), source.rows.read(0, 1), options.method
    if metric.terms(few) is None or not metric.is_negative_type:
        raise UsageError(
            f"--metric {options.metric} needs the table in memory, and {options.data} is read "
            "block by block; choose another metric"
        )
    if options.stream:
        most = DEFAULT_MOST if options.n_clusters == "auto" else options.n_clusters
        space = space_of_blocks(space_for(metric))
        size = size_of_blocks(space, few, source.rows.n_rows, most, 1)
        # Means of clusters say it all where distances are squares of few coordinates.
        method = "nystroem" if size.squared_rank is None else method
    return {
        "n_clusters": options.n_clusters,
        "metric": metric,
        "n_init": options.n_init,
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "method": method,
        "memory_limit": options.memory_limit,
        "time_limit": options.time_limit,
        # What is sent to other machines shows nothing.
        "verbose": console.status if options.scheduler is None else 0,
    }


def _on_cluster(
    settings: dict[str, Any], rows: RowSource, address: str
) -> tuple[Any, IntArray, int]:
    """A fit on a cluster; Ctrl-C lets the workers drop their rows first."""
    dask = import_module("kgroups.dask")
    with raised_interrupt(), _client(address) as client:
        try:
            model = dask.KernelKGroups(**settings).fit(rows, client=client)
        except dask.ClusterError as error:
            raise OutputError(f"--cluster {address}: {error}") from error
        # From an array of this process, not from the cluster.
        labels = np.asarray(model.labels_.compute(scheduler="synchronous"))
        return model, labels, len(client.scheduler_info(n_workers=-1)["workers"])


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of a cluster; OutputError where no scheduler answers."""
    from distributed import Client

    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"--cluster {address}: no Dask scheduler answers there; `dask scheduler` starts one "
            f"and says its address, such as tcp://127.0.0.1:8786 ({error})"
        ) from error
    with client:
        yield client
