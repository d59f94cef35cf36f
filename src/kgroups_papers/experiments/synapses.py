"""What Fig. 5 of the earlier version did with synapses, on data made up in their place."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from kgroups.select import eigengap, laplacian_spectrum
from kgroups.semimetrics import Energy, Gaussian, Semimetric
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.experiments.shapes import as_classes
from kgroups_papers.figures.curves import figure
from kgroups_papers.figures.heat import draw_gaps, draw_heat
from kgroups_papers.figures.scatter import draw_points
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import Sample
from kgroups_papers.recipes.tables import agreement, standardized
from kgroups_papers.role import Role
from kgroups_papers.types import Float64Array, IntArray, Scores

# As many rows and columns as the synapses have.
_N, _MARKERS = 1025, 11
_SHARES = (0.22, 0.20, 0.18, 0.16, 0.13, 0.11)
# Deviations of the logarithms: of a row as a whole, and of each marker by itself.
_STAINING, _NOISE = 0.05, 0.3
_MOST = 10
_STARTS = 10
_METRICS: dict[str, Semimetric] = {"kgroups": Energy(), "kgroups_gaussian": Gaussian(2.0)}
_SYMBOLS = {"kgroups": "ρ₁", "kgroups_gaussian": "ρ̂₂"}
_DEFAULTS = {"kgroups": "default", "kgroups_gaussian": "default_metric"}


def intensities(rng: np.random.Generator) -> Sample:
    """11 markers at 1,025 places of six kinds.

    Logarithms are normal. The first five kinds raise two markers each by 1, the last one a single
    one; a row is brighter or darker as a whole.
    """
    y = rng.choice(len(_SHARES), size=_N, p=_SHARES)
    raised = np.arange(_MARKERS) // 2 == np.arange(len(_SHARES))[:, None]
    staining = _STAINING * rng.standard_normal((_N, 1))
    logarithms = raised[y] + staining + _NOISE * rng.standard_normal((_N, _MARKERS))
    return Sample(np.exp(logarithms), y)


def stand_in(rng: np.random.Generator) -> Sample:
    """Intensities whose columns are standardized, as the paper's were."""
    X, y = intensities(rng)
    return Sample(standardized(X), y)


def eigengaps(kernel: methods.Kernel) -> Float64Array:
    """λ_{k+1} − λ_k of I − D⁻¹G for k = 1, …, 10: the paper's, with the origin of G at x₀ = 0."""
    return np.diff(laplacian_spectrum(kernel.matrix.copy(), _MOST + 1))


def peak(gaps: Float64Array) -> int:
    """The k ≥ 2 of the largest gap."""
    return 2 + int(np.argmax(gaps[1:]))


def divided(kernel: methods.Kernel, X: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """K-groups as the paper ran it."""
    return kernel.k_groups(k, methods.plus_plus(X, k, rng, _STARTS))


def run(parameters: None, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Find k, then the clusters, for both metrics."""
    X, y = stand_in(rng)
    scores: dict[str, dict[str, float]] = {}
    for key, metric in _METRICS.items():
        kernel = methods.Kernel.of(X, metric)
        k = peak(eigengaps(kernel))
        scores[key] = {"k": k, **agreement(y, divided(kernel, X, k, rng))}
        k = eigengap(X, range(1, _MOST + 1), metric=metric, n_jobs=1).n_clusters
        found = methods.default(X, k, rng, metric)
        scores[_DEFAULTS[key]] = {"k": k, **agreement(y, found)}
    return scores


def draw(outcome: Outcome) -> Any:
    """The five panels of the figure, of one sample."""
    rng = outcome.rng("picture")
    X, y = stand_in(rng)
    made, axes = figure(5, size=(3.7, 3.9))
    plane = PCA(2, random_state=0).fit_transform(X)
    gaps, chosen = {}, {}
    for place, (key, metric) in enumerate(_METRICS.items()):
        kernel, name = methods.Kernel.of(X, metric), _SYMBOLS[key]
        gaps[name] = eigengaps(kernel)
        chosen[name] = peak(gaps[name])
        labels = as_classes(y, divided(kernel, X, chosen[name], rng))
        means = np.array([X[labels == j].mean(axis=0) for j in np.unique(labels)])
        features = [f"marker {1 + j}" for j in range(_MARKERS)]
        draw_heat(axes[1 + 2 * place], means, features, title=f"Means of clusters, {name}")
        draw_points(axes[2 + 2 * place], plane, labels, title=f"Clusters, {name}", axes=_COMPONENTS)
    draw_gaps(axes[0], gaps, chosen)
    made.suptitle(_HEADING, fontsize=11)
    return made


_COMPONENTS = ("principal component 1", "principal component 2")
_HEADING = "Fig. 5 of [FRV-a] on a stand-in: the synapse data are not public"

ICML_FIG_5 = Experiment(
    name="icml-fig5",
    title="How many kinds of synapses: the procedure, on a stand-in for data that are not public",
    source="[FRV-a] Fig. 5 and section 5.2",
    about=(
        "k by the gaps between eigenvalues of the random walk on the kernel, then k-groups with ρ₁ "
        "and ρ̂₂, best of 10 starts by k-means++. The synapses are not public. In their place "
        "stand 1,025 rows of 11 correlated lognormal markers of six kinds, made anew for each "
        "run and standardized."
    ),
    cases=(Case(key="stand-in", parameters=None),),
    methods=(
        Method(key="kgroups", title="kernel k-groups ρ₁, k by eigengaps"),
        Method(key="kgroups_gaussian", title="kernel k-groups ρ̂₂, k by eigengaps"),
        Method(key="default", title="kgroups' eigengap and defaults", role=Role.DEFAULT),
        Method(key="default_metric", title="kgroups' eigengap and defaults, ρ̂₂", role=Role.DEFAULT),
    ),
    run=run,
    draw=draw,
    n_runs=20,
    quick_runs=3,
    measures=("accuracy", "adjusted_rand", "nmi", "k"),
    axis="data",
    notes=(
        "The paper finds k = 6 in the synapses. Ours cannot be compared with it: its six kinds "
        "are made up.",
        "Logarithms of the stand-in: five kinds raise two markers each by 1 and one kind a single "
        "one; normal noise of .3 for each marker and .05 for a row as a whole; shares "
        ".22, .20, .18, .16, .13, .11. Columns are standardized after exponentials are taken.",
        "The paper reads the first peak of the gaps by eye; ours is the highest gap after the "
        "first. Its kernel has its origin at x₀ = 0; that of kgroups.select.eigengap is the "
        "mean for ρ₁, and the exponential itself for ρ̂₂.",
        "A row that is brighter as a whole counts as one more direction: at .2 instead of .05 the "
        "highest gap is that after the seventh eigenvalue.",
    ),
)

PUBLISHED: tuple[Experiment, ...] = (ICML_FIG_5,)
