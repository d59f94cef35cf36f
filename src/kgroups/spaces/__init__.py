"""What input is: points with a semimetric, distances or a Gram matrix; and how to hold it.

::

    metric --space_for--> Space --read--> clean data --plan--> Plan --gram--> GramOperator
"""

from kgroups.spaces.kinds import (
    DistanceSpace,
    KernelSpace,
    PointSpace,
    Space,
    exact_gram,
    is_pairwise,
    is_table,
    read_input,
    space_for,
)
from kgroups.spaces.plan import Plan

__all__ = [
    "DistanceSpace",
    "KernelSpace",
    "Plan",
    "PointSpace",
    "Space",
    "exact_gram",
    "is_pairwise",
    "is_table",
    "read_input",
    "space_for",
]
