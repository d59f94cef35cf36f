"""The semimetrics by the names that ``metric=`` and the command line accept."""

from __future__ import annotations

from collections.abc import Callable

from kgroups.names import MATRICES, SEMIMETRICS, registered
from kgroups.semimetrics.coordinates import (
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    Laplacian,
    Manhattan,
    SineSquared,
)
from kgroups.semimetrics.other_spaces import (
    GreatCircle,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
)
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import did_you_mean

BY_NAME: dict[str, Callable[[], Semimetric]] = registered(
    SEMIMETRICS,
    {
        "energy": Energy,
        "laplacian": Laplacian,
        "gaussian": Gaussian,
        "manhattan": Manhattan,
        "hamming": Hamming,
        "jaccard": Jaccard,
        "jensen_shannon": JensenShannon,
        "hellinger": Hellinger,
        "great_circle": GreatCircle,
        "kendall_tau": KendallTau,
        "damped_squared": DampedSquared,
        "sine_squared": SineSquared,
    },
)


def by_name(name: str) -> Semimetric:
    """The semimetric called ``name``, with its default parameters."""
    if name not in BY_NAME:
        known = (*SEMIMETRICS, *MATRICES)
        raise ValueError(
            f"metric={name!r} is not known.{did_you_mean(name, known)} Names: {', '.join(known)}; "
            "or give an object such as kgroups.semimetrics.Energy(0.5), or a function of two "
            "points."
        )
    return BY_NAME[name]()
