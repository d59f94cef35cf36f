"""Indices that compiled loops would follow wherever they point."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.persistence import sound

THREE, FOUR = np.arange(3.0), np.arange(4.0)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("values", "error"),
    [
        (np.array([0, 1, 4]), r"not in 0\.\.3"),
        (np.array([0, -1, 3]), r"not in 0\.\.3"),
        (np.array([0, 1]), r"shape \(2,\), not \(3,\)"),
        (np.array([0.0, 1.0, 2.0]), "not integers"),
        ([0, 1, 2], "not integers"),
    ],
)
def test_indices(values, error):
    with pytest.raises(ValueError, match=f"labels (are|have) .*{error}|labels are {error}"):
        sound.check_indices(values, 4, (3,), "labels")
    sound.check_indices(np.array([3, 0, 1], np.int32), 4, (3,), "labels")
    sound.check_indices(np.empty(0, np.int64), 0, (0,), "labels")


def centroids(**changed):
    fields = {
        "labels": np.array([0, 1, 0]), "weights": THREE, "partition_weight": np.ones(2),
        "partition_within": np.ones(2),
    }  # fmt: skip
    return SimpleNamespace(**{**fields, **changed})


@pytest.mark.nojit
@pytest.mark.parametrize(
    "changed",
    [
        {"labels": np.array([0, 2, 0])}, {"weights": FOUR}, {"partition_within": THREE},
        {"weights": np.array(["a", "b", "c"])}, {"labels": np.array([[0, 1, 0]])},
    ],
)  # fmt: skip
def test_centroids(changed):
    sound.sound_centroids(centroids())
    with pytest.raises(ValueError, match=r"labels|weights|sums"):
        sound.sound_centroids(centroids(**changed))


@pytest.mark.nojit
def test_rows_and_labels_are_as_many():
    sound.sound_rows(SimpleNamespace(training=None, centroids=centroids()))
    sound.sound_rows(SimpleNamespace(training=np.ones((3, 2)), centroids=centroids()))
    with pytest.raises(ValueError, match="differ in number"):
        sound.sound_rows(SimpleNamespace(training=np.ones((4, 2)), centroids=centroids()))


def sparse_means(**changed):
    fields = {
        "training": csr_array((3, 5)), "centroids": centroids(), "columns": np.array([1, 4]),
        "shift": np.ones(2), "means": np.ones((2, 2)),
    }  # fmt: skip
    return SimpleNamespace(**{**fields, **changed})


@pytest.mark.nojit
@pytest.mark.parametrize(
    "changed",
    [
        {"columns": np.array([1, 5])}, {"columns": np.array([4, 1])}, {"shift": THREE},
        {"columns": np.array([1, 1])}, {"means": np.ones((2, 3))}, {"training": csr_array((4, 5))},
    ],
)  # fmt: skip
def test_sparse_means(changed):
    sound.sound_sparse_means(sparse_means())
    with pytest.raises(ValueError, match=r"columns|differ"):
        sound.sound_sparse_means(sparse_means(**changed))


@pytest.mark.nojit
@pytest.mark.parametrize("bounds", [[0, 3, 3, 4], [1, 4], [0, 3], [0, 2, 5], [0, 3, 1, 4]])
def test_intervals(bounds):
    fields = {"values": FOUR, "weights": FOUR}
    sound.sound_intervals(SimpleNamespace(bounds=np.array([0, 1, 4]), **fields))
    with pytest.raises(ValueError, match="bounds of intervals"):
        sound.sound_intervals(SimpleNamespace(bounds=np.array(bounds), **fields))


@pytest.mark.nojit
@pytest.mark.parametrize(
    "children", [[[0, 3], [1, 2]], [[0, 1], [2, 4]], [[0, 1]], [[0, -1], [2, 3]]]
)
def test_trees(children):
    fields = {"weights": THREE, "heights": np.ones(2)}
    sound.sound_tree(SimpleNamespace(children=np.array([[0, 1], [2, 3]]), **fields))
    with pytest.raises(ValueError, match="merge"):
        sound.sound_tree(SimpleNamespace(children=np.array(children), **fields))


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("n_clusters", "merges"), [(4, [[0, 2], [0, 1]]), (3, [[0, 3], [0, 1]]), (3, [[0, 1]])]
)
def test_hierarchies(n_clusters, merges):
    rest = {"resolutions": np.ones(2)}
    sound.sound_hierarchy(SimpleNamespace(n_clusters=3, merges=np.array([[0, 2], [0, 1]]), **rest))
    with pytest.raises(ValueError, match="communities"):
        sound.sound_hierarchy(
            SimpleNamespace(n_clusters=n_clusters, merges=np.array(merges), **rest)
        )


@pytest.mark.nojit
@pytest.mark.parametrize(
    "found",
    [
        {"n_features_in_": 10**30}, {"n_clusters_": 8}, {"_n_features_out": -1},
        {"n_neighbors_": 1.0}, {"labels_": np.array([0, 2])}, {"_node_labels_": [0]},
    ],
)  # fmt: skip
def test_attributes(found):
    sound.check_attributes({"n_features_in_": 7, "n_clusters_": 0, "other_": 10**30}, 7)
    with pytest.raises(ValueError, match=next(iter(found))):
        sound.check_attributes(found, 7)


@pytest.mark.nojit
@pytest.mark.parametrize("labels", [[0, 3, 1], [0, -1, 1], [0.0, 1.0], 7])
def test_labels(labels):
    """There are at most as many clusters as rows."""
    sound.check_labels(np.array([2, 0, 1], np.int32), "labels_")
    with pytest.raises(ValueError, match="labels_ "):
        sound.check_labels(np.array(labels) if isinstance(labels, list) else labels, "labels_")


@pytest.mark.nojit
@pytest.mark.parametrize(
    "changed",
    [{"links": csr_array((3, 2))}, {"volumes": np.ones(3)}, {"sizes": np.ones(3)}],
)
def test_communities(changed):
    fields = {"links": csr_array((2, 2)), "volumes": np.ones(2), "sizes": np.ones(2)}
    sound.sound_communities(SimpleNamespace(**fields))
    with pytest.raises(ValueError, match="communities"):
        sound.sound_communities(SimpleNamespace(**{**fields, **changed}))
