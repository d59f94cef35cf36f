"""Customers: numbers, categories and a date, of which a fifth is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.metrics import contingency
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "customers"
_KINDS = ("students", "families", "businesses", "retired")
_NAMES = ("age", "spend", "visits", "plan", "channel", "since")
_SAMPLES, _SEEDS, _MISSING = 600, 5, 0.2
_NUMBERS, _CATEGORIES, _DATE = (0, 1, 2), (3, 4), 5
# What is usual in each kind of customers, in the order of _KINDS.
_AGE, _LOG_SPEND, _VISITS = (24, 41, 46, 68), (3.2, 4.6, 4.2, 3.9), (9, 5, 2, 5)
_PLANS = ("basic", "family", "business", "none")
_SHARES_OF_PLANS = (
    (0.7, 0.05, 0.05, 0.2), (0.1, 0.7, 0.1, 0.1), (0.1, 0.1, 0.7, 0.1), (0.5, 0.1, 0.0, 0.4),
)  # fmt: skip
_CHANNELS = ("app", "web", "shop", "phone")
_SHARES_OF_CHANNELS = (
    (0.75, 0.15, 0.1, 0.0), (0.4, 0.4, 0.15, 0.05), (0.15, 0.7, 0.05, 0.1), (0.05, 0.1, 0.6, 0.25),
)  # fmt: skip
_DAYS_SINCE_2016 = (2_900, 1_800, 2_300, 700)
_LESSON = (
    "Customers: made-up rows of numbers, categories and a date, a fifth of the entries empty. "
    "k-means needs medians in the gaps and columns of 0 and 1 for categories, which pull rows "
    "together that have nothing in common; for kgroups a gap is the distribution of its column."
)


def prepare() -> None:
    """Load what will be timed."""
    k_groups(problem(0).X)


def play() -> Played:
    """The methods on tables drawn with different seeds."""
    problems = [problem(seed) for seed in range(_SEEDS)]
    methods = {KGROUPS: k_groups, "k-means, imputed": k_means}
    outcomes, labels = judged(_DATA, problems, methods)
    tables = {name: _shares(problems[0].y, found) for name, found in labels.items()}
    return Played(outcomes, _LESSON, shown={"tables": tables})


def problem(seed: int) -> Problem:
    """Rows of four kinds of customers, with gaps at random."""
    rng = np.random.default_rng(seed)
    kind = np.arange(_SAMPLES) % len(_KINDS)
    days = np.array(_DAYS_SINCE_2016)[kind] + rng.normal(0, 330, _SAMPLES).astype(int)
    X = np.empty((_SAMPLES, len(_NAMES)), object)
    X[:, 0] = np.round(np.array(_AGE)[kind] + rng.normal(0, 6, _SAMPLES))
    X[:, 1] = np.round(np.exp(np.array(_LOG_SPEND)[kind] + rng.normal(0, 0.6, _SAMPLES)), 2)
    X[:, 2] = rng.poisson(np.array(_VISITS)[kind]).astype(float)
    X[:, 3] = [rng.choice(_PLANS, p=_SHARES_OF_PLANS[j]).item() for j in kind]
    X[:, 4] = [rng.choice(_CHANNELS, p=_SHARES_OF_CHANNELS[j]).item() for j in kind]
    X[:, 5] = (np.datetime64("2016-01-01") + days).astype(object)
    X[rng.random(X.shape) < _MISSING] = None
    return Problem(X, kind)


def k_groups(X: Any) -> IntArray:
    """The table as it is."""
    return np.asarray(fitted(X).labels_)


def fitted(X: Any) -> KernelKGroups:
    """The model of the scene and of its report."""
    return KernelKGroups(len(_KINDS), metric="mixed", random_state=0, n_jobs=1).fit(X)


def k_means(X: Any) -> IntArray:
    """The usual way: medians and most frequent categories in the gaps, then one-hot columns."""
    numbers = np.column_stack([_floats(X[:, c]) for c in _NUMBERS] + [_days(X[:, _DATE])])
    filled = SimpleImputer(strategy="median").fit_transform(numbers)
    most_frequent = SimpleImputer(strategy="most_frequent", missing_values=None)
    categories = most_frequent.fit_transform(X[:, _CATEGORIES])
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(categories)
    table = np.hstack([StandardScaler().fit_transform(filled), one_hot])
    return np.asarray(KMeans(len(_KINDS), n_init=10, random_state=0).fit_predict(table))


def _floats(column: NDArray[Any]) -> Float64Array:
    return np.array([np.nan if value is None else value for value in column], np.float64)


def _days(column: NDArray[Any]) -> Float64Array:
    return _floats(np.array([None if day is None else day.toordinal() for day in column], object))


def _shares(y: IntArray, labels: IntArray) -> Float64Array:
    """Shares of each kind by cluster, with clusters in the order that agrees best."""
    from scipy.optimize import linear_sum_assignment

    counts = contingency(y, labels).astype(np.float64)
    order = linear_sum_assignment(counts, maximize=True)[1]
    return np.asarray(counts[:, order] / counts.sum(axis=1, keepdims=True))


def page(command: str) -> bytes:
    """The report of one table of the scene, as a file of HTML."""
    from kgroups.answers.profiles import Grouping
    from kgroups.pages.cluster_page import cluster_page
    from kgroups.pages.data_digest import data_digest
    from kgroups.pages.described_rows import DescribedRows
    from kgroups.report import ClusterReport, RunRecord

    X = problem(0).X
    model = fitted(X)
    missing = {_NAMES[c]: count for c, count in enumerate(_gaps(X)) if count}
    source = "customers made up for the demo"
    report = ClusterReport.of(model, X, source=source, n_missing=missing)
    data = {"source": source, "n_rows": len(X), "sha256": data_digest(X)}
    run = RunRecord(command=command, settings=report.settings, data=data)
    groups = Grouping(model.labels_, np.ones(len(X)), report.n_clusters)
    described = DescribedRows.of_table(X, groups, _NAMES)
    return cluster_page(model, X, report, run, described=described, feature_names=_NAMES).to_bytes()


def _gaps(X: NDArray[Any]) -> list[int]:
    return [int(sum(value is None for value in column)) for column in X.T]


def draw(ax: Axes, played: Played) -> None:
    """For each method, the share of each kind of customers in each cluster."""
    from kgroups.plots.style import SMALL, bare

    k = len(_KINDS)
    image = np.full((k, 2 * k + 1), np.nan)
    for place, (name, table) in enumerate(played.shown["tables"].items()):
        first = place * (k + 1)
        image[:, first : first + k] = table
        ax.text(first + (k - 1) / 2, k - 0.35, name, ha="center", va="top", fontsize=SMALL + 1)
        for (row, column), share in np.ndenumerate(table):
            ink = "white" if share > 0.5 else "black"
            ax.text(first + column, row, f"{share:.0%}", ha="center", va="center",
                    fontsize=SMALL - 1, color=ink)  # fmt: skip
    ax.imshow(image, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    bare(ax, "Customers with gaps: share of each kind by cluster")
    ax.set_yticks(range(k), _KINDS, fontsize=SMALL)
