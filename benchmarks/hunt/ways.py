"""Ways that a fit takes at some numbers of rows only, taken at any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from benchmarks.hunt.problems import Table

#: Sums over sorted columns, few bins, and starts on a sample of the rows.
WAYS = ("as planned", "sorted columns", "two bins", "sampled starts")


@contextmanager
def taken(problem: Table) -> Iterator[None]:
    """The way of a problem, in sweeps that take so many points at a time: no label depends on it.

    Labels do depend on starts on a sample, which are still judged by their gains.
    """
    from kgroups.solvers import sweep

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sweep, "BLOCK", problem.block))
        for module, name, value in _constants(problem):
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def _constants(problem: Table) -> Iterator[tuple[Any, str, Any]]:
    from kgroups.fit import plan
    from kgroups.gram import columns
    from kgroups.sketch import sampled_starts
    from kgroups.solvers import feature_search

    if problem.way in ("sorted columns", "two bins"):
        yield plan, "COLUMNS_FROM", 0
    if problem.way == "two bins":
        yield columns, "_MOST_BINS", 2
    if problem.way == "sampled starts":
        yield plan, "STARTS_ON_ALL", 0
        yield sampled_starts, "size_of_sample", lambda n, k: max(k, n // 2)
    if problem.way != "as planned":
        yield feature_search, "_BLOCK", problem.block
