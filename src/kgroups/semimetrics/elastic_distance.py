"""Elastic distances between series, computed by aeon or tslearn."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from kgroups.names import ELASTIC_DISTANCES
from kgroups.semimetrics.by_strips import ByStrips
from kgroups.semimetrics.open_parameters import NamedElsewhere
from kgroups.semimetrics.semimetric import is_number
from kgroups.semimetrics.time_series import looks_transposed, series_of
from kgroups.text import did_you_mean
from kgroups.typing import Data, Float64Array, FloatArray, Strip

if TYPE_CHECKING:
    from kgroups.semimetrics.packed import CompiledPairs, Packed

_BAND = ("window", "itakura_max_slope")
# What each distance takes in addition to a window, by the names of aeon.
_PARAMETERS = {
    "dtw": _BAND,
    "ddtw": _BAND,
    "wdtw": (*_BAND, "g"),
    "wddtw": (*_BAND, "g"),
    "adtw": (*_BAND, "warp_penalty"),
    "shape_dtw": (*_BAND, "descriptor", "reach"),
    "lcss": (*_BAND, "epsilon"),
    "edr": (*_BAND, "epsilon"),
    "erp": (*_BAND, "g"),
    "msm": (*_BAND, "c", "independent"),
    "twe": (*_BAND, "nu", "lmbda"),
    "sbd": ("standardize",),
    "frechet": ("window",),
}
_IN_TSLEARN = {"dtw": ("window",), "frechet": ("window",), "lcss": ("window", "epsilon")}


class ElasticDistance(NamedElsewhere, ByStrips[list[Float64Array]]):
    r"""How far one series is from another after their times were stretched to fit.

    "dtw", dynamic time warping, is whichever library computes it

    .. math:: ρ(x, y) = \min_π \sqrt{\sum_{(s, t) ∈ π} \|x_s - y_t\|^2}

    over all paths π that go from both beginnings to both ends by steps of at most one. It is the
    root of aeon's ``dtw_distance``, and tslearn's ``dtw``. All others are what aeon calls
    ``<name>_distance``: "ddtw", "wdtw", "wddtw", "adtw", "shape_dtw" (sums of squares, without a
    root), "lcss", "edr", "erp", "msm", "twe", "sbd". Without aeon, tslearn computes "dtw" and
    "lcss" (one minus its similarity), and always "frechet".

    Series are an array (n, length) with one channel, an array (n, length, channels) as in tslearn,
    or a list of arrays (length,) or (length, channels) of different lengths; write
    ``X.transpose(0, 2, 1)`` for the arrays (n, channels, length) of aeon and sktime. In an array,
    NaN up to the end of a series are padding.

    Not of negative type in general: a fit measures by how much (``negative_type_violation_``).
    O(n² L²) time for series of length L, on all threads with aeon; one half of the pairs is
    computed. Memory: the matrix, 8n² bytes, 4n² beyond 2,000 series, rounded to float32 there. So n
    is at most √(bytes/4): 20,000 series take 1.6 GB, and 8 GB hold 44,000; time is short first.

    Parameters
    ----------
    name : str, default="dtw"
        One of the names above; each also works as ``metric=``.
    window : float in [0, 1] or None, default=None
        How far times may differ, as a share of the length of the shorter series.
    **parameters
        What the function of aeon takes, by its name: ``itakura_max_slope``; ``g`` ("wdtw", "wddtw",
        "erp"), ``warp_penalty`` ("adtw"), ``epsilon`` ("lcss", "edr"), ``c`` and ``independent``
        ("msm"), ``nu`` and ``lmbda`` ("twe"), ``descriptor`` and ``reach`` ("shape_dtw"),
        ``standardize`` ("sbd"). None stands for the default of the library.

    Raises
    ------
    ImportError
        Without a library that has this distance; ``pip install kgroups[series]`` installs tslearn.
    ValueError
        For a series of length 0, with NaN or infinity, or with another number of channels.

    Examples
    --------
    >>> rho = ElasticDistance("dtw")
    >>> rho.pairwise([[1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], [0.0, 3.0]]).round(3).tolist()
    [[0.0, 1.0, 1.732], [1.0, 0.0, 1.732], [1.732, 1.732, 0.0]]

    References
    ----------
    H. Sakoe and S. Chiba, "Dynamic Programming Algorithm Optimization for Spoken Word Recognition",
    IEEE Trans. Acoust. Speech Signal Process. 26 (1), 1978.
    """

    takes_objects: ClassVar[bool] = True

    def __init__(self, name: str = "dtw", window: float | None = None, **parameters: Any) -> None:
        self.name = name
        self.window = window
        vars(self).update(parameters)
        self.check()

    def check(self) -> None:
        """Raise ValueError unless the name is known, and what it takes was given."""
        if self.name not in _PARAMETERS:
            raise ValueError(
                f"ElasticDistance: name must be one of {', '.join(ELASTIC_DISTANCES)}; got "
                f"{self.name!r}.{did_you_mean(self.name, ELASTIC_DISTANCES)}"
            )
        self.check_given()
        window = self.window
        if window is not None and not (is_number(window) and 0 <= window <= 1):
            raise ValueError(
                f"window must be None or a share of the length, from 0 to 1; got {window!r}."
            )

    def takes(self) -> tuple[str, ...]:
        """The names of the parameters that this distance has."""
        return _PARAMETERS[self.name]

    @property
    def is_negative_type(self) -> bool:
        """False: not in general."""
        return False

    @property
    def n_threads(self) -> int:
        """All threads with aeon, whose functions hold no lock; 1 with tslearn, in Python."""
        return super().n_threads if _library(self.name) == "aeon" else 1

    def read_objects(self, X: Data) -> list[Float64Array]:
        """The series of an array or of a list of arrays."""
        return series_of(X)

    def suspicion(self, X: Any, feature_names: list[str] | None = None) -> str:
        """Whether time and channels have changed places."""
        return looks_transposed(X)

    def strips(
        self, items: list[Float64Array], others: list[Float64Array], dtype: DTypeLike
    ) -> Strip:
        """Distances by aeon in compiled loops, else by tslearn."""
        if items[0].ndim != others[0].ndim:
            raise ValueError("X has series with another number of channels than Y.")
        if _library(self.name) == "tslearn":
            return self._by_tslearn(items, others, dtype)
        function = getattr(import_module("aeon.distances"), f"{self.name}_distance")
        pairs = _pairs(function, items, others, self._arguments(function))
        pairs.compile(dtype)
        made = pairs.strip(dtype, len(others), above=items is others)
        return _rooted(made) if self.name == "dtw" else made

    def _arguments(self, function: Any) -> tuple[Any, ...]:
        """The arguments of a function of aeon after the two series, in its order."""
        signature = inspect.signature(function.py_func)
        given = self.given()
        after = list(signature.parameters.values())[2:]
        return tuple(given.get(one.name, one.default) for one in after)

    def _by_tslearn(
        self, items: list[Float64Array], others: list[Float64Array], dtype: DTypeLike
    ) -> Strip:
        given = self.given()
        for parameter in given:
            if parameter not in _IN_TSLEARN[self.name]:
                raise ImportError(
                    f"ElasticDistance({self.name!r}, {parameter}=...) needs aeon, which has this "
                    "parameter: pip install aeon."
                )
        metrics = _tslearn()
        band = self._band([*items, *others])
        if self.name == "lcss":
            epsilon = given.get("epsilon", 1.0)

            def unlike(x: Float64Array, y: Float64Array) -> float:
                """The share of the shorter series that has no match."""
                return 1.0 - float(metrics.lcss(x, y, eps=epsilon, **band))

            return _one_by_one(unlike, items, others, dtype)
        together = metrics.cdist_dtw if self.name == "dtw" else metrics.cdist_frechet
        left = _padded(items)
        right = left if others is items else _padded(others)
        return lambda a, b, c: np.asarray(together(left[a:b], right[c:], **band), dtype)

    def _band(self, series: Sequence[Float64Array]) -> dict[str, Any]:
        """The window in the terms of tslearn, a number of time points."""
        if self.window is None:
            return {}
        lengths = {len(one) for one in series}
        if len(lengths) > 1:
            raise ImportError(
                f"a window between series of different lengths, {min(lengths)} to {max(lengths)}, "
                "needs aeon, because tslearn means another one: pip install aeon."
            )
        radius = int(self.window * lengths.pop())
        return {"global_constraint": "sakoe_chiba", "sakoe_chiba_radius": radius}


def _library(name: str) -> str:
    """The library that computes a distance: aeon if it is installed and has it, else tslearn."""
    if name != "frechet" and find_spec("aeon") is not None:
        return "aeon"
    if name in _IN_TSLEARN and find_spec("tslearn") is not None:
        return "tslearn"
    what = "aeon: pip install aeon"
    if name in _IN_TSLEARN:
        what = 'tslearn: pip install "kgroups[series]"'
        what += "" if name == "frechet" else "; or aeon: pip install aeon"
    raise ImportError(f'metric="{name}" needs {what}.')


def _tslearn() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # of other libraries that it imports, and does not need here
        return import_module("tslearn.metrics")


def _padded(series: Sequence[Float64Array]) -> Float64Array:
    """Series of all lengths as one array (n, length, channels), with NaN at the end."""
    tables = [one.reshape(len(one), -1) for one in series]
    longest = max(len(table) for table in tables)
    out = np.full((len(tables), longest, tables[0].shape[1]), np.nan)
    for i, table in enumerate(tables):
        out[i, : len(table)] = table
    return out


def _pairs(
    function: Callable[..., float],
    items: Sequence[Float64Array],
    others: Sequence[Float64Array],
    arguments: tuple[Any, ...],
) -> CompiledPairs:
    """Pairs of series in the shape of aeon, time last."""
    from kgroups.semimetrics.packed import CompiledPairs

    left = _packed(items)
    return CompiledPairs(function, left, left if others is items else _packed(others), arguments)


def _packed(series: Sequence[Float64Array]) -> Packed:
    from kgroups.semimetrics.packed import Packed

    packed = Packed.of([np.ascontiguousarray(one.T) for one in series])
    if packed is None:
        raise TypeError("series must be arrays of numbers.")
    return packed


def _rooted(squares: Strip) -> Strip:
    def strip(a: int, b: int, c: int) -> FloatArray:
        """Roots of the sums of squares along the paths."""
        made = squares(a, b, c)
        return np.sqrt(made, out=made)

    return strip


def _one_by_one(
    distance: Callable[[Float64Array, Float64Array], float],
    items: Sequence[Float64Array],
    others: Sequence[Float64Array],
    dtype: DTypeLike,
) -> Strip:
    def strip(a: int, b: int, c: int) -> FloatArray:
        """One call for each pair of series of the strip."""
        out = np.zeros((b - a, len(others) - c), dtype)
        for i in range(a, b):
            for j in range(max(c, i + 1) if items is others else c, len(others)):
                out[i - a, j - c] = distance(items[i], others[j])
        return out

    return strip
