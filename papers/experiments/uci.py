"""Tables of the UCI repository: Table II and Fig. 6 of dermatology, Table III and Fig. 7."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay

from kgroups.semimetrics import Energy, Laplacian
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import as_classes, figure
from papers.samples import Sample, agreement, mutual_information, standardized

_STARTS = 10
_AGES = {"imputed": "dermatology", "dropped": "dermatology"}
_DISEASES = ("psoriasis", "seborrheic dermatitis", "lichen planus", "pityriasis rosea",
             "chronic dermatitis", "pityriasis rubra pilaris")  # fmt: skip
_DRAWN = ("kgroups", "kkmeans", "spectral")


def prepared(missing: str, data: DataFolders) -> Sample:
    """Standardized columns; rows without an age are "dropped", or it is "imputed" by the mean."""
    table = data.table("dermatology")
    X, y = table.X, table.y
    if missing == "imputed":
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    is_whole = ~np.isnan(X).any(axis=1)
    return Sample(standardized(X[is_whole]), y[is_whole])


def optimum(G: Float64Array, rng: np.random.Generator) -> IntArray:
    """The partition of the largest Q that is known.

    Random labels reach it once in three, in seven without the rows: 120 starts miss it once in 10⁷.
    """
    k = len(_DISEASES)
    return methods.search(G, k, [rng.integers(k, size=len(G)) for _ in range(120)])


def draw_confusion(outcome: Outcome) -> Any:
    """Classes and clusters of the optimum, ages imputed."""
    X, y = prepared("imputed", outcome.data)
    found = optimum(methods.gram(X, Energy(0.5)), outcome.rng("fig6"))
    made, ax = figure()
    ConfusionMatrixDisplay.from_predictions(
        y, as_classes(y, found), display_labels=_DISEASES, ax=ax, cmap="Blues", xticks_rotation=90
    )
    ax.set(title="Fig. 6: dermatology, kernel k-groups with ρ½", xlabel="cluster", ylabel="class")
    return made


@experiment(
    "table2", cases={age: age for age in _AGES}, data=_AGES, runs=(100, 4), draw=draw_confusion
)
def run_dermatology(missing: str, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods once, each the best of its own starts."""
    (X, y), k = prepared(missing, data), len(_DISEASES)
    G, starts = methods.gram(X, Energy(0.5)), methods.plus_plus(X, k, rng, _STARTS)
    names = ("spectral_before", "spectral")
    labels = methods.compare(X, k, G, starts, rng, _STARTS, names)
    labels["kgroups_10"] = labels["kgroups"]
    labels["kgroups"] = optimum(G, rng)
    labels["default"] = methods.default(X, k, rng)
    labels["default_metric"] = methods.default(X, k, rng, Energy(0.5))
    return {key: agreement(y, found) for key, found in labels.items()}


class Part(NamedTuple):
    """What is taken of a table, and whether its columns are standardized."""

    table: str
    standardized: bool = True
    #: Rows drawn anew in each run, from all or from each class; None for all.
    n_rows: int | None = None
    of_each_class: bool = False
    #: Number of leading columns used; None for all.
    n_columns: int | None = None

    def rows(self, y: IntArray, rng: np.random.Generator) -> IntArray:
        """Rows that are drawn, in their order."""
        if self.n_rows is None:
            return np.arange(len(y))
        group = y if self.of_each_class else np.zeros_like(y)
        members = (np.flatnonzero(group == code) for code in np.unique(group))
        drawn = [rng.choice(rows, self.n_rows, replace=False) for rows in members]
        return np.sort(np.concatenate(drawn))


_PARTS = {
    "libras movement": Part("libras_movement"),
    "vehicle": Part("vehicle", standardized=False),
    "forest": Part("forest_type_mapping"),
    "covertype": Part("covertype_sample", n_rows=200, of_each_class=True),
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


def draw_spread(outcome: Outcome) -> Any:
    """How runs from single starts are spread, one panel per data set; ◇ is published."""
    n_rows = -(-len(outcome.cases) // 6)
    made, axes = figure(6, (2.05, 1.9), n_rows, squeeze=False)
    for ax, case in zip(axes.flat, outcome.cases, strict=False):
        ax.violinplot([outcome.values[case, key, "nmi"] for key in _DRAWN], showmeans=True)
        known = [outcome.experiment.facts.numbers.get((case, key, "nmi")) for key in _DRAWN]
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
    draw=draw_spread,
)
def run_part(part: Part, rng: np.random.Generator, data: DataFolders) -> Scores:
    """The methods of the paper from single starts; k-groups and kernel k-means share theirs."""
    table = data.table(part.table)
    rows, k = part.rows(table.y, rng), len(table.classes)
    X, y = table.X[rows, : part.n_columns], table.y[rows]
    X = standardized(X) if part.standardized else X
    G, starts = methods.gram(X, Laplacian(2.0)), methods.plus_plus(X, k, rng, _STARTS)
    first, (before, today) = starts[:1], methods.spectral_rows(G, k, rng)
    labels = {
        "kkmeans": methods.search(G, k, first, methods.PRINTED),
        "kkmeans_online": methods.search(G, k, first, methods.ONLINE),
        "kkmeans_batch": methods.search(G, k, first, methods.BATCH),
        "spectral": methods.k_means(today, k, rng, 1),
        "spectral_before": methods.k_means(before, k, rng, 1),
        "spectral_10": methods.k_means(today, k, rng, _STARTS),
        "kgroups": methods.search(G, k, first),
        "kgroups_10": methods.search(G, k, starts),
        "default": methods.default(X, k, rng),
        "default_metric": methods.default(X, k, rng, Laplacian(2.0)),
    }
    return {key: {"nmi": mutual_information(y, found)} for key, found in labels.items()}
