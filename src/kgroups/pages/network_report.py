"""``model.report(A)`` of communities, and of clusters in a graph of neighboring rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from kgroups.answers.profiles import Grouping
from kgroups.graphs import Graph
from kgroups.graphs.community_estimator import without_own_similarity
from kgroups.graphs.neighbors.reading import new_rows
from kgroups.input.columns import feature_names
from kgroups.input.networks import network_of
from kgroups.input.rows import n_rows
from kgroups.pages.community_page import community_page
from kgroups.pages.curved_page import curved_page
from kgroups.pages.data_digest import data_digest
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.report_page import ReportPage
from kgroups.report import CommunityReport, CurvedReport, RunRecord


def network_report(
    model: Any,
    A: Any,
    *,
    ids: Sequence[object] | None,
    labels_true: Collection[object] | None,
    source: str,
) -> ReportPage:
    """See :meth:`kgroups.GraphKGroups.report`."""
    if model.affinity == "nearest_neighbors":
        return _of_rows(model, A, ids, labels_true, source)
    found = network_of(A, name="A", allow_negative=True)
    graph = Graph(without_own_similarity(found.adjacency), found.nodes, source=source)
    _check_size(graph.n_nodes, model, "nodes")
    if ids is not None:
        raise ValueError("ids names the rows of a table; nodes have the names of their graph.")
    report = CommunityReport.of(model, graph, labels_true=labels_true)
    data = {
        "source": source,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "sha256": data_digest(found.adjacency),
    }
    return community_page(model, graph, report, _record(model, report.settings, data), labels_true)


def _of_rows(
    model: Any,
    X: Any,
    ids: Sequence[object] | None,
    labels_true: Collection[object] | None,
    source: str,
) -> ReportPage:
    """The page of ``affinity="nearest_neighbors"``, whose ``fit`` took a table."""
    _check_size(n_rows(X), model, "rows")
    table = model._table_
    if not np.allclose(
        table.frame.placed(new_rows(model, X)), table.nodes[table.places], atol=1e-6
    ):
        raise ValueError(
            "X does not hold the rows of the fit in their order; pass the X of the fit."
        )
    names = feature_names(X) or [f"column {c + 1}" for c in range(np.shape(X)[1])]
    report = CurvedReport.of(
        model,
        labels_true=None if labels_true is None else np.asarray(list(labels_true)),
        table=np.asarray(X, np.float64),
        names=names,
        source=source,
        ids=None if ids is None else [str(one) for one in ids],
    )
    data = {"source": source, "n_rows": report.n_samples, "sha256": data_digest(X)}
    groups = Grouping(report.labels, np.ones(report.n_samples), len(report.sizes))
    described = DescribedRows.of_table(X, groups)
    return curved_page(model, X, report, _record(model, report.settings, data), described, names)


def _record(model: Any, settings: Any, data: dict[str, Any]) -> RunRecord:
    command = f"model = {model!r}.fit(A)\nmodel.report(A).save('report.html')"
    return RunRecord(command=command, settings=settings, data=data)


def _check_size(n: int, model: Any, what: str) -> None:
    """ValueError for data that are not those of the fit."""
    if n != len(model.labels_):
        raise ValueError(
            f"A has {n} {what} and the model was fitted on {len(model.labels_)}; pass those of the "
            "fit."
        )
