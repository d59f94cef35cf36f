"""BLAS on one thread for as long as anybody is within the block."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from kgroups.runtime.blas import one_thread_a_product


def n_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _three_threads():
    with threadpool_limits(limits=3, user_api="blas"):
        if n_threads() != {3}:
            pytest.skip("the BLAS of this NumPy has a fixed number of threads")
        yield


def test_the_setting_comes_back_with_the_last_block():
    with one_thread_a_product():
        assert n_threads() == {1}
        with one_thread_a_product():
            assert n_threads() == {1}
        assert n_threads() == {1}
    assert n_threads() == {3}


def test_blocks_that_do_not_nest():
    """The first to enter leaves first, as happens on two threads."""
    first, second = one_thread_a_product(), one_thread_a_product()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert n_threads() == {1}
    second.__exit__(None, None, None)
    assert n_threads() == {3}


def test_the_setting_comes_back_after_an_error():
    with pytest.raises(RuntimeError), one_thread_a_product():
        raise RuntimeError
    assert n_threads() == {3}
