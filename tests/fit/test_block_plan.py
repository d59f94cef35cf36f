"""What fits by blocks keep, and where features are worth their room."""

from dataclasses import replace

import numpy as np
import pytest

from kgroups.fit.block_plan import bytes_kept, plan_of_blocks, size_of_blocks
from kgroups.fit.plan import Wish
from kgroups.input.spaces import PointSpace
from kgroups.semimetrics import Energy

GIB = 1 << 30
SKETCH = Wish(method="nystroem", n_components=200)


def size_of(n, semimetric):
    few = np.zeros((1, 16), np.float32)
    return replace(size_of_blocks(PointSpace(semimetric), few, n, 10, 2), n=n)


def test_means_keep_less_than_a_sketch():
    n = 100_000_000
    assert bytes_kept(Wish(), size_of(n, Energy(2))) == 16 * n
    assert bytes_kept(Wish(), size_of(n, Energy(2)), has_weights=True) == 24 * n
    assert bytes_kept(SKETCH, size_of(n, Energy(2))) == 34 * n
    assert bytes_kept(Wish(), size_of(n, Energy())) == 34 * n


@pytest.mark.parametrize(
    ("n", "room", "on_workers", "kept"),
    [
        (1_000_000, np.inf, False, GIB),  # features of 0.75 GiB
        (5_000_000, np.inf, False, GIB),  # of 3.7 GiB: more than a quarter
        (20_000_000, np.inf, False, 0),  # of 15 GiB
        (1_000_000, 1 << 28, False, 1 << 28),
        (1_000_000, 1 << 27, False, 0),
        (5_000_000, 8 * GIB, False, GIB),
        (5_000_000, 8 * GIB, True, 8 * GIB),
    ],
)
def test_features_are_kept_where_a_quarter_of_them_has_room(n, room, on_workers, kept):
    size = size_of(n, Energy())
    plan = plan_of_blocks(SKETCH, size, Energy(), room, on_workers=on_workers)
    assert plan.n_components == 200
    assert plan.feature_bytes == kept
