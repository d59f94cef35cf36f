"""How well clusters agree with labels that are known."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from kgroups.metrics import clustering_accuracy


class Scores(NamedTuple):
    """Three scores that do not depend on what the clusters are called; 1 is perfect agreement."""

    accuracy: float
    nmi: float
    ari: float


def label_scores(labels_true: Any, labels: Any) -> Scores:
    """Accuracy by the best matching, normalized mutual information and adjusted Rand index."""
    return Scores(
        accuracy=clustering_accuracy(labels_true, labels),
        nmi=float(normalized_mutual_info_score(labels_true, labels)),
        ari=float(adjusted_rand_score(labels_true, labels)),
    )
