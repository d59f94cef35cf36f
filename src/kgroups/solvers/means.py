"""What searches on features read and write: points, centroids, bounds and proposals."""

from typing import NamedTuple

from kgroups.gram.held_rows import Held
from kgroups.typing import Float64Array, IntArray

#: Roundings of a distance, relative to the numbers that it is a difference of, counted generously.
ROUNDINGS = 2.0**-48


class Points(NamedTuple):
    """Features of n points, and their weights."""

    held: Held
    weights: Float64Array  # (n,)


class Means(NamedTuple):
    """The centroids, each measured from a row of its cluster."""

    weight: Float64Array  # (k,)
    members: IntArray  # (k,) points with positive weight
    centers: Float64Array  # (k, D)
    anchors: IntArray  # (k,) the number of a heaviest member, -1 without one or once it left
    rest: Float64Array  # (k,) the weight of all others, while the anchor is a member
    places: Float64Array  # (k, D) where anchors are, in the unit of rows
    beyond: Float64Array  # (k, D) centroids less these places


class Bounds(NamedTuple):
    """What is known of the distances of some points without computing them."""

    own: Float64Array  # at least the distance to the own centroid
    others: Float64Array  # at most the smallest √(s_l/(s_l + w)) d_l of the other clusters
    slack: Float64Array  # rounding of distances to centroids near the point


class Block(NamedTuple):
    """Some points in order, and what is known of them."""

    first: int  # the number of the first of them
    labels: IntArray  # (m,)
    bounds: Bounds


class Proposals(NamedTuple):
    """Moves that gain, and the bounds of their points where they are made."""

    rows: IntArray  # (p,) from the first of the block
    targets: IntArray  # (p,)
    own: Float64Array  # (p,)
    others: Float64Array  # (p,)


class Added(NamedTuple):
    """What some points add up to, about the places of anchors."""

    weight: Float64Array  # (k,)
    members: IntArray  # (k,) points with positive weight
    rest: Float64Array  # (k,) the weight without that of the anchor
    beyond: Float64Array  # (k, D) Σ w (x − place), in the unit of rows
    spread: Float64Array  # (k,) Σ w ‖x − place‖²
