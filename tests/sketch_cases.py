"""W by its definition, for sketches to be compared with."""

import numpy as np
from scipy.spatial.distance import cdist


def dispersion(X, labels, alpha=1.0, w=None):
    """W from its definition, cluster by cluster, with SciPy's distances."""
    w = np.ones(len(X)) if w is None else w
    total = 0.0
    for cluster in np.unique(labels):
        rows = labels == cluster
        rho = cdist(X[rows], X[rows]) ** alpha
        total += w[rows] @ rho @ w[rows] / (2 * w[rows].sum())
    return total
