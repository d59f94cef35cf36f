"""Which operator stands for squared distances, by the kind of rows and metric."""

import numpy as np
from scipy.sparse import csr_array

from cells import cells
from kgroups.gram.directions import DirectionGram
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import SquaredGram
from kgroups.gram.without_pairs import squared_gram
from kgroups.semimetrics import Cosine, Energy

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 4)) + 2.0
SPARSE = csr_array(np.where(X > 2.5, X, 0.0) + np.eye(30, 4)[np.arange(30) % 4])


@cells(
    ("rows", "metric", "kind"),
    [
        (X, Energy(2.0), SquaredGram),
        (X, Cosine(), DirectionGram),
        (SPARSE, Energy(2.0), SparseRowsGram),
        (SPARSE, Cosine(), SparseRowsGram),
    ],
)
def test_products_of_features_give_the_distances(rows, metric, kind):
    gram = squared_gram(rows, metric, metric.terms(rows), np.ones(30), 1)
    assert isinstance(gram, kind)
    diagonal = gram.diagonal()
    made = diagonal[:, None] + diagonal - 2.0 * gram.to_dense()
    expected = np.asarray(metric.pairwise(rows), np.float64)
    np.testing.assert_allclose(gram.unit * made, expected, rtol=1e-9, atol=1e-9)
