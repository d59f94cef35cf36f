"""What a certificate says: how much is proved, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

from kgroups.certificate.proof_text import proof_text
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray


class Step(NamedTuple):
    """What a step of the ladder left open, and what it took."""

    #: Members of the clusters in the sums, at most; 0 where only landmarks were looked at.
    size: int
    n_open: int
    #: Clusters to which the open points may move, in all.
    n_candidates: int
    #: Distances evaluated.
    n_pairs: int

    def plus(self, other: Step) -> Step:
        """The same step of more points."""
        counts = (a + b for a, b in zip(self[1:], other[1:], strict=True))
        return Step(max(self.size, other.size), *counts)


@dataclass(frozen=True)
class Certificate(ResultTable):
    """Whether it is proved that no single move improves a partition, and at what price.

    ``to_frame()`` has one row: ``proved``, ``n_open``, ``largest_gain``, ``n_pairs``,
    ``n_pairs_full``, ``rounds``, ``seconds``, ``is_repeatable``.

    Attributes
    ----------
    proved : bool
        Whether this is proved for all rows, up to the rounding of sums of distances.
    n_open : int
        Rows for which it is neither proved nor disproved. No move of one of them lowers W by more
        than ``largest_gain``.
    largest_gain : float
        A proved bound on what the move of an open row can gain, in units of W; 0 if none is open,
        and infinite where a limit ended the proof before all rows had been looked at.
    n_pairs, n_pairs_full : int
        Distances that were evaluated, those to landmarks included, and those of a pass over all
        pairs, n(n − 1)/2.
    steps : list of Step
        Rows and clusters left open by each step, in order, and what it took.
    rounds : int
        How often rows were looked at, because others had moved.
    seconds : float
        Time, without the sketch where the search began.
    is_repeatable : bool
        Whether nothing depended on the clock, as with ``time_limit``.

    Examples
    --------
    >>> found = Certificate(True, 0, n_pairs=50, n_pairs_full=400)
    >>> found.to_frame()[["proved", "n_pairs"]].values.tolist()
    [[True, 50]]
    >>> print(found)
    all rows decided, from 50 distances, 0.125 of all
    """

    proved: bool
    n_open: int
    n_pairs: int
    n_pairs_full: int
    largest_gain: float = 0.0
    steps: list[Step] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    is_repeatable: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: a gain that is not bounded is None."""
        return {
            "proved": self.proved,
            "n_open": self.n_open,
            "largest_gain": self.largest_gain if np.isfinite(self.largest_gain) else None,
            "n_pairs": self.n_pairs,
            "n_pairs_full": self.n_pairs_full,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "is_repeatable": self.is_repeatable,
            "steps": [step._asdict() for step in self.steps],
        }

    def __str__(self) -> str:
        return proof_text(self)

    def _columns(self) -> Columns:
        names = [f.name for f in fields(Certificate) if f.name != "steps"]
        return {name: [getattr(self, name)] for name in names}

    def _caption(self) -> str:
        return f"Proof: {proof_text(self)}"

    @classmethod
    def of_all_pairs(cls, n: int, proved: bool) -> Certificate:
        """A search that looked at all pairs."""
        full = n * (n - 1) // 2
        return cls._without_steps(n, full, proved)

    @classmethod
    def without_pairs(cls, n: int, proved: bool) -> Certificate:
        """A search that needs no pairs, or one on a sketch, which proves nothing."""
        return cls._without_steps(n, 0, proved)

    @classmethod
    def _without_steps(cls, n: int, n_pairs: int, proved: bool) -> Certificate:
        """Where nothing is proved, nothing bounds what a move gains."""
        n_open, gain = (0, 0.0) if proved else (n, np.inf)
        return cls(proved, n_open, n_pairs, n * (n - 1) // 2, largest_gain=gain)


@dataclass(frozen=True, kw_only=True)
class CertifiedLabels(Certificate):
    """A certificate of labels that somebody else found, and what would improve them.

    ``to_frame()`` has one row per row of the data that a single move would improve: ``row``,
    ``target``, ``gain``.

    Attributes
    ----------
    rows : array
        Rows that a single move would put into a better cluster.
    targets : array
        A cluster where each of them gains, the best one as far as that is known.
    gains : array
        The decrease of W if this row alone moves: exact where all pairs were looked at, else the
        middle of an interval that is above 0.
    within_dispersion : float
        W, or the middle of its interval.
    within_dispersion_interval : tuple of two floats
        What is proved of W.

    Examples
    --------
    >>> from kgroups.bounds import certify
    >>> found = certify([[0.0], [1.0], [10.0], [12.0]], ["a", "b", "b", "b"])
    >>> found.to_frame()[["row", "target"]].values.tolist()
    [[1, 'a']]
    """

    _NAMES = ("row", "target")

    rows: IntArray
    targets: IntArray
    gains: Float64Array
    within_dispersion: float
    within_dispersion_interval: tuple[float, float]

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no single row can be moved to lower W."""
        return self.proved and not np.size(self.rows)

    def __str__(self) -> str:
        moves = counted(np.size(self.rows), "single move")
        return f"W = {self.within_dispersion:.6g}; {moves} would lower it; {proof_text(self)}"

    def _columns(self) -> Columns:
        return {
            "row": np.asarray(self.rows).tolist(),
            "target": np.asarray(self.targets).tolist(),
            "gain": np.asarray(self.gains).tolist(),
        }

    def _caption(self) -> str:
        return str(self)
