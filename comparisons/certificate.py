"""One-move optimality without all pairs: ``python -m comparisons.certificate``.

Prints the share of rows that each step of the proof leaves open, and times of fits next to that of
a bare pass over all pairs, from the pass over 50,000 rows. Times are those of all threads on their
processors, which other programs hardly change.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from comparisons.common import Limits, options, print_table
from kgroups import KernelKGroups
from kgroups.bounds import Certificate
from kgroups.gram.matrix_free import MatrixFreeGram
from kgroups.runtime.threads import effective_n_jobs
from kgroups.semimetrics import Energy
from kgroups.typing import FloatArray

#: Rows of the bare pass, and of the fits that are compared with one by all pairs.
BARE, SMALL = 50_000, 100_000
#: Of a million rows: shares that are undecided, of the time of a bare pass, and of its pairs.
LARGE = {"overlapping": (0, 0.3, 1 / 8), "lognormal": (1e-3, 0.9, 0.5)}


class Data(NamedTuple):
    """Clusters with centers N(0, I), twice as far apart if separate, and noise around them."""

    kind: str
    n: int
    D: int = 16
    k: int = 10

    def __str__(self) -> str:
        return f"{self.kind}, n={self.n:,}, D={self.D}, k={self.k}"

    def make(self) -> FloatArray:
        """The rows, in float32, block by block."""
        rng = np.random.default_rng(0)
        centers = (2 if self.kind == "separate" else 1) * rng.normal(size=(self.k, self.D))
        noise = rng.lognormal if self.kind == "lognormal" else rng.normal
        X = np.empty((self.n, self.D), np.float32)
        for a in range(0, self.n, 1 << 18):
            rows = X[a : a + (1 << 18)]
            rows[:] = centers[rng.integers(self.k, size=len(rows))] + noise(size=rows.shape)
        return X


SHARES = (
    Data("overlapping", 100_000), Data("separate", 40_000), Data("lognormal", 100_000),
    Data("overlapping", 40_000, 2, 30), Data("overlapping", 40_000, 64, 50),
)  # fmt: skip


def fitted(X: FloatArray, k: int, method: str) -> tuple[KernelKGroups, float]:
    """A fit and its processor time; code is compiled before."""
    begun = time.process_time()
    model = KernelKGroups(k, method=method, random_state=0).fit(X)
    return model, time.process_time() - begun


def first_look(certificate: Certificate, n: int) -> list[float]:
    """Shares of open rows by step, of the round in which most rows were looked at."""
    starts = [place for place, step in enumerate(certificate.steps) if step.size == 0]
    ends = [*starts[1:], len(certificate.steps)]
    rounds = [certificate.steps[a:b] for a, b in zip(starts, ends, strict=True)]
    fullest = max(rounds, key=lambda steps: steps[0].n_pairs)
    return [step.n_open / n for step in fullest]


def compare_shares(limits: Limits, sets: tuple[Data, ...]) -> None:
    """Which rows each step leaves open, in a proof that goes on to the end."""
    rows, undecided, pairs = [], [], []
    for data in sets:
        c = fitted(data.make(), data.k, "certified")[0].certificate_
        shares = [f"{100 * share:.2f} %" for share in first_look(c, data.n)[:5]]
        undecided.append(c.n_open)
        pairs.append(c.n_pairs / c.n_pairs_full)
        rows.append([str(data), *shares, *[""] * (5 - len(shares)), f"{pairs[-1]:.3f}"])
    print_table(["open after", "landmarks", "64", "256", "1,024", "4,096", "pairs / all"], rows)
    print()
    limits.at_most("rows undecided", sum(undecided), 0)
    limits.at_most("largest pairs / all", max(pairs), 0.9)


def bare_pass(X: FloatArray, k: int) -> float:
    """Processor time of a pass over all pairs of the rows, from that over the first ones."""
    some, labels, weights = X[:BARE], np.arange(BARE) % k, np.ones(BARE)
    gram = MatrixFreeGram.from_points(some, Energy(), n_threads=effective_n_jobs(None))
    gram.running_sums(labels, weights, k)  # compiles
    begun = time.process_time()
    gram.running_sums(labels, weights, k)
    return (time.process_time() - begun) * (len(X) / BARE) ** 2


def compare_speed(limits: Limits, data: Data) -> None:
    """A whole default fit against a bare pass, and against the exact fit by such a pass."""
    X = data.make()
    bare, (model, spent) = bare_pass(X, data.k), fitted(X, data.k, "auto")
    c = model.certificate_
    print(f"\n{data}: {spent:.2f} s, bare pass {bare:.2f} s, {c.rounds} rounds")
    if data.n > SMALL:
        values = (c.n_open / data.n, spent / bare, c.n_pairs / c.n_pairs_full)
        names = ("rows undecided", "time / bare pass", "pairs / all")
        for name, value, limit in zip(names, values, LARGE[data.kind], strict=True):
            limits.at_most(name, value, limit)
        return
    exact, longer = fitted(X, data.k, "matrix_free")
    limits.at_most("rows undecided", c.n_open, 0)
    limits.at_most("time / by all pairs", spent / longer, 1.2)
    limits.at_most("W / by all pairs", model.within_dispersion_ / exact.within_dispersion_, 1.001)


def main(arguments: list[str] | None = None) -> int:
    """Print both; 1 where a limit is missed."""
    is_quick = options(__doc__).parse_args(arguments).quick
    limits = Limits()
    for method in ("auto", "matrix_free"):
        fitted(Data("overlapping", 60_000).make(), 10, method)  # compiles
    compare_shares(limits, SHARES[1:2] if is_quick else SHARES)
    for kind in ("overlapping",) if is_quick else LARGE:
        for n in (SMALL,) if is_quick else (SMALL, 1_000_000):
            compare_speed(limits, Data(kind, n))
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
