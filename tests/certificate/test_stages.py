"""Sums over pairs within clusters: all of them, or those with a head and within blocks."""

import numpy as np
import pytest

from certificate_cases import random_case
from helpers import each
from kgroups.certificate.members import Members
from kgroups.certificate.stages import layout_of, stages_of, whole_layout
from kgroups.runtime.threads import Threads
from kgroups.semimetrics.group_sums import relative_rounding


def test_whole_layouts_grow_fourfold():
    assert whole_layout(64).ends == (64,)
    assert whole_layout(100).ends == (64, 100)
    assert whole_layout(600).ends == (64, 256, 600)
    assert whole_layout(5000).ends == (64, 256, 1024, 5000)
    assert whole_layout(600).is_whole


def test_layouts_with_a_head_are_whole_for_few_members():
    assert layout_of(1024, 256).is_whole
    layout = layout_of(5000, 512)
    assert (layout.head, layout.block, layout.is_whole) == (512, 512, False)
    assert layout.ends[-1] == 5000
    assert all((end - 512) % 512 == 0 for end in layout.ends[2:-1])


@each("seed", [2, 5, 11])
@each("how", [whole_layout, lambda count: layout_of(count, 256)])
def test_sums_are_those_of_single_pairs(seed, how):
    case = random_case(seed, 3000, 2)
    points = case.points()
    members = Members.of(case.labels, case.weights, 2, 0)
    layouts = [how(count) for count in members.count.tolist()]
    assert all(layout.is_whole for layout in layouts) == (how is whole_layout)
    found = stages_of(points, members, layouts, Threads(2))
    rtol = relative_rounding(points) + 1e-12
    for cluster, (sums, layout) in enumerate(zip(found, layouts, strict=True)):
        index = members.of_cluster(cluster)
        metric = case.metric.resolve(case.X)
        w = case.weights[index]
        rho = metric.pairwise(case.X[index].astype(np.float64)) * w * w[:, None]
        cuts = [0, *layout.ends[:-1]]
        tiles = np.add.reduceat(np.add.reduceat(rho, cuts, axis=0), cuts, axis=1)
        tiles[layout.n_head :, layout.n_head :] = 0.0
        np.testing.assert_allclose(sums.tiles, tiles, rtol=rtol)
        seen = np.zeros(rho.shape, bool)
        seen[: layout.head] = seen[:, : layout.head] = True
        for number, a in enumerate(range(layout.head, len(index), layout.block)):
            if layout.is_whole:
                break
            block = slice(a, a + layout.block)
            assert sums.inside[number] == pytest.approx(rho[block, block].sum(), rel=rtol)
            assert sums.to_head[number] == pytest.approx(rho[block, : layout.head].sum(), rel=rtol)
            seen[block, block] = True
        n_pairs = (seen.sum() - len(index)) / 2
        assert layout.n_pairs() == pytest.approx(n_pairs, rel=0.05)


def test_sums_have_the_same_bits_for_any_number_of_threads():
    case = random_case(2, 3000, 2)
    members = Members.of(case.labels, case.weights, 2, 0)
    layouts = [layout_of(count, 256) for count in members.count.tolist()]
    one, two = (stages_of(case.points(), members, layouts, Threads(n)) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.tiles, b.tiles)
        assert np.array_equal(a.inside, b.inside)
