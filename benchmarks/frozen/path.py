"""Which way a fit of rows went: what held similarity, where starts competed, and why."""

from typing import Any

import numpy as np

from kgroups.semimetrics import Cosine, Energy

#: What ``method_reason_`` holds, and a word for it; of several the first counts.
WHY = {
    "asks: this metric needs no pairs": "asked for a proof",
    "asks": "asked",
    "X is": "matrix",
    "means of clusters say it all": "means",
    "the columns are sorted": "columns",
    "bounds should decide": "bounds",
    "bounds decide few rows": "bounds fail",
    "labels to start from": "labels",
    "of this metric": "slow distances",
    "every start runs on the matrix": "few rows",
    "distances are computed on demand": "many rows",
    "would take minutes": "many pairs",
    "the exact sums would take": "memory",
    "bounds do not hold for them": "no bounds",
    "without all pairs": "bounds",
}


def path_of(model: Any) -> str:
    """As "blocks matrix_free/squared from a sample: means"; nothing where there is but one way."""
    if not hasattr(model, "method_reason_"):
        return ""
    reason = model.method_reason_
    # Rows that stayed where they were have labels in few bytes.
    way = "blocks " if model.labels_.dtype == np.int32 else ""
    way += model.method_
    if model.method_ == "matrix_free":
        is_squared = model.metric_ in (Energy(2.0), Cosine())
        way += "/pairs" if model.certificate_.n_pairs else "/squared" if is_squared else "/columns"
        if model.sketch_error_ is not None:
            way += " from a sample" if is_squared else " from a sketch"
    return f"{way}: {next((word for part, word in WHY.items() if part in reason), reason)}"
