"""Many small fits, one core each."""

import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def in_parallel(act: Callable[[Any], Any], tasks: Iterable[Any], workers: int) -> list[Any]:
    """Answers in the order of the tasks, from fresh processes of one thread each."""
    with one_thread_each(workers) as pool:
        return list(pool.map(act, tasks, chunksize=2))


def one_thread_each(workers: int) -> ProcessPoolExecutor:
    """Fresh processes of one thread each, which do not show warnings."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    return ProcessPoolExecutor(workers, get_context("spawn"), _quiet)


def _quiet() -> None:
    warnings.simplefilter("ignore")
