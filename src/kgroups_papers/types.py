"""The types that signatures name: arrays, and what one run gives."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float64Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

#: The measures of each method, by its key.
Scores: TypeAlias = Mapping[str, Mapping[str, float]]
