"""What each worker gets of a fit by blocks: blocks of a group, and room for what it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.dask.clusters import room_for_rows
from kgroups.dask.gathered import n_features
from kgroups.fit.plan import Size
from kgroups.gram.low_rank import CHUNK
from kgroups.input.rows import ROWS_PER_BLOCK

# Bytes of features that a worker without a limit keeps, and what stands for no limit of rows.
_FEATURES_KEPT, _WITHOUT_LIMIT = 1 << 30, 1 << 62
# Blocks in a group for each thread of the cluster, where groups are large enough.
_BLOCKS_PER_THREAD = 2


def block_size_for(group: int, n_threads: int) -> int:
    """Rows of a block: a canonical one, or a power-of-two part of it that shares out a group."""
    size = min(group, ROWS_PER_BLOCK)
    while size > CHUNK and group // size < _BLOCKS_PER_THREAD * n_threads:
        size //= 2
    return size


def shared_out(
    workers: dict[str, Any], size: Size, n_bytes: int, asked: int | str
) -> tuple[int, int]:
    """Bytes that each worker may keep of rows, and all of them of features.

    Features save time where most of them can be kept; else rows have the room.
    """
    room = room_for_rows(workers, n_bytes, size.n)
    if room == np.inf:
        return _WITHOUT_LIMIT, _FEATURES_KEPT * len(workers)
    features = 4 * size.n * n_features(asked, size.n_clusters)
    if features <= len(workers) * room / 2:
        return int(room / 2), int(len(workers) * room / 2)
    return int(room), 0
