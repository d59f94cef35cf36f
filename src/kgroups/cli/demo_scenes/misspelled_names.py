"""Family names with typing errors, by edit distance."""

from __future__ import annotations

import string
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import EditDistance, kernel_from_semimetric
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "misspelled names"
_NAMES = (
    "Martinez", "Martin", "Marin", "Morgan", "Johnson", "Jensen", "Johansson", "Schneider",
    "Snyder", "Petersen", "Peterson", "Anderson",
)  # fmt: skip
_OF_EACH, _ERRORS, _SEEDS = 25, 2, 3
_LESSON = (
    "Misspelled names: 12 family names, some alike, 25 times each with two typing errors. Two "
    "errors are two edits, but they change most n-grams of a short name, which k-means is given. "
    "An edit distance is not exactly of negative type: the labels are a local optimum all the same."
)


def prepare() -> None:
    """Compile what will be timed."""
    k_groups(problem(0).X)


def play() -> Played:
    """The methods on names that were misspelled with different seeds."""
    problems = [problem(seed) for seed in range(_SEEDS)]
    methods = {KGROUPS: k_groups, "k-means, n-grams": k_means}
    outcomes, labels = judged(_DATA, problems, methods)
    first = problems[0]
    found = {"plane": _plane(first.X), "labels": labels[KGROUPS], "y": first.y}
    return Played(outcomes, _LESSON, shown={**found, "words": first.X[: len(_NAMES)]})


def problem(seed: int) -> Problem:
    """Each name so many times, each time with other errors."""
    rng = np.random.default_rng(seed)
    y = np.arange(_OF_EACH * len(_NAMES)) % len(_NAMES)
    return Problem([misspelled(_NAMES[j], rng) for j in y], y)


def misspelled(word: str, rng: np.random.Generator) -> str:
    """A word after two typing errors: a letter more, less, another, or two that changed places."""
    for _ in range(_ERRORS):
        at = int(rng.integers(len(word)))
        letter = string.ascii_lowercase[rng.integers(26)]
        before, here, after = word[:at], word[at], word[at + 1 :]
        made = (
            f"{before}{letter}{here}{after}",
            f"{before}{after}",
            f"{before}{letter}{after}",
            f"{before}{after[:1]}{here}{after[1:]}",
        )
        word = made[rng.integers(4)]
    return word


def k_groups(X: Any) -> IntArray:
    """Names as they are, by the number of edits between them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TheoryWarning)  # the lesson says it
        model = KernelKGroups(len(_NAMES), metric="levenshtein", random_state=0, n_jobs=1).fit(X)
    return np.asarray(model.labels_)


def k_means(X: Any) -> IntArray:
    """The usual way: n-grams of one to three letters, weighted by TF-IDF."""
    table = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3)).fit_transform(X)
    return np.asarray(KMeans(len(_NAMES), n_init=10, random_state=0).fit_predict(table))


def _plane(words: Any) -> Float64Array:
    """Classical scaling of edit distances to two coordinates."""
    rho = np.asarray(EditDistance("levenshtein").pairwise(words), np.float64)
    values, vectors = np.linalg.eigh(kernel_from_semimetric(rho))
    return np.asarray(vectors[:, -2:] * np.sqrt(values[-2:]))


def draw(ax: Axes, played: Played) -> None:
    """The names in a plane that keeps their distances as well as two coordinates can."""
    from kgroups.plots.style import SMALL, bare, cluster_colors

    plane, labels, y = (played.shown[key] for key in ("plane", "labels", "y"))
    ax.scatter(*plane.T, s=14, c=cluster_colors(len(_NAMES))[labels], linewidths=0, alpha=0.8)
    for j, name in enumerate(_NAMES):
        x, height = plane[y == j].mean(axis=0)
        ax.text(x, height, name, fontsize=SMALL, ha="center", va="center", weight="bold")
    bare(ax, f"{len(y)} misspelled names, such as {played.shown['words'][0]}")
