"""KernelKGroups and the energy test next to other programs: ``python -m comparisons.peers``.

Each program runs in a process of its own, with a limit on its time, and is called twice, so that
compiling is not timed. W is that of the energy metric, computed here from rows and labels; tslearn
and R's energy minimize it, too. R is called once and measures itself.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from comparisons.common import Limits, is_installed, options, print_table
from kgroups.typing import FloatArray, IntArray

COLUMNS, K, PERMUTATIONS = 16, 10, 199
R_CODE = """
suppressPackageStartupMessages(library(energy))
x <- as.matrix(read.csv(file("stdin"), header = FALSE))
set.seed(0)
seconds <- system.time(found <- {act})[["elapsed"]]
cat(seconds, {result})
"""


class Outcome(NamedTuple):
    """What came of one call: labels, or a statistic and its p-value; a note where nothing did."""

    answer: FloatArray | None = None
    seconds: float = np.nan
    megabytes: float = np.nan
    note: str = ""


def fit(module: str, model: str, X: FloatArray, **settings: Any) -> IntArray:
    """Labels by a model that is imported here, so that no other process holds its module."""
    return getattr(import_module(module), model)(K, **settings).fit_predict(X)


def fasterpam(X: FloatArray) -> IntArray:
    """k-medoids on the matrix of distances, whose making is part of the time."""
    import kmedoids

    return np.asarray(kmedoids.fasterpam(cdist(X, X), K, random_state=0).labels, np.int64)


def kernel_k_means(X: FloatArray) -> IntArray:
    """Kernel k-means on the centered -distance / 2, whose making is part of the time."""
    from tslearn.clustering import KernelKMeans

    gram = -0.5 * cdist(X, X)
    mean = gram.mean(axis=0)
    gram -= mean + mean[:, None] - mean.mean()
    return np.asarray(KernelKMeans(K, kernel="precomputed", random_state=0).fit_predict(gram), int)


def r_kgroups(X: FloatArray) -> Outcome:
    """One start on dist(x), whose making is part of the time."""
    return _by_r(X, f"kgroups(dist(x), {K}, nstart = 1)", "found$cluster")


def energy_test(X: FloatArray) -> FloatArray:
    """Our test of the two halves of the rows."""
    from kgroups.stats import energy_test as test

    found = test(*np.array_split(X, 2), n_permutations=PERMUTATIONS, random_state=0)
    return np.array([found.statistic, found.pvalue])


def dcor_test(X: FloatArray) -> FloatArray:
    """The same statistic by dcor."""
    from dcor.homogeneity import energy_test as test

    found = test(*np.array_split(X, 2), num_resamples=PERMUTATIONS, random_state=0)
    return np.array([found.statistic, found.pvalue])


def r_test(X: FloatArray) -> Outcome:
    """The same statistic by R."""
    act = f"eqdist.etest(x, rep(nrow(x) / 2, 2), R = {PERMUTATIONS})"
    return _by_r(X, act, "format(unname(found$statistic), digits = 15), found$p.value")


#: What is compared; the first is ours, and the first words are modules.
CLUSTERINGS: dict[str, Callable[[FloatArray], Any]] = {
    "kgroups KernelKGroups": partial(fit, "kgroups", "KernelKGroups", random_state=0),
    "sklearn KMeans": partial(fit, "sklearn.cluster", "KMeans", n_init=10, random_state=0),
    "sklearn AgglomerativeClustering": partial(fit, "sklearn.cluster", "AgglomerativeClustering"),
    "sklearn SpectralClustering": partial(
        fit, "sklearn.cluster", "SpectralClustering", affinity="nearest_neighbors", random_state=0
    ),
    "sklearn GaussianMixture": partial(fit, "sklearn.mixture", "GaussianMixture", random_state=0),
    "kmedoids fasterpam": fasterpam,
    "tslearn KernelKMeans": kernel_k_means,
    "R energy::kgroups": r_kgroups,
}
TESTS: dict[str, Callable[[FloatArray], Any]] = {
    "kgroups energy_test": energy_test,
    "dcor energy_test": dcor_test,
    "R energy::eqdist.etest": r_test,
}
PROGRAMS = CLUSTERINGS | TESTS
#: Programs that minimize our objective, and those that have our statistic.
SAME = ("tslearn KernelKMeans", "R energy::kgroups", "dcor energy_test", "R energy::eqdist.etest")


def _by_r(X: FloatArray, act: str, result: str) -> Outcome:
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    command = ["Rscript", "-e", R_CODE.format(act=act, result=result)]
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(" ".join(done.stderr.split()))
    seconds, *numbers = map(float, done.stdout.split())
    return Outcome(np.array(numbers), seconds)


def work(connection: Connection, name: str, X: FloatArray) -> None:
    """In the process: call the program twice, and send what came of it."""
    os.setsid()  # so that R, which it starts, ends with it
    # What other programs warn about is not compared.
    warnings.simplefilter("ignore")
    act = PROGRAMS[name]
    try:
        found = act(X)
        if not isinstance(found, Outcome):
            begun = time.perf_counter()
            found = Outcome(act(X), time.perf_counter() - begun)
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:
        found = Outcome(note=str(error))
    peak = max(getrusage(who).ru_maxrss for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    connection.send(found._replace(megabytes=peak / (1e6 if sys.platform == "darwin" else 1e3)))


def measured(name: str, X: FloatArray, limit: float) -> Outcome:
    """One program on these rows, in a process of its own that ends after its limit."""
    spawning = multiprocessing.get_context("spawn")
    receiver, sender = spawning.Pipe(duplex=False)
    process = spawning.Process(target=work, args=(sender, name, X))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(limit) else Outcome(note=f"over {limit:g} s")
    except EOFError:
        return Outcome(note="ended without an answer")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def outcomes(names: Iterable[str], X: FloatArray, limit: float) -> dict[str, Outcome]:
    """What came of the programs that are here."""
    found = {}
    for name in names:
        module = name.split()[0]
        if shutil.which("Rscript") if module == "R" else is_installed(module):
            found[name] = measured(name, X, limit)
        else:
            print(f"not installed: {name}, left out")
    return found


def drawn(kind: str, n: int) -> tuple[FloatArray, IntArray]:
    """Clusters with normal noise or with heavy tails, and the cluster of each row."""
    rng = np.random.default_rng(n)
    centers, groups = rng.normal(size=(K, COLUMNS)), rng.integers(K, size=n)
    if kind == "normal":
        return centers[groups] + rng.normal(size=(n, COLUMNS)), groups
    return 2 * centers[groups] + rng.standard_t(2, size=(n, COLUMNS)), groups


def dispersion(X: FloatArray, labels: IntArray) -> float:
    """W = Σ_j Σ_{x, y ∈ C_j} ‖x − y‖ / 2 n_j, some rows at a time."""
    total = 0.0
    for part in (X[labels == j] for j in np.unique(labels)):
        some = np.array_split(part, len(part) // 500 + 1)
        total += sum(cdist(rows, part).sum() for rows in some) / (2 * len(part))
    return total


def report(limits: Limits, title: str, found: dict[str, Outcome], **scores: Any) -> None:
    """Print times, memory and scores; ours must be faster than those that do the same."""
    ours = next(iter(found.values()))
    rows = []
    for name, one in found.items():
        numbers = [one.seconds, one.seconds / ours.seconds, one.megabytes]
        numbers += [scores[score].get(name, np.nan) for score in scores]
        rows.append([name, *(f"{number:.5g}" for number in numbers), one.note])
    print(f"\n{title}")
    print_table(["program", "seconds", "/ ours", "MB", *scores, "note"], rows)
    for name in SAME:
        if name in found and not found[name].note:
            limits.at_most(f"{title}: time / {name}", ours.seconds / found[name].seconds, 1)


def compare_clusterings(limits: Limits, kind: str, n: int, limit: float) -> None:
    """W and the adjusted Rand index."""
    X, groups = drawn(kind, n)
    found = outcomes(CLUSTERINGS, X, limit)
    labels = {name: one.answer for name, one in found.items() if one.answer is not None}
    W = {name: dispersion(X, labels[name]) for name in labels}
    agreement = {name: adjusted_rand_score(groups, labels[name]) for name in labels}
    title = f"clusters, {kind}, {n:,} rows"
    report(limits, title, found, W=W, ARI=agreement)
    ours, k_means, *_ = CLUSTERINGS
    limits.at_most(f"{title}: W / the least", W[ours] / min(W.values()), 1.001)
    limits.at_least(f"{title}: ARI - of KMeans", agreement[ours] - agreement[k_means], -0.01)


def compare_tests(limits: Limits, n: int, limit: float) -> None:
    """Statistics, which are the same number, and p-values of samples of one distribution."""
    found = outcomes(TESTS, np.random.default_rng(0).normal(size=(n, COLUMNS)), limit)
    numbers = {name: one.answer for name, one in found.items() if one.answer is not None}
    statistics, p = ({name: two[i] for name, two in numbers.items()} for i in (0, 1))
    title = f"test, {n:,} rows"
    report(limits, title, found, statistic=statistics, p=p)
    for name in (name for name in SAME if name in numbers):
        error = abs(statistics[name] / statistics["kgroups energy_test"] - 1)
        limits.at_most(f"{title}: relative error of {name}", error, 1e-9)


def main(arguments: list[str] | None = None) -> int:
    """Print a table for each data set; 1 where a limit is missed."""
    given = options(__doc__, limit="seconds that a program may take").parse_args(arguments)
    limit = float(given.limit or 120)
    limits = Limits()
    for n in (2500,) if given.quick else (2500, 5000, 10_000):
        for kind in ("heavy tails",) if given.quick else ("normal", "heavy tails"):
            compare_clusterings(limits, kind, n, limit)
    for n in (1000,) if given.quick else (1000, 4000):
        compare_tests(limits, n, limit)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
