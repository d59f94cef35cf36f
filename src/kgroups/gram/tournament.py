"""Which pairs of blocks of points are compared at the same time."""

from collections.abc import Sequence

import numpy as np

from kgroups.typing import IntArray


def rounds(n_blocks: int) -> Sequence[IntArray]:
    """Every pair of blocks once, in rounds in which no block has two matches.

    A round-robin tournament, by the circle method: its matches write to different columns, so they
    run side by side, and each column is added to in the same order for any number of threads. In
    the first round every block meets itself.
    """
    themselves = np.repeat(np.arange(n_blocks)[:, None], 2, axis=1)
    circle = np.arange(1, n_blocks)
    found = [themselves]
    for turn in range(n_blocks - 1):
        players = np.concatenate([[0], np.roll(circle, turn)])
        half = n_blocks // 2
        pairs = np.stack([players[:half], players[: half - 1 : -1]], axis=1)
        found.append(np.sort(pairs, axis=1))
    return found
