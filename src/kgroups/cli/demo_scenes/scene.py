"""What a scene of the demo gives: scores and seconds of each method, a lesson, what is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from kgroups.typing import IntArray

KGROUPS = "kgroups"

Method: TypeAlias = Callable[[Any], IntArray]


@dataclass(frozen=True)
class Problem:
    """Data with the known answer."""

    X: Any
    y: IntArray


@dataclass(frozen=True)
class Outcome:
    """One method on the problems of one kind; lists have one entry per problem."""

    data: str
    n_samples: int
    n_classes: int
    method: str
    n_clusters: list[int]
    ari: list[float]
    seconds: float

    @property
    def mean_ari(self) -> float:
        """Mean agreement with the known classes."""
        return float(np.mean(self.ari))


@dataclass(frozen=True)
class Played:
    """A scene that was played: its rows of the table, why who wins, and what is drawn."""

    outcomes: list[Outcome]
    lesson: str
    facts: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)


def judged(
    data: str,
    problems: Sequence[Problem],
    methods: Mapping[str, Method],
    n_threads: int | None = 1,
) -> tuple[list[Outcome], dict[str, IntArray]]:
    """Scores and mean seconds of each method, and its labels of the first problem."""
    outcomes, first = [], {}
    for name, method in methods.items():
        runs = [_timed(method, problem.X, n_threads) for problem in problems]
        first[name] = runs[0][0]
        pairs = [(problem.y, labels) for problem, (labels, _) in zip(problems, runs, strict=True)]
        outcomes.append(
            Outcome(
                data=data,
                n_samples=len(problems[0].y),
                n_classes=len(np.unique(problems[0].y)),
                method=name,
                n_clusters=[len(np.unique(labels)) for _, labels in pairs],
                ari=[float(adjusted_rand_score(y, labels)) for y, labels in pairs],
                seconds=float(np.mean([seconds for _, seconds in runs])),
            )
        )
    return outcomes, first


def _timed(method: Method, X: Any, n_threads: int | None) -> tuple[IntArray, float]:
    # On tables this small, threads of OpenMP and BLAS wait for each other longer than they compute.
    with threadpool_limits(n_threads):
        begun = time.perf_counter()
        labels = np.asarray(method(X))
        return labels, time.perf_counter() - begun
