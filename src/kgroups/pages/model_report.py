"""``model.report(X)``: the page of a model that was fitted in Python."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.answers.answers import KeptDistances, KeptRows
from kgroups.answers.characteristic_words import Words
from kgroups.answers.profiles import Grouping
from kgroups.bounds import OptimalityGap
from kgroups.input.columns import feature_names
from kgroups.input.parameters import check_weights
from kgroups.input.preparation import Preparation, prepared
from kgroups.input.rows import is_row_source, n_rows, take
from kgroups.input.spaces import is_pairwise
from kgroups.pages.cluster_evidence import is_sparse, some_rows
from kgroups.pages.cluster_page import cluster_page
from kgroups.pages.data_digest import data_digest
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.report_page import ReportPage
from kgroups.report import ClusterReport, RunRecord
from kgroups.semimetrics.semimetric import evenly_spaced

# Rows up to which a bound takes no longer than the rest of the page.
_BOUND_UP_TO = 2_000
# Rows that are compared with those of the fit, and how far rounding may take their distances apart.
_COMPARED, _ROUNDING = 200, 1e-3


def model_report(
    model: Any,
    X: Any,
    *,
    table: Any = None,
    ids: Sequence[object] | None = None,
    sample_weight: ArrayLike | None = None,
    labels_true: ArrayLike | None = None,
    source: str = "the data",
) -> ReportPage:
    """See :meth:`kgroups.KernelKGroups.report`."""
    n = len(model.labels_)
    _check_rows(n, X=X, table=table, ids=ids)
    names, rows = feature_names(X), prepared(model, X)
    if rows is not X:  # columns as they were in the table of the fit
        preparation, model = model.preparation_, copy(model)
        del model.preparation_
        if isinstance(preparation, Preparation) and hasattr(X, "columns"):
            table = preparation.chosen(X) if table is None else table
            names = preparation.columns
        X = rows
    _check_is_of_fit(model, X)
    weights = check_weights(sample_weight, n)
    report = ClusterReport.of(
        model,
        X,
        sample_weight=sample_weight,
        labels_true=labels_true,
        optimality=_gap(model, X),
        source=source,
        ids=None if ids is None else [str(one) for one in ids],
        words=_words(model, X) if table is None else None,
        unit="column",
        n_missing={str(k): v for k, v in getattr(model, "n_missing_", {}).items()},
    )
    run = RunRecord(
        command=f"model = {model!r}.fit(X)\nmodel.report(X).save('report.html')",
        settings=report.settings,
        data={"source": source, "n_rows": n, "sha256": data_digest(X)},
    )
    groups = Grouping(model.labels_, weights, report.n_clusters)
    described = _described(model, X, table, groups)
    return cluster_page(
        model, X, report, run, described=described, texts=_texts(X), feature_names=names
    )


def _check_rows(n: int, **given: Any) -> None:
    """ValueError for another number of rows than in the fit."""
    for name, value in given.items():
        if is_row_source(value):
            raise TypeError(
                f"{name} is read in blocks, and a report needs its rows in memory; write a report "
                "of a model that is fitted to a sample of them."
            )
        if value is not None and n_rows(value) != n:
            raise ValueError(
                f"{name} has {n_rows(value)} rows and the model was fitted on {n}; pass those of "
                "the fit."
            )


def _check_is_of_fit(model: Any, X: Any) -> None:
    """ValueError for rows that are not as far from the centers as those of the fit, O(nD).

    Up to 200 rows are compared. What all centers share is left out, as a given kernel knows it only
    at the fit.
    """
    if len(model.cluster_weights_) == 1:
        return
    kept = model._answers.kept
    among = kept.rows if isinstance(kept, KeptRows) else np.arange(len(model.labels_))
    places = evenly_spaced(len(among), min(len(among), _COMPARED))
    if isinstance(kept, KeptDistances):
        of_fit = kept.squared[places]
    else:
        data = model._answers.training if kept is None else kept.data
        of_fit = model._nearest.squared_distances(take(data, places))
    squared = model._squared_distances(some_rows(X, among[places]))
    gaps = np.abs((squared - squared[:, :1]) - (of_fit - of_fit[:, :1])).max(axis=1)
    n_other = int(np.count_nonzero(gaps > _ROUNDING * np.abs(of_fit).max(axis=1)))
    if n_other:
        raise ValueError(
            f"X does not seem to hold the rows of the fit in their order: {n_other:,} of "
            f"{len(places):,} rows are not as far from the clusters as at the fit; pass the X of "
            "the fit."
        )


def _described(model: Any, X: Any, table: Any, groups: Grouping) -> DescribedRows | None:
    """The given columns; else those of X, if it has columns that can be described."""
    if table is not None:
        return DescribedRows.of_table(table, groups) if _has_columns(table) else None
    if is_pairwise(model.metric) or is_sparse(X) or not _is_table(X):
        return None
    return DescribedRows.of_table(X, groups)


def _has_columns(table: Any) -> bool:
    """Whether a given table has some; ValueError for a single column that is not a table."""
    shape = getattr(table, "shape", (0, 1))
    if len(shape) == 1:
        raise ValueError("table must have columns; write table.to_frame() for a single one.")
    return bool(shape[1])


def _is_table(X: Any) -> bool:
    """Whether rows have columns: a frame, a table, or lists of numbers of one length."""
    if hasattr(X, "columns"):
        return True
    if not hasattr(X, "shape"):
        return bool(len(X)) and isinstance(X[0], list | tuple) and len({len(x) for x in X}) == 1
    return len(X.shape) == 2


def _texts(X: Any) -> Sequence[str] | None:
    """Rows that are texts themselves."""
    is_text = not hasattr(X, "shape") and bool(len(X)) and all(isinstance(x, str) for x in X)
    return X if is_text else None


def _words(model: Any, X: Any) -> Words | None:
    if not is_sparse(X) or is_pairwise(model.metric):
        return None
    return Words(csr_array(X), lambda column: f"column {column + 1}")


def _gap(model: Any, X: Any) -> OptimalityGap | None:
    """What is proved, where that takes no longer than the rest."""
    is_exact = model.method_ not in ("nystroem", "certified")
    if not is_exact or len(model.labels_) > _BOUND_UP_TO:
        return None
    found: OptimalityGap = model.optimality_gap(
        X if is_pairwise(model.metric) else None, kind="spectral"
    )
    return found if np.isfinite(found.gap) else None
