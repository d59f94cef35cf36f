"""The energy distance between rows that are samples: digits, shapes and a fit."""

import numpy as np
import pandas as pd
import pytest

import oracle
from kgroups import KernelKGroups
from kgroups.semimetrics import Samples, by_name


def drawn(seed, n, width=None):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, n)
    return [rng.normal(size=size if width is None else (size, width)).round(1) for size in sizes]


@pytest.mark.nojit
def test_far_from_the_origin_nothing_is_lost():
    X = [one + 1e9 for one in drawn(3, 8)]
    near = [one - 1e9 for one in X]
    np.testing.assert_allclose(Samples().pairwise(X), Samples().pairwise(near), rtol=1e-12)
    two = [np.column_stack([one, one]) for one in X]
    expected = Samples().pairwise([one - 1e9 for one in two])
    np.testing.assert_allclose(Samples().pairwise(two), expected, rtol=1e-9, atol=1e-12)


def test_equal_distributions_are_at_distance_zero():
    x = np.array([3.0, 1.0, 1.0, 2.0])
    rho = Samples().pairwise([x, np.sort(x), np.tile(x, 3), x + 1])
    np.testing.assert_array_equal(rho[0, :3], 0)
    assert rho[0, 3] == pytest.approx(float(oracle.samples(x, x + 1)))
    # All of one is below all of the other: 2 (2 − 0) − 0 − 0.
    np.testing.assert_array_equal(Samples().pairwise([[0.0]], [[2.0]]), [[4.0]])


def test_shapes_of_samples():
    X = np.random.default_rng(4).normal(size=(5, 6))
    expected = Samples().pairwise(list(X))
    for same in (X, pd.DataFrame(X), X[:, :, None], [x[:, None] for x in X], X[:, ::-1]):
        np.testing.assert_array_equal(Samples().pairwise(same), expected)
    frames = [pd.DataFrame({"a": x, "b": x**2}) for x in X]
    np.testing.assert_array_equal(
        Samples().pairwise(frames), Samples().pairwise(np.dstack([X, X**2]))
    )


def test_rows_with_equal_means_are_told_apart():
    rng = np.random.default_rng(7)
    narrow = [rng.normal(size=rng.integers(30, 60)) for _ in range(20)]
    wide = [3 * rng.normal(size=rng.integers(30, 60)) for _ in range(20)]
    model = KernelKGroups(2, metric="samples", random_state=0).fit([*narrow, *wide])
    assert sorted(set(model.labels_[:20])) != sorted(set(model.labels_[20:]))
    assert len(set(model.labels_[:20])) == len(set(model.labels_[20:])) == 1
    np.testing.assert_array_equal(model.predict([*narrow, *wide]), model.labels_)
    assert model.transform(wide).shape == (20, 2)
    assert model.negative_type_violation_ == 0
    assert by_name("samples") == Samples()
    sketched = KernelKGroups(2, metric="samples", method="nystroem", random_state=0)
    np.testing.assert_array_equal(sketched.fit([*narrow, *wide]).labels_, model.labels_)
