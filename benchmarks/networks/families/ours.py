"""GraphKGroups as it comes, and what it says of its answer."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups import GraphKGroups


def fitted(graph: Any, seed: int | None, *args: Any, **options: Any) -> tuple[Any, float]:
    """A fitted model and its seconds."""
    begun = time.perf_counter()
    model = GraphKGroups(*args, random_state=seed, **options).fit(graph)
    return model, time.perf_counter() - begun


def described(model: Any) -> dict[str, Any]:
    """The number of communities, and how it was decided if the model says so."""
    row: dict[str, Any] = {"k": int(model.n_clusters_)}
    for name in ("evidence_", "agreement_"):
        value = getattr(model, name, None)
        row[name.rstrip("_")] = None if value is None else round(float(value), 3)
    row["decided_by"] = getattr(model, "decided_by_", None)
    return row


def compiled(A: csr_array, **options: Any) -> None:
    """Fit a small part once, so that no time to compile is measured."""
    few = np.arange(min(200, A.shape[0]))
    GraphKGroups(random_state=0, **options).fit(A[few][:, few])
