"""Parameters of random networks, checked."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kgroups.input.parameters import check_integer


def generator(random_state: Any) -> np.random.Generator:
    """A generator of its own for scikit-learn's kinds of state; a generator as it is."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def check_size(n: Any, k: Any, degree: Any) -> tuple[int, int, float]:
    """Nodes, communities among them, and a mean degree."""
    n, k = check_integer(n, "n"), check_integer(k, "k")
    if k > n:
        raise ValueError(f"k={k} is more than n={n}; ask for at most {n} communities.")
    return n, k, check_degree(degree, n, "degree", least=0)


def check_degree(value: Any, n: int, name: str, *, least: int) -> float:
    """A degree that a graph of n nodes can have."""
    degree = check_number(value, name)
    if not least <= degree <= n or degree == 0:
        interval = f"[{least}" if least else "(0"
        raise ValueError(f"{name} must be in {interval}, n={n}]; got {degree:.6g}.")
    return degree


def check_share(value: Any, name: str) -> float:
    """Between 0 and 1."""
    share = check_number(value, name)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} is a share of the edges and must be in [0, 1]; got {share:.6g}.")
    return share


def check_above(value: Any, name: str, bound: int) -> float:
    """A number above a bound."""
    number = check_number(value, name)
    if number <= bound:
        raise ValueError(f"{name} must be a number > {bound}; got {number:.6g}.")
    return number


def check_number(value: Any, name: str) -> float:
    """Finite."""
    if not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    return float(value)
