"""Tables of the UCI repository: Table III and Fig. 7."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.semimetrics import Laplacian
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.violins import Violin, draw_violins
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import Sample
from kgroups_papers.recipes.tables import mutual_information, standardized
from kgroups_papers.role import Role
from kgroups_papers.types import Float64Array, IntArray, Scores

_METRIC = Laplacian(2.0)
_STARTS = 10


@dataclass(frozen=True, kw_only=True)
class Part:
    """What is taken of a table, and whether its columns are standardized."""

    table: str
    standardized: bool = True
    #: Number of leading columns used; None for all.
    n_columns: int | None = None
    #: Rows drawn anew in each run: a number of all rows, or of each class.
    n_rows: int | None = None
    n_rows_of_class: int | None = None

    def rows(self, y: IntArray, rng: np.random.Generator) -> IntArray:
        """Rows that are drawn, in their order."""
        if self.n_rows is not None:
            return np.sort(rng.choice(len(y), self.n_rows, replace=False))
        if self.n_rows_of_class is None:
            return np.arange(len(y))
        members = (np.flatnonzero(y == code) for code in np.unique(y))
        drawn = [rng.choice(m, self.n_rows_of_class, replace=False) for m in members]
        return np.sort(np.concatenate(drawn))

    def sample(self, data: DataFolders, rng: np.random.Generator) -> Sample:
        """The rows of one run."""
        found = data.table(self.table)
        rows = self.rows(found.y, rng)
        X = found.X[rows, : self.n_columns]
        return Sample(standardized(X) if self.standardized else X, found.y[rows])


def spectral_rows(
    kernel: methods.Kernel, k: int, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    """Eigenvectors, also where the kernel is 0 between a row of zeros and all others."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected", UserWarning)
        return methods.spectral_rows(kernel.matrix, k, rng)


def run(part: Part, rng: np.random.Generator, data: DataFolders) -> Scores:
    """The methods of the paper from single starts; k-groups and kernel k-means share theirs."""
    X, y = part.sample(data, rng)
    k = data.table(part.table).n_clusters
    kernel, starts = methods.Kernel.of(X, _METRIC), methods.plus_plus(X, k, rng, _STARTS)
    first, (before, today) = starts[:1], spectral_rows(kernel, k, rng)
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


def draw(outcome: Outcome) -> Any:
    """The spread of all runs in each data set."""
    violins = (
        Violin("kgroups", "#D55E00"),
        Violin("kkmeans", "#0072B2"),
        Violin("spectral", "#009E73"),
    )
    return draw_violins(outcome, violins, title="Fig. 7: runs from single starts, ρ̃₂", y="NMI")


_PARTS = {
    "libras movement": Part(table="libras_movement"),
    "vehicle": Part(table="vehicle", standardized=False),
    "forest": Part(table="forest_type_mapping"),
    "covertype": Part(table="covertype_sample", n_rows_of_class=200),
    "segmentation": Part(table="image_segmentation"),
    "wine": Part(table="wine"),
    "synthetic control": Part(table="synthetic_control"),
    "fertility": Part(table="fertility", standardized=False),
    "glass": Part(table="glass", standardized=False),
    "ionosphere": Part(table="ionosphere", standardized=False),
    "epileptic": Part(table="epileptic_seizure_sample", n_rows=2000),
    "anuran": Part(table="anuran_calls_mfcc", n_rows=2000),
    "gene expression": Part(table="gene_expression", n_columns=200),
    "pendigits": Part(table="pendigits", n_rows=2000),
    "seeds": Part(table="seeds"),
    "spect heart": Part(table="spect_heart", standardized=False),
    "iris": Part(table="iris", standardized=False),
    "contraceptive": Part(table="cmc"),
}

TABLE_3 = Experiment(
    name="table3",
    other_names=("fig7",),
    title="Data sets of the UCI repository",
    source="[FRV] Table III and Fig. 7",
    about=(
        "All methods with ρ̃₂, whether it suits a data set or not, from a single start by "
        "k-means++; vehicle, fertility, glass, ionosphere, spect heart and iris as they are, "
        "columns of the others standardized."
    ),
    cases=tuple(Case(key=key, parameters=part, data=part.table) for key, part in _PARTS.items()),
    quick_cases=("wine", "fertility", "glass", "seeds", "iris"),
    methods=(
        Method(key="kkmeans", title="kernel k-means, as printed"),
        Method(
            key="kkmeans_online",
            title="kernel k-means, corrected, point by point",
            role=Role.CORRECTED,
        ),
        Method(
            key="kkmeans_batch",
            title="kernel k-means, corrected, all points at once",
            role=Role.CORRECTED,
        ),
        Method(key="spectral", title="spectral, rows over √degree, one start", role=Role.INFERRED),
        Method(
            key="spectral_before",
            title="spectral, rows times √degree, one start",
            role=Role.BEYOND,
        ),
        Method(
            key="spectral_10",
            title="spectral, rows over √degree, best of 10 starts",
            role=Role.BEYOND,
        ),
        Method(key="kgroups", title="kernel k-groups ρ̃₂"),
        Method(key="kgroups_10", title="kernel k-groups ρ̃₂, best of 10 starts", role=Role.BEYOND),
        Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
        Method(key="default_metric", title="kgroups' defaults with ρ̃₂", role=Role.DEFAULT),
    ),
    run=run,
    draw=draw,
    n_runs=100,
    quick_runs=10,
    measures=("nmi",),
    axis="data set",
    notes=(
        "Spectral clustering matches with one start of its k-means and rows over √degree; with "
        "scikit-learn's ten starts it does not (wine .862, synthetic control .746).",
        "NMI is mutual information over the geometric mean of the entropies, as the numbers for "
        "vehicle show.",
        "Kernel k-means as printed lacks (𝒲G𝒲)ᵢᵢ in lines 12 and 13 of Algorithm 1; with few "
        "clusters it matters little.",
        "covertype, epileptic, anuran and pendigits: each run draws its own rows, while all "
        "published runs had the same; their error is taken to be the spread of our runs.",
        "epileptic: in one of eight starts by k-means++ all seeds but one are outliers; kernel "
        "k-means stays there (NMI .03), k-groups does not.",
        "ionosphere has 34 columns, of which one is constant; the paper prints 3.",
        "gene expression takes the first 200 columns, as the paper does.",
    ),
)

PUBLISHED: tuple[Experiment, ...] = (TABLE_3,)
DRAFT: tuple[Experiment, ...] = ()
