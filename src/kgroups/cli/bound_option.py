"""``kgroups cluster --bound``: how much tighter another clustering could be."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from kgroups.cli.console import Console
from kgroups.exceptions import DataError
from kgroups.names import MATRICES
from kgroups.runtime.progress import listening

if TYPE_CHECKING:
    from kgroups.bounds import OptimalityGap
    from kgroups.cli.columns import TableFeatures
    from kgroups.estimators import KernelKGroups

# Number of rows up to which an exact spectral bound takes about as long as the fit.
_UNASKED_UP_TO = 5_000


def check_bound(options: Namespace, n_rows: int) -> None:
    """DataError, before the fit, for a bound that would take hours."""
    from kgroups.bounds import MAX_POINTS

    if options.bound == "semidefinite" and n_rows > MAX_POINTS:
        raise DataError(
            f"--bound semidefinite is limited to {MAX_POINTS:,} rows; {options.data} has "
            f"{n_rows:,}. --bound spectral has no limit."
        )


def optimality(
    model: KernelKGroups, features: TableFeatures, options: Namespace, console: Console
) -> OptimalityGap | None:
    """The gap that --bound asks for; without --bound one that is quick to compute, or None."""
    if options.bound == "none":
        return None
    if model.method_ == "nystroem":
        if options.bound is not None:
            console.note("no --bound for approximate distances; use --method matrix_free")
        return None
    kind = options.bound or "spectral"
    if kind == "spectral" and _is_quick_in_blocks(model):
        kind = "blockwise"
    elif options.bound is None and len(model.labels_) > _UNASKED_UP_TO:
        return None
    matrix = features.X if options.metric in MATRICES else None
    with listening(console.status):
        return model.optimality_gap(matrix, kind=kind)


def _is_quick_in_blocks(model: KernelKGroups) -> bool:
    """Whether a blockwise bound is valid and takes less time than the fit."""
    from kgroups.bounds import blocks_save_time

    holds = bool(getattr(model.metric, "is_negative_type", False))
    return holds and blocks_save_time(len(model.labels_), len(model.cluster_weights_))
