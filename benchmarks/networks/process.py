"""One clustering of a network in a process of its own, with its seconds and its peak memory."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.networks.data import Network, network_of
from benchmarks.networks.rivals import METHODS, ours
from benchmarks.report import peak_bytes

ROOT = Path(__file__).resolve().parents[2]
SWEEP = "kgroups, one sweep"
FLIPPED = 0.3  # share of labels that the sweep has to put right


@dataclass(frozen=True)
class Run:
    """What came of one clustering: numbers, or the note that says why there are none."""

    method: str
    read_seconds: float | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    labels: np.ndarray | None = None
    note: str = ""


def measure(method: str, network: Network, k: int, limit: float) -> Run:
    """One clustering in a fresh process, stopped after ``limit`` seconds."""
    if method != SWEEP and not METHODS[method].is_installed:
        return Run(method, note="not installed")
    with tempfile.TemporaryDirectory() as folder:
        arrays = {"source": network.source, "target": network.target}
        if network.truth is not None:
            arrays["truth"] = network.truth
        np.savez(Path(folder, "network.npz"), n_nodes=network.n_nodes, **arrays)
        return measure_in(Path(folder), method, k, limit)


def measure_in(folder: Path, method: str, k: int, limit: float) -> Run:
    """The same for a network in a file of a folder."""
    program = [sys.executable, "-m", "benchmarks.networks.process"]
    command = [*program, method, str(folder), str(k)]
    try:
        answer = subprocess.run(
            command, cwd=ROOT, timeout=limit, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return Run(method, note=f"stopped after {limit:g} s")
    if answer.returncode:
        said = answer.stderr.splitlines() or [f"ended by {answer.returncode}"]
        return Run(method, note=said[-1])
    labels = np.load(folder / "labels.npy")
    return Run(method, **json.loads(answer.stdout.splitlines()[-1]), labels=labels)


def work(method: str, network: Network, k: int) -> tuple[dict[str, Any], np.ndarray]:
    """In the process: the report and the labels, after a small graph that compiles."""
    read, cluster = _steps(method)
    cluster(read(_small()), 3)
    read_seconds, graph = _timed(lambda: read(network))
    if method == SWEEP:
        cluster = _sweep_of(graph, network, k)
    seconds, labels = _timed(lambda: cluster(graph, k))
    report = {"read_seconds": read_seconds, "seconds": seconds, "peak_bytes": peak_bytes()}
    return report, labels


def _steps(method: str) -> tuple[Callable[..., Any], Callable[..., np.ndarray]]:
    chosen = METHODS[ours("bethe_hessian") if method == SWEEP else method]
    return chosen.read, lambda graph, k: chosen.cluster(graph, k, 0)


def _sweep_of(graph: Any, network: Network, k: int) -> Callable[[Any, int], np.ndarray]:
    """One sweep with −H_r from the true labels of which some are drawn anew."""
    from kgroups.graphs.bethe_hessian import average_degree_r
    from kgroups.graphs.graph_objectives import bethe
    from kgroups.solvers import Problem
    from kgroups.solvers.hartigan import visit
    from kgroups.solvers.partition import begin, magnitude
    from kgroups.solvers.sweep import Visit, sweep

    A, rng = graph.adjacency, np.random.default_rng(1)
    flipped = rng.random(network.n_nodes) < FLIPPED
    labels = np.where(flipped, rng.integers(k, size=network.n_nodes), network.truth)
    weights = np.ones(network.n_nodes)
    gram = bethe(A, weights, average_degree_r(A)).gram
    work = begin(Problem(gram, weights, k), labels)
    state, sums = work.state, work.sums

    def one_sweep(graph: Any, k: int) -> np.ndarray:
        least = 1e-12 * magnitude(state)
        sweep(gram, sums, Visit(visit, gram.diagonal(), weights, least, state))
        return np.asarray(state.labels)

    return one_sweep


def _small() -> Network:
    from kgroups.graphs import planted_partition

    return network_of("small", planted_partition(2000, 3, 10, 0.8, random_state=0)[0])


def _timed(act: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    answer = act()
    return time.perf_counter() - begun, answer


def main() -> None:
    """The process that :func:`measure` starts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("method", choices=[*METHODS, SWEEP])
    parser.add_argument("folder", type=Path, help="holds network.npz, takes labels.npy")
    parser.add_argument("k", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with np.load(arguments.folder / "network.npz") as file:
        ends = file["source"], file["target"]
        network = Network("given", int(file["n_nodes"]), *ends, file.get("truth"))
    report, labels = work(arguments.method, network, arguments.k)
    np.save(arguments.folder / "labels.npy", labels)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
