r"""How closely the first members of a cluster stand for all of them: the levels of a ladder.

A cluster C is cut into its first members A and the rest B, with ψ = s_B / s. For a point x

.. math:: K(x, μ) = (1 - ψ) K(x, A) + ψ [F(x)^⊤ F(B) + α ⟨x, A⟩_R ± ‖x‖_R ε],
          \qquad ε ≥ ‖B - α A‖_R

where A and B stand for the means of their points; this is the Cauchy–Schwarz inequality for the
form of :class:`~kgroups.certificate.landmark_form.LandmarkForm`. So the mean distance g(x, C) is
known up to 2ψ ‖x‖_R ε from the sum over A alone. The norm follows from sums over pairs,

.. math:: ‖B - α A‖_R^2 = ‖B‖_R^2 - 2 α ⟨A, B⟩_R + α^2 ‖A‖_R^2, \qquad
          ⟨A, B⟩_R = \tfrac12 [K(A) + K(B) - g(A, B)] - F(A)^⊤ F(B)

with K(A) the mean of K(x, x). Where the pairs within a part H of C are not known, ‖H‖_R is bounded
by those within blocks b of H and between each b and the head A_0, with the triangle inequality:

.. math:: ‖H - α A_0‖_R ≤ \sum_b \frac{s_b}{s_H} ‖b - α A_0‖_R

α is the one that makes the norm on the left least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.linalg import norm

from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.members import Moments
from kgroups.certificate.stages import Stages
from kgroups.typing import Float64Array


@dataclass(frozen=True, eq=False)
class Level:
    """g(x, C) ≈ β · mean ρ(x, A) + γ · mean ρ(x, A_0) + ρ(x, Z) · u + constant.

    Up to ‖x‖_R · width, rounding · (the largest of ρ(x, Z)) and error. A_0, the head, is that of
    which sums are kept on the way.
    """

    #: Members in A, and their weight.
    size: int
    weight: float
    beta: float
    gamma: float
    direction: Float64Array  # u, (m,)
    constant: float
    width: float
    #: What rounding may do to the product with u, over the largest distance to a landmark, and to
    #: the constant.
    rounding: float
    error: float


@dataclass(frozen=True, eq=False)
class ClusterLevels:
    """The levels of a cluster, from landmarks alone to all members, and what its pairs say."""

    levels: list[Level]
    weight: float
    #: Σ Σ w w ρ over the cluster lies between these.
    least: float
    most: float
    #: The level at which A is the head, and the weight of that.
    head: int
    head_weight: float


@dataclass(frozen=True, eq=False)
class Part:
    """The mean of some points: features, and the mean of K(x, x)."""

    weight: float
    features: Float64Array
    own: float

    @classmethod
    def of(cls, form: LandmarkForm, weight: float, landmarks: Float64Array) -> Part:
        """From the weight and Σ w ρ(x, Z)."""
        mean = landmarks / weight
        return cls(weight, form.features(mean), float(form.own(mean)))

    def product(self, other: Part, g: float) -> float:
        """⟨A, B⟩_R from g(A, B), the mean distance between their points."""
        return 0.5 * (self.own + other.own - g) - float(self.features @ other.features)


def level_of(
    form: LandmarkForm,
    first: Part | None,
    rest: Part | None,
    alpha: float,
    width: float,
    size: int,
    anchor: Part | None = None,
) -> Level:
    """The level of a first part and the rest; ``width`` bounds ‖rest − α anchor‖_R.

    The anchor is the first part unless another is given.
    """
    s_first, s_rest = (0.0 if part is None else part.weight for part in (first, rest))
    psi = s_rest / (s_first + s_rest)
    if rest is None:
        psi = 0.0
    own = anchor is None
    anchor = first if anchor is None else anchor
    of_anchor = 0.0 if anchor is None else psi * alpha
    beta = 0.0 if first is None else 1.0 - psi
    gamma = 0.0
    constant, q = 0.0, np.zeros(form.rank)
    # K(x, ·) of each part is ½ [K(x, x) + K(·) − mean ρ(x, ·)]; the constants are K(·).
    if rest is not None:
        constant += psi * rest.own
        q += rest.features
    if anchor is not None:
        constant -= of_anchor * anchor.own
        q -= alpha * anchor.features
    if own:
        beta += of_anchor
    else:
        gamma = of_anchor
    left = 1.0 - beta - gamma  # the share of K(x, x) that the sums do not hold
    m = form.n_landmarks
    direction = left / m - 2.0 * psi * (form.matrix @ q)
    # The product of F(x), of which the length is at most ½ (1 + the largest of ρ(x, Z)), with what
    # rounding does to q; then that of ρ(x, Z) M, of which each entry may be off, with q.
    parts = [(1.0, rest), (alpha, anchor)]
    largest = psi * sum(abs(c) * (2.0 * part.own + form.reach) for c, part in parts if part)
    of_q, of_product = form.sensitivity * largest, 2.0 * psi * form.sensitivity * float(norm(q))
    return Level(
        size=size,
        weight=s_first,
        beta=beta,
        gamma=gamma,
        direction=direction,
        constant=constant - left * form.half - 2.0 * psi * float(form.offset @ q),
        width=2.0 * psi * width,
        rounding=float(np.abs(direction).sum() + 1.0) * form.rounding + of_product + of_q,
        error=form.rounding * largest + of_product * form.reach + of_q,
    )


@dataclass(frozen=True, eq=False)
class _Sums:
    """What is known of a cluster in the unit of the form."""

    form: LandmarkForm
    stages: Stages
    moments: Moments
    #: Relative error of sums over pairs.
    rounding: float

    def part(self, start: int, stop: int | None = None) -> Part:
        """The mean of the stages [start, stop)."""
        ends = self.stages.layout.ends
        pieces = self.moments.parts(ends)
        some = slice(start, stop)
        return Part.of(self.form, float(pieces.weight[some].sum()), pieces.landmarks[some].sum(0))

    def slack(
        self, scale: float, part: Part, alpha: float = 0.0, other: Part | None = None
    ) -> float:
        """See :func:`slack_of`."""
        return slack_of(self.form, self.rounding, scale, part, alpha, other)


def slack_of(
    form: LandmarkForm,
    rounding: float,
    scale: float,
    part: Part,
    alpha: float = 0.0,
    other: Part | None = None,
) -> float:
    """What rounding may have taken from ‖part − α other‖_R², a difference of sums.

    ``rounding`` is the relative error of sums over pairs, ``scale`` the size of those that count.
    """
    parts = [(1.0, part)] if other is None else [(1.0, part), (abs(alpha), other)]
    share = sum(c for c, _ in parts)
    largest = sum(c * (2.0 * abs(some.own) + form.reach) for c, some in parts)
    length = sum(c * float(norm(some.features)) for c, some in parts)
    return float(slack_of_parts(form, rounding, scale, share, largest, length))


def slack_of_parts(
    form: LandmarkForm, rounding: float, scale: Any, share: float, largest: Any, length: Any
) -> Any:
    """The same from sums over the parts: of factors, of the largest distances, of lengths.

    Arrays for several parts at once.
    """
    error = form.sensitivity * largest
    of_features = error * (2.0 * length + error)
    return rounding * abs(scale) + of_features + form.rounding * (share * largest + abs(scale))


def levels_of(
    form: LandmarkForm, stages: Stages, moments: Moments, rounding: float
) -> ClusterLevels:
    """The levels of one cluster; sums of stages and moments are in the unit of the form."""
    sums = _Sums(form, stages, moments, rounding)
    layout, tiles = stages.layout, stages.tiles
    n_head, size = layout.n_head, len(layout.ends)
    whole = sums.part(0)
    tail = Tail.of(sums) if not layout.is_whole else None
    of_tail = (0.0, 0.0) if tail is None else (tail.least, tail.most)
    known = float(tiles.sum())
    least, most = known * (1 - rounding) + of_tail[0], known * (1 + rounding) + of_tail[1]
    g = least / whole.weight**2
    squared = whole.product(whole, g) + sums.slack(g, whole)
    levels = [level_of(form, None, whole, 0.0, float(np.sqrt(max(squared, 0.0))), 0)]
    for t in range(n_head):
        first = sums.part(0, t + 1)
        if t + 1 == size:
            levels.append(level_of(form, first, None, 0.0, 0.0, layout.ends[t]))
            break
        rest = sums.part(t + 1)
        a, b = slice(0, t + 1), slice(t + 1, None)
        of_pairs = (tiles[a, a], tiles[a, b], tiles[b, b], of_tail[0])
        width, alpha = apart(form, rounding, first, rest, *of_pairs)
        levels.append(level_of(form, first, rest, alpha, width, layout.ends[t]))
    head_weight = 1.0
    if tail is not None:
        head_weight = tail.head.weight
        levels += tail.levels(sums)
    return ClusterLevels(levels, whole.weight, least, most, n_head, head_weight)


def apart(
    form: LandmarkForm,
    rounding: float,
    first: Part,
    rest: Part,
    of_first: Float64Array,
    both: Float64Array,
    of_rest: Float64Array,
    of_tail: float,
) -> tuple[float, float]:
    """A bound on ‖rest − α first‖_R and α; ``of_tail`` is the least that is missing of the rest."""
    g_first = float(of_first.sum()) / first.weight**2
    g_both = float(both.sum()) / (first.weight * rest.weight)
    g_rest = (float(of_rest.sum()) + of_tail) / rest.weight**2
    squared_first = first.product(first, g_first)
    product = first.product(rest, g_both)
    alpha = product / squared_first if squared_first > 0.0 else 0.0
    squared = rest.product(rest, g_rest) - 2.0 * alpha * product + alpha**2 * squared_first
    scale = g_rest + 2.0 * abs(alpha) * g_both + alpha**2 * g_first
    squared += slack_of(form, rounding, scale, rest, alpha, first)
    return float(np.sqrt(max(squared, 0.0))), alpha


class TailBlocks(NamedTuple):
    """What is known of the blocks of a tail: numbers of one block each."""

    weight: Float64Array
    #: The mean of K(x, x), the length of the mean features, ⟨b, head⟩_R and ‖b‖_R².
    own: Float64Array
    length: Float64Array
    product: Float64Array
    squared: Float64Array
    #: The mean distances within the block, and to the head.
    inside: Float64Array
    to_head: Float64Array

    @classmethod
    def of(
        cls, head: Part, parts: Sequence[Part], inside: Float64Array, to_head: Float64Array
    ) -> Self:
        """From the blocks, and the mean distances within them and to the head."""
        return cls(
            weight=np.array([b.weight for b in parts]),
            own=np.array([b.own for b in parts]),
            length=np.array([norm(b.features) for b in parts]),
            product=np.array([b.product(head, g) for b, g in zip(parts, to_head, strict=True)]),
            squared=np.array([b.product(b, g) for b, g in zip(parts, inside, strict=True)]),
            inside=inside,
            to_head=to_head,
        )


@dataclass(frozen=True, eq=False)
class Tail:
    """The members of a cluster that were not all compared, by blocks."""

    head: Part
    alpha: float
    #: ‖b − α head‖_R of each block, and its weight.
    apart: Float64Array
    weight: Float64Array
    #: Σ Σ w w ρ over the tail lies between these.
    least: float
    most: float

    @classmethod
    def of(cls, sums: _Sums) -> Self:
        """Bounds from the pairs within blocks and between blocks and the head."""
        stages, layout, form = sums.stages, sums.stages.layout, sums.form
        n_head = layout.n_head
        head, tail = sums.part(0, n_head), sums.part(n_head)
        starts = range(layout.head, layout.ends[-1], layout.block)
        cut = sums.moments.parts([*starts, layout.ends[-1]])
        g_head = float(stages.tiles[:n_head, :n_head].sum()) / head.weight**2
        parts = [
            Part.of(form, w, landmarks)
            for w, landmarks in zip(cut.weight[1:].tolist(), cut.landmarks[1:], strict=True)
        ]
        weight = cut.weight[1:]
        g_both = stages.to_head / (weight * head.weight)
        blocks = TailBlocks.of(head, parts, stages.inside / weight**2, g_both)
        return cls.made(form, sums.rounding, head, tail, g_head, blocks)

    @classmethod
    def made(
        cls,
        form: LandmarkForm,
        rounding: float,
        head: Part,
        tail: Part,
        g_head: float,
        blocks: TailBlocks,
    ) -> Self:
        """Bounds from what is known of the blocks; ``g_head`` is the mean distance in the head."""
        squared_head = head.product(head, g_head)
        weight, product, g_both = blocks.weight, blocks.product, blocks.to_head
        both = float(weight @ product) / tail.weight
        alpha = both / squared_head if squared_head > 0.0 else 0.0
        scale = blocks.inside + 2.0 * abs(alpha) * g_both + alpha**2 * g_head
        slack = slack_of_parts(
            form,
            rounding,
            scale,
            1.0 + abs(alpha),
            (2.0 * np.abs(blocks.own) + form.reach)
            + abs(alpha) * (2.0 * abs(head.own) + form.reach),
            blocks.length + abs(alpha) * float(norm(head.features)),
        )
        apart = blocks.squared - 2.0 * alpha * product + alpha**2 * squared_head + slack
        apart = np.sqrt(np.maximum(apart, 0.0))
        bound = float(weight @ apart) / tail.weight
        # ‖tail‖_R² = 2α⟨tail, head⟩ − α²‖head‖² + ‖tail − α head‖², of which the last is bounded.
        floor = 2.0 * alpha * both - alpha**2 * squared_head
        of_both = 2.0 * abs(alpha) * float(weight @ g_both) / tail.weight + alpha**2 * g_head
        loose = slack_of(form, rounding, of_both, tail, alpha, head)
        of_features = tail.own - float(tail.features @ tail.features)
        g_most = 2.0 * (of_features - floor + loose)
        g_least = 2.0 * (of_features - floor - bound**2 - loose)
        squares = tail.weight**2
        return cls(head, alpha, apart, weight, max(g_least, 0.0) * squares, g_most * squares)

    def levels(self, sums: _Sums) -> list[Level]:
        """Levels beyond the head: what is left is bounded block by block."""
        layout = sums.stages.layout
        found = []
        for t in range(layout.n_head, len(layout.ends)):
            first = sums.part(0, t + 1)
            end = layout.ends[t]
            if t + 1 == len(layout.ends):
                found.append(level_of(sums.form, first, None, 0.0, 0.0, end))
                break
            left = slice((end - layout.head) // layout.block, None)
            rest = sums.part(t + 1)
            width = float(self.weight[left] @ self.apart[left]) / rest.weight
            found.append(level_of(sums.form, first, rest, self.alpha, width, end, self.head))
        return found
