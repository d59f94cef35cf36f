"""Fitted models of all kinds; as a program, models in files that another process reads.

``python -m tests.model_kinds keep FOLDER`` fits and saves all kinds. ``check FOLDER``, in another
process or by another Python, prints what differs: labels, distances, or the file of the loaded
model when it is saved once more. Distances may differ where the linear algebra does.
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import kgroups
from kgroups import semimetrics
from kgroups.exceptions import GraphNotice, TheoryWarning

# Importing tslearn takes five seconds in each process.
SLOW = ("series",)
_ANSWERS = "answers.npz"


@dataclass(frozen=True)
class Kind:
    """A fitted model, the rows that it has not seen, and the metric that a file does not hold."""

    fit: Callable[[], Any]
    new: Callable[[], Any] | None = None
    metric: Any = None


def _rows(seed: int = 0, n: int = 40, d: int = 3) -> Any:
    """Two groups of points that overlap a little."""
    points = np.random.default_rng(seed).normal(size=(n, d))
    points[::2] += 2.5
    return points


def _sparse(seed: int = 0) -> csr_array:
    rows = np.abs(_rows(seed, d=12))
    rows[rows < 1] = 0.0
    rows[:, 0] += 0.1
    return csr_array(rows)


def _frame(seed: int = 0, gaps: bool = False) -> Any:
    import pandas as pd

    x = _rows(seed)
    frame = pd.DataFrame({"height": x[:, 0], "weight": x[:, 1]})
    frame["kind"] = pd.Categorical(np.where(x[:, 2] > 1, "tall", "small"))
    frame["size"] = pd.Categorical(
        np.array(["S", "M", "L"])[np.clip(x[:, 1].round().astype(int), 0, 2)],
        ["S", "M", "L"],
        ordered=True,
    )
    if gaps:
        frame.loc[frame.index[3::17], "height"] = np.nan
        frame.loc[frame.index[5::19], "kind"] = None
    return frame


def _series(seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        np.sin(np.arange(5 + i % 4) * (1 + i % 2)) + 0.1 * rng.normal(size=5 + i % 4)
        for i in range(16)
    ]


def _graph() -> csr_array:
    """Four cliques of eight nodes in a ring."""
    A = np.kron(np.eye(4), 1 - np.eye(8))
    for i in range(4):
        a, b = 8 * i, (8 * i + 9) % 32
        A[a, b] = A[b, a] = 1.0
    return csr_array(A)


def letters_apart(a: str, b: str) -> float:
    """How many letters are in one of two words only."""
    return float(len(set(a) ^ set(b)))


_WORDS = ["cat", "cart", "carts", "dog", "dogs", "doge", "fig", "figs"]
_NEW_WORDS = ["cats", "dig", "god", "art", "fog"]
_SETS = [{1, 2}, {1, 2, 3}, {2, 3}, {8, 9}, {7, 8, 9}, frozenset({9})]
_PLACES = np.array([[52.5, 13.4], [48.1, 11.6], [50.1, 8.7], [40.7, -74.0], [42.4, -71.1]])


def _groups(metric: Any, rows: Callable[[], Any], k: int = 2, **settings: Any) -> Callable[[], Any]:
    return lambda: kgroups.KernelKGroups(k, metric=metric, random_state=0, **settings).fit(rows())


def _distances(seed: int = 0) -> Any:
    """From new points, or from those of the fit, to those of the fit."""
    return np.linalg.norm(_rows(seed)[:, None] - _rows()[None], axis=2)


_SUM = semimetrics.ColumnSum(
    [
        (semimetrics.Energy(), ["height", "weight"]),
        (semimetrics.Hamming(), slice(2, 4), 0.5),
    ]
)

KINDS: dict[str, Kind] = {
    "energy": Kind(_groups("energy", _rows), lambda: _rows(1)),
    "energy float32": Kind(
        _groups("energy", lambda: _rows().astype(np.float32)), lambda: _rows(1).astype(np.float32)
    ),
    "k-means": Kind(_groups(semimetrics.Energy(2), _rows), lambda: _rows(1)),
    "gaussian": Kind(_groups(semimetrics.Gaussian("median"), _rows), lambda: _rows(1)),
    "great circle": Kind(_groups("great_circle", lambda: _PLACES), lambda: _PLACES + 1.0),
    "scipy": Kind(_groups("canberra", lambda: np.abs(_rows())), lambda: np.abs(_rows(1))),
    "cosine of sparse rows": Kind(_groups("cosine", _sparse), lambda: _sparse(1)),
    "energy of sparse rows": Kind(_groups("energy", _sparse), lambda: _sparse(1)),
    "distances": Kind(_groups("precomputed", _distances), lambda: _distances(1)),
    "similarities": Kind(
        _groups("precomputed_kernel", lambda: _rows() @ _rows().T), lambda: _rows(1) @ _rows().T
    ),
    "frame": Kind(
        _groups("manhattan", lambda: _frame()[["height", "weight"]]),
        lambda: _frame(1)[["height", "weight"]],
    ),
    "mixed": Kind(_groups("mixed", lambda: _frame(gaps=True)), lambda: _frame(1, gaps=True)),
    "column sum": Kind(_groups(_SUM, _frame), lambda: _frame(1)),
    "gaps": Kind(
        _groups(
            semimetrics.Manhattan(missing="distribution"),
            lambda: np.where(_rows() > 3, np.nan, _rows()),
        ),
        lambda: np.where(_rows(1) > 3, np.nan, _rows(1)),
    ),
    "words": Kind(_groups("levenshtein", lambda: _WORDS, 3), lambda: _NEW_WORDS),
    "function": Kind(
        _groups(letters_apart, lambda: _WORDS, 3), lambda: _NEW_WORDS, metric=letters_apart
    ),
    "series": Kind(_groups("dtw", _series), lambda: _series(1)),
    "samples": Kind(_groups("samples", _series), lambda: _series(1)),
    "sets": Kind(_groups("jaccard", lambda: _SETS), lambda: [{1, 3}, {7, 9}, {5}]),
    "sketch": Kind(_groups("energy", _rows, method="nystroem", n_components=20), lambda: _rows(1)),
    "certified": Kind(
        _groups("energy", lambda: _rows(n=2400), method="certified"), lambda: _rows(1)
    ),
    "k-means of kernels": Kind(
        lambda: kgroups.KernelKMeans(2, metric="laplacian", random_state=0).fit(_rows()),
        lambda: _rows(1),
    ),
    "weights": Kind(
        lambda: kgroups.KernelKGroups(2, random_state=0).fit(
            _rows(), sample_weight=np.arange(40.0)
        ),
        lambda: _rows(1),
    ),
    "number of clusters": Kind(
        lambda: kgroups.KernelKGroups("auto", random_state=0).fit(_rows()), lambda: _rows(1)
    ),
    "line": Kind(lambda: kgroups.KGroups1D(3).fit(_rows()[:, 0]), lambda: _rows(1)[:, 0]),
    "tree": Kind(lambda: kgroups.EnergyAgglomerative(3).fit(_rows())),
    "tree of a frame": Kind(lambda: kgroups.EnergyAgglomerative(3, metric=_SUM).fit(_frame())),
    "communities": Kind(lambda: kgroups.GraphKGroups(random_state=0).fit(_graph())),
    "neighbors": Kind(
        lambda: kgroups.GraphKGroups(2, affinity="nearest_neighbors", random_state=0).fit(_rows()),
        lambda: _rows(1),
    ),
    "bethe hessian": Kind(lambda: kgroups.BetheHessianClustering(random_state=0).fit(_graph())),
}


def keep(folder, names):
    """Fit and save these kinds, and what they say of new rows."""
    answers = {}
    for name in names:
        model = KINDS[name].fit()
        model.save(folder / f"{name}.kg")
        answers.update({f"{name}/{what}": value for what, value in _asked(model, KINDS[name])})
    np.savez(folder / _ANSWERS, **answers)


def check(folder, names):
    """What differs of these kinds, each as "NAME: WHAT"."""
    found = []
    with np.load(folder / _ANSWERS) as answers:
        for name in names:
            path, again = folder / f"{name}.kg", folder / "again"
            model = kgroups.load(path, metric=KINDS[name].metric)
            model.save(again)
            if again.read_bytes() != path.read_bytes():
                found.append(f"{name}: the file")
            for what, value in _asked(model, KINDS[name]):
                before = answers[f"{name}/{what}"]
                if before.dtype != value.dtype or before.tobytes() != value.tobytes():
                    found.append(f"{name}: {what}")
    return found


def _asked(model, kind):
    """Labels of the fit, labels of new rows, and distances to centroids, as far as there are."""
    yield "labels", model.labels_
    if kind.new is not None:
        yield "predict", model.predict(kind.new())
        if hasattr(model, "transform") and model.metric != "precomputed_kernel":
            yield "transform", model.transform(kind.new())


if __name__ == "__main__":
    for _category in (TheoryWarning, GraphNotice):
        warnings.simplefilter("ignore", _category)
    act = {"keep": keep, "check": check}[sys.argv[1]]
    print("\n".join(act(Path(sys.argv[2]), [name for name in KINDS if name not in SLOW]) or ()))
