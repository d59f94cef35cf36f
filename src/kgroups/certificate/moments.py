"""Weights and mean distances to landmarks of small pieces of each cluster."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.members import PIECE, Members, Moments
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.typing import Float64Array, IntArray

# Points whose distances to landmarks are made at a time.
_ROWS = 1 << 13


def moments_of(
    form: LandmarkForm, points: Points, members: Members, executor: Executor
) -> list[Moments]:
    """The moments of the pieces of all clusters. O(n m D) time, O(n m / 256) memory.

    Sums are made block by block and added in the order of the blocks.
    """
    count = -(-members.count // PIECE)
    first = np.concatenate([[0], np.cumsum(count)])
    weight, landmarks = np.zeros(first[-1]), np.zeros((first[-1], form.n_landmarks))

    def some(block: tuple[int, int]) -> tuple[IntArray, Float64Array, Float64Array]:
        """Numbers of pieces, and the sums over the points of the block that lie in each."""
        index = members.order[slice(*block)]
        place = np.arange(*block)
        cluster = np.searchsorted(members.offsets, place, side="right") - 1
        piece = first[cluster] + (place - members.offsets[cluster]) // PIECE
        w = members.weights[index]
        rho = form.distances(points, index) * w[:, None]
        starts = np.flatnonzero(np.diff(piece, prepend=-1))
        return piece[starts], np.add.reduceat(w, starts), np.add.reduceat(rho, starts, axis=0)

    for pieces, w, rho in executor.map(some, blocks(0, len(members.order), _ROWS)):
        weight[pieces] += w
        landmarks[pieces] += rho
    return list(_by_cluster(weight, landmarks, first))


def _by_cluster(
    weight: Float64Array, landmarks: Float64Array, first: IntArray
) -> Iterator[Moments]:
    for a, b in pairwise(first.tolist()):
        yield Moments(weight[a:b], landmarks[a:b])
