"""Small tables and networks in files, and the command line in this process."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd

from kgroups.cli import main

N = 36
GROUP = np.arange(N) % 3


def _rows(seed: int) -> Any:
    """Three groups of twelve rows, far from each other, with two decimals."""
    noise = np.random.default_rng(seed).normal(size=(N, 2))
    return (noise + 9 * np.array([[0, 0], [1, 0], [0, 1]])[GROUP]).round(2)


X = _rows(0)
NEW = _rows(1)
WEIGHT = 1.0 + np.arange(N) % 4
KIND = np.array(["fern", "moss", "tree"])[GROUP]
KIND[:2] = "moss", "fern"
CLASS = np.array(["p", "q", "r"])[GROUP]
NAME = np.array([f"{i:03d}" for i in range(N)])


def table(points: Any = X) -> pd.DataFrame:
    """Names, two numbers, a category, weights and known classes."""
    columns = {"name": NAME, "x": points[:, 0], "y": points[:, 1]}
    return pd.DataFrame({**columns, "kind": KIND, "w": WEIGHT.astype(int), "class": CLASS})


#: Four cliques of six nodes in a ring; edges inside weigh 3, edges between 1.
N_NODES = 24
CLIQUE = np.arange(N_NODES) // 6


def ring_of_cliques() -> list[tuple[int, int, int]]:
    """Edges with their weights, each once."""
    pairs = [(i, j) for i in range(N_NODES) for j in range(i) if CLIQUE[i] == CLIQUE[j]]
    between = [(6 * c, (6 * c + 7) % N_NODES) for c in range(4)]
    return [*((j, i, 3) for i, j in pairs), *((i, j, 1) for i, j in between)]


def adjacency(*, weighted: bool = True) -> Any:
    """The symmetric matrix of the ring."""
    A = np.zeros((N_NODES, N_NODES))
    for i, j, weight in ring_of_cliques():
        A[i, j] = A[j, i] = weight if weighted else 1
    return A


class Ran(NamedTuple):
    """What a command left: its exit status and what it printed."""

    status: int
    out: str
    err: str


def run(*words: object, stdin: bytes | None = None) -> Ran:
    """Run a command in this process; a text of several words is split at blanks."""
    arguments = [part for word in words for part in _split(word)]
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(stdin or b""))
    with redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "stdin", given):
        status = main(arguments)
    return Ran(status, out.getvalue(), err.getvalue())


def _split(word: object) -> list[str]:
    return word.split() if isinstance(word, str) else [str(word)]


def found(*words: object, stdin: bytes | None = None) -> dict[str, Any]:
    """The report of a command as JSON, in which no number may be NaN or infinite."""
    ran = run(*words, "--json", stdin=stdin)
    assert ran.status == 0, ran.err
    (line,) = ran.out.splitlines()
    return json.loads(line, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def same_groups(labels: Any, group: Any) -> bool:
    """Whether two labelings divide the rows alike, whatever the groups are called."""
    pairs = set(zip(np.asarray(labels).tolist(), np.asarray(group).tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
