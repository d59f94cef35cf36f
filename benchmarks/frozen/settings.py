"""Words of a fit that stand for something other than themselves: metrics, weights and starts."""

from ast import literal_eval
from collections.abc import Callable
from typing import Any

import numpy as np

from kgroups import semimetrics


def setting(name: str, word: str) -> Any:
    """The value of a parameter: an object of this module, a number, or the word itself."""
    if name in _OBJECTS and word in _OBJECTS[name]:
        return _OBJECTS[name][word]
    try:
        return literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def weights(word: str, n: int) -> np.ndarray:
    """A weight for each of n rows or nodes."""
    return np.asarray(WEIGHTS[word](np.random.default_rng(n + 1), n))


def _unlike_letters(a: str, b: str) -> float:
    """Share of places at which two words of one length differ."""
    return sum(x != y for x, y in zip(a, b, strict=True)) / len(a)


def _largest_difference(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).max())


def _in_turn(X: Any, n_clusters: int, random_state: Any) -> np.ndarray:
    """Labels in turn, from a place that is drawn."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    return np.asarray((np.arange(n) + random_state.randint(n_clusters)) % n_clusters)


_METRICS: dict[str, Any] = {
    "Energy(0.5)": semimetrics.Energy(0.5),
    "Energy(1.5)": semimetrics.Energy(1.5),
    "Energy(2)": semimetrics.Energy(2.0),
    "Laplacian(2)": semimetrics.Laplacian(2.0),
    "Laplacian(median)": semimetrics.Laplacian("median"),
    "Gaussian(1.5)": semimetrics.Gaussian(1.5),
    "Gaussian(median)": semimetrics.Gaussian("median"),
    "DampedSquared()": semimetrics.DampedSquared(),
    "SineSquared(3)": semimetrics.SineSquared(3.0),
    "Manhattan()": semimetrics.Manhattan(),
    "Hamming()": semimetrics.Hamming(),
    "Jaccard()": semimetrics.Jaccard(),
    "JensenShannon()": semimetrics.JensenShannon(),
    "Hellinger()": semimetrics.Hellinger(),
    "GreatCircle(6371)": semimetrics.GreatCircle(6371.0),
    "KendallTau()": semimetrics.KendallTau(),
    "columns-of-frame": semimetrics.ColumnSum(
        [(semimetrics.Energy(), ["age", "income"]), (semimetrics.Hamming(), ["town"], 2.0)]
    ),
    "columns-by-position": semimetrics.ColumnSum(
        [(semimetrics.Energy(0.5), [0, 1]), (semimetrics.Manhattan(), [2, 3], 0.3)]
    ),
    "columns-with-rankings": semimetrics.ColumnSum(
        [(semimetrics.KendallTau(), slice(0, 6)), (semimetrics.Jaccard(), [6, 7, 8])]
    ),
    "unlike-letters": _unlike_letters,
    "largest-difference": _largest_difference,
}
_OBJECTS: dict[str, dict[str, Any]] = {"metric": _METRICS, "init": {"callable": _in_turn}}
WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "random": lambda rng, n: 0.5 + rng.random(n),
    "equal": lambda _, n: np.full(n, 3.0),
    "some-zero": lambda rng, n: rng.random(n) * (rng.random(n) < 0.8),
    "far-apart": lambda rng, n: np.where(rng.random(n) < 0.1, 1e-130, 1.0),
    "uneven": lambda rng, n: np.exp(3 * rng.normal(size=n)),
}
