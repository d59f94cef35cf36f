"""``kgroups cluster --report``: the page about the clusters of a table."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from kgroups.cli.columns import TableFeatures
from kgroups.cli.table_input import is_matrix
from kgroups.input.parameters import check_weights

if TYPE_CHECKING:
    from kgroups.estimators import KernelKGroups
    from kgroups.graphs import GraphKGroups
    from kgroups.pages import ReportPage
    from kgroups.pages.described_rows import DescribedRows
    from kgroups.report import ClusterReport, CurvedReport, RunRecord


def page_of_clusters(
    model: KernelKGroups | GraphKGroups,
    report: ClusterReport | CurvedReport,
    features: TableFeatures,
    run: RunRecord,
    options: Namespace,
) -> ReportPage:
    """The page of a fit with ``--curved``, or without."""
    from kgroups.pages.cluster_page import cluster_page
    from kgroups.pages.curved_page import curved_page
    from kgroups.report import CurvedReport

    described = _described(report, features, options)
    if isinstance(report, CurvedReport):
        if described is None:
            raise TypeError("--curved clusters rows of numbers")
        return curved_page(model, features.X, report, run, described, features.names)
    names = None if report.n_features is None else features.names
    return cluster_page(
        model,
        features.X,
        report,
        run,
        described=described,
        texts=features.texts,
        feature_names=names,
    )


def _described(
    report: ClusterReport | CurvedReport, features: TableFeatures, options: Namespace
) -> DescribedRows | None:
    """The columns of a table in their own units; None for rows without any."""
    from kgroups.answers.profiles import Grouping
    from kgroups.pages.described_rows import DescribedRows

    if is_matrix(options) or not features.n_numeric + features.n_categorical:
        return None
    weights = check_weights(features.weights, report.n_samples)
    kinds: dict[str, Any] = features.columns.get("kinds", {})
    return DescribedRows.of_columns(
        features.numbers,
        features.categories,
        features.names[: features.n_numeric],
        Grouping(report.labels, weights, int(report.labels.max()) + 1),
        dates=[name for name, kind in kinds.items() if kind == "date"],
    )
