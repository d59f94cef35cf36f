"""``kgroups communities``: finds communities; writes them, a report and a picture."""

from __future__ import annotations

import csv
import io
import re
import shlex
import time
import warnings
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from kgroups.cli.console import Console, UsageError, print_report
from kgroups.cli.option_values import FORMATS
from kgroups.cli.output import model_bytes
from kgroups.cli.record import graph_data, is_recorded, run_record
from kgroups.cli.whole_files import check_csv_name, check_destinations, saved, write_together
from kgroups.exceptions import ComponentsNotice, DataError
from kgroups.graphs import Graph, GraphKGroups, read_graph, read_node_labels
from kgroups.graphs.community_estimator import without_own_similarity
from kgroups.graphs.graph_objectives import FREE, OWN_WEIGHTS, SIGNED
from kgroups.input.adjacency import components
from kgroups.input.digest import sha256_of_rest
from kgroups.input.graph_files.node_labels import NodeLabels
from kgroups.input.graph_files.read_graph import (
    INSTEAD,
    asked_columns,
    check_is_text,
    graph_of_stream,
)
from kgroups.input.table_files.compressed import suffixes
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.read_table import standard_input
from kgroups.input.table_files.text_format import TextFormat
from kgroups.names import GRAPH_SUFFIXES
from kgroups.text import counted

if TYPE_CHECKING:
    from kgroups.report import CommunityReport, RunRecord


def communities(options: Namespace, console: Console) -> None:
    """Run ``kgroups communities``; files are written before the report is printed."""
    _check_options(options)
    check_destinations(
        {
            "-o": options.output,
            "--plot": options.plot,
            "--report": options.report,
            "--save": options.save,
        },
        {"GRAPH": options.graph, "--labels": options.labels},
    )
    check_csv_name(options.output, "-o")
    graph, sha256 = _read(options)
    truth = None if options.labels is None else read_node_labels(options.labels, graph)
    data = graph_data(graph, options, sha256) if is_recorded(options) else {}
    notes = (*graph.notes, *(truth.notes if truth else ()))
    console.note(*notes)
    part, known = _part(graph, truth) if options.largest_component else (graph, truth)
    _check_part(part, known, options)
    model, report = _fit(part, known, options, console, notes)
    report = replace(report, n_left_out=graph.n_nodes - part.n_nodes)
    run = run_record(options, console, data, report.settings)
    write_together(
        {
            options.plot: lambda: _picture(model, part, known, options.plot.suffix),
            options.report: lambda: _page(model, part, known, report, run),
            options.output: lambda: _communities_csv(graph, part, model),
            options.save: lambda: model_bytes(model),
        }
    )
    report = replace(report, run=run)
    files = {
        "Communities": options.output, "Picture": options.plot, "Report": options.report,
        "Model": options.save,
    }  # fmt: skip
    print_report(report, options, files)


# --- checks ----------------------------------------------------------------------


def _check_options(options: Namespace) -> None:
    """UsageError for options that contradict each other, before any data is read."""
    if options.weights is not None and options.objective in OWN_WEIGHTS:
        raise UsageError(f"--objective {options.objective} sets the weights itself; omit --weights")
    if str(options.labels) == "-":
        raise UsageError("--labels reads a file; only GRAPH may be -")
    if (options.source is None) != (options.target is None):
        raise UsageError("--source and --target belong together; give both, or neither")
    if options.decimal == options.delimiter == ",":
        raise UsageError("--decimal , and --delimiter , contradict each other; omit one of the two")
    for option, value, objectives in (
        ("--r", options.r, ("bethe_hessian",)),
        ("--resolution", options.resolution, FREE),
    ):
        if value is not None and options.objective not in objectives:
            raise UsageError(
                f"{option} applies only to --objective {' and '.join(objectives)}; omit it for "
                f"--objective {options.objective}"
            )


def _check_part(graph: Graph, truth: NodeLabels | None, options: Namespace) -> None:
    """The checks of the estimator, in terms of the file and the options."""
    k, n = options.n_clusters, graph.n_nodes
    of_it = " in the largest component" if options.largest_component else ""
    if k != "auto" and k > n:
        raise DataError(
            f"-k {k} is more than the {counted(n, 'node')}{of_it} of {graph.source}; ask for at "
            f"most {n}."
        )
    if truth is not None and all(label is None for label in truth.labels):
        raise DataError(
            f"{options.labels} has no label for any of the nodes{of_it}; omit --labels."
        )
    if graph.adjacency.data.min(initial=0) < 0 and options.objective not in SIGNED:
        raise DataError(
            f"{graph.source} has negative weights, which --objective {options.objective} does not "
            f"allow; use --objective {', '.join(SIGNED[:-1])} or {SIGNED[-1]}, or "
            "--ignore-weights."
        )


# --- reading ---------------------------------------------------------------------------------


def _read(options: Namespace) -> tuple[Graph, str | None]:
    """The network, and the digest of standard input if that is asked for."""
    is_file = options.graph != "-"
    try:
        graph, sha256 = (_read_file(options), None) if is_file else _read_standard_input(options)
    except DataError as error:
        raise DataError(_marks(str(error))) from error
    graph = replace(graph, notes=tuple(map(_marks, graph.notes)))
    if graph.n_edges == 0:
        raise DataError(f"{graph.source} has no edges: there are no communities to find.")
    if options.ignore_weights:
        A = graph.adjacency
        ones = csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
        graph = replace(graph, adjacency=ones)
    return replace(graph, adjacency=without_own_similarity(graph.adjacency)), sha256


def _marks(text: str) -> str:
    """A message about how text is written, with the options for the arguments."""
    text = re.sub(r"\bskip_lines=\[([\d, ]+)\]", _skip_lines, text)
    text = re.sub(r"\bheader=False\b", "--no-header", text)
    return re.sub(
        r'\b(decimal|delimiter|encoding|source|target|weight)="([^"]+)"',
        lambda m: f"--{_OPTIONS.get(m[1], m[1])} {shlex.quote(_SPELLED.get(m[2], m[2]))}",
        text,
    )


# Options that are not called like the arguments.
_OPTIONS = {"weight": "weight-column"}
# How the options spell what a shell would not keep.
_SPELLED = {"\\t": "tab", " ": "space"}


def _skip_lines(found: re.Match[str]) -> str:
    return f"--skip-lines {as_ranges(map(int, found[1].split(', ')))}"


def _read_file(options: Namespace) -> Graph:
    path = Path(options.graph)
    suffix = suffixes(path).format
    if options.format is None and path.is_file() and suffix not in (*GRAPH_SUFFIXES, *INSTEAD):
        check_is_text(path, str(path))
        raise DataError(
            f"{path} ends in none of {', '.join(GRAPH_SUFFIXES)}; state its format with "
            f"--format {', '.join(FORMATS)}."
        )
    return read_graph(
        path,
        format=FORMATS.get(options.format),
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        skip_lines=options.skip_lines,
        source=options.source,
        target=options.target,
        weight=options.weight_column,
        header=options.header,
    )


def _read_standard_input(options: Namespace) -> tuple[Graph, str | None]:
    source = "standard input"
    with standard_input(source) as stream:
        if stream.tell():
            raise DataError(f"{source} was read by another command before; name a file instead.")
        sha256 = sha256_of_rest(stream) if is_recorded(options) else None
        stream.seek(0)
        text = TextFormat(
            delimiter=options.delimiter, decimal=options.decimal, encoding=options.encoding,
            na_values=tuple(options.na_values), skip_lines=tuple(options.skip_lines),
        )  # fmt: skip
        text = None if text == TextFormat() else text
        columns = asked_columns(
            options.source, options.target, options.weight_column, options.header
        )
        format = FORMATS.get(options.format)
        return graph_of_stream(stream, source, format, text, columns), sha256


def _part(graph: Graph, truth: NodeLabels | None) -> tuple[Graph, NodeLabels | None]:
    """The largest component, the first of several equally large ones, with its labels."""
    _, component = components(graph.adjacency)
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    A = csr_array(graph.adjacency[kept][:, kept])
    part = replace(graph, adjacency=A, nodes=graph.nodes[kept])
    return part, None if truth is None else truth._replace(labels=truth.labels[kept])


# --- work ------------------------------------------------------------------------------------


def _fit(
    graph: Graph,
    truth: NodeLabels | None,
    options: Namespace,
    console: Console,
    notes: tuple[str, ...],
) -> tuple[GraphKGroups, CommunityReport]:
    from kgroups.report import CommunityReport
    from kgroups.report.community_advice import advice

    begun = time.perf_counter()
    model = _fitted(graph, options, console)
    seconds = time.perf_counter() - begun
    console.clear()
    report = CommunityReport.of(
        model,
        graph,
        labels_true=None if truth is None else truth.labels,
        truth_source=str(options.labels),
        seconds=seconds,
        notes=notes,
    )
    told = advice(report, model, graph)
    console.note(*told)
    return model, replace(report, notes=(*notes, *told))


def _fitted(graph: Graph, options: Namespace, console: Console) -> GraphKGroups:
    try:
        # The report has a line of its own on components, which also counts the communities that
        # hold several of them: the notice would say half of that a second time.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ComponentsNotice)
            return _model(options, console).fit(graph.adjacency)
    except RuntimeError as error:  # no eigensolver converged
        raise DataError(str(error)) from error


def _model(options: Namespace, console: Console) -> GraphKGroups:
    return GraphKGroups(
        options.n_clusters,
        objective=options.objective,
        resolution=options.resolution or 1.0,
        weights=options.weights or "unit",
        r=options.r or "average_degree",
        init=options.init,
        n_init=options.n_init,
        random_state=options.seed,
        n_jobs=options.n_jobs,
        verbose=console.status,
    )


def _picture(model: GraphKGroups, graph: Graph, truth: NodeLabels | None, suffix: str) -> bytes:
    from kgroups.plots import network_overview

    figure = network_overview(
        model,
        graph.adjacency,
        node_names=graph.nodes,
        labels_true=None if truth is None else truth.labels,
    )
    return saved(figure, suffix)


def _page(
    model: GraphKGroups,
    graph: Graph,
    truth: NodeLabels | None,
    report: CommunityReport,
    run: RunRecord,
) -> bytes:
    from kgroups.pages.community_page import community_page

    known = None if truth is None else truth.labels
    return community_page(model, graph, report, run, known).to_bytes()


def _communities_csv(graph: Graph, part: Graph, model: GraphKGroups) -> bytes:
    """All nodes of the graph; the community is empty for nodes outside ``part``."""
    found = dict(zip(part.nodes.tolist(), model.labels_.tolist(), strict=True))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["node", "community"])
    writer.writerows((node, found.get(node, "")) for node in graph.nodes.tolist())
    return text.getvalue().encode("utf-8")
