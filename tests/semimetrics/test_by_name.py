"""Semimetrics by their names."""

import re

import pytest

from kgroups.semimetrics import (
    DampedSquared,
    Energy,
    Gaussian,
    GreatCircle,
    Hamming,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
    Laplacian,
    Manhattan,
    SineSquared,
    by_name,
)


@pytest.mark.parametrize(
    "kind",
    [
        Energy, Laplacian, Gaussian, Manhattan, Hamming, Jaccard, JensenShannon, Hellinger,
        GreatCircle, KendallTau, DampedSquared, SineSquared,
    ],
)  # fmt: skip
def test_every_class_has_a_name(kind):
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    assert by_name(name) == kind()


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'laplacian'"):
        by_name("laplace")
    with pytest.raises(ValueError, match="precomputed_kernel; or give an object"):
        by_name("xyz")
