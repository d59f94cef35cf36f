"""Tables of the UCI repository: Table III and Fig. 7."""

from functools import partial
from typing import NamedTuple

import numpy as np

from kgroups.semimetrics import Laplacian
from kgroups.typing import IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Method, Role, Scores, experiment
from papers.plots import draw_violins
from papers.samples import mutual_information, standardized

_METRIC = Laplacian(2.0)
_STARTS = 10
_COLORS = {"kgroups": "#D55E00", "kkmeans": "#0072B2", "spectral": "#009E73"}


class Part(NamedTuple):
    """What is taken of a table, and whether its columns are standardized."""

    table: str
    standardized: bool = True
    #: Rows drawn anew in each run: a number of all rows, or of each class.
    n_rows: int | None = None
    n_rows_of_class: int | None = None
    #: Number of leading columns used; None for all.
    n_columns: int | None = None

    def rows(self, y: IntArray, rng: np.random.Generator) -> IntArray:
        """Rows that are drawn, in their order."""
        if self.n_rows is not None:
            return np.sort(rng.choice(len(y), self.n_rows, replace=False))
        if self.n_rows_of_class is None:
            return np.arange(len(y))
        members = (np.flatnonzero(y == code) for code in np.unique(y))
        drawn = [rng.choice(m, self.n_rows_of_class, replace=False) for m in members]
        return np.sort(np.concatenate(drawn))


_PARTS = {
    "libras movement": Part("libras_movement"),
    "vehicle": Part("vehicle", standardized=False),
    "forest": Part("forest_type_mapping"),
    "covertype": Part("covertype_sample", n_rows_of_class=200),
    "segmentation": Part("image_segmentation"),
    "wine": Part("wine"),
    "synthetic control": Part("synthetic_control"),
    "fertility": Part("fertility", standardized=False),
    "glass": Part("glass", standardized=False),
    "ionosphere": Part("ionosphere", standardized=False),
    "epileptic": Part("epileptic_seizure_sample", n_rows=2000),
    "anuran": Part("anuran_calls_mfcc", n_rows=2000),
    "gene expression": Part("gene_expression", n_columns=200),
    "pendigits": Part("pendigits", n_rows=2000),
    "seeds": Part("seeds"),
    "spect heart": Part("spect_heart", standardized=False),
    "iris": Part("iris", standardized=False),
    "contraceptive": Part("cmc"),
}


@experiment(
    "table3",
    "Data sets of the UCI repository",
    source="[FRV] Table III and Fig. 7",
    about="All methods with ρ̃₂, whether it suits a data set or not, from a single start by "
    "k-means++; vehicle, fertility, glass, ionosphere, spect heart and iris as they are, columns "
    "of the others standardized.",
    cases=_PARTS,
    data={key: part.table for key, part in _PARTS.items()},
    quick_cases=("wine", "fertility", "glass", "seeds", "iris"),
    methods=(
        Method("kkmeans", "kernel k-means, as printed"),
        Method("kkmeans_online", "kernel k-means, corrected, point by point", Role.CORRECTED),
        Method("kkmeans_batch", "kernel k-means, corrected, all points at once", Role.CORRECTED),
        Method("spectral", "spectral, rows over √degree, one start", Role.INFERRED),
        Method("spectral_before", "spectral, rows times √degree, one start", Role.BEYOND),
        Method("spectral_10", "spectral, rows over √degree, best of 10 starts", Role.BEYOND),
        Method("kgroups", "kernel k-groups ρ̃₂"),
        Method("kgroups_10", "kernel k-groups ρ̃₂, best of 10 starts", Role.BEYOND),
        Method("default", "kgroups' defaults", Role.DEFAULT),
        Method("default_metric", "kgroups' defaults with ρ̃₂", Role.DEFAULT),
    ),
    runs=100,
    quick_runs=10,
    measures=("nmi",),
    axis="data set",
    other_names=("fig7",),
    draw=partial(draw_violins, colors=_COLORS, title="Fig. 7: NMI of runs from single starts, ρ̃₂"),
)
def run(part: Part, rng: np.random.Generator, data: DataFolders) -> Scores:
    """The methods of the paper from single starts; k-groups and kernel k-means share theirs."""
    table = data.table(part.table)
    rows, k = part.rows(table.y, rng), table.n_clusters
    X, y = table.X[rows, : part.n_columns], table.y[rows]
    X = standardized(X) if part.standardized else X
    kernel, starts = methods.Kernel.of(X, _METRIC), methods.plus_plus(X, k, rng, _STARTS)
    first, (before, today) = starts[:1], methods.spectral_rows(kernel.matrix, k, rng)
    labels = {
        "kkmeans": kernel.k_means(k, first),
        "kkmeans_online": kernel.k_means(k, first, methods.ONLINE),
        "kkmeans_batch": kernel.k_means(k, first, methods.BATCH),
        "spectral": methods.k_means(today, k, rng, 1),
        "spectral_before": methods.k_means(before, k, rng, 1),
        "spectral_10": methods.k_means(today, k, rng, _STARTS),
        "kgroups": kernel.k_groups(k, first),
        "kgroups_10": kernel.k_groups(k, starts),
        "default": methods.default(X, k, rng),
        "default_metric": methods.default(X, k, rng, _METRIC),
    }
    return {key: {"nmi": mutual_information(y, found)} for key, found in labels.items()}
