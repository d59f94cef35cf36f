"""The picture of docs/metrics.md: ``python -m benchmarks.which_metric docs/which-metric.png``.

Nine small data sets, each with a metric that finds its groups and another natural one that does
not. Rows are drawn at random from a fixed seed, and the library computes the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from kgroups import GraphKGroups, KernelKGroups
from kgroups.plots.style import INK, blank, cluster_colors
from kgroups.semimetrics import Energy
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Filled circles, hollow triangles, crosses: groups can be told apart in gray.
MARKERS = ("o", "^", "x")


class Contest(NamedTuple):
    """One data set, and two metrics."""

    #: What is special about the data.
    title: str
    #: The group from which each row was drawn.
    groups: IntArray
    #: What finds the groups, and what does not: names as they are written, and labels.
    winner: tuple[str, IntArray]
    rival: tuple[str, IntArray]
    draw: Callable[[Axes], None]

    def agreements(self) -> tuple[float, float]:
        """Adjusted Rand index of the winner and of the rival."""
        first, second = (
            float(adjusted_rand_score(self.groups, labels))
            for _, labels in (self.winner, self.rival)
        )
        return first, second

    def lines(self) -> list[str]:
        """Both metrics with their figures, of two decimals and without a minus before zero."""
        names = self.winner[0], self.rival[0]
        pairs = zip(names, self.agreements(), strict=True)
        return [f"{name}: {round(index, 2) + 0.0:.2f}" for name, index in pairs]


def found(k: int, metric: Any, rows: Any) -> IntArray:
    """Labels of a fit with defaults."""
    return KernelKGroups(k, metric=metric, random_state=0).fit(rows).labels_


def named(k: int, name: str, rows: Any) -> tuple[str, IntArray]:
    """A metric that has a name, and its labels."""
    return f'"{name}"', found(k, name, rows)


def outliers() -> Contest:
    """Two groups, and two rows of one of them that are far away."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 60)
    X = np.array([[0.0, 0.0], [7.0, 0.0]])[groups] + rng.normal(size=(120, 2))
    X[:2] += [0, 28]
    rival = "Energy(2), as KMeans", found(2, Energy(2), X)
    return Contest("a few outliers", groups, named(2, "energy", X), rival, scatter(X, groups))


def heavy_tails() -> Contest:
    """Two groups of which some rows are anywhere."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 80)
    X = np.array([[0.0, 0.0], [16.0, 0.0]])[groups] + rng.standard_cauchy(size=(160, 2))
    winner = "Energy(0.5)", found(2, Energy(0.5), X)
    draw = scatter(X, groups, limits=((-14, 30), (-22, 22)))
    return Contest("heavy tails", groups, winner, named(2, "energy", X), draw)


def columns() -> Contest:
    """Groups that differ a little in each of many columns, and single entries that are large."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 40)
    X = groups[:, None] + rng.normal(0, 0.4, (80, 20))
    for row in X:
        row[rng.integers(20, size=2)] += rng.choice([-9.0, 9.0], size=2)
    return Contest(
        "many columns, a few wrong entries",
        groups,
        named(2, "manhattan", X),
        named(2, "energy", X),
        shades(X, groups),
    )


def directions() -> Contest:
    """Three directions, rows of any length."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1, 2], 40)
    angles = np.array([0.25, 0.8, 1.35])[groups] + rng.normal(0, 0.05, 120)
    X = rng.uniform(0.5, 10, (120, 1)) * np.column_stack([np.cos(angles), np.sin(angles)])
    return Contest(
        "directions: embeddings, word counts",
        groups,
        named(3, "cosine", X),
        named(3, "energy", X),
        scatter(X, groups),
    )


def places() -> Contest:
    """Islands on both sides of the date line, and others west of them."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 50)
    X = np.array([[-17.0, 179.0], [-10.0, 150.0]])[groups] + rng.normal(0, 5, (100, 2))
    X[:, 1] = (X[:, 1] + 180) % 360 - 180
    draw = scatter(X[:, ::-1], groups, labels=("longitude", "latitude"))
    return Contest(
        "places at the date line", groups, named(2, "great_circle", X), named(2, "energy", X), draw
    )


def tables() -> Contest:
    """A number in large units that means nothing, a number and a category that do."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 50)
    income, years = rng.uniform(20_000, 90_000, 100), 3.0 * groups + rng.normal(size=100)
    is_one = np.where(rng.random(100) < 0.05, 1 - groups, groups)
    table = np.array([income, years, np.array(["Bonn", "Ulm"])[is_one]], dtype=object).T
    by_hand = np.column_stack([income, years, is_one, 1 - is_one])
    draw = scatter(np.column_stack([income / 1000, years]), groups, labels=("income", "years"))
    return Contest(
        "numbers and towns, any units",
        groups,
        named(2, "mixed", table),
        ('"energy", towns as 0 and 1', found(2, "energy", by_hand)),
        draw,
    )


def compositions() -> Contest:
    """Shares of six parts: the two common ones vary, the rare ones make the groups."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 40)
    rare = np.array([[0.06, 0.06, 0.001, 0.001], [0.001, 0.001, 0.06, 0.06]])[groups]
    rare = rare * rng.uniform(0.5, 1.5, rare.shape)
    share = rng.uniform(0.2, 0.8, 80)
    rest = 1 - rare.sum(axis=1)
    X = np.column_stack([share * rest, (1 - share) * rest, rare])
    return Contest(
        "compositions, rare parts matter",
        groups,
        named(2, "hellinger", X),
        named(2, "energy", X),
        bars(X),
    )


def rings() -> Contest:
    """A ring around another."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 100)
    angles = rng.uniform(0, 2 * np.pi, 200)
    radii = np.array([2.0, 5.0])[groups] + rng.normal(0, 0.2, 200)
    X = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    graph = GraphKGroups(2, affinity="nearest_neighbors", random_state=0).fit(X)
    winner = "graph of neighbors", graph.labels_
    return Contest("curved clusters", groups, winner, named(2, "energy", X), scatter(X, groups))


def distributions() -> Contest:
    """Rows that are samples: one hump or two, with the same mean and the same variance."""
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 60))
    X[20:] = 0.4 * X[20:] + rng.choice([-1.0, 1.0], (20, 60)) * (1 - 0.4**2) ** 0.5
    X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
    return Contest(
        "rows that are samples, equal means",
        groups,
        named(2, "samples", X),
        named(2, "energy", X),
        strips(X, groups),
    )


CONTESTS = (
    outliers,
    heavy_tails,
    columns,
    directions,
    places,
    tables,
    compositions,
    rings,
    distributions,
)


def scatter(
    X: Float64Array,
    groups: IntArray,
    *,
    labels: tuple[str, str] = ("", ""),
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
) -> Callable[[Axes], None]:
    """Two columns, with one marker per group."""

    def draw(ax: Axes) -> None:
        for group, color in enumerate(cluster_colors(int(groups.max()) + 1)):
            x, y = X[groups == group].T
            if MARKERS[group] == "^":
                ax.scatter(x, y, s=14, marker="^", facecolors="none", edgecolors=[color])
            else:
                ax.scatter(x, y, s=14, marker=MARKERS[group], color=[color], linewidths=0.9)
        ax.set(xlabel=labels[0], ylabel=labels[1])
        if limits:
            ax.set(xlim=limits[0], ylim=limits[1])

    return draw


def shades(X: Float64Array, groups: IntArray) -> Callable[[Axes], None]:
    """Rows by columns in gray, with a line between the groups."""

    def draw(ax: Axes) -> None:
        ax.imshow(X, aspect="auto", cmap="gray_r", vmin=-2, vmax=3, interpolation="nearest")
        ax.axhline(float(np.sum(groups == 0)) - 0.5, color=INK, linewidth=1)
        ax.set(xlabel="columns", ylabel="rows")

    return draw


def bars(X: Float64Array) -> Callable[[Axes], None]:
    """Each row as a bar of its parts, from the rarest parts on the left."""

    def draw(ax: Axes) -> None:
        order = np.r_[2 : X.shape[1], 0, 1]
        left = np.zeros(len(X))
        for part, shade in zip(
            order, ("0.1", "0.35", "#D55E00", "#F0A070", "0.75", "0.92"), strict=True
        ):
            ax.barh(np.arange(len(X)), X[:, part], left=left, height=1.0, color=shade)
            left += X[:, part]
        ax.set(xlim=(0, 1), ylim=(len(X) - 0.5, -0.5), xlabel="shares", ylabel="rows")

    return draw


def strips(X: Float64Array, groups: IntArray) -> Callable[[Axes], None]:
    """Values of every other row on a line of its own."""

    def draw(ax: Axes) -> None:
        for place, row in enumerate(range(0, len(X), 2)):
            color = cluster_colors(2)[groups[row]]
            ax.plot(X[row], np.full(X.shape[1], place), "|", color=color, markersize=5)
        ax.set(xlabel="values", ylabel="rows")
        ax.invert_yaxis()

    return draw


def picture(contests: list[Contest]) -> Figure:
    """Three by three panels; titles give the adjusted Rand index of both metrics."""
    figure = blank(10, 9.6)
    for ax, contest in zip(figure.subplots(3, 3).flat, contests, strict=True):
        contest.draw(ax)
        ax.set_title(
            "\n".join((contest.title, *contest.lines())),
            fontsize=9.5,
            color=INK,
        )
        ax.set(xticks=[], yticks=[])
    return figure


def main() -> None:
    """Write the picture, and print what it says."""
    contests = [make() for make in CONTESTS]
    for contest in contests:
        print("   ".join((contest.title.ljust(36), *contest.lines())))
    if len(sys.argv) > 1:
        picture(contests).savefig(sys.argv[1], dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
