"""The semimetrics by the names that ``metric=`` and the command line accept."""

from collections.abc import Callable

from kgroups.names import MATRICES, SEMIMETRICS, registered
from kgroups.semimetrics import coordinates, other_spaces
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import did_you_mean

BY_NAME: dict[str, Callable[[], Semimetric]] = registered(
    SEMIMETRICS,
    {
        "energy": coordinates.Energy,
        "laplacian": coordinates.Laplacian,
        "gaussian": coordinates.Gaussian,
        "manhattan": coordinates.Manhattan,
        "hamming": coordinates.Hamming,
        "jaccard": other_spaces.Jaccard,
        "jensen_shannon": other_spaces.JensenShannon,
        "hellinger": other_spaces.Hellinger,
        "great_circle": other_spaces.GreatCircle,
        "kendall_tau": other_spaces.KendallTau,
        "damped_squared": coordinates.DampedSquared,
        "sine_squared": coordinates.SineSquared,
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
