"""What searches on features read and write: points, clusters as centroids, and bounds."""

from typing import NamedTuple

from kgroups.gram.compiled.held_rows import Held
from kgroups.runtime.jit import jit_inlined
from kgroups.typing import Float64Array, IntArray


class Points(NamedTuple):
    """Features of n points, and their weights."""

    held: Held
    weights: Float64Array  # (n,)


class Clusters(NamedTuple):
    """Where every point is, the centroids, and room for one point."""

    labels: IntArray  # (n,)
    members: IntArray  # (k,) points with positive weight
    weight: Float64Array  # (k,)
    centers: Float64Array  # (D, k) for loops over clusters in vectors; by column if D is large
    anchors: IntArray  # (k,) a row that was a member when centroids were last added up
    beyond: Float64Array  # (D, k) centroids less these rows, in the unit of rows
    x: Float64Array  # (D,) the features of a point
    squared: Float64Array  # (k,) its squared distances to the centroids
    shift: Float64Array  # (k,) how far centroids have gone since a visit began
    order: IntArray  # (n,) points by cluster when centroids were last added up
    first: IntArray  # (k + 1,) where each cluster begins in it, and the end


class Means(NamedTuple):
    """The centroids without the points, each measured from a row of its cluster."""

    weight: Float64Array  # (k,)
    members: IntArray  # (k,) points with positive weight
    centers: Float64Array  # (D, k), as in Clusters
    anchors: IntArray  # (k,) the number of a heaviest member, -1 without one or once it left
    rest: Float64Array  # (k,) the weight of all others, while the anchor is a member
    places: Float64Array  # (k, D) where anchors are, in the unit of rows
    beyond: Float64Array  # (k, D) centroids less these places
    x: Float64Array  # (D,) room for the features of a point
    squared: Float64Array  # (k,) and for its squared distances to the centroids


class Bounds(NamedTuple):
    """What is known of distances without computing them, as of the last visit of each block."""

    own: Float64Array  # (n,) at least the distance to the own centroid
    others: Float64Array  # (n,) at most the smallest √(s_l/(s_l + w)) d_l of the other clusters
    centers: Float64Array  # (blocks, D + 1, k) the centroids of that visit, and the weights
    size: int  # points of a block
    heaviest: float  # largest weight of a point
    slack: Float64Array  # (n,) rounding of the distances of each point to centroids near it


@jit_inlined
def share(s: float, w: float) -> float:
    """s/(s + w): what a squared distance to a centroid counts for a point that enters."""
    return s / (s + w) if s > 0.0 else 0.0
