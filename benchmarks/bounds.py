"""What bounds cost and what they prove. ``python -m benchmarks.bounds``.

The times of the spectral bound, blockwise and exact, beside that of the fit at n = 5,000 and their
gaps; and the gap that the semidefinite bound leaves on iris and wine.
"""

import time

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from benchmarks.datasets import grid_datasets
from benchmarks.quick import median_seconds
from kgroups import KernelKGroups

KINDS = ("separated blobs D=16", "overlapping blobs D=16", "noise D=16", "lognormal D=10")


def spectral() -> None:
    """Fit with default settings, then the gap by both routes, all as medians."""
    head = "".join(f"{kind:>10s} {'ratio':>6s} {'gap':>7s}" for kind in ("blockwise", "exact"))
    print(f"{'n = 5,000':24s} {'k':>3s} {'fit':>8s}{head}")
    data = grid_datasets(5_000, 0)
    for name in KINDS:
        for k in (5, 10):
            X = data[name]
            fit = median_seconds(lambda X=X, k=k: KernelKGroups(k, random_state=0).fit(X))
            model = KernelKGroups(k, random_state=0).fit(X)
            line = f"{name:24s} {k:3d} {fit:7.3f}s"
            for kind in ("blockwise", "spectral"):
                bound = median_seconds(
                    lambda model=model, kind=kind: model.optimality_gap(kind=kind)
                )
                gap = model.optimality_gap(kind=kind).gap
                line += f"{bound:9.3f}s {bound / fit:6.2f} {gap:7.2%}"
            print(line, flush=True)


def semidefinite() -> None:
    """Data small enough to be proved optimal."""
    print(f"\n{'semidefinite bound':24s} {'k':>3s} {'time':>8s} {'gap':>9s}  proved")
    wine = load_wine().data
    data: dict[str, np.ndarray] = {
        "iris": load_iris().data, "wine": wine, "wine, standardized": scale(wine)
    }  # fmt: skip
    for name, X in data.items():
        for k in (2, 3, 4):
            model = KernelKGroups(k, random_state=0).fit(X)
            begun = time.perf_counter()
            found = model.optimality_gap(kind="semidefinite")
            seconds = time.perf_counter() - begun
            print(f"{name:24s} {k:3d} {seconds:7.2f}s {found.gap:9.1e}  {found.proves_optimal}")


if __name__ == "__main__":
    spectral()
    semidefinite()
