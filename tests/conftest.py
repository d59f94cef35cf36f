"""Fixtures that many tests share, and a compiler cache that is never stale."""

import gc

import pytest

from compile_cache import use

use()  # before anything imports numba

import numpy as np  # noqa: E402

from kgroups.gram import DenseGram  # noqa: E402
from kgroups.semimetrics import Energy  # noqa: E402


def pytest_collection_finish() -> None:
    """Thousands of tests last until the end: no collection of garbage need look at them."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def four_points() -> DenseGram:
    """{0, 1, 10, 12} with ρ = |x − y|: worked by hand, W({0,1},{10,12}) = 1/2 + 2/2."""
    return DenseGram.from_points(np.array([[0.0], [1.0], [10.0], [12.0]]), Energy(1.0))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
