"""Compiled code that all test processes share, in a folder that is never stale.

``python -m tests.compile_cache`` fills it with what most tests of graphs and statistics call, or of
those that are named; the rest is compiled by the first process that needs it. ``--folder`` prints
where it is.
"""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def use() -> str:
    """Have numba keep its code in the folder, or in the one that NUMBA_CACHE_DIR names already.

    Takes effect only before the first import of numba.
    """
    folder = ROOT / ".pytest_cache" / "numba" / sources()
    return os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


def sources() -> str:
    """A name for the state of every file of the package.

    numba keeps compiled code until the file of the function changes, and does not see a change in
    a function that it calls from another file.
    """
    files = sorted((ROOT / "src").rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def fill(*names: str) -> None:
    """Compile what most tests call, by small fits; quick where it has been compiled before."""
    fits = {"graphs": _fit_graphs, "statistics": _fit_statistics}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names or fits:
            fits[name]()


def _fit_graphs() -> None:
    from kgroups import GraphKGroups
    from kgroups.graphs import stochastic_block_model

    A, _ = stochastic_block_model(300, 3, 12, 2.0, random_state=0)
    for objective in ("bethe_hessian", "normalized_cut", "modularity"):
        GraphKGroups(3, objective=objective, random_state=0).fit(A)
    GraphKGroups(random_state=0).fit(A).labels_at(1)
    GraphKGroups(objective="modularity", random_state=0).fit(A)
    weak = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    GraphKGroups(random_state=0).fit(weak)


def _fit_statistics() -> None:
    import numpy as np

    from kgroups.select import cluster_significance
    from kgroups.stats import energy_test

    X = np.random.default_rng(0).normal(size=(60, 2))
    energy_test(X[:30], X[30:], n_permutations=19, random_state=0)
    cluster_significance(X, np.arange(60) % 2, random_state=0)


if __name__ == "__main__":
    folder = use()
    if "--folder" in sys.argv[1:]:
        print(folder)
    else:
        fill(*sys.argv[1:])
