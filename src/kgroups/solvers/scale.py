"""The scale on which a user reads the Q of an operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from kgroups.typing import Float64Array

Value = TypeVar("Value", float, Float64Array)


@dataclass(frozen=True)
class Scale:
    """``unit`` · (Q − Q of one cluster) + ``constant``, applied by calling it.

    The unit gathers all that the operator left out: the unit of the weights, that of features, and
    on a sample the weight of all points over that of the sample. The constant is what one cluster
    has for ``objective_``: 0 for distances, where the origin of the kernel is free.

    >>> Scale(2.0, 1.0)(10.0), Scale(3.0).after(Scale(2.0, 1.0))(10.0)
    (21.0, 63.0)
    """

    unit: float = 1.0
    constant: float = 0.0
    #: A scale that comes before this one; units are not multiplied, because that could overflow.
    first: Scale | None = None

    def __call__(self, rise: Value) -> Value:
        """The number that a user reads."""
        return self.unit * (rise if self.first is None else self.first(rise)) + self.constant

    def after(self, first: Scale) -> Scale:
        """The scale that applies ``first`` and then this one."""
        innermost = first if self.first is None else self.first.after(first)
        return Scale(self.unit, self.constant, innermost)
