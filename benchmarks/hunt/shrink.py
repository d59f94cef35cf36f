"""The shortest problem that shows the same fault: fewer rows, columns, weights and options."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.hunt.problems import Graph, Problem, Table
from benchmarks.hunt.truth import MATRICES

Judge = Callable[[Problem], list[str]]


def shortest(problem: Problem, judge: Judge, seconds: float = 20.0) -> Problem:
    """Take away what the fault does not need, until nothing can go or the time is up."""
    wanted = kind_of(judge(problem))
    if not wanted:
        return problem
    end = time.monotonic() + seconds
    going = True
    while going:
        going = False
        for smaller in simpler(problem):
            if time.monotonic() > end:
                return problem
            if _fault(judge, smaller) == wanted:
                problem, going = smaller, True
                break
    return problem


def kind_of(faults: list[str]) -> str:
    """The first fault without its numbers, as far as faults of one kind agree."""
    if not faults:
        return ""
    return "".join(c for c in faults[0] if not (c.isdigit() or c in "-+.e,"))[:36]


def _fault(judge: Judge, problem: Problem) -> str:
    try:
        return kind_of(judge(problem))
    except Exception:
        return ""  # not a problem any more


def simpler(problem: Problem) -> Iterator[Problem]:
    """Problems with one thing less, the largest cuts first."""
    if isinstance(problem, Graph):
        yield from _simpler_graphs(problem)
    else:
        yield from _simpler_tables(problem)


def _simpler_tables(problem: Table) -> Iterator[Table]:
    n = len(problem.X)
    for gone in _pieces(n):
        yield _with_rows(problem, np.delete(np.arange(n), gone))
    if problem.metric[0] not in (*MATRICES, "column_sum"):
        D = problem.X.shape[1]
        for gone in _pieces(D):
            kept = np.delete(np.arange(D), gone)
            yield replace(problem, X=problem.X[:, kept], new=problem.new[:, kept])
    if len(problem.new) > 1 or (len(problem.new) and problem.act != "KGroups1D"):
        yield replace(problem, new=problem.new[:-1])
    if problem.weights is not None:
        yield replace(problem, weights=None)
        yield replace(problem, weights=(problem.weights > 0).astype(float))
    if problem.form != "array":
        yield replace(problem, form="array")
    if problem.block != 256:
        yield replace(problem, block=256)
    if problem.way != "as planned":
        yield replace(problem, way="as planned")
    if problem.n_clusters > 1:
        yield replace(problem, n_clusters=problem.n_clusters - 1)
    yield from _fewer_settings(problem, ("random_state", "labels"))
    if problem.X.dtype.kind == "f":
        yield from _rounder(problem)


def _with_rows(problem: Table, kept: Any) -> Table:
    """Some of the rows, of everything that has one entry per row."""
    n = len(problem.X)
    settings = {
        name: value[kept] if isinstance(value, np.ndarray) and len(value) == n else value
        for name, value in problem.settings.items()
    }
    weights = None if problem.weights is None else problem.weights[kept]
    if problem.metric[0] in MATRICES:
        X, new = problem.X[np.ix_(kept, kept)], problem.new[:, kept]
    else:
        X, new = problem.X[kept], problem.new
    return replace(problem, X=X, new=new, weights=weights, settings=settings)


def _rounder(problem: Table) -> Iterator[Table]:
    """Numbers with fewer digits."""
    if problem.metric[0] in MATRICES:
        return
    for digits in (1, 2, 4):
        with np.errstate(all="ignore"):
            X = _rounded(problem.X, digits)
        if (X != problem.X).any():
            yield replace(problem, X=X)
        if problem.weights is not None:
            w = _rounded(problem.weights, digits)
            if (w != problem.weights).any():
                yield replace(problem, weights=w)


def _rounded(values: Any, digits: int) -> Any:
    texts = [f"{value:.{digits - 1}e}" for value in np.ravel(values)]
    return np.array(texts).astype(values.dtype).reshape(values.shape)


def _simpler_graphs(problem: Graph) -> Iterator[Graph]:
    n = len(problem.A)
    for gone in _pieces(n):
        kept = np.delete(np.arange(n), gone)
        settings = {
            name: value[kept] if isinstance(value, np.ndarray) else value
            for name, value in problem.settings.items()
        }
        weights = problem.weights
        weights = weights[kept] if isinstance(weights, np.ndarray) else weights
        A = problem.A[np.ix_(kept, kept)]
        yield replace(problem, A=A, settings=settings, weights=weights)
    if problem.weights is not None:
        yield replace(problem, weights=None)
    if problem.form != "dense":
        yield replace(problem, form="dense")
    if isinstance(problem.n_clusters, int) and problem.n_clusters > 1:
        yield replace(problem, n_clusters=problem.n_clusters - 1)
    ones = (problem.A != 0).astype(float)
    if (ones != problem.A).any():
        yield replace(problem, A=ones)
    if np.diagonal(problem.A).any():
        yield replace(problem, A=problem.A - np.diag(np.diagonal(problem.A)))
    yield from _fewer_settings(
        problem, ("objective", "labels", "random_state", "resolution", "init")
    )


def _fewer_settings(problem: Any, kept: tuple[str, ...]) -> Iterator[Any]:
    for name in problem.settings:
        if name not in kept:
            settings = {key: value for key, value in problem.settings.items() if key != name}
            yield replace(problem, settings=settings)


def _pieces(n: int) -> Iterator[Any]:
    """Halves, quarters and so on, down to single entries; never all of them."""
    size = n // 2
    while size >= 1:
        for start in range(0, n, size):
            if min(size, n - start) < n:
                yield np.arange(start, min(start + size, n))
        size //= 2
