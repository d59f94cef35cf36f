"""``kgroups cluster --curved``: clusters of any shape, by a graph of nearest neighbors."""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from typing import TYPE_CHECKING

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, UsageError, refuse_with
from kgroups.cli.wording import in_words_of
from kgroups.exceptions import GraphNotice
from kgroups.input.table_files import Rows

if TYPE_CHECKING:
    from kgroups.graphs import GraphKGroups
    from kgroups.report import CurvedReport


def check_curved(options: Namespace) -> None:
    """UsageError for options that contradict ``--curved``, or that need it."""
    if not options.curved:
        if options.n_neighbors is not None:
            raise UsageError("--n-neighbors applies only to --curved; omit it, or add --curved")
        return
    others = {
        f"--metric {options.metric}": options.metric != "energy",
        "--alpha": options.alpha is not None,
        "--sigma": options.sigma is not None,
        "--categorical": options.categorical,
        "--weight-column": options.weight_column is not None,
        "--n-init": options.n_init != "auto",
        "--method": options.method != "auto",
        "--bound": options.bound is not None,
        "--memory-limit": options.memory_limit is not None,
        "--time-limit": options.time_limit is not None,
    }
    refuse_with("--curved", "counts no passes", {"--plot-search": options.plot_search is not None})
    because = "compares neighbors by Euclidean distance between numbers"
    refuse_with("--curved", because, others)


def fit_curved(
    features: TableFeatures, table: Rows, options: Namespace, console: Console
) -> tuple[GraphKGroups, CurvedReport]:
    """The clusters and their report; what the fit notices becomes a note."""
    from kgroups.graphs import GraphKGroups
    from kgroups.report import CurvedReport

    begun = time.perf_counter()
    estimator = GraphKGroups(
        "auto" if options.n_clusters is None else options.n_clusters,
        affinity="nearest_neighbors",
        n_neighbors=options.n_neighbors or 10,
        random_state=options.seed,
        n_jobs=options.n_jobs,
        verbose=console.status,
    )
    with in_words_of(table, features, options), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", GraphNotice)
        model = estimator.fit(features.X)
    seconds = time.perf_counter() - begun
    console.clear()
    for warning in found:
        if issubclass(warning.category, GraphNotice):
            console.note(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    report = CurvedReport.of(
        model,
        labels_true=features.labels,
        table=features.numbers,
        names=features.names,
        seconds=seconds,
        source=table.source,
        label_name=options.label_column or "",
        ids=features.ids,
    )
    return model, report
