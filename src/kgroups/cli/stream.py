"""``kgroups cluster`` for tables that are read block by block, here or on a Dask cluster."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.blocks import RowSource, from_array, from_npy, from_parquet
from kgroups.cli.console import Console, OutputError, UsageError, print_report, refuse_with
from kgroups.cli.interrupt import raised_interrupt
from kgroups.cli.output import label_columns, whole_file, write_columns
from kgroups.cli.record import run_record
from kgroups.cli.rows import metric_of
from kgroups.exceptions import DataError
from kgroups.names import MATRICES, OBJECT_METRICS
from kgroups.text import did_you_mean, quoted

# Once as the file has it and once as float64, as where a whole table is read.
_BYTES_PER_ENTRY = 16
# Rows whose names are read together, and seconds that a scheduler may take to answer.
_NAMES_AT_ONCE, _PATIENCE = 1 << 18, 10


def is_streamed(options: Namespace, console: Console) -> bool:
    """Whether DATA is read block by block: as asked, on a cluster, a folder, or a large table.

    UsageError for options that need the whole table.
    """
    path = Path(options.data)
    is_folder = path.is_dir() and bool(_parquet_files(path))
    asked = "--stream" if options.stream else "--cluster" if options.scheduler else ""
    if asked:
        if options.data == "-":
            raise UsageError(f"{asked} reads DATA several times; name a file instead of -")
        if not is_folder and path.suffix.lower() not in (".parquet", ".npy"):
            raise DataError(
                f"{asked} reads .parquet and .npy files, and {path} is neither; save it as one."
            )
        _refuse(options, asked)
        if options.stream:
            others = {f"--method {options.method}": options.method not in ("auto", "nystroem")}
            refuse_with("--stream", "does not hold all rows", others)
        return True
    if is_folder:
        _refuse(options, f"{path}, whose files are read block by block,")
        return True
    size = None if options.metric in MATRICES else _size(path)
    if size is None or not _is_too_large(size, options):
        return False
    what = f"{path}, a table of {size[0]:,} x {size[1]:,}, does not fit the memory and"
    _refuse(options, what)
    console.note(f"{what} is read block by block")
    return True


def _refuse(options: Namespace, what: str) -> None:
    option = _needs_memory(options)
    if option is not None:
        raise UsageError(f"{option} needs the table in memory, and {what} reads it in blocks")


def _needs_memory(options: Namespace) -> str | None:
    """The first option that needs the whole table in memory."""
    others = ("mixed", *OBJECT_METRICS, *MATRICES)
    given = {
        "--plot": options.plot, "--report": options.report, "--standardize": options.standardize,
        "--impute": options.impute, "--categorical": options.categorical,
        "--label-column": options.label_column, "--weight-column": options.weight_column,
        "--append": options.append, "--save": options.save, "--certify": options.certify,
        f"--bound {options.bound}": options.bound not in (None, "none"),
        "--curved": options.curved, "--text": options.text_column,
        f"--metric {options.metric}": options.metric in others,
    }  # fmt: skip
    return next((option for option, value in given.items() if value), None)


def _parquet_files(path: Path) -> list[Path]:
    """A Parquet file, or those of a folder as :func:`kgroups.blocks.from_parquet` reads them."""
    if not path.is_dir():
        return [path]
    found = [file.relative_to(path) for file in sorted(path.rglob("*.parquet")) if file.is_file()]
    return [path / file for file in found if not any(part[0] in "_." for part in file.parts)]


def _size(path: Path) -> tuple[int, int] | None:
    """Rows and columns of a file; None where reading it says what is wrong with it."""
    try:
        if path.suffix.lower() == ".npy":
            shape = np.load(path, mmap_mode="r").shape
            return (shape[0], shape[1]) if len(shape) == 2 else None
        if path.suffix.lower() == ".parquet":
            from pyarrow.parquet import read_metadata

            metadata = read_metadata(path)
            return metadata.num_rows, metadata.num_columns
    except (OSError, ValueError, ImportError, UnicodeDecodeError):
        pass
    return None


def _is_too_large(size: tuple[int, int], options: Namespace) -> bool:
    """Whether a table does not fit: what may be used, or what is free if all rows are needed.

    A fit reads all of a table with few rows, so blocks would not help.
    """
    from kgroups.fit.plan import STARTS_ON_ALL
    from kgroups.runtime.memory import memory_limit

    limit = memory_limit(options.memory_limit if _needs_memory(options) is None else None)
    too_large = limit is not None and _BYTES_PER_ENTRY * size[0] * size[1] > limit
    return too_large and size[0] > STARTS_ON_ALL


# --- rows -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Source:
    """Rows in blocks, with the names of their columns by their use."""

    rows: RowSource
    features: list[str]
    dropped: list[str]

    @classmethod
    def of(cls, options: Namespace) -> _Source:
        """The rows that DATA and the options about columns choose; only sizes are read."""
        path, rows = Path(options.data), None
        if path.suffix.lower() == ".npy":
            rows = from_npy(path)
            names = [str(column + 1) for column in range(rows.n_columns)]
        else:
            names = _names(path)
        for name in filter(None, [*(options.columns or ()), *options.drop, options.id_column]):
            if name not in names:
                raise DataError(
                    f"{path} has no column {quoted(name)}.{did_you_mean(name, names)} Its columns "
                    f"are: {', '.join(map(quoted, names[:12]))}."
                )
        wanted = names if options.columns is None else options.columns
        chosen = [name for name in wanted if name not in (*options.drop, options.id_column)]
        if not chosen:
            raise DataError(f"{path} has no column left for features.")
        dropped = [name for name in names if name not in (*chosen, options.id_column)]
        if rows is None:
            return cls(from_parquet(path, chosen), chosen, dropped)
        if chosen != names:
            places = [names.index(name) for name in chosen]
            rows = from_array(np.load(path, mmap_mode="r")[:, places])
        titles = [[f"column {name}" for name in some] for some in (chosen, dropped)]
        return cls(rows, *titles)


def _names(path: Path) -> list[str]:
    """The names of the columns of a file, or of the first file of a folder that has rows."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata, read_schema

    try:
        files = _parquet_files(path)
        first = next((file for file in files if read_metadata(file).num_rows), files[0])
        return list(read_schema(first).names)
    except (OSError, ArrowException) as error:
        raise DataError(f"{path}: {error}") from error


def _ids(path: Path, column: str) -> Iterator[list[str]]:
    """The names of the rows as text, some at a time."""
    from pyarrow.parquet import ParquetFile

    from kgroups.input.preparation import as_written

    for file in _parquet_files(path):
        for batch in ParquetFile(file).iter_batches(_NAMES_AT_ONCE, columns=[column]):
            yield list(as_written(batch.column(0).to_pandas()).fillna(""))


# --- fits -------------------------------------------------------------------------------------


def cluster_stream(options: Namespace, console: Console) -> None:
    """Fit rows block by block, write their labels, and print the report."""
    from kgroups.report.stream_report import StreamReport

    dask = None if options.scheduler is None else import_module("kgroups.dask")
    path, output = Path(options.data), options.output
    is_inside = output is not None and path.is_dir() and path.resolve() in output.resolve().parents
    if is_inside and output.suffix.lower() == ".parquet":
        raise UsageError(f"-o {output} is in the folder {path}, whose files are DATA; name another")
    source = _Source.of(options)
    n = source.rows.n_rows
    if isinstance(options.n_clusters, int) and options.n_clusters > n:
        raise DataError(f"-k {options.n_clusters} is more than the {n:,} rows of {path}.")
    if options.alpha == 2:
        console.note("alpha=2 compares means only: this is k-means by Hartigan's method")
    begun = time.perf_counter()
    settings = _settings(source, options, console)
    n_workers = None
    try:
        if dask is None:
            from kgroups.estimators import KernelKGroups

            model: Any = KernelKGroups(**settings).fit(source.rows)
            labels = model.labels_
        else:
            model, labels, n_workers = _on_cluster(dask, settings, source, options)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    console.clear()
    _write(options, source, labels)
    seconds = time.perf_counter() - begun
    report = StreamReport.of(
        model, n_samples=n, seconds=seconds, source=options.data, n_workers=n_workers
    )
    if options.stream and options.method == "auto":
        report = replace(report, method_reason="as --stream asks")
    data = {"source": options.data, "n_rows": n, "n_columns": source.rows.n_columns,
            "fingerprint": source.rows.fingerprint()}  # fmt: skip
    columns = {"numeric": source.features, "id": options.id_column, "dropped": source.dropped}
    run = run_record(options, console, data, report.settings, columns)
    print_report(replace(report, run=run), options, {"Labels": output})


def _settings(source: _Source, options: Namespace, console: Console) -> dict[str, Any]:
    """The parameters of the estimator; with ``--stream`` a method that never gathers the rows."""
    from kgroups.fit.block_plan import plan_of_blocks, size_of_blocks, space_of_blocks
    from kgroups.fit.plan import Wish
    from kgroups.input.spaces import space_for
    from kgroups.select.criterion import DEFAULT_MOST

    metric, few, method = metric_of(options), source.rows.read(0, 1), options.method
    if metric.terms(few) is None or not metric.is_negative_type:
        raise UsageError(
            f"--metric {options.metric} needs the table in memory, and {options.data} is read "
            "block by block; choose another metric"
        )
    if options.stream:
        space = space_of_blocks(space_for(metric))
        most = DEFAULT_MOST if options.n_clusters == "auto" else options.n_clusters
        size = size_of_blocks(space, few, source.rows.n_rows, most, 1)
        plan = plan_of_blocks(Wish(method=method), size, space.semimetric, np.inf)
        method = "auto" if plan.method == "matrix_free" else "nystroem"
    return {
        "n_clusters": options.n_clusters,
        "metric": metric,
        "n_init": options.n_init,
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "method": method,
        "memory_limit": options.memory_limit,
        "time_limit": options.time_limit,
        "verbose": Heard(console),
    }


class Heard:
    """The line of progress of a console; what is sent to other machines shows nothing."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console

    def __call__(self, event: object) -> None:
        """Show an event, on this machine."""
        if self._console is not None:
            self._console.status(event)

    def __reduce__(self) -> tuple[type[Heard], tuple[()]]:
        return Heard, ()


def _on_cluster(
    dask: Any, settings: dict[str, Any], source: _Source, options: Namespace
) -> tuple[Any, Any, int]:
    """A fit on a cluster; Ctrl-C lets the workers drop their rows first."""
    with raised_interrupt(), _client(options.scheduler) as client:
        try:
            model = dask.KernelKGroups(**settings).fit(source.rows, client=client)
        except dask.ClusterError as error:
            raise OutputError(f"--cluster {options.scheduler}: {error}") from error
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


def _write(options: Namespace, source: _Source, labels: Any) -> None:
    """Write the labels, a part of the rows at a time, and nothing if the rows have changed."""
    path, name = options.output, options.id_column
    if path is None:
        return
    with whole_file(path) as stream:
        write_columns(stream, path, _parts(Path(options.data), path, name, labels))
        source.rows.check_unchanged()


def _parts(data: Path, path: Path, name: str | None, labels: Any) -> Iterator[dict[str, Any]]:
    if name is None:
        for start in range(0, len(labels), _NAMES_AT_ONCE):
            yield label_columns(path, labels[start : start + _NAMES_AT_ONCE], None, "", start)
        return
    start = 0
    for ids in _ids(data, name):
        yield label_columns(path, labels[start : start + len(ids)], ids, name, start)
        start += len(ids)
