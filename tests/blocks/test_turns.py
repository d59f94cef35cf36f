"""A lock that serves threads in the order in which they came."""

import time
from threading import Event, Thread

import pytest

from kgroups.blocks.turns import Turns


def test_a_thread_that_waits_is_before_one_that_asks_again():
    turns, order, asks = Turns(), [], Event()

    def other():
        asks.set()
        with turns.turn():
            order.append("other")

    thread = Thread(target=other)
    with turns.turn():
        order.append("first")
        thread.start()
        asks.wait()
        time.sleep(0.05)  # until it waits
        assert order == ["first"]
    with turns.turn():
        order.append("again")
    thread.join()
    assert order == ["first", "other", "again"]


def test_only_one_thread_is_in_the_block():
    turns, inside, most = Turns(), [], []

    def work():
        for _ in range(20):
            with turns.turn():
                inside.append(None)
                time.sleep(0.0002)
                most.append(len(inside))
                inside.pop()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80


def test_an_error_gives_the_turn_to_the_next():
    turns = Turns()
    with pytest.raises(KeyError), turns.turn():
        raise KeyError
    with turns.turn():
        pass
