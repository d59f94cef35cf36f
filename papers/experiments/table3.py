"""Tables of the UCI repository: Table III and Fig. 7."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.semimetrics import Laplacian
from kgroups.typing import IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import figure
from papers.samples import mutual_information, standardized

_METRIC = Laplacian(2.0)
_STARTS = 10
_DRAWN = ("kgroups", "kkmeans", "spectral")


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


def draw(outcome: Outcome) -> Any:
    """How runs from single starts are spread, one panel per data set; ◇ is published."""
    n_rows = -(-len(outcome.cases) // 6)
    made, axes = figure(6, (2.05, 1.9), n_rows, squeeze=False)
    for ax, case in zip(axes.flat, outcome.cases, strict=False):
        ax.violinplot([outcome.values[case, key, "nmi"] for key in _DRAWN], showmeans=True)
        known = [outcome.published(case, key) for key in _DRAWN]
        ax.plot(range(1, 4), [number and number.value for number in known], "D", mfc="none")
        ax.set_title(case)
        ax.set_xticks(range(1, 4), _DRAWN)
    made.suptitle("Fig. 7: NMI of runs from single starts, ρ̃₂")
    return made


@experiment(
    "table3",
    cases=_PARTS,
    data={key: part.table for key, part in _PARTS.items()},
    quick_cases=("wine", "fertility", "glass", "seeds", "iris"),
    runs=(100, 10),
    draw=draw,
)
def run(part: Part, rng: np.random.Generator, data: DataFolders) -> Scores:
    """The methods of the paper from single starts; k-groups and kernel k-means share theirs."""
    table = data.table(part.table)
    rows, k = part.rows(table.y, rng), len(table.classes)
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
