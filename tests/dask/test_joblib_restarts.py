"""Restarts of local fits, one per task, over joblib's Dask backend."""

import joblib
import numpy as np
from distributed import Client

from kgroups import KernelKGroups


def start(X, seed):
    return KernelKGroups(3, n_init=1, random_state=seed).fit(X)


def test_starts_on_a_cluster_are_those_of_this_process():
    X = np.random.default_rng(0).normal(size=(300, 2))
    with (
        Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"),
        joblib.parallel_config("dask"),
    ):
        models = joblib.Parallel()(joblib.delayed(start)(X, seed) for seed in range(3))
    here = [start(X, seed) for seed in range(3)]
    assert [m.labels_.tolist() for m in models] == [m.labels_.tolist() for m in here]
