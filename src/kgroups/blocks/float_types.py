"""The type in which numbers of a table are read: that of the same table in memory."""

from collections.abc import Iterable
from typing import Any

import numpy as np


def float_type(kinds: Iterable[Any]) -> np.dtype[Any]:
    """float32 for columns whose numbers NumPy holds together in float32, otherwise float64.

    scikit-learn converts a table in memory in this way: float16 alone becomes float64, and so do
    float32 in the byte order of another machine, and the types of pandas that allow gaps.
    """
    kinds = list(kinds)
    try:
        is_single = np.result_type(*kinds) == np.float32
    except TypeError:  # not types of NumPy
        return np.dtype(np.float64)
    is_single = is_single and all(np.dtype(kind).isnative for kind in kinds)
    return np.dtype(np.float32 if is_single else np.float64)
