"""``kgroups demo``: data in which the answer is known, as a table, a picture and a report."""

from __future__ import annotations

import json
import shlex
import string
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from kgroups.cli.console import Console, in_words, say, show
from kgroups.cli.output import check_destinations, picture_bytes, write_together
from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.graphs import GraphKGroups, stochastic_block_model
from kgroups.layout import Command, Table
from kgroups.runtime.show_versions import versions
from kgroups.typing import IntArray
from kgroups.version import __version__

Problem = tuple[Any, IntArray]
Method = Callable[[Any], Any]
#: What the demo suggests.
NEXT = "kgroups cluster your-data.csv -k 3 --standardize -o labels.csv --report report.html"
_LEGEND = (
    "n rows, k groups known, and how many were found. ARI: agreement with the known groups, 1 is "
    "perfect and 0 is chance; the mean over several data sets where data are drawn at random.",
    "Seconds of one fit, after compiling, on one thread; those of many rows on all threads.",
)


@dataclass(frozen=True)
class Scene:
    """A scene that was played: its rows of the table, and why who wins."""

    name: str
    lesson: str
    results: list[dict[str, Any]]
    facts: dict[str, Any] = field(default_factory=dict)


def demo(options: Namespace, console: Console) -> None:
    """Run ``kgroups demo``; files are written before the table is printed."""
    picture: Path = options.output or Path("kgroups-demo.png")
    report = picture.with_suffix(".html")
    check_destinations({"picture": picture, "--report": report}, [])
    scenes = []
    for play in SCENES if options.all else SCENES[:3]:
        console.status(f"clustering {play.__name__.replace('_', ' ')}")
        scenes.append(play())
    console.status("drawing, and writing the report")
    results = [result for scene in scenes for result in scene.results]
    write_together({picture: lambda: _drawn(results, picture.suffix), report: _page})
    console.clear()
    if options.json:
        found = {
            "schema": "kgroups.demo/2",
            "kgroups_version": __version__,
            "versions": versions(),
            "command": shlex.join(["kgroups", *options.arguments]),
            "about": " ".join(_LEGEND),
            "scenes": list(map(vars, scenes)),
            "left_out": {},
            "picture": str(picture),
            "report": str(report),
        }
        say(json.dumps(found, allow_nan=False))
        return
    more = [] if options.all else ["Three more scenes: kgroups demo --all"]
    files = in_words({"Picture": picture, "Report of the customers, for a browser,": report})
    last: Any = [*files, *more, Command(NEXT, "Next, try your own data:")]
    show([_table(results)], _LEGEND, *([scene.lesson] for scene in scenes), last)


def _table(results: Sequence[dict[str, Any]]) -> Table:
    rows = [["data", "n", "k", "method", "found", "ARI", "seconds"]]
    for result in results:
        least, most = min(result["n_clusters"]), max(result["n_clusters"])
        rows.append([
            result["data"], f"{result['n_samples']:,}", str(result["n_classes"]), result["method"],
            str(least) if least == most else f"{least}-{most}", f"{result['mean_ari']:.2f}",
            f"{result['seconds']:.2f}",
        ])  # fmt: skip
    return Table(rows, left=[0, 3], keys=[0, 3])


def _drawn(results: Sequence[dict[str, Any]], suffix: str) -> bytes:
    """A bar for each method, by data, with a dot for each data set."""
    from kgroups.plots.style import INK, SMALL, blank, cluster_colors, tidy

    figure, by_data = (
        blank(8.0, 1.2 + 0.3 * len(results)),
        pd.DataFrame(results).groupby("data", sort=False),
    )
    panels = figure.subplots(
        len(by_data), sharex=True, squeeze=False, height_ratios=[*by_data.size()]
    )
    blue, gray = cluster_colors(1)[0], "#C4C4C4"
    for ax, (data, some) in zip(panels[:, 0], by_data, strict=True):
        colors = [blue if name == "kgroups" else gray for name in some["method"]]
        ax.barh(some["method"], some["mean_ari"], color=colors, height=0.7)
        for place, scores in enumerate(some["ari"]):
            ax.plot(scores, [place] * len(scores), "o", color=INK, markersize=2.5)
        ax.invert_yaxis()
        ax.set_xlim(-0.02, 1.02)
        tidy(ax, title=str(data).capitalize(), x="", y="")
    panels[-1, 0].set_xlabel("agreement with the known groups (ARI)", fontsize=SMALL)
    return picture_bytes(figure, suffix)


def _page() -> bytes:
    """The report of one table of customers."""
    frame, _ = customers_drawn(0)
    model = KernelKGroups(4, metric="mixed", random_state=0, n_jobs=1).fit(frame)
    return model.report(frame, source="customers made up for the demo").to_bytes()


# --- scenes ----------------------------------------------------------------------------------


def judged(
    data: str, problems: Sequence[Problem], methods: dict[str, Method], *, first: Any = None,
    threads: int | None = 1,
) -> list[dict[str, Any]]:  # fmt: skip
    """Scores and mean seconds of each method, on rows X with known groups y.

    The first method is run once before, on ``first`` or the first rows, to load and compile.
    """
    results, truth = [], [y for _, y in problems]
    # On tables this small, threads wait for each other longer than they compute.
    with threadpool_limits(threads):
        next(iter(methods.values()))(problems[0][0] if first is None else first)
        for name, method in methods.items():
            begun = time.perf_counter()
            found = [np.asarray(method(X)) for X, _ in problems]
            seconds = time.perf_counter() - begun
            ari = list(map(float, map(adjusted_rand_score, truth, found)))
            results.append({
                "data": data, "n_samples": len(truth[0]), "n_classes": len(np.unique(truth[0])),
                "method": name, "n_clusters": [len(np.unique(f)) for f in found],
                "ari": ari, "mean_ari": float(np.mean(ari)), "seconds": seconds / len(problems),
            })  # fmt: skip
    return results


def _k_groups(k: int, **parameters: Any) -> Method:
    labels: Method = KernelKGroups(k, random_state=0, n_jobs=1, **parameters).fit_predict
    return labels


def _k_means(k: int) -> Any:
    return KMeans(k, n_init=10, random_state=0).fit_predict


def heavy_tails() -> Scene:
    """Four groups, of which a few rows lie very far out."""
    corners = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])
    problems = []
    for seed in range(5):
        X, y = np.random.default_rng(seed).standard_t(2.0, size=(800, 5)), np.arange(800) % 4
        X[:, :2] += corners[y]
        problems.append((X, y))
    mixture = GaussianMixture(4, random_state=0).fit_predict
    methods = {"kgroups": _k_groups(4), "k-means": _k_means(4), "Gaussian mixture": mixture}
    lesson = (
        "Heavy tails: four groups in 5 columns with Student-t noise (2 degrees of freedom), so "
        "that some rows lie very far out. k-means and the mixture spend clusters on them, because "
        "squares of distances count most; kgroups counts distances, not squares."
    )
    return Scene("heavy_tails", lesson, judged("heavy tails", problems, methods))


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


def customers() -> Scene:
    """Numbers, categories and a date, of which a fifth is missing."""

    def imputed(frame: pd.DataFrame) -> Any:
        """The usual way: medians and most frequent categories in the gaps, one-hot columns."""
        numbers = frame.drop(columns=list(_CHOICES))
        numbers["since"] = (numbers["since"] - pd.Timestamp("2016-01-01")).dt.days
        categories = frame[list(_CHOICES)]
        one_hot = pd.get_dummies(categories.fillna(categories.mode().iloc[0]), dtype=float)
        scaled = scale(numbers.fillna(numbers.median()))
        return _k_means(4)(np.column_stack([scaled, one_hot]))

    problems = [customers_drawn(seed) for seed in range(5)]
    methods = {"kgroups": _k_groups(4, metric="mixed"), "k-means, imputed": imputed}
    lesson = (
        "Customers: made-up rows of numbers, categories and a date, a fifth of the entries empty. "
        "k-means needs medians in the gaps and columns of 0 and 1 for categories, which pull rows "
        "together that have nothing in common; for kgroups a gap is the distribution of its column."
    )
    return Scene("customers", lesson, judged("customers", problems, methods))


def network() -> Scene:
    """A network near the limit below which communities cannot be found, and one without any."""

    def louvain(A: Any) -> IntArray:
        """The communities of NetworkX."""
        import networkx as nx

        labels = np.empty(A.shape[0], np.int64)
        found = nx.community.louvain_communities(nx.from_scipy_sparse_array(A), seed=0)
        for community, nodes in enumerate(found):
            labels[list(nodes)] = community
        return labels

    methods = {"kgroups": GraphKGroups(random_state=0, n_jobs=1).fit_predict, "Louvain": louvain}
    results = []
    for data, k in (("network", 4), ("random network", 1)):
        first, _ = stochastic_block_model(200, k, 12.0, 1.6, random_state=0)
        A, y = stochastic_block_model(800, k, 12.0, 1.6, random_state=0)
        results += judged(data, [(A, np.asarray(y))], methods, first=first)
    lesson = (
        "Network: 800 nodes of degree 12 in four communities, near the limit below which nothing "
        "can be found; no method is given their number. Louvain maximizes modularity, which is "
        "high for divisions of pure chance, too: it divides the random network. kgroups finds one "
        "community, because no division shortens its description."
    )
    return Scene("network", lesson, results)


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
    n_grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3))
    methods = {
        "kgroups": _k_groups(12, metric="levenshtein"),
        "k-means, n-grams": lambda words: _k_means(12)(n_grams.fit_transform(words)),
    }
    lesson = (
        "Misspelled names: 12 family names, some alike, 25 times each with two typing errors. Two "
        "errors are two edits, but they change most n-grams of a short name, which k-means is "
        "given. An edit distance is not exactly of negative type: the labels are a local optimum "
        "all the same."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # the lesson has it
        return Scene("misspelled_names", lesson, judged("misspelled names", problems, methods))


def proof() -> Scene:
    """Many rows, and a proof that no single one can be moved to a better cluster."""
    rng, y = np.random.default_rng(0), np.arange(200_000) % 10
    X = (rng.normal(size=(10, 16))[y] + rng.normal(size=(len(y), 16))).astype(np.float32)
    model = KernelKGroups(10, random_state=0)
    methods = {
        "kgroups": model.fit_predict, "k-means": KMeans(10, random_state=0).fit_predict,
    }  # fmt: skip
    results = judged("many rows", [(X, y)], methods, first=X[:60_000], threads=None)
    found: Any = model.certificate_
    facts = {
        "n_proved": len(y) - found.n_open, "n_pairs": found.n_pairs,
        "n_pairs_full": found.n_pairs_full,
    }  # fmt: skip
    lesson = (
        f"Many rows: 200,000 x 16, round clusters. kgroups proves of {facts['n_proved']:,} rows "
        "that moving any single one of them does not tighten the clusters, from "
        f"{found.n_pairs / found.n_pairs_full:.1%} of all distances. k-means finds the same "
        f"clusters {results[0]['seconds'] / results[1]['seconds']:.0f} times as fast, without a "
        "proof: use it where clusters are round."
    )
    return Scene("proof", lesson, results, facts)


def flowers() -> Scene:
    """Iris, where a Gaussian mixture wins."""
    X, y = load_iris(return_X_y=True)
    mixture = GaussianMixture(3, n_init=10, random_state=0).fit_predict
    methods = {"kgroups": _k_groups(3), "k-means": _k_means(3), "Gaussian mixture": mixture}
    lesson = (
        "Iris: 150 flowers of three species, columns standardized. The Gaussian mixture wins, "
        "because two of the species are elongated and touch along their long sides: it fits the "
        "shape of each cluster, kgroups and k-means do not. Use a mixture for such data."
    )
    return Scene("flowers", lesson, judged("iris", [(scale(X), y)], methods))


#: All scenes; the first three are those of a short demo.
SCENES = (heavy_tails, customers, network, misspelled_names, proof, flowers)
