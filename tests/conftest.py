"""Fixtures that many tests share, and a compiler cache that is never stale."""

import hashlib
import os
from pathlib import Path

import pytest


def compiled_sources() -> str:
    """A name for the state of every file of the package.

    numba keeps compiled code until the file of the function changes, and does not see a change in
    a function that it calls from another file.
    """
    package = Path(__file__).resolve().parents[1] / "src" / "kgroups"
    files = sorted(package.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


# Before anything imports numba.
_CACHE = Path(__file__).resolve().parents[1] / ".pytest_cache" / "numba"
os.environ.setdefault("NUMBA_CACHE_DIR", str(_CACHE / compiled_sources()))

import numpy as np  # noqa: E402

from kgroups.gram import DenseGram  # noqa: E402
from kgroups.semimetrics import Energy  # noqa: E402


@pytest.fixture
def four_points() -> DenseGram:
    """{0, 1, 10, 12} with ρ = |x − y|: worked by hand, W({0,1},{10,12}) = 1/2 + 2/2."""
    return DenseGram.from_points(np.array([[0.0], [1.0], [10.0], [12.0]]), Energy(1.0))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
