"""The scenes of ``kgroups demo``: data with a known answer, rival methods, a lesson, a panel."""

from __future__ import annotations

import string
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.graphs import GraphKGroups, stochastic_block_model
from kgroups.metrics import contingency
from kgroups.plots.style import INK, SMALL, bare, cluster_colors, tidy
from kgroups.typing import IntArray

Problem = tuple[Any, IntArray]
Method = Callable[[Any], Any]


@dataclass(frozen=True)
class Scene:
    """A scene that was played: its rows of the table, why who wins, and its panel."""

    name: str
    lesson: str
    results: list[dict[str, Any]]
    draw: Callable[[Any], None] | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def _judged(
    data: str, problems: Sequence[Problem], methods: dict[str, Method], threads: int | None = 1
) -> tuple[list[dict[str, Any]], list[IntArray]]:
    """Scores and mean seconds of each method, and its labels of the first problem."""
    results, first, truth = [], [], [y for _, y in problems]
    for name, method in methods.items():
        begun = time.perf_counter()
        # On tables this small, threads wait for each other longer than they compute.
        with threadpool_limits(threads):
            found = [np.asarray(method(X)) for X, _ in problems]
        seconds = time.perf_counter() - begun
        ari = list(map(float, map(adjusted_rand_score, truth, found)))
        results.append({
            "data": data, "n_samples": len(truth[0]), "n_classes": len(np.unique(truth[0])),
            "method": name, "n_clusters": [len(np.unique(f)) for f in found],
            "ari": ari, "mean_ari": float(np.mean(ari)), "seconds": seconds / len(problems),
        })  # fmt: skip
        first.append(found[0])
    return results, first


def _k_groups(k: int, example: Any, **parameters: Any) -> Method:
    """A fit of kgroups, after a first one on an example, which compiles and loads."""

    def labels(X: Any) -> IntArray:
        """Those of a new model."""
        model = KernelKGroups(k, **{"random_state": 0, "n_jobs": 1, **parameters})
        return np.asarray(model.fit(X).labels_)

    labels(example)
    return labels


def _k_means(k: int) -> Any:
    return KMeans(k, n_init=10, random_state=0).fit_predict


# --- heavy tails -----------------------------------------------------------------------------


def heavy_tails() -> Scene:
    """Four groups, of which a few rows lie very far out."""
    corners = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])
    problems = []
    for seed in range(5):
        X, y = np.random.default_rng(seed).standard_t(2.0, size=(800, 5)), np.arange(800) % 4
        X[:, :2] += corners[y]
        problems.append((X, y))
    rows = problems[0][0]
    results, (ours, theirs, _) = _judged(
        "heavy tails",
        problems,
        {
            "kgroups": _k_groups(4, rows),
            "k-means": _k_means(4),
            "Gaussian mixture": GaussianMixture(4, random_state=0).fit_predict,
        },
    )

    def draw(ax: Any) -> None:
        """The first two columns, with the centers of k-means."""
        X = rows[:, :2]
        low, high = np.quantile(X, [0.01, 0.99], axis=0) + np.array([[-1.0], [1.0]])
        centers = np.clip([X[theirs == j].mean(axis=0) for j in range(4)], low, high)
        ax.scatter(*X.T, s=9, c=cluster_colors(4)[ours], linewidths=0, alpha=0.8)
        ax.scatter(*centers.T, s=90, marker="X", c="white", edgecolors=INK, clip_on=False,
                   zorder=3, label="centers of k-means, some of them farther out")  # fmt: skip
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.legend(loc="upper right", fontsize=SMALL)
        tidy(ax, title="Heavy tails: where k-means looks", x="column 1", y="column 2")

    lesson = (
        "Heavy tails: four groups in 5 columns with Student-t noise (2 degrees of freedom), so "
        "that some rows lie very far out. k-means and the mixture spend clusters on them, because "
        "squares of distances count most; kgroups counts distances, not squares."
    )
    return Scene("heavy_tails", lesson, results, draw)


# --- customers -------------------------------------------------------------------------------

_KINDS = ("students", "families", "businesses", "retired")
_CHOICES = {
    "plan": (("basic", "family", "business", "none"), ((0.7, 0.05, 0.05, 0.2), (0.1, 0.7, 0.1, 0.1),
             (0.1, 0.1, 0.7, 0.1), (0.5, 0.1, 0.0, 0.4))),
    "channel": (("app", "web", "shop", "phone"), ((0.75, 0.15, 0.1, 0.0), (0.4, 0.4, 0.15, 0.05),
                (0.15, 0.7, 0.05, 0.1), (0.05, 0.1, 0.6, 0.25))),
}  # fmt: skip


def customers_drawn(seed: int) -> Problem:
    """A table of four kinds of customers, with gaps in a fifth of all fields."""
    rng, kind = np.random.default_rng(seed), np.arange(600) % 4
    age, spend, visits, since = np.array(
        [(24, 41, 46, 68), (3.2, 4.6, 4.2, 3.9), (9, 5, 2, 5), (2_900, 1_800, 2_300, 700)]
    )[:, kind]
    days = (since + rng.normal(0, 330, 600)).astype(int)
    frame = pd.DataFrame({
        "age": np.round(age + rng.normal(0, 6, 600)),
        "spend": np.round(np.exp(spend + rng.normal(0, 0.6, 600)), 2),
        "visits": rng.poisson(visits).astype(float),
        **{name: [rng.choice(values, p=shares[j]) for j in kind]
           for name, (values, shares) in _CHOICES.items()},
        "since": (np.datetime64("2016-01-01") + days).astype("datetime64[ns]"),
    })  # fmt: skip
    return frame.mask(rng.random(frame.shape) < 0.2), kind


def _k_means_imputed(frame: pd.DataFrame) -> Any:
    """The usual way: medians and most frequent categories in the gaps, then one-hot columns."""
    numbers = frame.drop(columns=list(_CHOICES))
    numbers["since"] = (numbers["since"] - pd.Timestamp("2016-01-01")).dt.days
    numbers = numbers.fillna(numbers.median())
    categories = frame[list(_CHOICES)]
    one_hot = pd.get_dummies(categories.fillna(categories.mode().iloc[0]), dtype=float)
    scaled = (numbers - numbers.mean()) / numbers.std(ddof=0)
    return _k_means(4)(pd.concat([scaled, one_hot], axis=1))


def customers() -> Scene:
    """Numbers, categories and a date, of which a fifth is missing."""
    problems = [customers_drawn(seed) for seed in range(5)]
    frame, y = problems[0]
    results, first = _judged(
        "customers",
        problems,
        {"kgroups": _k_groups(4, frame, metric="mixed"), "k-means, imputed": _k_means_imputed},
    )

    def draw(ax: Any) -> None:
        """For each method, the share of each kind of customers in each cluster."""
        image = np.full((4, 9), np.nan)
        for start, result, labels in zip((0, 5), results, first, strict=True):
            counts = contingency(y, labels)
            order = linear_sum_assignment(counts, maximize=True)[1]
            image[:, start : start + 4] = counts[:, order] / counts.sum(axis=1, keepdims=True)
            ax.text(start + 1.5, 3.65, result["method"], ha="center", va="top", fontsize=SMALL + 1)
        for (row, column), share in np.ndenumerate(image):
            ax.text(column, row, "" if np.isnan(share) else f"{share:.0%}", ha="center",
                    va="center", fontsize=SMALL - 1, color="white" if share > 0.5 else "black",
                    )  # fmt: skip
        ax.imshow(image, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        bare(ax, "Customers with gaps: share of each kind by cluster")
        ax.set_yticks(range(4), _KINDS, fontsize=SMALL)

    lesson = (
        "Customers: made-up rows of numbers, categories and a date, a fifth of the entries empty. "
        "k-means needs medians in the gaps and columns of 0 and 1 for categories, which pull rows "
        "together that have nothing in common; for kgroups a gap is the distribution of its column."
    )
    return Scene("customers", lesson, results, draw)


# --- network ---------------------------------------------------------------------------------


def _louvain(A: Any) -> IntArray:
    import networkx as nx

    found = nx.community.louvain_communities(nx.from_scipy_sparse_array(A), seed=0)
    labels = np.empty(A.shape[0], np.int64)
    for community, nodes in enumerate(found):
        labels[list(nodes)] = community
    return labels


def network() -> Scene:
    """A network near the limit below which communities cannot be found, and one without any."""

    def problem(seed: int, n: int = 800, k: int = 4) -> Problem:
        """Nodes of degree 12 in so many communities of one size."""
        A, y = stochastic_block_model(n, k, 12.0, 1.6, random_state=seed)
        return A, np.asarray(y)

    model = GraphKGroups(random_state=0, n_jobs=1)
    for k in (4, 1):
        model.fit(problem(0, 200, k)[0])  # compiles
    planted = problem(0)
    methods: dict[str, Method] = {"kgroups": model.fit_predict, "Louvain": _louvain}
    results, (labels, _) = _judged("network", [planted], methods)
    others, _ = _judged("random network", [problem(0, k=1)], methods)

    def draw(ax: Any) -> None:
        """The edges as dots, with nodes in the order of the communities found."""
        edges, place = planted[0].tocoo(), np.argsort(np.argsort(labels, kind="stable"))
        ax.scatter(place[edges.col], place[edges.row], s=0.6, c="#1F4E79", linewidths=0,
                   rasterized=True)  # fmt: skip
        ax.set(xlim=(0, 800), ylim=(800, 0), aspect="equal")
        bare(ax, f"Network: {labels.max() + 1} communities; each dot is an edge")

    lesson = (
        "Network: 800 nodes of degree 12 in four communities, near the limit below which nothing "
        "can be found; no method is given their number. Louvain maximizes modularity, which is "
        "high for divisions of pure chance, too: it divides the random network. kgroups finds one "
        "community, because no division shortens its description."
    )
    return Scene("network", lesson, [*results, *others], draw)


# --- the other three -------------------------------------------------------------------------

_FAMILIES = (
    "Martinez", "Martin", "Marin", "Morgan", "Johnson", "Jensen", "Johansson", "Schneider",
    "Snyder", "Petersen", "Peterson", "Anderson",
)  # fmt: skip


def _misspelled(word: str, rng: np.random.Generator) -> str:
    """Two errors: a letter more, less, another, or two that changed places."""
    for _ in range(2):
        at, letter = int(rng.integers(len(word))), string.ascii_lowercase[rng.integers(26)]
        before, here, after = word[:at], word[at], word[at + 1 :]
        ends = (letter + here + after, after, letter + after, after[:1] + here + after[1:])
        word = before + ends[rng.integers(4)]
    return word


def misspelled_names() -> Scene:
    """Family names with two typing errors, by edit distance."""
    y, problems = np.arange(300) % 12, []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problems.append(([_misspelled(_FAMILIES[j], rng) for j in y], y))

    def n_grams(words: Any) -> Any:
        """The usual way: n-grams of one to three letters, weighted by TF-IDF."""
        table = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3)).fit_transform(words)
        return _k_means(12)(table)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # the lesson has it
        ours = _k_groups(12, problems[0][0], metric="levenshtein")
        methods = {"kgroups": ours, "k-means, n-grams": n_grams}
        results, _ = _judged("misspelled names", problems, methods)
    lesson = (
        "Misspelled names: 12 family names, some alike, 25 times each with two typing errors. Two "
        "errors are two edits, but they change most n-grams of a short name, which k-means is "
        "given. An edit distance is not exactly of negative type: the labels are a local optimum "
        "all the same."
    )
    return Scene("misspelled_names", lesson, results)


def proof() -> Scene:
    """Many rows, and a proof that no single one can be moved to a better cluster."""
    rng, y = np.random.default_rng(0), np.arange(200_000) % 10
    X = (rng.normal(size=(10, 16))[y] + rng.normal(size=(len(y), 16))).astype(np.float32)
    model = KernelKGroups(10, random_state=0).fit(X[:60_000])  # loads and compiles
    k_means = KMeans(10, random_state=0)
    methods: dict[str, Method] = {"kgroups": model.fit_predict, "k-means": k_means.fit_predict}
    results, _ = _judged("many rows", [(X, y)], methods, threads=None)
    found: Any = model.certificate_
    lesson = (
        f"Many rows: 200,000 x 16, round clusters. kgroups proves of {len(y) - found.n_open:,} "
        "rows that moving any single one of them does not tighten the clusters, from "
        f"{found.n_pairs / found.n_pairs_full:.1%} of all distances. k-means finds the same "
        f"clusters {results[0]['seconds'] / results[1]['seconds']:.0f} times as fast, without a "
        "proof: use it where clusters are round."
    )
    facts = {
        "n_proved": len(y) - found.n_open, "n_pairs": found.n_pairs,
        "n_pairs_full": found.n_pairs_full,
    }  # fmt: skip
    return Scene("proof", lesson, results, facts=facts)


def flowers() -> Scene:
    """Iris, where a Gaussian mixture wins."""
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    results, _ = _judged(
        "iris",
        [(X, y)],
        {
            "kgroups": _k_groups(3, X),
            "k-means": _k_means(3),
            "Gaussian mixture": GaussianMixture(3, n_init=10, random_state=0).fit_predict,
        },
    )
    lesson = (
        "Iris: 150 flowers of three species, columns standardized. The Gaussian mixture wins, "
        "because two of the species are elongated and touch along their long sides: it fits the "
        "shape of each cluster, kgroups and k-means do not. Use a mixture for such data."
    )
    return Scene("flowers", lesson, results)
