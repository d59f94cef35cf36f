"""What is imported when, what there is without Dask, and restarts on joblib's Dask backend."""

import subprocess
import sys

import joblib
import numpy as np
from distributed import Client

from kgroups import KernelKGroups

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {module!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def output_of(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_does_not_import_dask():
    program = (
        "import sys, kgroups, kgroups.blocks\n"
        "kgroups.KernelKGroups, kgroups.dask.__name__ if False else None\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'dask', 'distributed'}))"
    )
    assert output_of(program) == "[]"


def test_without_dask_all_else_is_there():
    program = BLOCKED.format(module="dask") + (
        "import kgroups\nprint(kgroups.KernelKGroups(2).fit([[0.0], [1.0], [9.0]]).labels_)"
    )
    assert output_of(program) == "[0 0 1]"


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
