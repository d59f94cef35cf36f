"""Events of a fit: who hears them, what is changed on the way, and the time that is left."""

import pytest

from helpers import each
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import run


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""

    class Clock:
        now = 100.0

    monkeypatch.setattr(progress.time, "perf_counter", lambda: Clock.now)
    return Clock


def test_nobody_hears_outside_a_block():
    heard = []
    assert not progress.is_heard()
    progress.tell(Progress(phase="plan"))
    with progress.listening(heard.append):
        assert progress.is_heard()
        progress.tell(Progress(phase="plan", note="dense"))
    progress.tell(Progress(phase="plan"))
    assert [event.note for event in heard] == ["dense"]


def test_an_inner_block_hears_instead_of_the_outer_one():
    outer, inner = [], []
    with progress.listening(outer.append):
        with progress.listening(inner.append):
            progress.tell(Progress(phase="plan"))
        with progress.listening(None):
            progress.tell(Progress(phase="plan"))
        progress.tell(Progress(phase="sweep"))
    assert [event.phase for event in outer] == ["sweep"]
    assert [event.phase for event in inner] == ["plan"]


def test_quiet_is_quiet_to_its_end_only():
    heard = []
    with progress.listening(heard.append):
        with progress.quiet():
            assert not progress.is_heard()
            progress.tell_sweep(1, 2, 3.0)
        progress.tell_sweep(2, 1, 4.0)
    (event,) = heard
    assert (event.phase, event.number, event.n_moves, event.objective) == ("sweep", 2, 1, 4.0)


def test_other_threads_tell_nothing():
    heard = []
    with progress.listening(heard.append):
        assert list(run(lambda _: progress.is_heard(), range(4), 2)) == [False] * 4


def test_scales_apply_from_the_inside_out():
    """The inner scale adds 1, the outer one multiplies by 10: (2 + 1) · 10, not 2 · 10 + 1."""
    heard = []
    with (
        progress.listening(heard.append),
        progress.scaled(lambda value: 10 * value),
        progress.scaled(lambda value: value + 1),
    ):
        progress.tell(Progress(phase="start", objective=2.0, best_objective=5.0))
        progress.tell(Progress(phase="plan"))
    assert (heard[0].objective, heard[0].best_objective) == (30.0, 60.0)
    assert (heard[1].objective, heard[1].best_objective) == (None, None)


def test_time_left_of_even_pieces(clock):
    """Two of ten permutations in 3 s leave eight, 12 s; the phase begins with its first event."""
    heard = []
    with progress.listening(heard.append):
        clock.now = 105.0
        progress.tell(Progress(phase="permutations", number=0, total=10))
        clock.now = 108.0
        progress.tell(Progress(phase="permutations", number=2, total=10))
        clock.now = 109.0
        progress.tell(Progress(phase="permutations", number=10, total=10))
    assert [event.seconds for event in heard] == [5.0, 8.0, 9.0]
    assert [event.seconds_left for event in heard] == [None, 12.0, 0.0]


@each(
    "event",
    [
        Progress(phase="start", number=1, total=4),
        Progress(phase="runs", number=1),
        Progress(phase="runs", number=5, total=4),
    ],
)
def test_time_left_is_not_told_where_it_cannot_be_known(event, clock):
    heard = []
    with progress.listening(heard.append):
        clock.now += 1
        progress.tell(event)
    assert heard[0].seconds_left is None
