"""Shapes in the plane and in space by several methods: ``python -m comparisons.shapes [FOLDER]``.

The folder holds batteries in the format of the clustering benchmarks of M. Gagolewski (SoftwareX,
2022): ``NAME.data.gz`` with rows of numbers, ``NAME.labels0.gz``, ``NAME.labels1.gz``, ... with
one reference labeling each, of which the best score counts; 0 is noise, which no score counts.
Sets of more than 10,000 rows are left out. Default: the folder ``shapes`` of ``$KGROUPS_DATA``.
"""

from __future__ import annotations

import gzip
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.mixture import GaussianMixture

from comparisons.common import Limits, data_folder, options, print_table
from kgroups import EnergyAgglomerative, GraphKGroups, KernelKGroups
from kgroups.semimetrics import Energy

MOST_ROWS, MOST_BYTES = 10_000, 1 << 26
QUICK, SLACK = "graves", 0.01
Scores = tuple[float, float]
Cluster = Callable[[int], object]
METHODS: dict[str, Cluster] = {
    "neighbors": lambda k: GraphKGroups(k, affinity="nearest_neighbors", random_state=0),
    "KernelKGroups": lambda k: KernelKGroups(k, random_state=0),
    "Energy(0.5)": lambda k: KernelKGroups(k, metric=Energy(0.5), random_state=0),
    "energy hierarchy": EnergyAgglomerative,
    "k-means": lambda k: KMeans(k, n_init=10, random_state=0),
    "Gaussian mixture": lambda k: GaussianMixture(k, n_init=10, random_state=0),
}
# Means of November 2026 by battery and number of sets: AR and NCA of the first four methods.
TODAY = {
    ("all", 73): ((0.795, 0.834), (0.562, 0.692), (0.612, 0.725), (0.578, 0.699)),
    ("fcps", 9): ((0.993, 0.996), (0.685, 0.805), (0.805, 0.877), (0.797, 0.885)),
    ("graves", 10): ((0.911, 0.934), (0.525, 0.679), (0.774, 0.870), (0.497, 0.655)),
    ("h2mg", 4): ((0.586, 0.763), (0.483, 0.500), (0.246, 0.266), (0.217, 0.353)),
    ("other", 8): ((0.803, 0.864), (0.526, 0.664), (0.517, 0.635), (0.577, 0.675)),
}
OTHERS = "Lumbermark .813/.836, Genie .784/.820, Gaussian mixture .649/.722, k-means .548/.675"


def normalized_accuracy(truth: np.ndarray, labels: np.ndarray) -> float:
    """The mean share of the k true clusters matched one to one, from 1/k to 1 taken to 0 to 1.

    Examples
    --------
    Of the first cluster two thirds are in its match, of the second all: (5/6 − 1/2) / (1/2).

    >>> float(round(normalized_accuracy([1, 1, 1, 2, 2], [7, 7, 5, 5, 5]), 6))
    0.666667
    """
    counts = contingency_matrix(truth, labels)
    shares = counts / counts.sum(axis=1, keepdims=True)
    k = len(shares)
    matched = shares[linear_sum_assignment(shares, maximize=True)].sum() / k
    return (matched - 1 / k) / (1 - 1 / k)


def numbers(path: Path, kind: type) -> np.ndarray:
    """The numbers of a file, which may unpack to 64 MiB."""
    with gzip.open(path, "rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"{path} is larger than {MOST_BYTES >> 20} MiB")
    return np.loadtxt(io.BytesIO(text), kind, ndmin=1 if kind is int else 2)


def scores(X: np.ndarray, truths: Sequence[np.ndarray], method: Cluster) -> Scores:
    """The best AR and the best NCA of all labelings, each with its own k."""
    found = []
    for truth in truths:
        kept = truth > 0
        labels = method(len(np.unique(truth[kept]))).fit_predict(X)[kept]
        found.append(
            (adjusted_rand_score(truth[kept], labels), normalized_accuracy(truth[kept], labels))
        )
    return tuple(np.max(found, axis=0))


def compare(battery: Path) -> list[list[Scores]]:
    """The scores of each set by method."""
    rows = []
    for path in sorted(battery.glob("*.data.gz")):
        X = numbers(path, float)
        name = path.name.removesuffix(".data.gz")
        if len(X) > MOST_ROWS:
            print(f"{battery.name}/{name}: {len(X):,} rows, left out")
            continue
        X = X[:, np.ptp(X, axis=0) > 0]
        truths = [numbers(file, int) for file in sorted(battery.glob(f"{name}.labels?.gz"))]
        rows.append([scores(X, truths, method) for method in METHODS.values()])
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print mean scores by battery; 1 if ours are below those of today."""
    parser = options(__doc__, battery="only this one")
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="holds batteries")
    given, limits = parser.parse_args(arguments), Limits()
    folder = given.folder or data_folder(None, "shapes")
    only = given.battery or (QUICK if given.quick else "*")
    batteries = sorted(p for p in folder.glob(only) if p.is_dir()) if folder else []
    # Mixtures may not converge, and graphs have several components: that is in the scores.
    warnings.simplefilter("ignore")
    found = {battery.name: rows for battery in batteries if (rows := compare(battery))}
    if not found:
        print(f"no {only}/*.data.gz in {folder}: FOLDER or $KGROUPS_DATA names their folder")
        return 1
    found["all"] = [row for rows in found.values() for row in rows]
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    titles = [f"{name} ({len(rows)})" for name, rows in found.items()]
    table = [
        [method, *(f"{ar:.3f}/{nca:.3f}" for ar, nca in (m[i] for m in means.values()))]
        for i, method in enumerate(METHODS)
    ]
    print_table(["AR/NCA, mean of sets", *titles], table)
    print(f"stored, 73 sets of all batteries: {OTHERS}")
    for name, rows in found.items():
        stored = TODAY.get((name, len(rows)), ())
        if name != "all" and not stored:
            print(f"{name}: other sets than those of the stored means, no limits")
        for method, now, before in zip(METHODS, means[name], stored, strict=False):
            limits.at_least(f"{name}, {method}: AR", now[0], before[0] - SLACK)
            limits.at_least(f"{name}, {method}: NCA", now[1], before[1] - SLACK)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
