"""What finished runs were made by: a digest of all that their numbers may depend on."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import kgroups
from kgroups_papers.experiment import Run

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Folders that show or judge what was found; of reproduction only the recipes make it.
_LATER = ("cli", "plots", "report", "reproduction")


@lru_cache
def fingerprint(run: Run) -> str:
    """Of the library, the recipes, the module of ``run``, and the versions of others' packages.

    Published numbers and known causes are data and no part of it: who finds out a cause need not
    run anything again.
    """
    digest = hashlib.sha256()
    for name in _PACKAGES:
        digest.update(f"{name} {version(name)}\n".encode())
    for path in (*_library(), Path(inspect.getfile(run))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _library() -> Iterator[Path]:
    root = Path(kgroups.__file__).parent
    for path in sorted(root.rglob("*.py")):
        folder, *inner = path.relative_to(root).parts
        if folder not in _LATER or "recipes" in inner:
            yield path
