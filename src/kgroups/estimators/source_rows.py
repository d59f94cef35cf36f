"""What a fitted model says of rows that are read block by block."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def by_block(model: object, source: Any, work: Callable[[Any], Any]) -> Any:
    """What ``predict`` or ``transform`` says of all rows of a source, a block at a time."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None and source.names is not None and list(known) != list(source.names):
        missing = [name for name in known if name not in source.names]
        what = f"has no column {missing[0]!r}" if missing else "has its columns in another order"
        raise ValueError(
            f"The source {what}; choose the columns of the fit, in their order: {list(known)}."
        )
    with warnings.catch_warnings():
        # Their names have been compared, and blocks are arrays without names.
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        return np.concatenate([work(rows) for _, rows in source.blocks()])
