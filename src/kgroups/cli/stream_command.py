"""``kgroups cluster`` for tables that are read block by block, here or on a Dask cluster."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgroups.cli.console import Console, OutputError, UsageError, print_report
from kgroups.cli.interrupt import raised_interrupt
from kgroups.cli.labels_file import write_labels
from kgroups.cli.recording import command_line
from kgroups.cli.stream_source import StreamSource, in_words_of_stream, open_source
from kgroups.cli.table_input import check_n_clusters, notes_of_metric, numeric_metric
from kgroups.cli.whole_files import whole_file
from kgroups.cli.wording import worded
from kgroups.estimators import KernelKGroups
from kgroups.fit.block_plan import plan_of_blocks, size_of_blocks, space_of_blocks
from kgroups.fit.plan import Wish
from kgroups.input.spaces import space_for
from kgroups.report import RunRecord
from kgroups.report.stream_report import FittedToBlocks, StreamReport
from kgroups.select.criterion import DEFAULT_MOST
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.semimetrics import Semimetric

# Seconds that a scheduler may take to answer.
_PATIENCE = 10


class _Fit(NamedTuple):
    """A fitted estimator and its labels, and how many workers made them on a cluster."""

    model: FittedToBlocks
    labels: IntArray
    n_workers: int | None = None


def cluster_stream(options: Namespace, console: Console) -> None:
    """Fit rows block by block, write their labels, and print the report."""
    dask = None if options.scheduler is None else import_module("kgroups.dask")
    _check_output(options)
    source = open_source(options)
    check_n_clusters(options.n_clusters, source.rows.n_rows, source.source)
    console.note(*notes_of_metric(options))
    begun = time.perf_counter()
    with in_words_of_stream(options):
        settings = _settings(source, options, console)
        if dask is None:
            model = KernelKGroups(**settings).fit(source.rows)
            found = _Fit(model, model.labels_)
        else:
            found = _on_cluster(dask, settings, source, options)
    seconds = time.perf_counter() - begun
    console.clear()
    _write(options.output, source, found.labels)
    report = StreamReport.of(
        found.model,
        n_samples=source.rows.n_rows,
        seconds=seconds,
        source=source.source,
        n_workers=found.n_workers,
    )
    report = replace(report, method_reason=_reason(report.method_reason, options))
    if options.json:
        report = replace(report, run=_record(options, console, source, report))
    print_report(report, options, {"Labels": options.output})


def _check_output(options: Namespace) -> None:
    """UsageError for labels that the next run would read as part of the table."""
    output, data = options.output, Path(options.data)
    if output is None or not data.is_dir() or output.suffix.lower() != ".parquet":
        return
    if data.resolve() in output.resolve().parents:
        raise UsageError(f"-o {output} is in the folder {data}, whose files are DATA; name another")


def _settings(source: StreamSource, options: Namespace, console: Console) -> dict[str, Any]:
    """The parameters of the estimator."""
    metric = numeric_metric(options)
    return {
        "n_clusters": options.n_clusters,
        "metric": metric,
        "n_init": options.n_init,
        "random_state": options.seed,
        "n_jobs": options.n_jobs,
        "method": _method(metric, source, options),
        "memory_limit": options.memory_limit,
        "time_limit": options.time_limit,
        "verbose": Heard(console),
    }


def _method(metric: Semimetric, source: StreamSource, options: Namespace) -> str:
    """The method as asked for; with ``--stream`` one that never gathers the rows."""
    few = source.rows.read(0, 1)
    if metric.terms(few) is None or not metric.is_negative_type:
        raise UsageError(
            f"--metric {options.metric} needs the table in memory, and {source.source} is read "
            "block by block; choose another metric"
        )
    if not options.stream:
        return str(options.method)
    rows = source.rows
    space = space_of_blocks(space_for(metric))
    most = DEFAULT_MOST if options.n_clusters == "auto" else options.n_clusters
    size = size_of_blocks(space, few, rows.n_rows, most, 1)
    plan = plan_of_blocks(Wish(method=options.method), size, space.semimetric, np.inf)
    return "auto" if plan.method == "matrix_free" else "nystroem"


def _reason(reason: str, options: Namespace) -> str:
    """Why a method was chosen, in words of the command line."""
    if options.stream and options.method == "auto":
        return "as --stream asks"
    return worded(reason, options.parser)


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
    dask: Any, settings: dict[str, Any], source: StreamSource, options: Namespace
) -> _Fit:
    """A fit on a cluster; Ctrl-C lets the workers drop their rows first."""
    with raised_interrupt(), _client(options.scheduler) as client:
        try:
            model = dask.KernelKGroups(**settings).fit(source.rows, client=client)
        except dask.ClusterError as error:
            raise OutputError(f"--cluster {options.scheduler}: {error}") from error
        # From an array of this process, not from the cluster.
        labels = np.asarray(model.labels_.compute(scheduler="synchronous"))
        return _Fit(model, labels, len(client.scheduler_info(n_workers=-1)["workers"]))


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


def _write(path: Path | None, source: StreamSource, labels: IntArray) -> None:
    """Write the labels, a part of the rows at a time, and nothing if the rows have changed."""
    if path is None:
        return
    with whole_file(path) as stream:
        ids = None if source.id is None else source.ids()
        write_labels(stream, path, labels, ids, source.id or "")
        source.rows.check_unchanged()


def _record(
    options: Namespace, console: Console, source: StreamSource, report: StreamReport
) -> RunRecord:
    return RunRecord(
        command=command_line(options),
        settings=report.settings,
        data=source.data,
        notes=console.notes,
        columns=source.columns,
    )
