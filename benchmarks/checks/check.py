"""What a long check is: units, what they amount to, and what is claimed of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Unit = dict[str, int | float | str]
Summary = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A claim, and the units from which it is judged.

    Parameters
    ----------
    name : str
        The name of the document, without ``.json``.
    claim : str
        A sentence that ``holds`` decides.
    n_units : int
        The units of the whole check, which are numbered from 0.
    run : callable
        Computes the unit of a number, the same at all times: all chance comes from the number.
    fold : callable
        What some units amount to.
    holds : callable
        Whether a summary of so many units, perhaps few of all, agrees with the claim.
    """

    name: str
    claim: str
    n_units: int
    run: Callable[[int], Unit]
    fold: Callable[[Sequence[Unit]], Summary]
    holds: Callable[[Summary, int], bool]
