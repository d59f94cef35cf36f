"""What distance means: semimetrics, the kernels behind them, and a check of negative type.

A semimetric ρ is symmetric, nonnegative, and zero between a point and itself; the triangle
inequality is not required. It is *of negative type* when Σ c_i c_j ρ(x_i, x_j) ≤ 0 for all c that
sum to zero. Then ρ is a squared distance in a Hilbert space, and energy statistics applies.
"""

from kgroups.semimetrics.angles import Angular, Cosine
from kgroups.semimetrics.by_name import by_name
from kgroups.semimetrics.callables import PairFunction
from kgroups.semimetrics.column_sum import ColumnSum
from kgroups.semimetrics.coordinates import (
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    Laplacian,
    Manhattan,
    SineSquared,
)
from kgroups.semimetrics.duality import (
    kernel_from_semimetric,
    negative_type_violation,
    semimetric_from_kernel,
)
from kgroups.semimetrics.edit_distance import EditDistance
from kgroups.semimetrics.elastic_distance import ElasticDistance
from kgroups.semimetrics.mixed import Mixed
from kgroups.semimetrics.other_spaces import (
    GreatCircle,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
)
from kgroups.semimetrics.sample_distance import Samples
from kgroups.semimetrics.scipy_distance import ScipyDistance
from kgroups.semimetrics.semimetric import Metric, Semimetric

__all__ = [
    "Angular",
    "ColumnSum",
    "Cosine",
    "DampedSquared",
    "EditDistance",
    "ElasticDistance",
    "Energy",
    "Gaussian",
    "GreatCircle",
    "Hamming",
    "Hellinger",
    "Jaccard",
    "JensenShannon",
    "KendallTau",
    "Laplacian",
    "Manhattan",
    "Metric",
    "Mixed",
    "PairFunction",
    "Samples",
    "ScipyDistance",
    "Semimetric",
    "SineSquared",
    "by_name",
    "kernel_from_semimetric",
    "negative_type_violation",
    "semimetric_from_kernel",
]
