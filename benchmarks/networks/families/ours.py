"""GraphKGroups as it comes, and what it says of its answer."""

from __future__ import annotations

import time
import warnings
from typing import Any

from kgroups import GraphKGroups


def fitted(graph: Any, seed: int | None, *args: Any, **options: Any) -> tuple[Any, float]:
    """A fitted model and its seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = time.perf_counter()
        model = GraphKGroups(*args, random_state=seed, **options).fit(graph)
        return model, time.perf_counter() - begun


def described(model: Any) -> dict[str, Any]:
    """The number of communities, and how it was decided if the model says so."""
    row: dict[str, Any] = {"k": int(model.n_clusters_)}
    for name in ("evidence_", "agreement_"):
        value = getattr(model, name, None)
        row[name.rstrip("_")] = None if value is None else round(float(value), 3)
    for name in ("decided_by_", "objective_"):
        row[name.rstrip("_")] = getattr(model, name, None)
    return row
