"""Agreement with labels that are known: by hand, by scikit-learn, and whatever the names."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from kgroups.report.known_labels import label_scores, truth_scores


def test_truth_scores_are_of_the_nodes_that_have_a_label():
    labels = [0, 0, 1, 1, 1, 0]
    truth = ["x", "x", "y", "x", None, None]
    found = truth_scores(truth, labels)
    assert (found.classes, found.labeled, found.unlabeled) == (2, 4, 2)
    assert (found.accuracy, found.overlap) == (0.75, 0.5)
    assert found.nmi == normalized_mutual_info_score(truth[:4], labels[:4])
    assert found.ari == adjusted_rand_score(truth[:4], labels[:4])


def test_no_label_at_all():
    with pytest.raises(ValueError, match="labels_true has no label for any node; leave it out"):
        truth_scores([None, None], [0, 1])


def test_accuracy_is_over_the_best_matching():
    """Clusters 2, 2, 0, 0, 0, 1 match a, a, b, b, c, c as 2-a, 0-b and 1-c: five of six."""
    found = label_scores(list("aabbcc"), [2, 2, 0, 0, 0, 1])
    assert found.accuracy == pytest.approx(5 / 6)
    assert found.nmi == normalized_mutual_info_score([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 0, 1])
    assert found.ari == adjusted_rand_score([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 0, 1])


def test_scores_do_not_depend_on_what_clusters_are_called():
    rng = np.random.default_rng(0)
    truth, labels = rng.integers(3, size=50), rng.integers(4, size=50)
    renamed = np.array([3, 0, 2, 1])[labels]
    assert label_scores(truth, labels) == pytest.approx(label_scores(truth, renamed))
    assert label_scores(truth, truth) == (1.0, 1.0, 1.0)


def test_labels_of_several_types_may_be_mixed():
    """A name, a number and a flag are three classes, where sorting them would fail."""
    found = truth_scores(["x", 2, (1,), "x"], np.array([0, 1, 2, 0]))
    assert (found.classes, found.accuracy, found.overlap) == (3, 1.0, 1.0)


def test_one_class_has_no_overlap_but_the_other_scores():
    found = truth_scores(["x", None, "x", "x"], np.array([0, 1, 0, 1]))
    assert (found.overlap, found.classes) == (None, 1)
    assert found.accuracy == pytest.approx(2 / 3)
