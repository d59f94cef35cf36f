"""Problems that many tests share. No test draws from a generator that it did not seed."""

from __future__ import annotations

import csv
import functools
import inspect
import os
import re
import reprlib
import select
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.semimetrics import Energy

#: A check that takes many seconds: KGROUPS_FULL=1 runs it, others like it always run.
slow = pytest.mark.skipif(
    not os.environ.get("KGROUPS_FULL"), reason="takes many seconds; KGROUPS_FULL=1 runs it"
)


def wrong_today(reason: str, *errors: type[Exception]) -> pytest.MarkDecorator:
    """A mark: the library gives another value than the test states, no error, or one of these."""
    raised = (AssertionError, pytest.fail.Exception, *errors)
    return pytest.mark.xfail(strict=True, raises=raised, reason=reason)


#: How a command to a terminal begins.
ESCAPE = "\x1b["


def each(
    names: str | tuple[str, ...],
    cells: Iterable[Any],
    *,
    ids: Iterable[object] | Callable[[Any], object] = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every cell, as ``parametrize`` does but as one test; a failure names its cell.

    Fixtures are made once for all cells. A cell may skip itself; if all do, the test is skipped.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cells = list(cells)
    assert cells, "a test without cells cannot fail"
    if any(isinstance(cell, type(pytest.param())) for cell in cells):
        raise TypeError("a cell with marks needs pytest.mark.parametrize")
    rows = [dict(zip(keys, [c] if len(keys) == 1 else c, strict=True)) for c in cells]
    given = map(ids, cells) if callable(ids) else ids
    labels = list(given) or [reprlib.repr(row) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*args: object, **fixtures: object) -> None:
            skipped = []
            for row, label in zip(rows, labels, strict=True):
                try:
                    test(*args, **fixtures, **row)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except BaseException as error:
                    error.add_note(f"in the cell {label}")
                    raise
            if len(skipped) == len(rows):
                raise skipped[0]

        parameters = inspect.signature(test).parameters.values()
        left = [p for p in parameters if p.name not in keys]
        run.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return run

    return decorate


def reference_folder(*names: str) -> Path:
    """A file of the collection of reference data, which is not part of the project."""
    root = os.environ.get("KGROUPS_REFERENCE")
    default = Path(__file__).resolve().parents[2] / "shared"
    path = Path(root) if root else default
    path = path.joinpath(*names)
    if not path.exists():
        pytest.skip(f"reference data are not here: {Path(*names)}; set KGROUPS_REFERENCE")
    return path


def has_words(message: str, *words: str) -> bool:
    """Whether a message has all of some words, in any case, none as a part of a longer one."""

    def has(word: str) -> bool:
        before, after = (r"\b" if end.isalnum() else "" for end in (word[0], word[-1]))
        return bool(re.search(before + re.escape(word) + after, message, re.IGNORECASE))

    return all(map(has, words))


def assert_says(call: Callable[[], object], kind: type[BaseException], *words: str) -> None:
    """A call raises an error, or warns, with a class and with words in the message, in any case."""
    if issubclass(kind, Warning):
        with pytest.warns(kind) as record:
            call()
        messages = [str(w.message) for w in record if issubclass(w.category, kind)]
    else:
        with warnings.catch_warnings(action="ignore"), pytest.raises(kind) as caught:
            call()
        messages = [str(caught.value)]
    assert any(has_words(m, *words) for m in messages), f"{words} are not all in {messages}"


def assert_each_says(rows: Iterable[tuple[Any, ...]]) -> None:
    """:func:`assert_says` for rows (name, call, class, words); a failure names its row."""
    for name, call, kind, *words in rows:
        try:
            assert_says(call, kind, *words)
        except BaseException as error:
            error.add_note(f"in the row {name!r}")
            raise


def random_gram(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """A symmetric matrix: of a kernel, of distances as G = −ρ/2, or indefinite."""
    if kind == "kernel":
        F = rng.normal(size=(n, 3))
        return F @ F.T
    if kind == "distance":
        return -0.5 * Energy(float(rng.uniform(0.3, 1.9))).pairwise(rng.normal(size=(n, 2)))
    A = rng.normal(size=(n, n))
    return A + A.T


def random_start(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Labels in 0..k−1 in which no cluster is empty."""
    labels = rng.integers(k, size=n)
    labels[rng.permutation(n)[:k]] = np.arange(k)
    return labels


@functools.cache
def partitions(n: int, k: int) -> np.ndarray:
    """All partitions of n points into k clusters, as sets of bits: shape (how many, k)."""
    sets, used = np.zeros((1, k), np.int64), np.zeros(1, np.int64)
    for point in range(n):
        # A point joins one of the clusters begun, or begins the next one.
        joins = [(used >= cluster) & (k - used <= n - point) for cluster in range(k)]
        bits = np.eye(k, dtype=np.int64) << point
        sets = np.concatenate([sets[some] | own for some, own in zip(joins, bits, strict=True)])
        counts = [np.maximum(used[some], cluster + 1) for cluster, some in enumerate(joins)]
        used = np.concatenate(counts)
    return sets[used == k]


def best_objective(G: np.ndarray, w: np.ndarray, k: int) -> float:
    """The largest Σ Q_j/s_j over all partitions of a few points into k clusters."""
    members = (np.arange(1 << len(w))[:, None] >> np.arange(len(w))) & 1
    part, weight = members * w, members @ w
    within = np.einsum("si,si->s", part @ G, part)
    values = np.divide(within, weight, out=np.zeros_like(within), where=weight > 0)
    return float(values[partitions(len(w), k)].sum(axis=1).max())


def weighted_problem(
    rng: np.random.Generator, n: int, k: int, kind: str, *, weighted: bool, zeros: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A random matrix, labels, weights and number of clusters; some weights may be zero."""
    G = random_gram(rng, n, kind)
    w = rng.uniform(0.05, 3.0, n) if weighted else np.ones(n)
    if zeros:
        w[rng.random(n) < 0.3] = 0.0
        w[0] = 1.0
    return G, random_start(rng, n, k), w, k


def assert_same_fit(found: Any, expected: Any) -> None:
    """Two fits have the same numbers, to the bit, and certificates but for seconds."""
    for name in (
        "labels_", "within_dispersion_", "within_dispersion_interval_", "between_statistic_",
        "objective_", "objective_history_", "cluster_weights_", "cluster_dispersions_",
        "sketch_error_", "n_iter_", "n_moves_", "method_",
    ):  # fmt: skip
        one, other = (np.asarray(getattr(model, name)) for model in (found, expected))
        assert np.array_equal(one, other), name
    proofs = [{**model.certificate_.to_dict(), "seconds": 0} for model in (found, expected)]
    assert proofs[0] == proofs[1]


def set_everywhere(monkeypatch: pytest.MonkeyPatch, **constants: object) -> None:
    """Give constants of the package other values wherever they are imported."""
    for name, module in list(sys.modules.items()):
        for constant, value in constants.items():
            if name.startswith("kgroups.") and hasattr(module, constant):
                monkeypatch.setattr(module, constant, value)


def write_csv(path: Path, rows: Iterable[Iterable[object]]) -> str:
    """Write rows, the first of which may be names; gives the name of the file."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path.name


def files(folder: Path) -> list[str]:
    """The names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def read_until(descriptor: int, pattern: bytes, *, seconds: float) -> bytes:
    """What comes from a terminal until a pattern is seen, or for so long."""
    end, seen = time.monotonic() + seconds, b""
    while not re.search(pattern, seen) and time.monotonic() < end:
        if select.select([descriptor], [], [], 0.1)[0]:
            try:
                seen += os.read(descriptor, 1 << 16)
            except OSError:  # the other side is closed
                break
    return seen


def cliques(k: int, size: int = 5) -> tuple[csr_array, np.ndarray]:
    """Cliques in a ring, with one edge from each to the next, and the clique of each node."""
    A = np.kron(np.eye(k), np.ones((size, size)) - np.eye(size))
    for c in range(k):
        a, b = c * size, ((c + 1) % k) * size + 1
        A[a, b] = A[b, a] = 1.0
    return csr_array(A), np.repeat(np.arange(k), size)


def warnings_of(call: Callable[[], Any]) -> set[type[Warning]]:
    """The categories of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return {warning.category for warning in caught}
