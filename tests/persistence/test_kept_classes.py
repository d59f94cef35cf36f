"""Which classes have a name in files, and that none is forgotten."""

import inspect

import pytest
from sklearn.base import BaseEstimator

import kgroups
from kgroups import semimetrics
from kgroups.persistence.kept_classes import ESTIMATORS, KEPT, estimator_name, kept_name
from kgroups.semimetrics import Hamming, Manhattan, Mixed, Semimetric
from kgroups.solvers.agglomerative import Tree

# A name that goes, or comes to mean another class, breaks files that people have.
NAMES_OF_FORMAT_1 = {
    "Angular", "CategoryDistribution", "Centroids", "Certificate", "ColumnSum", "CommunityGraph",
    "Cosine", "DampedSquared", "DistanceSpace", "EditDistance", "ElasticDistance", "Embedding",
    "Energy", "FeatureCentroids", "Frame", "Gaussian", "GreatCircle", "Hamming", "Hellinger",
    "Hierarchy", "Intervals", "Jaccard", "JensenShannon", "KendallTau", "KernelSpace", "Laplacian",
    "LineDistribution", "Manhattan", "Mixed", "MixedColumn", "NeighborTable", "NystroemMap",
    "Origin", "PairFunction", "PointSpace", "RowsToBlockMeans", "RowsToCentroids", "RowsToMeans",
    "RowsToSketchedCentroids", "RowsToSparseMeans", "Samples", "ScipyDistance", "SettledColumns",
    "SineSquared", "Step", "Tree", "Violation",
}  # fmt: skip


@pytest.mark.nojit
def test_names_of_files_do_not_go():
    assert set(KEPT) >= NAMES_OF_FORMAT_1


@pytest.mark.nojit
def test_all_semimetrics_are_kept():
    public = [getattr(semimetrics, name) for name in semimetrics.__all__]
    classes = [c for c in public if inspect.isclass(c) and c is not Semimetric]
    assert {kept.cls for kept in KEPT.values()} >= set(classes)
    assert all(KEPT[c.__name__].cls is c for c in classes)


@pytest.mark.nojit
def test_all_estimators_are_kept():
    public = [getattr(kgroups, name) for name in kgroups.__all__]
    classes = {c for c in public if inspect.isclass(c) and issubclass(c, BaseEstimator)}
    assert set(ESTIMATORS.values()) == classes
    assert all(name == cls.__name__ for name, cls in ESTIMATORS.items())


@pytest.mark.nojit
def test_a_class_has_one_name():
    assert len({kept.cls for kept in KEPT.values()}) == len(KEPT)
    assert kept_name(Mixed()) == "Mixed"
    assert kept_name(3) is None


@pytest.mark.nojit
def test_a_subclass_has_none():
    class Nearly(Manhattan):
        """Not the same distance."""

    class Mine(kgroups.KGroups1D):
        """Not the same estimator."""

    assert kept_name(Nearly()) is None
    with pytest.raises(TypeError, match="Mine is not an estimator of kgroups"):
        estimator_name(Mine())


@pytest.mark.nojit
def test_what_was_found_later_is_a_part():
    settled = Hamming(missing="distribution").resolve([[1.0, 2.0], [1.0, 3.0]])
    parts = KEPT["Hamming"].parts(settled)
    assert list(parts) == ["missing", "_columns"]
    assert list(KEPT["Hamming"].parts(Hamming())) == ["missing"]
    made = KEPT["Hamming"].made(parts)
    assert vars(made)["_columns"][1].values.tolist() == [2.0, 3.0]


@pytest.mark.nojit
def test_caches_are_no_parts():
    line = semimetrics.Mixed().resolve([[0.0], [1.0], [5.0]])
    (column,) = vars(line)["_settled"].lines
    assert column.distribution.spread > 0
    assert list(KEPT["LineDistribution"].parts(column.distribution)) == ["values", "counts"]


@pytest.mark.nojit
def test_parts_are_checked():
    made = {"children": [[0, 9]], "heights": [1.0], "weights": [1.0, 1.0]}
    with pytest.raises(ValueError, match="merges are not integers"):
        KEPT["Tree"].made(made)
    assert KEPT["Tree"].cls is Tree
