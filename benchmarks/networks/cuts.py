"""Normalized cuts next to those of scikit-learn's spectral clustering."""

import time
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.networks.data import Network, collected, generated
from benchmarks.networks.rivals import scikit_spectral
from benchmarks.networks.workers import in_parallel
from benchmarks.report import print_table
from kgroups import GraphKGroups
from kgroups.metrics import normalized_cut

KS = (2, 4, 8, 16)
EQUAL, NOTHING = 1e-9, 1e-12  # relative, of a cut; and below that it is no cut

Row = dict[str, Any]


def cell(task: tuple[Network, int]) -> Row:
    """One graph and one k."""
    network, k = task
    A = network.adjacency
    begun = time.perf_counter()
    theirs = normalized_cut(A, scikit_spectral(A, k, 0))
    between = time.perf_counter()
    model = GraphKGroups(k, objective="normalized_cut", random_state=0, n_jobs=1).fit(A)
    ended = time.perf_counter()
    return {
        "graph": network.name,
        "k": k,
        "ours": normalized_cut(A, model.labels_),
        "theirs": theirs,
        "seconds": ended - between,
        "their_seconds": between - begun,
        "start": model.start_names_[int(np.argmax(model.start_values_))],
    }


def compare_cuts(quick: bool, workers: int) -> list[Row]:
    """A row a graph; a ratio below 1 is a smaller cut than that of spectral clustering."""
    networks = [*collected().values(), *generated().values()]
    if quick:
        networks = networks[::10]
    print(f"\nnormalized cut, GraphKGroups / SpectralClustering: {len(networks)} graphs, k in {KS}")
    rows = in_parallel(cell, [(network, k) for network in networks for k in KS], workers)
    _print_graphs(rows)
    _print_summary(rows)
    return rows


def _print_graphs(rows: list[Row]) -> None:
    lines = []
    for name in dict.fromkeys(row["graph"] for row in rows):
        own = [row for row in rows if row["graph"] == name]
        ours, theirs = (sum(row[key] for row in own) for key in ("seconds", "their_seconds"))
        lines.append([name, *map(_ratio, own), f"{ours:.2f}", f"{theirs:.2f}"])
    print_table(["graph", *(f"k={k}" for k in KS), "ours s", "spectral s"], lines)


def _print_summary(rows: list[Row]) -> None:
    not_above = sum(row["ours"] <= row["theirs"] * (1 + EQUAL) + NOTHING for row in rows)
    below = sum(row["ours"] < row["theirs"] * (1 - EQUAL) - NOTHING for row in rows)
    cuts = [(row["ours"], row["theirs"]) for row in rows if row["ours"] > NOTHING]
    ratio = float(np.exp(np.mean([np.log(ours / theirs) for ours, theirs in cuts])))
    print(f"not above: {not_above} of {len(rows)}; below: {below}")
    print(f"geometric mean of the ratio, where our cut is not 0: {ratio:.4f} ({len(cuts)} cells)")
    seconds = [sum(row[key] for row in rows) for key in ("seconds", "their_seconds")]
    print(f"seconds: {seconds[0]:.1f}, spectral {seconds[1]:.1f}")
    print("starts kept:", dict(Counter(row["start"] for row in rows)))


def _ratio(row: Row) -> str:
    if row["ours"] <= NOTHING:
        return "both 0" if row["theirs"] <= NOTHING else "0 / cut"
    return f"{row['ours'] / row['theirs']:.4f}" if row["theirs"] > NOTHING else "cut / 0"
