"""Semimetrics by their names."""

import re

import pytest

from kgroups import semimetrics as sm


@pytest.mark.parametrize(
    "kind",
    [
        sm.Energy, sm.Laplacian, sm.Gaussian, sm.Manhattan, sm.Hamming, sm.Jaccard,
        sm.JensenShannon, sm.Hellinger, sm.GreatCircle, sm.KendallTau, sm.DampedSquared,
        sm.SineSquared,
    ],
)  # fmt: skip
def test_every_class_has_a_name(kind):
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    assert sm.by_name(name) == kind()


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'laplacian'"):
        sm.by_name("laplace")
    with pytest.raises(ValueError, match="precomputed_kernel; or give an object"):
        sm.by_name("xyz")
