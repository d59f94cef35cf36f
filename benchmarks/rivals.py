"""Every method that is compared, each run in a process of its own.

A method is a function ``labels = method(X, k, alpha, seed)``. :func:`measure` writes the data to a
temporary folder and starts ``python -m benchmarks.rivals --run NAME``, which reports seconds, peak
memory and labels. What is not installed, too large or too slow becomes a row that says so.
"""

import argparse
import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.report import cores, peak_bytes

R_SCRIPT = Path(__file__).with_name("energy_kgroups.R")
ROOT = Path(__file__).resolve().parent.parent


class Cell(NamedTuple):
    """One clustering to be done."""

    k: int
    alpha: float
    seed: int = 0


class Measured(NamedTuple):
    """What a method reports that runs in another program."""

    labels: np.ndarray
    seconds: float
    peak_bytes: int | None


@dataclass(frozen=True)
class Run:
    """What came of one clustering: numbers, or the note that says why there are none."""

    method: str
    seconds: float | None = None
    peak_bytes: int | None = None
    labels: np.ndarray | None = None
    note: str = ""


@dataclass(frozen=True)
class Method:
    """A function, what it needs, and how it is measured.

    The last of ``n_fits`` fits in the process counts; ``largest`` is the largest n that is tried,
    for the reason ``why``; with ``cold`` nothing compiled before is found.
    """

    fit: Callable[[np.ndarray, int, float, int], Any]
    module: str
    n_fits: int = 1
    largest: int | None = None
    why: str = ""
    cold: bool = False

    def refusal(self, n: int) -> str:
        """Why there will be no numbers, or nothing."""
        if not self._installed():
            return "not installed"
        if self.largest is not None and n > self.largest:
            return f"not above n={self.largest:,}: {self.why}"
        return ""

    def _installed(self) -> bool:
        if self.module == "R":
            return _r_has_energy()
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None


def distances(X: np.ndarray, alpha: float) -> np.ndarray:
    """All ||x - y||^alpha, in float64."""
    rho = cdist(X, X)
    if alpha != 1:
        rho **= alpha
    return rho


def kgroups(X: np.ndarray, k: int, alpha: float, seed: int, method: str = "auto") -> np.ndarray:
    """KernelKGroups with its default starts."""
    from kgroups import KernelKGroups
    from kgroups.semimetrics import Energy

    model = KernelKGroups(k, metric=Energy(alpha), method=method, random_state=seed)
    return model.fit(X).labels_


def energy_kgroups(X: np.ndarray, k: int, alpha: float, seed: int) -> Measured:
    """R's energy::kgroups on dist(x)^alpha, one start, iter.max as it comes (10).

    Seconds are those of dist() and kgroups() inside R, memory that of the R process.
    """
    with tempfile.TemporaryDirectory() as folder:
        data, labels = Path(folder, "data"), Path(folder, "labels")
        data.write_bytes(np.asfortranarray(X, np.float64).tobytes("F"))
        settings = (*X.shape, k, alpha, seed)
        command = ["Rscript", str(R_SCRIPT), str(data), str(labels), *map(str, settings)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise RuntimeError(_last_line(answer.stderr))
        seconds, kilobytes = answer.stdout.split()
        peak = None if kilobytes == "NA" else int(float(kilobytes)) * 1024
        return Measured(np.fromfile(labels, np.int32), float(seconds), peak)


def tslearn_kernel_kmeans(X: np.ndarray, k: int, alpha: float, seed: int) -> np.ndarray:
    """Kernel k-means by tslearn on the doubly centered -rho/2, whose making is part of the time."""
    from tslearn.clustering import KernelKMeans

    gram = distances(X, alpha)
    gram *= -0.5
    mean = gram.mean(axis=0)
    gram -= mean
    gram -= mean[:, None] - mean.mean()
    labels = KernelKMeans(k, kernel="precomputed", random_state=seed).fit(gram).labels_
    if labels is None:
        raise RuntimeError("no partition: every start ran into an empty cluster")
    return labels


def scikit_kmeans(X: np.ndarray, k: int, alpha: float, seed: int) -> np.ndarray:
    """k-means, which minimizes the squared distances whatever alpha is."""
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=1, random_state=seed).fit_predict(X)


def scikit_spectral(X: np.ndarray, k: int, alpha: float, seed: int) -> np.ndarray:
    """Spectral clustering with the affinity exp(-rho / median rho)."""
    from sklearn.cluster import SpectralClustering

    rho = distances(X, alpha)
    affinity = np.exp(rho / -np.median(rho))
    model = SpectralClustering(k, affinity="precomputed", n_init=1, random_state=seed)
    return model.fit_predict(affinity)


def fasterpam(X: np.ndarray, k: int, alpha: float, seed: int) -> np.ndarray:
    """k-medoids by kmedoids.fasterpam on the matrix of rho, whose making is part of the time."""
    import kmedoids

    found = kmedoids.fasterpam(distances(X, alpha), k, random_state=seed, n_cpu=cores())
    return np.asarray(found.labels, np.int64)


METHODS: dict[str, Method] = {
    "kgroups": Method(kgroups, "kgroups", n_fits=2),
    "kgroups, first call": Method(kgroups, "kgroups", cold=True),
    "kgroups, dense": Method(partial(kgroups, method="dense"), "kgroups", n_fits=2),
    "kgroups, matrix_free": Method(partial(kgroups, method="matrix_free"), "kgroups", n_fits=2),
    "kgroups, nystroem": Method(partial(kgroups, method="nystroem"), "kgroups", n_fits=2),
    "R energy::kgroups": Method(
        energy_kgroups, "R", largest=20_000, why="it holds several n x n matrices"
    ),
    "tslearn KernelKMeans": Method(
        tslearn_kernel_kmeans,
        "tslearn.clustering",
        largest=20_000,
        why="it holds several n x n matrices",
    ),
    "scikit-learn KMeans": Method(scikit_kmeans, "sklearn.cluster"),
    "scikit-learn SpectralClustering": Method(
        scikit_spectral, "sklearn.cluster", largest=5_000, why="its eigenvectors take too long"
    ),
    "kmedoids fasterpam": Method(
        fasterpam, "kmedoids", largest=20_000, why="it needs the n x n matrix"
    ),
}


def measure(name: str, X: np.ndarray, cell: Cell, limit: float) -> Run:
    """One clustering in a fresh process."""
    return measure_all(name, X, [cell], limit)[0]


def measure_all(name: str, X: np.ndarray, cells: Sequence[Cell], limit: float) -> list[Run]:
    """Several clusterings of X in one fresh process; what ``limit`` cuts off says so."""
    method = METHODS[name]
    refusal = method.refusal(len(X))
    if refusal:
        return [Run(name, note=refusal) for _ in cells]
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), X)
        Path(folder, "cells.json").write_text(json.dumps(cells))
        environment = {"NUMBA_CACHE_DIR": str(Path(folder, "cache"))} if method.cold else {}
        failure = _worker(name, folder, {**os.environ, **environment}, limit)
        return [_read(name, folder, c, failure) for c in range(len(cells))]


def _worker(name: str, folder: str, environment: dict[str, str], limit: float) -> str:
    """Run the process to its end or its limit; what went wrong, or nothing."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.rivals", "--run", name, "--folder", folder],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that R, which it starts, ends with it
    )
    try:
        _, complaints = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return f"stopped after {limit:g} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode < 0:
        return f"ended by signal {-process.returncode}, as when memory runs out"
    return _last_line(complaints) if process.returncode else ""


def _read(name: str, folder: str, index: int, failure: str) -> Run:
    """What the process left of one cell."""
    report = Path(folder, f"{index}.json")
    if not report.exists():
        return Run(name, note=failure or "no result")
    found = json.loads(report.read_text())
    answer = Path(folder, f"{index}.npy")
    labels = np.load(answer) if answer.exists() else None
    return Run(name, found["seconds"], found["peak_bytes"], labels, found["note"])


def work(name: str, folder: Path) -> None:
    """In the process: cluster each cell and leave its labels and its report, the report last."""
    warnings.simplefilter("ignore")
    method = METHODS[name]
    if method.module != "R":
        importlib.import_module(method.module)  # so that no import is timed
    X = np.load(folder / "X.npy")
    for index, cell in enumerate(json.loads((folder / "cells.json").read_text())):
        try:
            done = _timed(method, X, Cell(*cell))
        except (RuntimeError, ValueError, MemoryError) as error:
            report = {"seconds": None, "peak_bytes": None, "note": _last_line(str(error))}
        else:
            np.save(folder / f"{index}.npy", done.labels)
            found, k = len(np.unique(done.labels)), cell[0]
            note = f"{found} clusters of {k}" if found < k else ""
            report = {"seconds": done.seconds, "peak_bytes": done.peak_bytes, "note": note}
        partial_report = folder / "report"
        partial_report.write_text(json.dumps(report))
        partial_report.replace(folder / f"{index}.json")


def _timed(method: Method, X: np.ndarray, cell: Cell) -> Measured:
    for _ in range(method.n_fits):
        begun = time.perf_counter()
        answer = method.fit(X, *cell)
        seconds = time.perf_counter() - begun
    if isinstance(answer, Measured):
        return answer
    return Measured(answer, seconds, peak_bytes())


def _r_has_energy() -> bool:
    if shutil.which("Rscript") is None:
        return False
    code = "quit(status = !requireNamespace('energy', quietly = TRUE))"
    return not subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


def main() -> None:
    """The process that :func:`measure` starts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", required=True, choices=METHODS, metavar="NAME")
    parser.add_argument("--folder", required=True, type=Path, help="holds X.npy and cells.json")
    arguments = parser.parse_args()
    work(arguments.run, arguments.folder)


if __name__ == "__main__":
    main()
