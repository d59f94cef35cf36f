"""How well clusters and communities agree with labels that are known."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kgroups.metrics import clustering_accuracy, overlap
from kgroups.typing import IntArray


class Scores(NamedTuple):
    """Three scores that do not depend on what the clusters are called; 1 is perfect agreement."""

    accuracy: float
    nmi: float
    ari: float


class TruthScores(NamedTuple):
    """Agreement with known communities, on the nodes that have a label; 1 is perfect."""

    #: None for a single class, which any guess has right.
    overlap: float | None
    accuracy: float
    nmi: float
    ari: float
    classes: int
    labeled: int
    unlabeled: int


def label_scores(labels_true: ArrayLike, labels: ArrayLike) -> Scores:
    """Accuracy by the best matching, normalized mutual information and adjusted Rand index."""
    # Here, because importing them takes as long as a small fit, and most data have no labels.
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    return Scores(
        accuracy=clustering_accuracy(labels_true, labels),
        nmi=float(normalized_mutual_info_score(labels_true, labels)),
        ari=float(adjusted_rand_score(labels_true, labels)),
    )


def truth_scores(labels_true: Collection[object], labels: IntArray) -> TruthScores:
    """The scores on the nodes whose label is not None."""
    known = np.array([label is not None for label in labels_true])
    if not known.any():
        raise ValueError("labels_true has no label for any node; leave it out.")
    codes: dict[object, int] = {}
    true = [codes.setdefault(label, len(codes)) for label in labels_true if label is not None]
    found = np.asarray(labels)[known]
    return TruthScores(
        overlap(true, found) if len(codes) > 1 else None,
        *label_scores(true, found),
        classes=len(codes),
        labeled=int(known.sum()),
        unlabeled=int((~known).sum()),
    )
