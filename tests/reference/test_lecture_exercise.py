"""The exercise of a lecture on k-means: every number of docs/kmeans-objectives.md.

The examples of the page are run; its tables are read and compared with numbers that are computed
here from the matrix alone, without kgroups.
"""

import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import pages
from kgroups import KernelKGroups, KernelKMeans
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from pages import table

pytestmark = [pytest.mark.reference, pytest.mark.nojit]

PAGE = "kmeans-objectives"

D = np.array(
    [[5, 3, 1, 1], [3, 1, 5, 3], [2, 1, 5, 3], [4, 3, 4, 2], [5, 5, 3, 1], [3, 1, 5, 3]],
    dtype=float,
)
SOLUTION = np.array([0, 1, 1, 1, 0, 1])
OPTIMUM = np.array([0, 1, 1, 0, 0, 1])
PARTITIONS = [np.array([0, *rest]) for rest in product([0, 1], repeat=5) if any(rest)]

# The page prints four decimals.
ROUNDED = 5e-5


@pytest.fixture(scope="module")
def page():
    return pages.page(PAGE)


def numbers(cells):
    return [float(Fraction(cell.replace("−", "-"))) for cell in cells]


def labels_of(cell):
    """Labels of a partition that is written as {1, 5} and {2, 3, 4, 6}."""
    labels = np.full(len(D), -1)
    for s, rows in enumerate(re.findall(r"{(.*?)}", cell)):
        labels[[int(row) - 1 for row in rows.split(",")]] = s
    assert labels.min() == 0
    return labels


def about_mean(rows):
    """Σ ‖x − mean‖² of some rows of D."""
    return float(((D[rows] - D[rows].mean(axis=0)) ** 2).sum())


def distances(power):
    """‖x − y‖^power of all pairs."""
    return np.array([[np.sum((x - y) ** 2) ** (power / 2) for y in D] for x in D])


def dispersion(rho, labels):
    total = 0.0
    for s in range(2):
        members = np.flatnonzero(labels == s)
        total += sum(rho[i, j] for i in members for j in members) / (2 * len(members))
    return total


def to_centroid(rho, labels, i, s):
    """Squared distance in feature space between a row and the mean of a cluster."""
    members = labels == s
    inside = rho[np.ix_(members, members)].mean()
    return rho[i, members].mean() - inside / 2


def holds_lloyd(rho, labels):
    """Whether no row is nearer to the centroid of the other cluster."""
    return all(
        to_centroid(rho, labels, i, a) <= to_centroid(rho, labels, i, 1 - a) + 1e-12
        for i, a in enumerate(labels)
    )


def holds_hartigan(rho, labels):
    """Whether no move of a row lowers W, tried one by one; the last of a cluster may not move."""
    for i, a in enumerate(labels):
        moved = labels.copy()
        moved[i] = 1 - a
        last = np.sum(labels == a) == 1
        if not last and dispersion(rho, moved) < dispersion(rho, labels) - 1e-12:
            return False
    return True


def test_three_forms(page):
    """The table, where the factorization is solved as least squares."""
    squared = distances(2)
    members = [np.flatnonzero(s == SOLUTION) for s in range(2)]
    pairs = [sum(squared[i, j] for i in rows for j in rows) / len(rows) for rows in members]
    Y = np.array([[1, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 1]])
    means = np.linalg.lstsq(Y, D)[0]
    residuals = ((D - Y @ means) ** 2).sum(axis=1)
    computed = {
        "pairwise scatter": pairs,
        "centroids": [about_mean(rows) for rows in members],
        "matrix factorization": [residuals[rows].sum() for rows in members],
        "within dispersion W": [pair / 2 for pair in pairs],
    }
    rows = table(page, "| form | formula |")
    assert [cells[0] for cells in rows] == list(computed)
    for name, _, *cells in rows:
        parts = computed[name]
        assert numbers(cells) == pytest.approx([*parts, sum(parts)], abs=1e-12)


def test_move_of_row_4(page):
    """What the row does to both sums about the means, these computed before and after."""
    rows = {name: cells for name, *cells in table(page, "| row 4 |")}
    leave = about_mean([1, 2, 5]) - about_mean([1, 2, 3, 5])
    join = about_mean([0, 3, 4]) - about_mean([0, 4])
    for name, members, size_change, change in (
        ("leaves {2, 3, 4, 6}", [1, 2, 3, 5], -1, leave),
        ("joins {1, 5}", [0, 4], 1, join),
    ):
        squared = np.sum((D[3] - D[members].mean(axis=0)) ** 2)
        factor = len(members) / (len(members) + size_change)
        expected = [squared, factor, change]
        assert numbers(rows[name]) == pytest.approx(expected, abs=ROUNDED)
        assert change == pytest.approx(size_change * factor * squared)
    assert numbers(rows["both"][2:]) == pytest.approx([leave + join], abs=ROUNDED)
    difference = dispersion(distances(2), OPTIMUM) - dispersion(distances(2), SOLUTION)
    assert leave + join == pytest.approx(difference)


def test_best_partitions(page):
    """The solution of the exercise is the second of 31, whether distances are squared or not."""
    assert len(PARTITIONS) == 31
    first, second, others = table(page, "| | W for ‖x − y‖² | W for ‖x − y‖ |")
    assert same_partition(labels_of(first[0]), OPTIMUM)
    assert same_partition(labels_of(second[0]), SOLUTION)
    for column, power in ((1, 2), (2, 1)):
        rho = distances(power)
        order = sorted(PARTITIONS, key=lambda labels, rho=rho: dispersion(rho, labels))
        assert same_partition(order[0], OPTIMUM)
        assert same_partition(order[1], SOLUTION)
        printed = numbers(cells[column] for cells in (first, second, others))
        best = [dispersion(rho, labels) for labels in order[:3]]
        assert printed == pytest.approx(best, abs=ROUNDED)


def test_where_the_methods_stop(page):
    lloyd, hartigan = table(page, "| | ‖x − y‖² | ‖x − y‖ |")
    for column, power in ((1, 2), (2, 1)):
        rho = distances(power)
        assert int(lloyd[column]) == sum(holds_lloyd(rho, labels) for labels in PARTITIONS)
        assert int(hartigan[column]) == sum(holds_hartigan(rho, labels) for labels in PARTITIONS)
        assert holds_lloyd(rho, SOLUTION)
        assert not holds_hartigan(rho, SOLUTION)


@pytest.mark.parametrize("alpha", [1, 2])
def test_every_start_of_hartigan_ends_at_the_optimum(alpha):
    for labels in PARTITIONS:
        model = KernelKGroups(2, metric=Energy(alpha), init=labels).fit(D)
        assert same_partition(model.labels_, OPTIMUM)


def test_solution_of_the_exercise():
    """The printed assignment, and the printed means to one decimal."""
    model = KernelKMeans(2, metric=Energy(2), init=[0, 1, 1, 1, 0, 1]).fit(D)
    assert np.flatnonzero(model.labels_ == model.labels_[0]).tolist() == [0, 4]
    means = [D[model.labels_ == s].mean(axis=0) for s in (model.labels_[0], model.labels_[1])]
    printed = [[5, 4, 2, 1], [3, 1.5, 4.8, 2.8]]
    np.testing.assert_allclose(means, printed, rtol=0, atol=0.05 + 1e-12)
