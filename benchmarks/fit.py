"""Fits to tables: seconds, memory, W (smaller is better) and agreement with the truth."""

from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import kgroups
from benchmarks import common
from kgroups import semimetrics

Found = dict[tuple[str, int], tuple[float, float]]
METRICS = {
    "energy": "energy",
    "Energy(2)": semimetrics.Energy(2.0),
    "manhattan": "manhattan",
}
VALUES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "clumps": lambda rng, n: rng.normal(size=n) + 20.0 * rng.integers(20, size=n),
}


def estimator(metric: str = "energy", **settings: Any) -> kgroups.KernelKGroups:
    """An estimator of ten clusters that is not fitted."""
    model = kgroups.KernelKGroups(common.K, metric=METRICS[metric], random_state=0)
    return model.set_params(**settings)


class Metrics:
    """Separated clusters by three metrics at sizes that take different methods."""

    params = (list(METRICS), [1_000, 5_000, 25_000])
    param_names = ("metric", "n")

    def setup(self, metric: str, n: int) -> None:
        """Draw the rows."""
        self.X, self.truth = common.blobs(n)
        self.model = estimator(metric)

    def time_fit(self, metric: str, n: int) -> None:
        """A whole fit with default settings."""
        self.model.fit(self.X)

    def peakmem_fit(self, metric: str, n: int) -> None:
        """The memory of the process."""
        self.model.fit(self.X)

    def track_W(self, metric: str, n: int) -> float:
        """The dispersion within clusters."""
        return float(self.model.fit(self.X).within_dispersion_)

    def track_ari(self, metric: str, n: int) -> float:
        """The agreement with the labels of the mixture."""
        return common.agreement(self.model.fit(self.X).labels_, self.truth)


class Shapes:
    """Rows of other kinds, by the metric of energy."""

    params = (list(common.SHAPES), [1_000, 5_000])
    param_names = ("shape", "n")

    def setup(self, shape: str, n: int) -> None:
        """Draw the rows."""
        self.X, self.truth = common.SHAPES[shape](n)

    def time_fit(self, shape: str, n: int) -> None:
        """A whole fit with default settings."""
        estimator().fit(self.X)

    def time_one_start(self, shape: str, n: int) -> None:
        """A fit from one start."""
        estimator(n_init=1).fit(self.X)

    def track_W(self, shape: str, n: int) -> float:
        """The dispersion within clusters."""
        return float(estimator().fit(self.X).within_dispersion_)

    def track_ari(self, shape: str, n: int) -> float:
        """The agreement with the labels of the mixture; 0 for noise."""
        return common.agreement(estimator().fit(self.X).labels_, self.truth)


class Large:
    """Many rows in float32; what is found is fitted once and tracked from there."""

    params = (["certified", "nystroem"], [50_000, 100_000])
    param_names = ("method", "n")
    timeout = 1200

    def setup_cache(self) -> Found:
        """W and agreement of each fit, which also compiles."""
        found = {}
        for n in self.params[1]:
            X, truth = common.blobs(n, dtype=np.float32)
            for method in self.params[0]:
                model = estimator(method=method).fit(X)
                agreement = common.agreement(model.labels_, truth)
                found[method, n] = float(model.within_dispersion_), agreement
        return found

    def setup(self, found: Found, method: str, n: int) -> None:
        """Draw the rows."""
        self.X, _ = common.blobs(n, dtype=np.float32)

    def time_fit(self, found: Found, method: str, n: int) -> None:
        """A whole fit."""
        estimator(method=method).fit(self.X)

    def peakmem_fit(self, found: Found, method: str, n: int) -> None:
        """The memory of the process."""
        estimator(method=method).fit(self.X)

    def track_W(self, found: Found, method: str, n: int) -> float:
        """The dispersion within clusters."""
        return found[method, n][0]

    def track_ari(self, found: Found, method: str, n: int) -> float:
        """The agreement with the labels of the mixture."""
        return found[method, n][1]


class Others:
    """The other estimators, each at a size that it is made for."""

    params = (["KernelKMeans", "EnergyAgglomerative"],)
    param_names = ("estimator",)

    def setup(self, name: str) -> None:
        """Draw the rows."""
        self.X, self.truth = common.blobs(5_000 if name == "KernelKMeans" else 2_000)
        self.model = getattr(kgroups, name)(common.K)

    def time_fit(self, name: str) -> None:
        """A whole fit with default settings."""
        self.model.fit(self.X)

    def track_ari(self, name: str) -> float:
        """The agreement with the labels of the mixture."""
        return common.agreement(self.model.fit(self.X).labels_, self.truth)


class Line:
    """The exact optimum on a line, with weights."""

    params = (list(VALUES), [(10, 1.0), (10, 2.0), (100, 1.0)])
    param_names = ("values", "k and alpha")

    def setup(self, kind: str, case: tuple[int, float]) -> None:
        """Draw half a million values."""
        rng = np.random.default_rng(0)
        self.x, self.weights = VALUES[kind](rng, 500_000), rng.exponential(size=500_000)
        self.model = kgroups.KGroups1D(case[0], alpha=case[1])

    def time_fit(self, kind: str, case: tuple[int, float]) -> None:
        """A whole fit."""
        self.model.fit(self.x, sample_weight=self.weights)

    def peakmem_fit(self, kind: str, case: tuple[int, float]) -> None:
        """The memory of the process."""
        self.model.fit(self.x, sample_weight=self.weights)

    def track_W(self, kind: str, case: tuple[int, float]) -> float:
        """The dispersion within clusters, which may only change by rounding."""
        self.model.fit(self.x, sample_weight=self.weights)
        return float(self.model.within_dispersion_)


class AllPairs:
    """One pass over all pairs, next to a product of matrices that does as many multiplications."""

    params = ([2, 16, 64, 784], ["float32", "float64"])
    param_names = ("D", "dtype")

    def setup(self, n_features: int, dtype: str) -> None:
        """The operator of the sums, and random labels."""
        from kgroups.gram import MatrixFreeGram

        n = 8_192
        self.X, _ = common.blobs(n, n_features, dtype=dtype)
        self.labels = np.random.default_rng(0).integers(common.K, size=n)
        self.gram = MatrixFreeGram.from_points(self.X, semimetrics.Energy(1.0), n_threads=1)

    def time_sums(self, n_features: int, dtype: str) -> None:
        """Sums from each row to each cluster on one thread."""
        self.gram.running_sums(self.labels, np.ones(len(self.X)), common.K)

    def time_product(self, n_features: int, dtype: str) -> None:
        """What BLAS needs for X Xᵀ on all its threads: the yardstick of this machine."""
        self.X @ self.X.T


class Gaps:
    """What bounds cost and what they prove."""

    params = (["blockwise", "spectral", "semidefinite"],)
    param_names = ("kind",)

    def setup(self, kind: str) -> None:
        """A fit; the semidefinite bound is for few rows."""
        if kind == "semidefinite":
            self.model = kgroups.KernelKGroups(3, random_state=0).fit(load_iris().data)
        else:
            self.model = estimator().fit(common.blobs(3_000)[0])

    def time_gap(self, kind: str) -> None:
        """The bound alone."""
        self.model.optimality_gap(kind=kind)

    def track_gap(self, kind: str) -> float:
        """How far below W the bound is, as a share of W."""
        return float(self.model.optimality_gap(kind=kind).gap)
