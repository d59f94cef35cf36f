"""Which fits are worth sharing out, by their bytes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from helpers import each
from kgroups import KernelKGroups
from kgroups.dask import gathered
from kgroups.dask.gathered import fitted, is_faster_on_one
from kgroups.estimators.block_fitting import Columns
from kgroups.estimators.number_of_clusters import NumberOfClusters
from kgroups.fit.block_plan import size_of_blocks
from kgroups.input.spaces import space_for

MIB = 1 << 20


def size_of(n, width, dtype=np.float32, k=10):
    few = np.zeros((1, width), dtype)
    return replace(size_of_blocks(space_for("energy"), few, n, k, 2), n=n)


@each(
    ("n", "width", "dtype", "n_workers", "expected"),
    [
        (2 * MIB, 16, np.float32, 2, True),  # 128 MiB
        (2 * MIB + 1, 16, np.float32, 2, False),
        (MIB, 16, np.float64, 2, True),
        (MIB + 1, 16, np.float64, 2, False),
        (16 * MIB, 16, np.float32, 1, True),  # 1 GiB
        (16 * MIB + 1, 16, np.float32, 1, False),
    ],
)
def test_few_bytes_go_to_one_worker(n, width, dtype, n_workers, expected):
    assert is_faster_on_one(size_of(n, width, dtype), n_workers, None, "auto") is expected


def test_rows_and_features_have_to_fit_the_worker():
    """Rows of 64 MiB four times, and 200 features of four bytes for each of 2²⁰ rows."""
    room = (4 * 64 + 800) * MIB
    assert is_faster_on_one(size_of(MIB, 16), 2, room, "auto")
    assert not is_faster_on_one(size_of(MIB, 16), 2, room - 1, "auto")
    assert not is_faster_on_one(size_of(MIB, 16, k=101), 2, room, "auto")  # 202 features
    assert is_faster_on_one(size_of(MIB, 16), 2, (4 * 64 + 4 * 1000) * MIB, 1000)
    assert not is_faster_on_one(size_of(MIB, 16), 2, (4 * 64 + 4 * 1000) * MIB - 1, 1000)


def test_a_fit_that_is_done_again_is_the_same_without_a_random_state(monkeypatch):
    worker = SimpleNamespace(state=SimpleNamespace(nthreads=1))
    monkeypatch.setattr(gathered, "get_worker", lambda: worker)
    X = np.random.default_rng(0).normal(size=(300, 2))  # without clusters, so that starts matter
    columns = Columns(n=2, names=None, place=str)

    def fit(seed, **settings):
        model = KernelKGroups(40, init="random", n_init=1, **settings)
        return fitted(model, columns, [X], [], NumberOfClusters(40), seed)

    first, again, other = fit(1), fit(1), fit(2)
    assert first.labels_.tolist() == again.labels_.tolist() != other.labels_.tolist()
    assert (first.random_state, first.n_jobs) == (None, None)
    given = fit(1, random_state=5)
    assert given.labels_.tolist() == fit(2, random_state=5).labels_.tolist()
    assert given.random_state == 5
