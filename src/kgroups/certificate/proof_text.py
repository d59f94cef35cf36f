"""What is proved of a clustering, in one line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kgroups.text import counted

if TYPE_CHECKING:
    from kgroups.certificate.certificate import Certificate


def proof_text(found: Certificate) -> str:
    """What is proved, and how many distances that took.

    >>> from kgroups.bounds import Certificate
    >>> proof_text(Certificate(True, 0, n_pairs=50, n_pairs_full=400))
    'all rows decided, from 50 distances, 0.125 of all'
    """
    if found.n_pairs == 0:
        took = "without distances between rows"
    elif found.n_pairs == found.n_pairs_full:
        took = f"from all {found.n_pairs:,} distances"
    else:
        share = found.n_pairs / max(1, found.n_pairs_full)
        took = f"from {found.n_pairs:,} distances, {share:.3g} of all"
    if found.proved:
        return f"all rows decided, {took}"
    undecided = f"{counted(found.n_open, 'row')} undecided"
    if math.isfinite(found.largest_gain):
        undecided += f", whose moves lower W by {found.largest_gain:.2g} at most"
    return f"{undecided}, {took}"
