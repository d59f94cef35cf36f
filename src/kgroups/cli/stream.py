"""``kgroups cluster`` for tables that are read block by block, here or on a Dask cluster."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.blocks import RowSource, from_npy, from_parquet
from kgroups.blocks.parquet_rows import ROW_INDEX, footer_of
from kgroups.cli.columns import check_names, named_in
from kgroups.cli.console import Console, OutputError, UsageError, print_report
from kgroups.cli.exclusions import NOT_IN_BLOCKS
from kgroups.cli.interrupt import raised_interrupt
from kgroups.cli.output import label_columns, whole_file, write_columns
from kgroups.cli.record import command_line
from kgroups.cli.rows import metric_of, search_of
from kgroups.exceptions import DataError
from kgroups.input.parquet_folder import files_of
from kgroups.input.preparation import as_written
from kgroups.names import MATRICES
from kgroups.runtime.threads import blocks
from kgroups.typing import IntArray

# Once as the file has it and once as float64, as where a whole table is read.
_BYTES_PER_ENTRY = 16
# Rows that are written together, and seconds that a scheduler may take to answer.
_ROWS_AT_ONCE, _PATIENCE = 1 << 18, 10


def is_streamed(options: Namespace, console: Console) -> bool:
    """Whether DATA is read block by block: as asked, on a cluster, a folder, or a large table.

    UsageError for options that need the whole table.
    """
    path = Path(options.data)
    can_be = path.suffix.lower() in (".parquet", ".npy") or path.is_dir()
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
        rows, _ = _source(options)
        limit = memory_limit(None if _needs_memory(options) else options.memory_limit)
        size = _BYTES_PER_ENTRY * rows.n_rows * rows.n_columns
        return limit is not None and size > limit and rows.n_rows > STARTS_ON_ALL
    return False


def _source(options: Namespace) -> tuple[RowSource, dict[str, Any]]:
    """The rows that DATA and the options choose, and the columns by their use, as JSON has them.

    Only sizes and names are read.
    """
    path, id_column = Path(options.data), options.id_column
    if is_npy := path.suffix.lower() == ".npy":
        if id_column is not None:
            raise DataError(f"{path} has no names of rows; omit --id-column.")
        names = [str(column + 1) for column in range(from_npy(path).n_columns)]
    else:
        footers = [footer_of(file, label) for file, label in files_of(path)]
        schema = next((schema for part, schema in footers if part.n_rows > 0), footers[0][1])
        names = [name for name in schema.names if not ROW_INDEX.fullmatch(name)]
    asked = named_in(options)
    check_names(str(path), names, asked)
    wanted = names if options.columns is None else options.columns
    chosen = [name for name in wanted if name not in (*options.drop, id_column)]
    if not chosen:
        raise DataError(f"{path} has no column left for features.")
    dropped = [name for name in names if name not in (*chosen, id_column)]
    rows: Any
    if is_npy:
        rows = from_npy(path, [names.index(name) for name in chosen] if asked else None)
        rows.names = chosen if asked else None
        chosen, dropped = ([f"column {name}" for name in some] for some in (chosen, dropped))
    else:
        rows = from_parquet(path, chosen if asked else None)
    return rows, {"numeric": chosen, "id": id_column, "dropped": dropped}


def _parts(options: Namespace, labels: IntArray) -> Iterator[dict[str, Any]]:
    """The columns of labels, with names of rows if they have any, some rows at a time."""
    from pyarrow.parquet import ParquetFile

    path, name, start = options.output, options.id_column, 0
    if name is None:
        for begin, stop in blocks(0, len(labels), _ROWS_AT_ONCE):
            yield label_columns(path, labels[begin:stop], None, "", begin)
        return
    for file, _ in files_of(options.data):
        for batch in ParquetFile(file).iter_batches(_ROWS_AT_ONCE, columns=[name]):
            ids = list(as_written(batch.to_pandas()[name]).fillna(""))
            yield label_columns(path, labels[start : start + len(ids)], ids, name, start)
            start += len(ids)


# --- fits -------------------------------------------------------------------------------------


def cluster_stream(options: Namespace, console: Console) -> None:
    """Fit rows block by block, write their labels, and print the report."""
    from kgroups.report import RunRecord
    from kgroups.report.stream_report import StreamReport

    path, output = Path(options.data), options.output
    begun, (rows, columns) = time.perf_counter(), _source(options)
    n = rows.n_rows
    settings, n_workers = _settings(rows, options, console), None
    try:
        if options.scheduler is None:
            from kgroups.estimators import KernelKGroups

            model: Any = KernelKGroups(**settings).fit(rows)
            labels = model.labels_
        else:
            model, labels, n_workers = _on_cluster(settings, rows, options.scheduler)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    console.clear()
    if output is not None:
        with whole_file(output) as stream:
            write_columns(stream, output, _parts(options, labels))
            rows.check_unchanged()
    report = StreamReport.of(
        model, n_samples=n, seconds=time.perf_counter() - begun, source=options.data,
        n_workers=n_workers,
    )  # fmt: skip
    if options.stream and options.method == "auto":
        report = replace(report, method_reason="as --stream asks")
    data = {"source": options.data, "n_rows": n, "n_columns": rows.n_columns,
            "fingerprint": rows.fingerprint()}  # fmt: skip
    run = RunRecord(command=command_line(options), settings=report.settings, data=data,
                    notes=console.notes, columns=columns)  # fmt: skip
    print_report(replace(report, run=run), options, {"Labels": output})


def _settings(rows: RowSource, options: Namespace, console: Console) -> dict[str, Any]:
    """The parameters of the estimator; with ``--stream`` a method that never gathers the rows."""
    from kgroups.fit.block_plan import size_of_blocks, space_of_blocks
    from kgroups.input.spaces import space_for
    from kgroups.select.criterion import DEFAULT_MOST

    metric, few, method = metric_of(options), rows.read(0, 1), options.method
    if metric.terms(few) is None or not metric.is_negative_type:
        raise UsageError(
            f"--metric {options.metric} needs the table in memory, and {options.data} is read "
            "block by block; choose another metric"
        )
    if options.stream:
        most = DEFAULT_MOST if options.n_clusters == "auto" else options.n_clusters
        space = space_of_blocks(space_for(metric))
        size = size_of_blocks(space, few, rows.n_rows, most, 1)
        # Means of clusters say it all where distances are squares of few coordinates.
        method = "nystroem" if size.squared_rank is None else method
    # What is sent to other machines shows nothing.
    verbose = console.status if options.scheduler is None else 0
    return {**search_of(options, metric), "method": method, "verbose": verbose}


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
