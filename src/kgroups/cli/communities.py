"""``kgroups communities``: finds communities; writes them, a report and a picture."""

from __future__ import annotations

import hashlib
import io
import sys
import time
import warnings
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.cli.console import Console
from kgroups.cli.options import FORMATS
from kgroups.cli.output import (
    check_files,
    columns_bytes,
    model_bytes,
    picture_bytes,
    write_and_print,
)
from kgroups.cli.record import graph_data, is_recorded, run_record
from kgroups.exceptions import ComponentsNotice, DataError
from kgroups.graphs import Graph, GraphKGroups, read_graph, read_node_labels
from kgroups.graphs.community_estimator import without_own_similarity
from kgroups.input.adjacency import components
from kgroups.typing import IndexArray

if TYPE_CHECKING:
    from kgroups.report import CommunityReport


def communities(options: Namespace, console: Console) -> None:
    """Run ``kgroups communities``; files are written before the report is printed."""
    check_files(options)
    sha256 = _digest_of_input() if options.graph == "-" and is_recorded(options) else None
    graph = _read(options)
    truth = None if options.labels is None else read_node_labels(options.labels, graph)
    data = graph_data(graph, options, sha256) if is_recorded(options) else {}
    notes = (*graph.notes, *(truth.notes if truth else ()))
    console.note(*notes)
    kept = _largest(graph) if options.largest_component else np.arange(graph.n_nodes)
    part = replace(
        graph, adjacency=csr_array(graph.adjacency[kept][:, kept]), nodes=graph.nodes[kept]
    )
    known = None if truth is None else truth.labels[kept]
    model, report = _fit(part, known, options, console)
    report = replace(report, n_left_out=graph.n_nodes - part.n_nodes, notes=(*notes, *report.notes))
    run = run_record(options, console, data, report.settings)

    def page() -> bytes:
        """The report for people."""
        from kgroups.pages.community_page import community_page

        return community_page(model, part, report, run, known).to_bytes()

    write_and_print(
        replace(report, run=run),
        options,
        "Communities",
        plot=lambda: _picture(model, part, known, options.plot.suffix),
        report=page,
        output=lambda: _written(graph, kept, model, options),
        save=lambda: model_bytes(model),
    )


def _digest_of_input() -> str:
    """SHA-256 of standard input, which can be read as before."""
    raw = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw))
    return hashlib.sha256(raw).hexdigest()


def _read(options: Namespace) -> Graph:
    graph = read_graph(
        options.graph,
        format=FORMATS.get(options.format),
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        skip_lines=options.skip_lines,
        source=options.source,
        target=options.target,
        weight=False if options.ignore_weights else options.weight_column,
        header=options.header,
    )
    if graph.n_edges == 0:
        raise DataError(f"{graph.source} has no edges: there are no communities to find.")
    A = graph.adjacency
    if options.ignore_weights:
        A = csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    return replace(graph, adjacency=without_own_similarity(A))


def _largest(graph: Graph) -> IndexArray:
    """The nodes of the largest component, the first of several equally large ones."""
    _, component = components(graph.adjacency)
    return np.flatnonzero(component == np.bincount(component).argmax())


def _fit(
    graph: Graph, known: NDArray[np.object_] | None, options: Namespace, console: Console
) -> tuple[GraphKGroups, CommunityReport]:
    from kgroups.report import CommunityReport
    from kgroups.report.community_advice import advice

    begun = time.perf_counter()
    model = GraphKGroups(
        options.n_clusters or "auto",
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
    try:
        with warnings.catch_warnings():
            # The report has a line of its own on components.
            warnings.simplefilter("ignore", ComponentsNotice)
            model.fit(graph.adjacency)
    except ValueError as error:
        raise DataError(f"{graph.source}: {error}") from error
    model.nodes_ = graph.nodes
    seconds = time.perf_counter() - begun
    console.clear()
    report = CommunityReport.of(
        model,
        graph,
        labels_true=known,
        truth_source=str(options.labels),
        seconds=seconds,
    )
    notes = advice(report, model, graph)
    console.note(*notes)
    return model, replace(report, notes=tuple(notes))


def _picture(
    model: GraphKGroups, graph: Graph, known: NDArray[np.object_] | None, suffix: str
) -> bytes:
    from kgroups.plots import network_overview

    figure = network_overview(model, graph.adjacency, node_names=graph.nodes, labels_true=known)
    return picture_bytes(figure, suffix)


def _written(graph: Graph, kept: IndexArray, model: GraphKGroups, options: Namespace) -> bytes:
    """All nodes of the graph; the community is missing for nodes that are left out."""
    found = dict(zip(kept.tolist(), model.labels_.tolist(), strict=True))
    places = [found.get(node) for node in range(graph.n_nodes)]
    return columns_bytes(options.output, {"node": graph.nodes, "community": places})
