"""Edit distances between strings, against recursions written out here."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.names import EDIT_DISTANCES
from kgroups.semimetrics import EditDistance, by_name
from kgroups.semimetrics.by_strips import SINGLE_BEYOND
from kgroups.semimetrics.items import arrays_of, is_missing
from kgroups.testing import check_semimetric

WORDS = ["kitten", "sitting", "", "sit", "kit", "Kit", "tick", "itik", "ab", "ba", "naïve", "日本"]


def levenshtein(x, y, *, replace=1, swap=False):
    """The textbook recursion; with ``swap`` neighbors that changed places cost 1."""

    @cache
    def edits(i, j):
        if min(i, j) == 0:
            return max(i, j)
        best = min(edits(i - 1, j) + 1, edits(i, j - 1) + 1)
        best = min(best, edits(i - 1, j - 1) + (replace if x[i - 1] != y[j - 1] else 0))
        if swap and i > 1 and j > 1 and x[i - 2 : i] == y[j - 2 : j][::-1]:
            best = min(best, edits(i - 2, j - 2) + 1)
        return best

    return edits(len(x), len(y))


def common(x, y):
    return (len(x) + len(y) - levenshtein(x, y, replace=2)) // 2


BY_HAND = {
    "levenshtein": levenshtein,
    "osa": lambda x, y: levenshtein(x, y, swap=True),
    "indel": lambda x, y: levenshtein(x, y, replace=2),
    "lcs": lambda x, y: max(len(x), len(y)) - common(x, y),
}


@each("name", BY_HAND)
def test_distances_are_those_of_the_definition(name):
    expected = [[BY_HAND[name](x, y) for y in WORDS] for x in WORDS]
    rho = by_name(name)
    np.testing.assert_array_equal(rho.pairwise(WORDS), expected)
    np.testing.assert_array_equal(rho.pairwise(WORDS[:3], WORDS), expected[:3])
    assert rho == EditDistance(name)


def test_values_known_from_the_literature():
    assert by_name("damerau_levenshtein").pairwise(["ca"], ["abc"]) == 2  # OSA gives 3
    assert by_name("osa").pairwise(["ca"], ["abc"]) == 3
    martha = by_name("jaro").pairwise(["MARTHA"], ["MARHTA"])
    assert martha == pytest.approx(1 - 0.944444, abs=1e-6)
    martha = by_name("jaro_winkler").pairwise(["MARTHA"], ["MARHTA"])
    assert martha == pytest.approx(1 - 0.961111, abs=1e-6)


def test_normalized_by_the_largest_number_of_edits():
    rho = EditDistance("levenshtein", normalized=True).pairwise(["kitten", ""], ["sitting", ""])
    np.testing.assert_allclose(rho, [[3 / 7, 1], [1, 0]])
    indel = EditDistance("indel", normalized=True).pairwise(["ab"], ["bc"])
    np.testing.assert_allclose(indel, [[2 / 4]])


@each("name", EDIT_DISTANCES)
def test_every_name_is_a_semimetric_that_claims_nothing(name):
    check_semimetric(EditDistance(name), WORDS)
    check_semimetric(EditDistance(name, normalized=True), WORDS)
    assert not by_name(name).is_negative_type


def test_what_would_take_hours_is_refused_before():
    page = "abcde" * 200_000
    with pytest.raises(ValueError, match=r"16 hours: 60 strings .*item 0, with 1,000,000"):
        _one_thread(EditDistance("damerau_levenshtein"), [page[:77_000]] * 59, page)
    with pytest.raises(ValueError, match=r"rapidfuzz\.distance\.Levenshtein\.distance"):
        EditDistance().pairwise([page] * 60)
    assert EditDistance().pairwise([page[:20_000], page[1:20_000]])[0, 1] == 1


def _one_thread(rho, others, page):
    from kgroups.runtime.threads import at_most

    with at_most(1):
        rho.pairwise([page, *others])


def test_many_strings_are_held_in_half_the_memory_without_rounding():
    rng = np.random.default_rng(0)
    items = ["".join(rng.choice(list("abc"), size=3)) for _ in range(SINGLE_BEYOND + 1)]
    held = EditDistance().matrix(items)
    assert held.dtype == np.float32
    assert EditDistance().matrix(items[:20]).dtype == np.float64
    np.testing.assert_array_equal(held[:40], EditDistance().pairwise(items[:40], items))
    np.testing.assert_array_equal(held, held.T)
    model = KernelKGroups(3, metric="levenshtein", memory_limit="1 MB")
    with (
        pytest.warns(match="negative type"),
        pytest.raises(MemoryError, match=r"2001 x 2001 .*MiB"),
    ):
        model.fit(items)


@pytest.mark.nojit
def test_what_is_missing():
    for value in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT):
        assert is_missing(value)
    for value in ("", 0, 0.0, "nan", np.array([np.nan])):
        assert not is_missing(value)


@pytest.mark.nojit
def test_none_among_numbers_is_a_gap():
    (array,) = arrays_of([[1.0, None]], "series")
    np.testing.assert_array_equal(array, [1.0, np.nan])
