"""One-move optimality without all pairs: ``python -m benchmarks.certificate [PART ...]``.

Parts: ``table`` (the share of rows that each step leaves open, of eight data sets of 40,000 rows),
``speed`` (whole fits against a bare pass over all pairs, up to a million rows), ``metrics`` (other
metrics at 300,000 rows), ``many`` (many clusters and columns at a million rows, minutes), ``large``
(ten million rows, minutes), ``picture`` (writes docs/certificate.png). Without a part: ``table``
and ``speed``. Exit status 1 where a limit is missed.

The time of a bare pass is that of 50,000 rows, times the ratio of the numbers of pairs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import peak_bytes, print_machine, print_table
from kgroups import KernelKGroups
from kgroups.bounds import Certificate
from kgroups.gram.matrix_free import MatrixFreeGram
from kgroups.runtime.threads import effective_n_jobs
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Laplacian, Manhattan

_BARE = 50_000


class Data(NamedTuple):
    """Clusters with centers N(0, I) times a spread, and noise of a kind around them."""

    n: int
    D: int = 16
    k: int = 10
    spread: float = 1.0
    noise: str = "normal"

    def __str__(self) -> str:
        kind = {0.0: "noise", 2.0: "separate"}.get(self.spread, "overlapping")
        kind = "lognormal" if self.noise == "lognormal" else kind
        return f"{kind}, n={self.n:,}, D={self.D}, k={self.k}"

    def make(self) -> np.ndarray:
        """The rows, in float32, block by block."""
        rng = np.random.default_rng(0)
        centers = self.spread * rng.normal(size=(self.k, self.D))
        X = np.empty((self.n, self.D), np.float32)
        for a in range(0, self.n, 1 << 18):
            rows = X[a : a + (1 << 18)]
            noise = rng.lognormal if self.noise == "lognormal" else rng.normal
            rows[:] = centers[rng.integers(self.k, size=len(rows))] + noise(size=rows.shape)
        return X


class Fitted(NamedTuple):
    """A fit and its time."""

    model: Any
    seconds: float

    @property
    def certificate(self) -> Certificate:
        """What is proved."""
        found: Certificate = self.model.certificate_
        return found


def fitted(X: np.ndarray, k: int, metric: Any = "energy", method: str = "certified") -> Fitted:
    """A fit, timed; code is compiled before."""
    begun = time.perf_counter()
    model = KernelKGroups(k, metric=metric, method=method, random_state=0).fit(X)
    return Fitted(model, time.perf_counter() - begun)


def bare_pass(X: np.ndarray, n: int, k: int) -> float:
    """Seconds of a pass over all pairs of n rows, from that over the first 50,000."""
    some = X[:_BARE]
    gram = MatrixFreeGram.from_points(some, Energy(), n_threads=effective_n_jobs(None))
    labels, weights = np.arange(len(some)) % k, np.ones(len(some))
    gram.running_sums(labels, weights, k)
    begun = time.perf_counter()
    gram.running_sums(labels, weights, k)
    return (time.perf_counter() - begun) * (n / len(some)) ** 2


TABLE = [
    Data(40_000), Data(40_000, spread=2.0), Data(40_000, noise="lognormal"),
    Data(40_000, D=2, k=30), Data(40_000, D=64, k=50), Data(40_000, D=128, noise="lognormal"),
    Data(100_000), Data(100_000, noise="lognormal"),
]  # fmt: skip


def table() -> list[str]:
    """Which rows each step leaves open."""
    rows, missed = [], []
    for data in TABLE:
        X = data.make()
        found = fitted(X, data.k)
        c = found.certificate
        first = _first_look(c, data.n)
        shares = [f"{100 * share:.2f} %" for share in first[:5]]
        ratio = c.n_pairs / c.n_pairs_full
        rows.append([str(data), *shares, *[""] * (5 - len(shares)), f"{ratio:.3f}", str(c.rounds)])
        if not c.proved:
            missed.append(f"{data}: {c.n_open} rows undecided")
    titles = ["data", "landmarks", "64", "256", "1,024", "4,096", "pairs / all", "rounds"]
    print_table(titles, rows)
    return missed


def _first_look(certificate: Certificate, n: int) -> list[float]:
    """Shares of open rows by step, of the round in which most rows were looked at."""
    rounds: list[list[Any]] = []
    for step in certificate.steps:
        if step.size == 0:
            rounds.append([])
        rounds[-1].append(step)
    fullest = max(rounds, key=lambda steps: steps[0].n_pairs)
    return [step.n_open / n for step in fullest]


def speed(*, sizes: tuple[int, ...] = (100_000, 1_000_000)) -> list[str]:
    """Whole default fits against a bare pass, and at 100,000 rows against the exact fit by it."""
    rows, missed, times = [], [], {}
    fitted(Data(60_000).make(), 10)  # compiles
    for noise in ("normal", "lognormal"):
        for n in sizes:
            data = Data(n, noise=noise)
            X = data.make()
            bare, found = bare_pass(X, n, 10), fitted(X, 10, method="auto")
            c = found.certificate
            times[noise, n] = found.seconds
            rows.append(_row(data, found, bare))
            missed += [f"{data}: not proved"] * (not c.proved)
            if n >= 1_000_000:
                missed += _over(data, "time", found.seconds / bare, 1 / 8)
                if noise == "normal":
                    missed += _over(data, "distances", c.n_pairs / c.n_pairs_full, 1 / 12)
                missed += _over(data, "GB", peak_bytes() / 1e9, 1.6)
            else:
                exact = fitted(X, 10, method="matrix_free")
                ratio = found.seconds / exact.seconds
                higher = found.model.within_dispersion_ / exact.model.within_dispersion_ - 1
                print(f"{data}: {ratio:.2f} of the fit by all pairs, W {higher:+.1e}")
                missed += _over(data, "of matrix_free", ratio, 0.55)
    print_table(_TITLES, rows)
    for noise in ("normal", "lognormal"):
        small, large = (times[noise, n] for n in (sizes[0], sizes[-1]))
        growth = np.log(large / small) / np.log(sizes[-1] / sizes[0])
        print(f"{noise}: time grows as n^{growth:.2f}")
    return missed


_TITLES = ["data", "seconds", "bare pass", "time", "distances", "open", "rounds", "moves", "GB"]


def _row(data: Data, found: Fitted, bare: float) -> list[str]:
    c = found.certificate
    return [
        str(data), f"{found.seconds:.2f}", f"{bare:.0f}", f"1/{bare / found.seconds:.1f}",
        f"1/{c.n_pairs_full / c.n_pairs:.1f}", f"{c.n_open:,}", str(c.rounds),
        f"{found.model.n_moves_:,}", f"{peak_bytes() / 1e9:.2f}",
    ]  # fmt: skip


def _over(data: Data, what: str, value: float, limit: float) -> list[str]:
    return [f"{data}: {what} {value:.3f}, limit {limit:.3f}"] if value > limit else []


def metrics() -> list[str]:
    """Distances that other metrics take at 300,000 rows."""
    several = ColumnSum([(Energy(), list(range(8))), (Manhattan(), list(range(8, 16)))])
    kinds = {
        "energy 1.5": (Energy(1.5), 1 / 4), "energy 0.5": (Energy(0.5), 1 / 2),
        "laplacian": (Laplacian("median"), 1 / 4), "gaussian": (Gaussian("median"), 1 / 4),
        "sum": (several, 1 / 4),
    }  # fmt: skip
    data = Data(300_000)
    X, rows, missed = data.make(), [], []
    for name, (metric, limit) in kinds.items():
        found = fitted(X, data.k, metric)
        c = found.certificate
        share = c.n_pairs / c.n_pairs_full
        rows.append([name, f"{found.seconds:.1f}", f"{share:.3f}", str(c.proved), str(c.rounds)])
        missed += _over(data, name, share, limit) + [f"{name}: not proved"] * (not c.proved)
    print_table(["metric", "seconds", "pairs / all", "proved", "rounds"], rows)
    return missed


def many() -> list[str]:
    """Many clusters or columns at a million rows, within the default limits."""
    rows, missed = [], []
    for data, limit in ((Data(10**6, 64, 100), 40.0), (Data(10**6, 128), 600.0),
                        (Data(10**6, 16, 1000), 600.0)):  # fmt: skip
        X = data.make()
        bare, found = bare_pass(X, data.n, data.k), fitted(X, data.k, method="auto")
        rows.append(_row(data, found, bare))
        missed += _over(data, "seconds", found.seconds, limit)
        missed += _over(data, "open", found.certificate.n_open / data.n, 0.01)
    print_table(_TITLES, rows)
    return missed


def large() -> list[str]:
    """Ten million rows: what is proved within the default limit."""
    data = Data(10**7)
    X = data.make()
    bare, found = bare_pass(X, data.n, data.k), fitted(X, data.k, method="auto")
    print_table(_TITLES, [_row(data, found, bare)])
    print(found.model.exactness_)
    missed = _over(data, "time", found.seconds / bare, 1 / 30)
    return missed + _over(data, "GB", peak_bytes() / 1e9, 3.0)


def picture() -> list[str]:
    """The share of rows that is open after each step, at 200,000 rows."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for data in (Data(200_000), Data(200_000, noise="lognormal"), Data(200_000, spread=2.0)):
        found = fitted(data.make(), data.k)
        rounds = _first_look(found.certificate, data.n)
        sizes = [16.0, *(64.0 * 4**step for step in range(len(rounds) - 1))]
        shares = np.maximum(100 * np.array(rounds), 1e-4)
        axes.loglog(sizes, shares, marker="o", markersize=4, label=str(data).split(",")[0])
    axes.set_xticks([16, 64, 256, 1024, 4096, 16384, 65536])
    axes.set_xticklabels(["landmarks", "64", "256", "1,024", "4,096", "16,384", "65,536"])
    axes.minorticks_off()
    axes.set_xlabel("members of a cluster that a row is compared with")
    axes.set_ylabel("rows still open, %")
    axes.legend()
    figure.savefig("docs/certificate.png", dpi=150)
    return []


PARTS: dict[str, Callable[[], list[str]]] = {
    "table": table, "speed": speed, "metrics": metrics, "many": many, "large": large,
    "picture": picture,
}  # fmt: skip


def main() -> int:
    """Run the parts that are asked for; 1 where a limit is missed."""
    asked = sys.argv[1:] or ["table", "speed"]
    unknown = [name for name in asked if name not in PARTS]
    if unknown:
        raise SystemExit(f"no part {unknown[0]!r}; parts are {', '.join(PARTS)}")
    print_machine()
    missed = [line for name in asked for line in PARTS[name]()]
    print(*(f"missed: {line}" for line in missed), sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
