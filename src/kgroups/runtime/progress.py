"""What happens during a fit, told to a listener if there is one; free if there is none.

Deep code tells; a listener is set for the duration of a fit by :func:`listening`. Work on other
threads tells nothing, so events come in order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

# Phases whose pieces take about the same time each, so that what is left can be told.
_EVEN = ("distances", "pairs", "pass", "permutations", "runs")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One step of a fit.

    ``phase`` is "number" (how many clusters were chosen, and how sure that is), "plan" (why a
    method was chosen), "distances" (how many of 100 parts of the pairs
    are done, where another program or a function makes them), "sketch" (features for a part of the
    points), "pairs" (how many of ten parts of the pairs within clusters are summed), "proof" (which
    share of the rows is still open), "level" (a graph was coarsened, or refined on the way back),
    "start" (a start has converged), "improve" (clusters grown anew, or moves of pairs), "pass" (a
    part of the first pass over all pairs) or "sweep" (all points visited once, or ``number`` times
    where one compiled call makes all sweeps); where one task makes many fits, what they serve.
    """

    phase: str
    #: Number of the start, sweep or piece; ``total`` where it is known.
    number: int = 0
    total: int | None = None
    #: The kind of start, or a sentence.
    note: str = ""
    n_sweeps: int = 0
    n_moves: int = 0
    objective: float | None = None
    best_objective: float | None = None
    #: Time since the fit began, and until this phase ends where that can be estimated.
    seconds: float = 0.0
    seconds_left: float | None = None

    def on_scale(self, scaled: Callable[[float], float]) -> Progress:
        """The same event with its objectives on another scale."""
        return replace(
            self,
            objective=None if self.objective is None else scaled(self.objective),
            best_objective=None if self.best_objective is None else scaled(self.best_objective),
        )

    def __str__(self) -> str:
        of = "" if self.total is None else f"/{self.total}"
        parts = [self.note] if self.note else []
        if self.phase in ("start", "sweep", "improve"):
            if self.phase != "sweep":
                parts.append(f"{self.n_sweeps} sweep{'' if self.n_sweeps == 1 else 's'}")
            parts.append(f"{self.n_moves} move{'' if self.n_moves == 1 else 's'}")
        if self.objective is not None:
            parts.append(f"objective {self.objective:.8g}")
        if self.best_objective is not None:
            parts.append(f"best {self.best_objective:.8g}")
        if self.seconds_left is not None:
            parts.append(f"{self.seconds_left:.0f} s left")
        parts.append(f"{self.seconds:.1f} s")
        number = f" {self.number}{of}" if self.number else ""
        return f"{self.phase}{number}: {', '.join(parts)}"


Listener = Callable[[Progress], None]


def listener(verbose: bool | int | Listener) -> Listener | None:
    """What the ``verbose`` of an estimator asks for: a function of the user, print, or nobody."""
    if callable(verbose):
        return verbose
    return print if verbose else None


@dataclass
class _Session:
    listener: Listener
    begun: float
    phase: str = ""
    phase_begun: float = 0.0


_session: ContextVar[_Session | None] = ContextVar("session", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Within this block, ``listener`` hears what is told; None hears nothing."""
    session = None if listener is None else _Session(listener, time.perf_counter())
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)


@contextmanager
def adapted(change: Callable[[Progress], Progress | None]) -> Iterator[None]:
    """Within this block, events are changed before they are heard; None is not heard at all."""
    session = _session.get()
    if session is None:
        yield
        return
    heard = session.listener

    def tell(event: Progress) -> None:
        """Tell the changed event to the listener outside, if it is to be heard."""
        changed = change(event)
        if changed is not None:
            heard(changed)

    token = _session.set(replace(session, listener=tell))
    try:
        yield
    finally:
        _session.reset(token)


@contextmanager
def scaled(scale: Callable[[float], float]) -> Iterator[None]:
    """Within this block, objectives are told on another scale."""
    with adapted(lambda event: event.on_scale(scale)):
        yield


@contextmanager
def quiet() -> Iterator[None]:
    """Within this block nothing is told."""
    token = _session.set(None)
    try:
        yield
    finally:
        _session.reset(token)


def is_heard() -> bool:
    """Whether anybody listens on this thread."""
    return _session.get() is not None


def tell(event: Progress) -> None:
    """Tell the listener, with the time that has passed and the time that a known total leaves."""
    session = _session.get()
    if session is None:
        return
    now = time.perf_counter()
    if event.phase != session.phase:
        session.phase, session.phase_begun = event.phase, now
    left = None
    if event.total is not None and 0 < event.number <= event.total and event.phase in _EVEN:
        left = (now - session.phase_begun) * (event.total - event.number) / event.number
    session.listener(replace(event, seconds=now - session.begun, seconds_left=left))


def tell_sweep(number: int, n_moves: int, objective: float) -> None:
    """All points were visited once."""
    tell(Progress(phase="sweep", number=number, n_moves=n_moves, objective=objective))
