"""What the margins of points that stay lose when other points move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgroups.certificate.ladder import Rule
from kgroups.runtime.threads import blocks
from kgroups.typing import Float32Array, Float64Array, IntArray

# Points whose margins are lowered at a time.
_ROWS = 1 << 16


class Change(NamedTuple):
    """The rule before and after some moves, and how far each centroid drifted meanwhile."""

    before: Rule
    after: Rule
    drift: Float64Array

    def most_lost(
        self, w: Float64Array, own: IntArray, norm: Float32Array, largest: float
    ) -> Float64Array:
        """The most that √b d_l − √a d_own may have lost: centroids drift, and weights are new.

        With a', b' the new factors that is √a' δ_own + √b' δ_l + |√a' − √a| d_own + |√b' − √b| d_l
        at most. b' ≤ 1, |d√b/ds| ≤ w / 2s², and no distance exceeds ‖x‖ + the largest norm.
        """
        before, after, drift = self
        of_own = [np.sqrt(rule.leaving(w, own)) for rule in (before, after)]
        slope = 0.5 * np.abs(after.weight - before.weight)
        slope /= np.minimum(before.weight, after.weight) ** 2
        factors = w * slope.max() if before.is_ratio else np.zeros(len(w))
        with np.errstate(invalid="ignore"):  # ∞ − ∞ where a cluster is one point
            factors += np.abs(of_own[1] - of_own[0])
            lost = of_own[1] * drift[own] + drift.max() + factors * (norm + largest)
        return np.asarray(np.nan_to_num(lost, nan=np.inf, posinf=np.inf))


def lower_margins(
    margin: Float64Array,
    weights: Float64Array,
    labels: tuple[IntArray, IntArray],
    norm: Float32Array,
    change: Change,
) -> None:
    """Lower the margins of points that stay when others move; points that move lose theirs. O(n).

    ``labels`` are those before and after. A point that was, or has become, the last one of its
    cluster is looked at again, because nothing but the number of members keeps such a point.
    """
    largest = float(np.fmax.reduce(norm))
    for start, stop in blocks(0, len(margin), _ROWS):
        some = slice(start, stop)
        w, own = weights[some], labels[0][some]
        lost = change.most_lost(w, own, norm[some], largest)
        was_last, is_last = (rule.count[own] == 1 for rule in (change.before, change.after))
        lost[was_last & is_last] = 0.0
        lost[(was_last != is_last) | (labels[1][some] != own)] = np.inf
        lost[w == 0] = 0.0
        kept = np.isfinite(lost)
        margin[some] = np.where(kept, margin[some] - np.where(kept, lost, 0.0), -np.inf)
