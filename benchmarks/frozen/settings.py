"""Words of a fit that stand for something other than themselves: metrics, weights and starts."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from typing import Any

import numpy as np

from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    GreatCircle,
    Hamming,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
    Laplacian,
    Manhattan,
    SineSquared,
)


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
    return WEIGHTS[word](np.random.default_rng(n + 1), n)


def _unlike_letters(a: str, b: str) -> float:
    """Share of places at which two words of one length differ."""
    return sum(x != y for x, y in zip(a, b, strict=True)) / len(a)


def _largest_difference(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).max())


def _in_turn(X: Any, n_clusters: int, random_state: Any) -> np.ndarray:
    """Labels in turn, from a place that is drawn."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    return (np.arange(n) + random_state.randint(n_clusters)) % n_clusters


_METRICS: dict[str, Any] = {
    "Energy(0.5)": Energy(0.5),
    "Energy(1.5)": Energy(1.5),
    "Energy(2)": Energy(2.0),
    "Laplacian(2)": Laplacian(2.0),
    "Laplacian(median)": Laplacian("median"),
    "Gaussian(1.5)": Gaussian(1.5),
    "Gaussian(median)": Gaussian("median"),
    "DampedSquared()": DampedSquared(),
    "SineSquared(3)": SineSquared(3.0),
    "Manhattan()": Manhattan(),
    "Hamming()": Hamming(),
    "Jaccard()": Jaccard(),
    "JensenShannon()": JensenShannon(),
    "Hellinger()": Hellinger(),
    "GreatCircle(6371)": GreatCircle(6371.0),
    "KendallTau()": KendallTau(),
    "columns-of-frame": ColumnSum([(Energy(), ["age", "income"]), (Hamming(), ["town"], 2.0)]),
    "columns-by-position": ColumnSum([(Energy(0.5), [0, 1]), (Manhattan(), [2, 3], 0.3)]),
    "columns-with-rankings": ColumnSum([(KendallTau(), slice(0, 6)), (Jaccard(), [6, 7, 8])]),
    "unlike-letters": _unlike_letters,
    "largest-difference": _largest_difference,
}
_OBJECTS: dict[str, dict[str, Any]] = {"metric": _METRICS, "init": {"callable": _in_turn}}
WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "random": lambda rng, n: 0.5 + rng.random(n),
    "equal": lambda _, n: np.full(n, 3.0),
    "some-zero": lambda rng, n: rng.random(n) * (rng.random(n) < 0.8),
    "uneven": lambda rng, n: np.exp(3 * rng.normal(size=n)),
}
