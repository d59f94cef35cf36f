"""Pairs within each cluster, summed by stages of its members: all of them, or a small share.

The members of a cluster come in a random order and in stages, which end after 64 members, four
times as many, and so on. With all pairs every sum Σ Σ w w ρ between two stages is known. With a
share of them the first stages, called the head, are compared with everything, and the tail is cut
into blocks that are compared with the head and within themselves; what is not compared is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kgroups.certificate.members import PIECE, Members
from kgroups.native import LANES
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import Executor, blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.group_sums import Group, sums_to_group, sums_within_group
from kgroups.typing import Float64Array

# Parts in which progress is told.
_PARTS = 10
# The factor by which stages grow: fewer take more distances, more take more calls.
_RATIO = 4
# The parts of the tail at which stages end, before its own end.
_TAIL = (1 / 8, 1 / 4, 1 / 2)
# Panels of rows in a task.
_PANELS = 64


class Layout(NamedTuple):
    """How the members of a cluster are cut, in numbers of members; in whole pieces but the last."""

    #: Where stages end.
    ends: tuple[int, ...]
    #: How many stages belong to the head: all if all pairs are looked at.
    n_head: int
    #: Members in a block of the tail.
    block: int

    @property
    def head(self) -> int:
        """Members in the head."""
        return self.ends[self.n_head - 1] if self.n_head else 0

    @property
    def is_whole(self) -> bool:
        """Whether all pairs are looked at."""
        return self.n_head == len(self.ends)

    def n_pairs(self) -> float:
        """Distances that the sums take."""
        n, head = float(self.ends[-1]), float(self.head)
        if self.is_whole:
            return n * (n - 1) / 2
        return head * (head - 1) / 2 + head * (n - head) + (n - head) * self.block / 2


@dataclass(frozen=True, eq=False)
class Stages:
    """Σ Σ w w ρ between the stages of a cluster."""

    layout: Layout
    #: Symmetric, (stages, stages); of the tail only the sums with the head, and 0 elsewhere.
    tiles: Float64Array
    #: Of each block of the tail: the sum over its own pairs, and over those with the head.
    inside: Float64Array
    to_head: Float64Array

    def over(self, unit: float) -> Stages:
        """The same with distances in a unit."""
        return Stages(self.layout, *(s / unit for s in (self.tiles, self.inside, self.to_head)))


def whole_layout(count: int) -> Layout:
    """Stages of growing size, all pairs of which are looked at.

    >>> whole_layout(10_000).ends
    (64, 256, 1024, 4096, 10000)
    """
    ends = growing(count, count)
    if len(ends) > 1 and count < 1.5 * ends[-1]:
        ends.pop()
    return Layout((*ends, count), len(ends) + 1, PIECE)


def layout_of(count: int, head: int) -> Layout:
    """A head of some members, and the rest in blocks of the same size, in a few stages.

    All pairs where the head would be a quarter of the members or more.

    >>> layout_of(10_000, 512).ends
    (64, 256, 512, 1536, 2560, 5120, 10000)
    """
    if count <= 4 * head:
        return whole_layout(count)
    ends = [*growing(head, head), head]
    tail = [head + int(share * (count - head)) // head * head for share in _TAIL]
    later = sorted({end for end in tail if end > head})
    return Layout((*ends, *later, count), len(ends), head)


def growing(limit: int, count: int) -> list[int]:
    """PIECE, four times that, and so on, below a limit."""
    ends, end = [], PIECE
    while end < min(limit, count):
        ends.append(end)
        end *= _RATIO
    return ends


class _Task(NamedTuple):
    """Panels [start, stop) of the head of a cluster, or of a block of its tail, and their others.

    ``inside`` is where their stage or block ends, ``others`` the panels of the head at which later
    stages begin and end; all of its stages for a block.
    """

    cluster: int
    place: int
    group: Group
    start: int
    stop: int
    inside: int
    head: Group
    others: tuple[tuple[int, int], ...]


def stages_of(
    points: Points, members: Members, layouts: Sequence[Layout], executor: Executor
) -> list[Stages]:
    """The sums of all clusters, each pair looked at once: see :meth:`Layout.n_pairs`.

    Points are laid out in panels cluster by cluster, those of a tail block by block.
    """
    made = [_empty(layout) for layout in layouts]

    def some(task: _Task) -> tuple[_Task, float, list[float]]:
        """The sums from the rows of a task within their stage, and to others."""
        rows = slice(task.start * LANES, task.stop * LANES)
        w = task.group.weights[rows].astype(np.float64)
        found = sums_within_group(points, task.group, task.start, task.stop, task.inside)
        x = task.group.rows[rows]
        apart = [sums_to_group(points, x, task.head, a, b) for a, b in task.others]
        return task, float(w @ (found.own + 2.0 * found.later)), [float(w @ s) for s in apart]

    told = _Told(sum(layout.n_pairs() for layout in layouts))
    for task, own, apart in executor.map(some, _tasks(points, members, layouts)):
        told.done(task)
        sums, layout = made[task.cluster], layouts[task.cluster]
        n_head = layout.n_head
        if task.place < n_head:
            sums.tiles[task.place, task.place] += own
            later = slice(task.place + 1, task.place + 1 + len(apart))
            sums.tiles[task.place, later] += apart
            sums.tiles[later, task.place] += apart
        else:
            block = task.place - n_head
            stage = int(np.searchsorted(layout.ends, layout.head + block * layout.block, "right"))
            sums.inside[block] += own
            sums.to_head[block] += sum(apart)
            sums.tiles[:n_head, stage] += apart
            sums.tiles[stage, :n_head] += apart
    return made


class _Told:
    """What is told of the pairs that are done, in ten parts."""

    def __init__(self, total: float) -> None:
        self.total, self.pairs, self.part = max(total, 1.0), 0.0, 0

    def done(self, task: _Task) -> None:
        """The pairs of a task are done."""
        width = task.inside - 0.5 * (task.start + task.stop)
        width += sum(stop - start for start, stop in task.others)
        self.pairs += (task.stop - task.start) * width * LANES**2
        part = min(_PARTS, int(_PARTS * self.pairs / self.total))
        if part > self.part:
            self.part = part
            note = "pairs within clusters"
            progress.tell(Progress(phase="pairs", number=part, total=_PARTS, note=note))


def _empty(layout: Layout) -> Stages:
    size = len(layout.ends)
    tail = layout.ends[-1] - layout.head
    n_blocks = 0 if layout.is_whole else -(-tail // layout.block)
    return Stages(layout, np.zeros((size, size)), np.zeros(n_blocks), np.zeros(n_blocks))


def _tasks(points: Points, members: Members, layouts: Sequence[Layout]) -> Iterator[_Task]:
    def laid_out(cluster: int, start: int, stop: int) -> Group:
        """The members [start, stop) of a cluster."""
        index = members.of_cluster(cluster, start, stop)
        return Group.of(points.table[index], members.weights[index])

    for cluster, layout in enumerate(layouts):
        if layout.ends[-1] == 0:
            continue
        head = laid_out(cluster, 0, layout.head)
        stops = [_panels(end) for end in layout.ends[: layout.n_head]]
        spans = list(zip([0, *stops], stops, strict=False))
        for stage, (begin, stop) in enumerate(spans):
            # The tail is compared with the head from its own side, block by block.
            others = tuple(spans[stage + 1 :])
            for a, b in blocks(begin, stop, _PANELS):
                yield _Task(cluster, stage, head, a, b, stop, head, others)
        for number, (begin, stop) in enumerate(blocks(layout.head, layout.ends[-1], layout.block)):
            block, end = laid_out(cluster, begin, stop), _panels(stop - begin)
            for a, b in blocks(0, end, _PANELS):
                yield _Task(cluster, layout.n_head + number, block, a, b, end, head, tuple(spans))


def _panels(count: int) -> int:
    return -(-count // LANES)
