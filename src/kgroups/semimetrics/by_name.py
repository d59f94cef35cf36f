"""The semimetrics by the names that ``metric=`` and the command line accept."""

from collections.abc import Callable

from kgroups.names import MATRICES, METRIC_ALIASES, SEMIMETRICS, registered
from kgroups.semimetrics import coordinates, directions, mixed, other_spaces
from kgroups.semimetrics.known_elsewhere import what_to_write
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
        "cosine": directions.Cosine,
        "angular": directions.Angular,
        "jaccard": other_spaces.Jaccard,
        "jensen_shannon": other_spaces.JensenShannon,
        "hellinger": other_spaces.Hellinger,
        "great_circle": other_spaces.GreatCircle,
        "kendall_tau": other_spaces.KendallTau,
        "mixed": mixed.Mixed,
        "damped_squared": coordinates.DampedSquared,
        "sine_squared": coordinates.SineSquared,
    },
)


#: The same semimetrics by the names of scikit-learn and SciPy.
ALIASES: dict[str, Callable[[], Semimetric]] = registered(
    METRIC_ALIASES,
    {
        "euclidean": coordinates.Energy,
        "l2": coordinates.Energy,
        "sqeuclidean": lambda: coordinates.Energy(2.0),
        "cityblock": coordinates.Manhattan,
        "l1": coordinates.Manhattan,
        "haversine": lambda: other_spaces.GreatCircle(units="radians"),
    },
)


def by_name(name: str) -> Semimetric:
    """The semimetric called ``name``, with its default parameters.

    Names of scikit-learn and SciPy work where they mean the same: ``"euclidean"`` and ``"l2"`` are
    ``"energy"``, ``"sqeuclidean"`` is ``Energy(2)``, ``"cityblock"`` and ``"l1"`` are
    ``"manhattan"``, and ``"haversine"`` is ``"great_circle"`` in radians.
    """
    make = BY_NAME.get(name) or ALIASES.get(name)
    if make is not None:
        return make()
    if advice := what_to_write(name):
        raise ValueError(f"metric={name!r} is not a name of kgroups: {advice}")
    known = (*SEMIMETRICS, *MATRICES)
    raise ValueError(
        f"metric={name!r} is not known.{did_you_mean(name, (*known, *METRIC_ALIASES))} Names: "
        f"{', '.join(known)}; or give an object such as kgroups.semimetrics.Energy(0.5), or a "
        "function of two points."
    )
