"""Checks of the parameters of random networks."""

import numbers

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_integer
from kgroups.runtime.seeds import seed_of
from kgroups.typing import Float64Array, RandomStateLike


def generator(random_state: RandomStateLike) -> np.random.Generator:
    """A new generator from a seed or a ``RandomState``; a generator itself is used as it is."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(seed_of(random_state))


def check_size(n: int, k: int, degree: float) -> tuple[int, int, float]:
    """The numbers of nodes and communities and the mean degree, checked against each other."""
    n, k = check_integer(n, "n"), check_integer(k, "k")
    if k > n:
        raise ValueError(f"k={k} is more than n={n}; ask for at most {n} communities.")
    return n, k, check_degree(degree, n, "degree", least=0)


def check_degree(value: object, n: int, name: str, *, least: int) -> float:
    """A degree of at least ``least`` that a graph of n nodes can have."""
    degree = check_number(value, name)
    if not least <= degree <= n or degree == 0:
        interval = f"[{least}" if least else "(0"
        raise ValueError(f"{name} must be in {interval}, n={n}]; got {degree:.6g}.")
    return degree


def check_share_of_edges(value: object, name: str) -> float:
    """A number between 0 and 1."""
    share = check_number(value, name)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} is a share of the edges and must be in [0, 1]; got {share:.6g}.")
    return share


def check_above(value: object, name: str, bound: int) -> float:
    """A number larger than a bound."""
    number = check_number(value, name)
    if number <= bound:
        raise ValueError(f"{name} must be a number > {bound}; got {number:.6g}.")
    return number


def check_at_least(value: object, name: str, bound: int) -> float:
    """A number that is not below a bound."""
    number = check_number(value, name)
    if number < bound:
        raise ValueError(f"{name} must be a number >= {bound}; got {number:.6g}.")
    return number


def check_number(value: object, name: str) -> float:
    """A finite number."""
    if not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    return float(value)


def mean_one(weights: ArrayLike, n: int, name: str) -> Float64Array:
    """Nonnegative weights over their mean: each node's expected degree in mean degrees."""
    array = np.asarray(weights, np.float64)
    if array.shape != (n,):
        raise ValueError(
            f"{name} must hold one number for each of the n={n} nodes; got shape {array.shape}."
        )
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        node = int(bad.argmax())
        raise ValueError(
            f"{name} must be finite and not negative; node {node} has {array[node]:.6g}."
        )
    if not array.any():
        raise ValueError(f"{name} are zero for every node; at least one must be positive.")
    return np.asarray(array / array.mean())
