"""Tables with clusters for the tests of the criteria."""

import numpy as np


def lumps(k, n=60, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal((apart * j, 0), 1, (n, 2)) for j in range(k)])
