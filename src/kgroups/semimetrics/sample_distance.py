"""The energy distance between samples, where each row of the data is a sample of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from kgroups.native import kernels
from kgroups.semimetrics.by_strips import ByStrips
from kgroups.semimetrics.items import arrays_of, check_no_gaps
from kgroups.semimetrics.semimetric import is_number
from kgroups.typing import Data, Float64Array, FloatArray, IntArray, Strip

_ADVICE = "Remove such values from the sample: numpy.isfinite(sample) says which ones to keep."


class _Line(NamedTuple):
    """All samples one after the other; where each begins, and where the last ends."""

    points: Float64Array
    begins: IntArray


@dataclass
class Samples(ByStrips[list[Float64Array]]):
    r"""Energy distance between two rows that are samples: how different their distributions are.

    .. math:: ρ(x, y) = 2 E\|X - Y\|^α - E\|X - X'\|^α - E\|Y - Y'\|^α

    with X, X' drawn from the numbers or points of sample x, and Y, Y' from those of y, as
    :func:`kgroups.stats.energy_distance` computes it. So ρ = 0 if and only if both have the same
    values with the same frequencies (0 < α < 2), whatever the order and the numbers of values. It
    is of negative type, as twice the squared distance between the kernel means of two samples.

    Samples are a list of arrays, (m_i,) for numbers and (m_i, D) for points, an array (n, m) or an
    array (n, m, D). On a line with α = 1, ρ = 2 ∫(F - G)² dt of the distribution functions: every
    sample is sorted once, O(m log m), and a pair takes O(m_x + m_y). Otherwise a pair takes
    O(m_x m_y D). On all threads; memory is the matrix, 8n² bytes, 4n² beyond 2,000 samples, where
    it is rounded to float32, and the samples twice. So n is at most √(bytes/4): 20,000 samples take
    1.6 GB, and 8 GB hold 44,000; beyond what fits a fit takes method "nystroem".

    Parameters
    ----------
    alpha : float, default=1.0
        In (0, 2]. With 2 only the means of the samples are compared.

    Raises
    ------
    ValueError
        For a sample without values, with NaN or infinity, or of another dimension.

    Examples
    --------
    >>> Samples().pairwise([[0.0, 2.0], [1.0], [2.0, 0.0, 0.0, 2.0]]).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]

    References
    ----------
    [SR13] G. J. Székely and M. L. Rizzo, "Energy Statistics: A Class of Statistics Based on
    Distances", J. Stat. Plan. Inference 143 (8), 2013.
    """

    alpha: float = 1.0
    takes_objects: ClassVar[bool] = True

    def check(self) -> None:
        """Raise ValueError unless alpha is in (0, 2]."""
        if not is_number(self.alpha) or not 0 < self.alpha <= 2:
            raise ValueError(f"alpha must lie in (0, 2]; got {self.alpha!r}.")

    def read_objects(self, X: Data) -> list[Float64Array]:
        """The samples of an array or of a list of arrays, as (m,) or (m, D)."""
        arrays = arrays_of(X, "sample")
        check_no_gaps(arrays, "sample", _ADVICE)
        widths = [1 if array.ndim == 1 else array.shape[1] for array in arrays]
        odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
        if odd is not None:
            raise ValueError(
                f"sample 0 has points with {widths[0]} coordinates, and sample {odd} points with "
                f"{widths[odd]}; a sample of points is an array (m, D) with the same D."
            )
        return [array.ravel() for array in arrays] if widths[0] == 1 else arrays

    def strips(
        self, items: list[Float64Array], others: list[Float64Array], dtype: DTypeLike
    ) -> Strip:
        """Distances by compiled loops, from samples that are sorted or centered once."""
        if items[0].shape[1:] != others[0].shape[1:]:
            raise ValueError("the samples of X and of Y have points of different dimensions.")
        on_line = items[0].ndim == 1 and self.alpha == 1
        origin = _origin(others)
        left = _line(items, origin, ordered=on_line)
        right = left if others is items else _line(others, origin, ordered=on_line)
        made = _merged if on_line else _Meant.of(left, right, float(self.alpha) / 2)
        above = others is items
        n = len(others)

        def strip(a: int, b: int, c: int) -> FloatArray:
            """Distances from samples a to b to all others from c on."""
            out = np.zeros((b - a, n - c))
            made(left, right, a, c, above, out)
            return out.astype(dtype, copy=False)

        return strip


def _merged(
    left: _Line, right: _Line, first: int, start: int, above: bool, out: Float64Array
) -> None:
    kernels.fill_lines(*left, *right, first, start, above, out)


class _Meant(NamedTuple):
    """Twice the mean distance across, less the means within the two samples, which are known."""

    own: Float64Array
    others: Float64Array
    half: float

    @classmethod
    def of(cls, left: _Line, right: _Line, half: float) -> _Meant:
        """The means within all samples, once."""
        own = _own_means(left, half)
        return cls(own, own if right is left else _own_means(right, half), half)

    def __call__(
        self, left: _Line, right: _Line, first: int, start: int, above: bool, out: Float64Array
    ) -> None:
        kernels.fill_means(*left, *right, self.half, first, start, above, out)
        out *= 2
        out -= self.own[first : first + len(out), None]
        out -= self.others[start:]
        np.maximum(out, 0.0, out=out)


def _own_means(samples: _Line, half: float) -> Float64Array:
    out = np.empty(len(samples.begins) - 1)
    kernels.fill_own_means(samples.points, samples.begins, half, out)
    return out


def _origin(samples: Sequence[Float64Array]) -> Float64Array:
    """A point among all others, from which differences keep their digits."""
    return np.asarray(np.mean([sample.mean(axis=0) for sample in samples], axis=0))


def _line(samples: Sequence[Float64Array], origin: Float64Array, *, ordered: bool) -> _Line:
    moved = [sample - origin for sample in samples]
    if ordered:
        moved = [np.sort(sample) for sample in moved]
    begins = np.concatenate([[0], np.cumsum([len(sample) for sample in samples])])
    points = np.concatenate(moved)
    if not ordered:
        points = np.ascontiguousarray(points.reshape(len(points), -1))
    return _Line(points, begins)
