"""How clearly rows belong to their clusters: probabilities and distances, for a sample of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kgroups.answers.centers import outlier_scores
from kgroups.answers.membership import UNCERTAIN, probabilities
from kgroups.input.spaces import is_pairwise
from kgroups.pages.cluster_evidence import MAX_FOUND_AGAIN, are_objects, sampled, some_rows
from kgroups.typing import BoolArray, Float64Array, IntArray

#: Rows that are looked at; fewer where a row brings its distances to all others, or is an object.
MAX_ROWS, MAX_OTHERS = 20_000, 1_000
# Differences of places that rounding may make, relative to the largest.
_ROUNDING = 1e-9
# Pairs of rows whose distances are computed for that: about a second.
_MOST_PAIRS = 500_000_000
#: Rows so many times as far from their center as usual, in squares, are called unusual.
UNUSUAL = 4.0


@dataclass(frozen=True, eq=False)
class Nearness:
    """Some rows of a fit, by distances to centers, by probabilities, or by both."""

    rows: IntArray
    n_given: int
    labels: IntArray
    #: Probability of the own cluster; None for many clusters, where it would take long.
    own: Float64Array | None
    #: The nearest other cluster.
    other: IntArray
    #: Squared distance to the own center; None where similarities were given.
    own_squared: Float64Array | None
    #: Where the rows are: distances to all centers, or probabilities. Equal rows are at one place.
    places: Float64Array
    #: Weights of the rows, 1 where the model does not know them.
    weights: Float64Array

    @classmethod
    def of(cls, model: Any, X: Any, seed: int) -> Self | None:
        """At most 20,000 rows, drawn by the seed, in O(mnD) for m of n rows.

        None for one cluster, and for many clusters of given similarities.
        """
        n, k = len(model.labels_), len(model.cluster_weights_)
        is_probable = k <= MAX_FOUND_AGAIN
        if k == 1 or (is_kernel(model) and not is_probable):
            return None
        is_slow = are_objects(X) or is_pairwise(model.metric)
        most = MAX_OTHERS if is_slow else min(MAX_ROWS, max(MAX_OTHERS, _MOST_PAIRS // n))
        rows = sampled(n, most, seed)
        part = some_rows(X, rows)
        labels = np.asarray(model.labels_)[rows]
        found = squared = own_squared = None
        if is_kernel(model):
            found = _probable(model, part)
        else:
            squared = np.asarray(model.transform(part)) ** 2
            own_squared = squared[np.arange(len(rows)), labels]
            found = probabilities(squared, model.temperature_) if is_probable else None
        own = None if found is None else found[np.arange(len(rows)), labels]
        places = found if squared is None else squared
        others = _others(found, squared, labels)
        weights = _weights(model)[rows]
        return cls(rows, n, labels, own, others, own_squared, np.asarray(places), weights)

    @property
    def is_sample(self) -> bool:
        """Whether there are more rows than were looked at."""
        return len(self.rows) < self.n_given

    @property
    def n_elsewhere(self) -> int:
        """How many of the rows are more probable in another cluster, beyond rounding."""
        own = self.own
        if own is None:
            return 0
        others = self.places if self.own_squared is None else -self.places
        best = others.max(axis=1) - others[np.arange(len(own)), self.labels]
        return int(np.count_nonzero(best > _ROUNDING * np.abs(self.places).max()))

    @property
    def n_uncertain(self) -> int:
        """How many of the rows are uncertain."""
        return 0 if self.own is None else int(np.count_nonzero(self.own < UNCERTAIN))

    @property
    def scores(self) -> Float64Array | None:
        """Squared distance to the own center over its median in the cluster, 1 is usual."""
        if self.own_squared is None:
            return None
        k = int(self.labels.max()) + 1
        return outlier_scores(self.own_squared, self.labels, k, self.weights)

    def least_certain(self, count: int) -> IntArray:
        """Places of uncertain rows among these, the least certain first."""
        if self.own is None:
            return np.zeros(0, np.int64)
        found = np.flatnonzero(self.own < UNCERTAIN)
        return found[np.argsort(self.own[found], kind="stable")][:count]

    def most_unusual(self, count: int) -> IntArray:
        """Places of unusual rows, the farthest first."""
        scores = self.scores
        if scores is None:
            return np.zeros(0, np.int64)
        found = np.flatnonzero(scores >= UNUSUAL)
        return found[np.argsort(-scores[found], kind="stable")][:count]

    def nearest(self, cluster: int, count: int, among: BoolArray | None = None) -> IntArray:
        """Numbers of the rows nearest to the center of a cluster; by probability without one.

        Rows without weight are left out, and of rows at the same distances all but the first.
        """
        counts = (self.labels == cluster) & (self.weights > 0)
        members = np.flatnonzero(counts if among is None else counts & among)
        far = self.own_squared
        if far is None:
            far = np.zeros(len(self.rows)) if self.own is None else -self.own
        order = members[np.argsort(far[members], kind="stable")]
        _, first = np.unique(self.places[order], axis=0, return_index=True)
        return self.rows[order[np.sort(first)][:count]]


def _weights(model: Any) -> Float64Array:
    """Weights of the rows of a fit, or ones where it keeps no rows."""
    answers = model._answers
    return answers.weights if answers.knows_all_rows else np.ones(len(model.labels_))


def _others(found: Float64Array | None, squared: Float64Array | None, labels: IntArray) -> IntArray:
    """The most probable other cluster, or the nearest one."""
    near = -np.asarray(squared) if found is None else found.copy()
    near[np.arange(len(labels)), labels] = -np.inf
    return np.asarray(near.argmax(axis=1))


def is_kernel(model: Any) -> bool:
    """Whether similarities were given, so that distances of rows to centers are not known."""
    return isinstance(model.metric, str) and model.metric == "precomputed_kernel"


def _probable(model: Any, part: Any) -> Float64Array:
    """Probabilities; rows in another cluster than the nearest are shown, and need no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(model.predict_proba(part))
