"""The exercise of a lecture on k-means: every number of docs/kmeans-objectives.md.

The examples of the page are run; its tables are read and compared with numbers that are computed
here from the matrix alone, without kgroups.
"""

import doctest
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import pages
from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from kgroups.stats import within_dispersion
from pages import table

pytestmark = [pytest.mark.reference, pytest.mark.nojit]

PAGE = "kmeans-objectives"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

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


def test_examples_of_the_page(page):
    """Every block, in order and in one session, at the line numbers of the page."""
    blocks = list(BLOCK.finditer(page))
    assert len(blocks) == page.count("```python") > 0
    assert all(block[1].startswith(">>> ") for block in blocks)
    text = list(re.sub(r"[^\n]", "", page).splitlines())
    for block in blocks:
        first = page[: block.start(1)].count("\n")
        lines = block[1].splitlines()
        text[first : first + len(lines)] = lines
    test = doctest.DocTestParser().get_doctest("\n".join(text) + "\n", {}, PAGE, f"{PAGE}.md", 0)
    messages = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=messages.append)
    assert outcome.attempted == page.count("\n>>> ")
    assert outcome.failed == 0, "".join(messages)


def test_matrix(page):
    rows = [numbers(cells) for cells in table(page, "| row | film 1 ")]
    np.testing.assert_array_equal(rows, np.column_stack([range(1, 7), D]))


def test_rounds(page):
    """Two rounds of assigning and averaging, as the exercise asks."""
    centers = np.array([[5.0, 3, 1, 1], [3, 1, 5, 3]])
    for header in (
        "| row | to (5, 3, 1, 1) | to (3, 1, 5, 3) |",
        "| row | to (5, 4, 2, 1) | to (3, 1.5, 4.75, 2.75) |",
    ):
        squared = np.array([[np.sum((x - center) ** 2) for center in centers] for x in D])
        labels = squared.argmin(axis=1)
        rows = [numbers(cells) for cells in table(page, header)]
        np.testing.assert_array_equal(rows, np.column_stack([range(1, 7), squared, labels + 1]))
        np.testing.assert_array_equal(labels, SOLUTION)
        centers = np.array([D[labels == s].mean(axis=0) for s in range(2)])
        np.testing.assert_array_equal(centers, [[5, 4, 2, 1], [3, 1.5, 4.75, 2.75]])
    means = [numbers(cells) for cells in table(page, "| cluster | rows | film 1 ")]
    np.testing.assert_array_equal(means, np.column_stack([[1, 2], [2, 4], centers]))


def test_rows_means_and_clusters_in_the_text(page):
    """Whatever is written as (a, b, c, d) or as {i, j, ...}, and the two numbers of sentences."""
    text = BLOCK.sub("", page)
    means = [tuple(D[s == SOLUTION].mean(axis=0)) for s in range(2)]
    printed = (3, 1.5, 4.8, 2.8)
    vectors = re.findall(r"\(([\d.]+(?:, [\d.]+){3})\)", text)
    found = {tuple(float(number) for number in vector.split(", ")) for vector in vectors}
    assert found == {tuple(D[0]), tuple(D[1]), *means, printed}
    clusters = [
        {int(i) + 1 for i in np.flatnonzero(y == s)} for y in (SOLUTION, OPTIMUM) for s in range(2)
    ]
    for rows in re.findall(r"{([\d, ]+)}", text):
        assert {int(row) for row in rows.split(",")} in clusters
    residual = sum(((D[s == SOLUTION] - x) ** 2).sum() for s, x in enumerate((means[0], printed)))
    assert f"‖D − Y Xᵀ‖² is {residual:.2f}" in text
    assert f"2⁵ − 1 = {len(PARTITIONS)} partitions" in text
    assert f"In how many of the {len(PARTITIONS)} partitions" in text


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


@each("labels", PARTITIONS, ids=str)
def test_forms_agree_for_every_partition(labels):
    """Pairwise scatter = 2 · centroids = 2 · factorization = 2 W; Yᵀ Y is diagonal."""
    Y = np.eye(2)[labels]
    np.testing.assert_array_equal(Y.T @ Y, np.diag(np.bincount(labels)))
    X = D.T @ Y @ np.linalg.inv(Y.T @ Y)
    centroids = sum(about_mean(labels == s) for s in range(2))
    assert ((D - Y @ X.T) ** 2).sum() == pytest.approx(centroids)
    assert 2 * dispersion(distances(2), labels) == pytest.approx(2 * centroids)
    assert within_dispersion(D, labels, metric=Energy(2)) == pytest.approx(centroids)


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
