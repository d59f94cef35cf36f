"""What a fit found, whatever way it went."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kgroups.certificate.certificate import Certificate
from kgroups.fit.plan import Plan
from kgroups.solvers.centroids import RowsToBlockMeans, RowsToCentroids, RowsToSketchedCentroids
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.restarts import Restarts
from kgroups.solvers.scale import Scale
from kgroups.typing import Float64Array

#: What ``exactness_`` says.
EXACTNESS = {
    Status.CONVERGED: "one-move optimal",
    Status.PAIRS: "pair-move optimal",
    Status.STABLE: "stable under Lloyd's rule",
    Status.CYCLE: "stopped in a cycle",
    Status.SUPPORTED: "best supported",
    Status.MAX_ITER: "stopped at max_iter",
}
#: How a search ends whose result no move of its kind improves.
OPTIMAL = (Status.CONVERGED, Status.PAIRS)


def exactness_text(kind: str, certificate: Certificate, n: int) -> str:
    """What ``exactness_`` says after a proof, or the part of one.

    >>> exactness_text("one-move optimal", Certificate(False, 12, 1, 2), 1000)
    'one-move optimal for 98.8% of the rows; 12 undecided'
    """
    if certificate.proved:
        return kind
    share = math.floor(1e4 * (1.0 - certificate.n_open / n)) / 100
    text = f"{kind} for {share:.4g}% of the rows; {certificate.n_open:,} undecided"
    return text if certificate.is_repeatable else f"{text}; stopped by time_limit, not repeatable"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a fit found, with every number in the units of the user."""

    partition: Partition
    runs: Restarts
    objective: float
    within: float
    between: float
    cluster_weights: Float64Array
    cluster_dispersions: Float64Array
    history: Float64Array
    #: From the objectives of the starts to those of all rows.
    starts_scale: Scale
    exactness: str
    #: What was carried out, which may be a pass over all pairs where a proof was planned.
    plan: Plan
    #: Squared distances from new rows to the centroids.
    nearest: RowsToCentroids | RowsToSketchedCentroids | RowsToBlockMeans
    sketch_error: float | None = None
    certificate: Certificate | None = None
    #: What is proved of W and of S; None where they are estimated.
    within_interval: tuple[float, float] | None = None
    between_interval: tuple[float, float] | None = None

    @property
    def start_histories(self) -> list[Float64Array]:
        """The objective of each start, from its first labels to its end."""
        return [self.starts_scale(run.rises) for run in self.runs.partitions]

    @property
    def best_start(self) -> float:
        """The objective of the best, improved, on the rows on which the starts competed."""
        return float(self.starts_scale(self.runs.best.rise))

    def sums(self) -> Float64Array:
        """Every sum of weights or of distances, which may have overflowed."""
        sums = (self.objective, self.within, self.between)
        return np.hstack([*sums, self.cluster_weights, self.cluster_dispersions, self.history])
