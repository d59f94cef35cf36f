"""The silhouette, against scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import silhouette_samples

from helpers import each, random_start
from kgroups.gram import DenseGram
from kgroups.select.silhouette import silhouettes


@each("seed", range(6))
def test_silhouettes_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    labels = random_start(rng, 40, 5)
    labels[labels == 4] = 3
    labels[0] = 4  # a cluster of one
    rho = squareform(pdist(X)) ** 0.7
    own = silhouettes(DenseGram.from_distances(rho), labels, 5)
    assert own == pytest.approx(silhouette_samples(rho, labels, metric="precomputed"), abs=1e-12)
