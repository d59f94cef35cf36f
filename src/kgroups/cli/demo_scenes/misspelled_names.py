"""Family names with typing errors, by edit distance."""

from __future__ import annotations

import string
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.metrics import contingency
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "misspelled names"
_NAMES = (
    "Martinez", "Martin", "Marin", "Morgan", "Johnson", "Jensen", "Johansson", "Schneider",
    "Snyder", "Petersen", "Peterson", "Anderson",
)  # fmt: skip
_OF_EACH, _ERRORS, _SEEDS, _SHOWN = 25, 2, 3, 4
_LESSON = (
    "Misspelled names: 12 family names, some alike, 25 times each with two typing errors. Two "
    "errors are two edits, but they change most n-grams of a short name, which k-means is given. "
    "An edit distance is not exactly of negative type: the labels are a local optimum all the same."
)


def prepare() -> None:
    """Load what will be timed."""
    k_groups(problem(0).X)


def play() -> Played:
    """The methods on names that were misspelled with different seeds."""
    problems = [problem(seed) for seed in range(_SEEDS)]
    methods = {KGROUPS: k_groups, "k-means, n-grams": k_means}
    outcomes, labels = judged(_DATA, problems, methods)
    first = problems[0]
    shown = {"examples": _examples(first.X, first.y, labels[KGROUPS])}
    return Played(outcomes, _LESSON, shown=shown)


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


def _examples(words: list[str], y: IntArray, labels: IntArray) -> list[list[tuple[str, bool]]]:
    """Some words of the cluster of each name, and whether they are that name."""
    _, clusters = linear_sum_assignment(contingency(y, labels), maximize=True)
    members = [np.flatnonzero(labels == cluster)[:_SHOWN] for cluster in clusters]
    return [[(words[i], bool(y[i] == j)) for i in rows] for j, rows in enumerate(members)]


def draw(ax: Axes, played: Played) -> None:
    """Some words of each cluster."""
    from kgroups.plots.style import INK, SMALL, bare

    bare(ax, "Misspelled names: four of each cluster; wrong ones red")
    ax.set(xlim=(0, _SHOWN + 1.3), ylim=(len(_NAMES) - 0.5, -0.5))
    for row, (name, words) in enumerate(zip(_NAMES, played.shown["examples"], strict=True)):
        ax.text(0, row, name, fontsize=SMALL + 1, va="center", weight="bold", color=INK)
        for column, (word, is_right) in enumerate(words):
            color = INK if is_right else "#C0392B"
            ax.text(column + 1.3, row, word, fontsize=SMALL, va="center", color=color)
