"""Two hundred thousand rows, and a proof that no single row can be moved to a better cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.typing import Float32Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "many rows"
_SAMPLES, _COLUMNS, _CLUSTERS = 200_000, 16, 10
# As few as let a fit go the way of many.
_FEW = 60_000


def prepare() -> None:
    """Load what will be timed."""
    fitted(problem(_FEW).X)


def play() -> Played:
    """A fit with its certificate, and k-means on as many threads."""
    given = problem(_SAMPLES)
    models: list[KernelKGroups] = []

    def k_groups(X: Any) -> IntArray:
        models.append(fitted(X))
        return np.asarray(models[-1].labels_)

    outcomes, _ = judged(_DATA, [given], {KGROUPS: k_groups, "k-means": k_means}, n_threads=None)
    certificate = models[0].certificate_
    if certificate is None:
        raise TypeError("a fit of so many rows has a certificate")
    facts = {
        "n_proved": _SAMPLES - certificate.n_open,
        "n_pairs": certificate.n_pairs,
        "n_pairs_full": certificate.n_pairs_full,
    }
    ours, theirs = (outcome.seconds for outcome in outcomes)
    return Played(outcomes, _lesson(facts, ours / theirs), facts)


def problem(n_samples: int) -> Problem:
    """Round clusters that overlap."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(_CLUSTERS, _COLUMNS))
    y = np.arange(n_samples) % _CLUSTERS
    X: Float32Array = (centers[y] + rng.normal(size=(n_samples, _COLUMNS))).astype(np.float32)
    return Problem(X, y)


def fitted(X: Any) -> KernelKGroups:
    """The default of kgroups, on all threads."""
    return KernelKGroups(_CLUSTERS, random_state=0).fit(X)


def k_means(X: Any) -> IntArray:
    """One start, as scikit-learn does by default."""
    return np.asarray(KMeans(_CLUSTERS, random_state=0).fit_predict(X))


def _lesson(facts: dict[str, Any], slower: float) -> str:
    return (
        f"Many rows: 200,000 x 16, round clusters. kgroups proves of "
        f"{_share(facts['n_proved'] / _SAMPLES)} rows that moving any single one of them does not "
        f"tighten the clusters, from {_share(facts['n_pairs'] / facts['n_pairs_full'])} of all "
        f"distances. k-means finds the same clusters {slower:.0f} times as fast, without a proof: "
        "use it where clusters are round."
    )


def _share(part: float) -> str:
    return "all" if part == 1 else f"{part:.1%}"


def draw(ax: Axes, played: Played) -> None:
    """How many distances were computed, out of how many."""
    from kgroups.plots.style import tidy

    pairs = [played.facts["n_pairs_full"] / 1e9, played.facts["n_pairs"] / 1e9]
    bars = ax.barh(["all pairs", "computed"], pairs, color=["#C4C4C4", "#1F4E79"], height=0.5)
    ax.bar_label(bars, fmt="%.1f", padding=4)
    ax.margins(x=0.15)
    tidy(ax, title=_title(played.facts), x="distances, billions", y="")


def _title(facts: dict[str, Any]) -> str:
    proved = _share(facts["n_proved"] / _SAMPLES)
    part = _share(facts["n_pairs"] / facts["n_pairs_full"])
    return f"200,000 rows, {proved} proved to stay: {part} of all distances"
