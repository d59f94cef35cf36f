"""What a fit imports, and restarts on joblib's Dask backend."""

import subprocess
import sys

import joblib
import numpy as np
from distributed import Client

from kgroups import KernelKGroups


def test_a_fit_here_does_not_import_dask():
    program = (
        "import sys, kgroups, kgroups.blocks\n"
        "print(kgroups.KernelKGroups(2).fit([[0.0], [1.0], [9.0]]).labels_)\n"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[0 0 1]\nset()\n", "")


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
