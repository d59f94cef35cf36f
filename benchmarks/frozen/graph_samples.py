"""Graphs to cut into communities, drawn edge by edge with fixed seeds, or well known."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array

Rng = np.random.Generator


def draw_graph(name: str, n: int | None = None) -> Any:
    """The graph called ``name``; the seed is the number of nodes."""
    if name in KNOWN:
        return KNOWN[name]()
    n = n or 160
    return DRAWN[name](np.random.default_rng(n), n)


def _edges(rng: Rng, chances: np.ndarray) -> np.ndarray:
    """Ones above the diagonal and below it, with these chances."""
    above = np.triu(rng.random(chances.shape) < chances, 1)
    return (above | above.T).astype(np.float64)


def _same(n: int, k: int = 4) -> np.ndarray:
    """Which pairs of nodes share a community: k in turn."""
    community = np.arange(n) % k
    return community[:, None] == community


def _blocks(rng: Rng, n: int, inside: float = 0.25, between: float = 0.03) -> np.ndarray:
    return _edges(rng, np.where(_same(n), inside, between))


def _symmetric(rng: Rng, n: int) -> np.ndarray:
    """A number in (0.5, 1.5) for each pair, so that no two edges weigh the same."""
    above = np.triu(0.5 + rng.random((n, n)), 1)
    return above + above.T


def _weighted(rng: Rng, n: int) -> csr_array:
    return csr_array(_blocks(rng, n) * _symmetric(rng, n))


def _signed(rng: Rng, n: int) -> csr_array:
    return csr_array(_edges(rng, np.full((n, n), 0.2)) * _symmetric(rng, n) * (2 * _same(n) - 1))


def _hubs(rng: Rng, n: int) -> csr_array:
    """Degrees that differ by a factor of ten inside each community."""
    pull = np.exp(0.8 * rng.normal(size=n))
    chances = np.minimum(1, np.outer(pull, pull) * np.where(_same(n), 0.25, 0.03))
    return csr_array(_edges(rng, chances) * _symmetric(rng, n))


def _components(rng: Rng, n: int) -> csr_array:
    return csr_array(block_diag([_weighted(rng, n // 2), _weighted(rng, n // 4)]))


def _loops(rng: Rng, n: int) -> csr_array:
    return csr_array(_weighted(rng, n) + np.diag(rng.random(n) * (rng.random(n) < 0.3)))


def _lonely(rng: Rng, n: int) -> csr_array:
    """Every tenth node has no edge."""
    joined = (np.arange(n) % 10 > 0).astype(np.float64)
    return csr_array(_weighted(rng, n) * np.outer(joined, joined))


def _full(rng: Rng, n: int) -> np.ndarray:
    """Similarities of points: every edge is there."""
    X = 2.0 * np.eye(3)[np.arange(n) % 3] + 0.6 * rng.normal(size=(n, 3))
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2) * (1 - np.eye(n))


def _sparse(rng: Rng, n: int, degree: int = 14) -> csr_array:
    """Some six neighbors inside the community for every one outside, made without pairs."""
    source = np.repeat(np.arange(n), degree // 2)
    within = (source + 5 * rng.integers(1, n // 5, size=len(source))) % n
    target = np.where(rng.random(len(source)) < 0.85, within, rng.integers(n, size=len(source)))
    weights = 0.5 + rng.random(len(source))
    upper = csr_array(coo_array((weights * (source != target), (source, target)), shape=(n, n)))
    return csr_array(upper + upper.T)


DRAWN: dict[str, Callable[[Rng, int], Any]] = {
    "blocks": lambda rng, n: csr_array(_blocks(rng, n)),
    "array": _blocks,
    "weak": lambda rng, n: csr_array(_blocks(rng, n, 0.2, 0.06) * _symmetric(rng, n)),
    "weighted": _weighted,
    "signed": _signed,
    "hubs": _hubs,
    "components": _components,
    "loops": _loops,
    "lonely": _lonely,
    "full": _full,
    "sparse": _sparse,
}
KNOWN: dict[str, Callable[[], Any]] = {
    "karate": nx.karate_club_graph,
    "miserables": nx.les_miserables_graph,
    "families": nx.davis_southern_women_graph,
}
