"""Matrix products on one thread each, while this package runs several of them at once.

A product that is split over threads waits for the slowest, and spins meanwhile: small ones take
many times as long as on one thread as soon as anything else runs on the machine.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@lru_cache
def _controller() -> ThreadpoolController:
    """The libraries of this process, looked up once: all that we use are loaded by then."""
    return ThreadpoolController()


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Within this block, on any thread; the setting that was there comes back with the last one."""
    global _inside, _limit  # noqa: PLW0603 - the libraries' setting is as global
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()
                _limit = None
