"""The classes whose objects a file may hold, each by a name that never changes.

A file is read by these names alone: nothing is imported because a file names it. A class that is
renamed keeps its name here; a field that is renamed needs a step in ``format_steps``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from kgroups import estimators, graphs, semimetrics
from kgroups.answers.answers import KeptDistances, KeptRows
from kgroups.certificate.certificate import Certificate, Step
from kgroups.gram.nystroem import NystroemMap
from kgroups.gram.squared_rows import Embedding
from kgroups.graphs.free.hierarchy import CommunityGraph, Hierarchy
from kgroups.graphs.neighbors.neighbor_table import Frame, NeighborTable
from kgroups.input.negative_type import Violation
from kgroups.input.spaces import DistanceSpace, KernelSpace, Origin, PointSpace
from kgroups.persistence import sound
from kgroups.select.choose_n_clusters import ClusterCount
from kgroups.select.criterion import Criterion
from kgroups.semimetrics.gaps import CategoryDistribution, LineDistribution
from kgroups.semimetrics.mixed import MixedColumn, SettledColumns
from kgroups.semimetrics.open_parameters import NamedElsewhere
from kgroups.solvers import centroids
from kgroups.solvers.agglomerative import Tree
from kgroups.solvers.one_dimensional import Intervals

#: Estimators, which are kept by their parameters and attributes.
ESTIMATORS: dict[str, Any] = {
    "BetheHessianClustering": graphs.BetheHessianClustering,
    "EnergyAgglomerative": estimators.EnergyAgglomerative,
    "GraphKGroups": graphs.GraphKGroups,
    "KGroups1D": estimators.KGroups1D,
    "KernelKGroups": estimators.KernelKGroups,
    "KernelKMeans": estimators.KernelKMeans,
}


@dataclass(frozen=True)
class KeptClass:
    """A class that is kept by the arguments that make an object of it, and what was found later."""

    cls: Any
    #: What else an object may know, from the rows of a fit; set after it is made.
    later: tuple[str, ...] = ()
    #: Raises ValueError for what compiled loops could not work on.
    check: Callable[[Any], None] | None = None

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of the arguments; of named tuples those of the items."""
        if is_dataclass(self.cls):
            return tuple(field.name for field in fields(self.cls) if field.init)
        return tuple(self.cls._fields)

    def parts(self, value: Any) -> dict[str, Any]:
        """The arguments of an object, and what it found later."""
        if isinstance(value, NamedElsewhere):
            return value.get_params()
        names = [*self.arguments, *(name for name in self.later if name in vars(value))]
        return {name: getattr(value, name) for name in names}

    def made(self, parts: dict[str, Any]) -> Any:
        """An object from its parts; ValueError or TypeError for parts that are none of its own."""
        later = {name: parts.pop(name) for name in self.later if name in parts}
        made = self.cls(**parts)
        if later:
            vars(made).update(later)
        if self.check is not None:
            self.check(made)
        return made


#: Everything else, by the names in the file.
KEPT: dict[str, KeptClass] = {
    "Angular": KeptClass(semimetrics.Angular),
    "CategoryDistribution": KeptClass(CategoryDistribution),
    "Centroids": KeptClass(centroids.Centroids, check=sound.sound_centroids),
    "Certificate": KeptClass(Certificate),
    "ClusterCount": KeptClass(ClusterCount),
    "ColumnSum": KeptClass(semimetrics.ColumnSum),
    "CommunityGraph": KeptClass(CommunityGraph, check=sound.sound_communities),
    "Cosine": KeptClass(semimetrics.Cosine),
    "Criterion": KeptClass(Criterion),
    "DampedSquared": KeptClass(semimetrics.DampedSquared),
    "DistanceSpace": KeptClass(DistanceSpace),
    "EditDistance": KeptClass(semimetrics.EditDistance),
    "ElasticDistance": KeptClass(semimetrics.ElasticDistance),
    "Embedding": KeptClass(Embedding),
    "Energy": KeptClass(semimetrics.Energy),
    "FeatureCentroids": KeptClass(centroids.FeatureCentroids),
    "Frame": KeptClass(Frame),
    "Gaussian": KeptClass(semimetrics.Gaussian),
    "GreatCircle": KeptClass(semimetrics.GreatCircle),
    "Hamming": KeptClass(semimetrics.Hamming, later=("_columns",)),
    "Hellinger": KeptClass(semimetrics.Hellinger),
    "Hierarchy": KeptClass(Hierarchy, check=sound.sound_hierarchy),
    "Intervals": KeptClass(Intervals, check=sound.sound_intervals),
    "Jaccard": KeptClass(semimetrics.Jaccard),
    "JensenShannon": KeptClass(semimetrics.JensenShannon),
    "KendallTau": KeptClass(semimetrics.KendallTau),
    "KeptDistances": KeptClass(KeptDistances, check=sound.sound_distances),
    "KeptRows": KeptClass(KeptRows, check=sound.sound_sample),
    "KernelSpace": KeptClass(KernelSpace),
    "Laplacian": KeptClass(semimetrics.Laplacian),
    "LineDistribution": KeptClass(LineDistribution),
    "Manhattan": KeptClass(semimetrics.Manhattan, later=("_columns",)),
    "Mixed": KeptClass(semimetrics.Mixed, later=("_kinds", "_settled")),
    "MixedColumn": KeptClass(MixedColumn),
    "NeighborTable": KeptClass(NeighborTable),
    "NystroemMap": KeptClass(NystroemMap),
    "Origin": KeptClass(Origin),
    "PairFunction": KeptClass(semimetrics.PairFunction),
    "PointSpace": KeptClass(PointSpace),
    "RowsToBlockMeans": KeptClass(centroids.RowsToBlockMeans),
    "RowsToCentroids": KeptClass(centroids.RowsToCentroids, check=sound.sound_rows),
    "RowsToMeans": KeptClass(centroids.RowsToMeans, check=sound.sound_rows),
    "RowsToSketchedCentroids": KeptClass(centroids.RowsToSketchedCentroids),
    "RowsToSparseMeans": KeptClass(centroids.RowsToSparseMeans, check=sound.sound_sparse_means),
    "Samples": KeptClass(semimetrics.Samples),
    "ScipyDistance": KeptClass(semimetrics.ScipyDistance),
    "SettledColumns": KeptClass(SettledColumns),
    "SineSquared": KeptClass(semimetrics.SineSquared),
    "Step": KeptClass(Step),
    "Tree": KeptClass(Tree, check=sound.sound_tree),
    "Violation": KeptClass(Violation),
}

_NAMES = {kept.cls: name for name, kept in KEPT.items()}
_ESTIMATOR_NAMES = {cls: name for name, cls in ESTIMATORS.items()}


def kept_name(value: object) -> str | None:
    """The name of the class of an object in files; None for one that files do not hold."""
    return _NAMES.get(type(value))


def estimator_name(model: object) -> str:
    """The name of an estimator in files; TypeError for a class of somebody else."""
    name = _ESTIMATOR_NAMES.get(type(model))
    if name is None:
        raise TypeError(
            f"{type(model).__name__} is not an estimator of kgroups, which a file could name; it "
            f"holds {', '.join(ESTIMATORS)}. A subclass of one of them cannot be kept."
        )
    return name
