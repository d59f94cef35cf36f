"""Sums of distances and weights that no float64 holds: an error that says which of them."""

import numpy as np
import pytest

from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.semimetrics import Energy, Gaussian

X = np.random.default_rng(0).normal(size=(30, 3))
HEAVY = np.full(30, 1e308)
MODELS = [
    KernelKGroups(2, metric="manhattan", random_state=0),
    KernelKGroups(2, metric="manhattan", method="matrix_free", random_state=0),
    KernelKMeans(2, metric="manhattan", random_state=0),
    EnergyAgglomerative(2, metric="manhattan"),
]


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_sums_of_distances_that_overflow(model):
    """Each distance is below 3e307 and W about 37 · 3e306 · 4."""
    with pytest.raises(ValueError, match="a sum of distances, is not a finite number"):
        model.fit(X * 1.2e307)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("model", [*MODELS, KGroups1D(2)], ids=repr)
def test_weights_whose_sums_overflow(model):
    with pytest.raises(ValueError, match=r"sample_weight is too large, up to 1e\+308"):
        model.fit(X[:, :1], sample_weight=HEAVY)


def test_the_median_of_distances_that_overflow():
    with pytest.raises(ValueError, match=r"A distance between points.* is not a finite number"):
        Gaussian("median").resolve([[1e308], [-1e308]])
    assert Gaussian("median").resolve([[1e155], [-1e155]]).sigma == 2e155


@pytest.mark.parametrize("metric", ["energy", "manhattan", "sqeuclidean"])
@pytest.mark.parametrize("init", ["auto", "spectral", "euclidean-k-means++"])
@pytest.mark.parametrize("method", ["dense", "matrix_free", "nystroem"])
def test_sums_that_overflow_are_one_error_without_a_warning(metric, init, method):
    """Distances are still numbers here, or not any more; NumPy's warnings are errors."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    settings = {"metric": metric, "init": init, "method": method, "n_init": 1, "random_state": 0}
    for scale in (1e306, 1e307):
        with pytest.raises(ValueError, match="finite number"):
            KernelKGroups(2, **settings).fit(X * scale)


def test_distances_of_new_rows_that_overflow_are_an_error():
    """The square of 1.7e177 is beyond float64, as it would be in the fit: no answer is infinite."""
    for model in (KernelKMeans(1, metric=Energy(2.0)), KernelKGroups(1, metric=Energy(2.0))):
        model.fit([[5e177]])
        for method in (model.transform, model.predict, model.score):
            with pytest.raises(ValueError, match="not a finite number"):
                method([[3.256976368563021e177]])


def test_a_sketch_holds_what_a_single_landmark_lacks():
    """Two rows 3.4e29 apart: the square is beyond float32, in which features are held."""
    X = np.array([[6e28], [4e29]])
    model = KernelKGroups(1, metric=Energy(2.0), method="nystroem", n_components=1).fit(X)
    assert model.within_dispersion_ == pytest.approx(3.4e29**2 / 2, rel=1e-12)
    assert model.sketch_error_ == pytest.approx(1.0)


def test_weights_that_make_the_dispersion_overflow_are_an_error_and_no_warning():
    """Distances of 1e257 times weights of 1e150, also where clusters are summed up one by one."""
    X, w = [[-1e183], [-2e183]], [3e150, 4e150]
    with pytest.raises(ValueError, match="sample_weight is too large"):
        KernelKMeans(1, metric=Energy(1.4086647328832433)).fit(X, sample_weight=w)
