"""The semimetrics by the names that ``metric=`` and the command line accept."""

from collections.abc import Callable

from kgroups.names import (
    EDIT_DISTANCES,
    ELASTIC_DISTANCES,
    MATRICES,
    METRIC_ALIASES,
    OBJECT_METRICS,
    SAMPLES,
    SCIPY_DISTANCES,
    SEMIMETRICS,
    registered,
)
from kgroups.semimetrics import angles, coordinates, mixed, other_spaces
from kgroups.semimetrics.edit_distance import EditDistance
from kgroups.semimetrics.elastic_distance import ElasticDistance
from kgroups.semimetrics.known_elsewhere import what_to_write
from kgroups.semimetrics.sample_distance import Samples
from kgroups.semimetrics.scipy_distance import ScipyDistance
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
        "cosine": angles.Cosine,
        "angular": angles.Angular,
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

# Names that other libraries have for their distances.
_BY_OTHERS: tuple[tuple[tuple[str, ...], Callable[[str], Semimetric]], ...] = (
    (EDIT_DISTANCES, EditDistance),
    (ELASTIC_DISTANCES, ElasticDistance),
    (SCIPY_DISTANCES, ScipyDistance),
)


def by_name(name: str) -> Semimetric:
    """The semimetric called ``name``, with its default parameters.

    Names of scikit-learn and SciPy work where they mean the same: ``"euclidean"`` and ``"l2"`` are
    ``"energy"``, ``"sqeuclidean"`` is ``Energy(2)``, ``"cityblock"`` and ``"l1"`` are
    ``"manhattan"``, and ``"haversine"`` is ``"great_circle"`` in radians. Names of edit distances
    between strings stand for :class:`EditDistance`, those of elastic distances between series for
    :class:`ElasticDistance`, further ones of SciPy for :class:`ScipyDistance`, and ``"samples"`` is
    :class:`Samples`.
    """
    make = BY_NAME.get(name) or ALIASES.get(name)
    if make is not None:
        return make()
    for names, kind in _BY_OTHERS:
        if name in names:
            return kind(name)
    if name == SAMPLES:
        return Samples()
    if advice := what_to_write(name):
        raise ValueError(f"metric={name!r} is not a name of kgroups: {advice}")
    known = (*SEMIMETRICS, *OBJECT_METRICS, *SCIPY_DISTANCES, *MATRICES)
    raise ValueError(
        f"metric={name!r} is not known.{did_you_mean(name, (*known, *METRIC_ALIASES))} Names: "
        f"{', '.join(known)}; or give an object such as kgroups.semimetrics.Energy(0.5), or a "
        "function of two points."
    )
