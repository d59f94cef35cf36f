"""The gap statistic: its rule by hand, and its values by definition."""

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.select import (
    gap_statistic,
)
from kgroups.select.gap_statistic import _first_maximum, _is_settled
from select_cases import RANGE, lumps


def test_gap_rule_takes_the_first_maximum_but_for_a_slack():
    k = np.arange(1, 5)
    gap, slack = np.array([0.1, 0.5, 0.55, 0.9]), np.array([0.0, 0.01, 0.1, 0.01])
    assert _first_maximum(k, gap, slack) == 2  # .5 >= .55 - .1
    assert _first_maximum(k, gap, slack / 4) == 4  # .5 < .55 - .025
    assert _first_maximum(k, gap, 100 * slack) == 1  # .1 >= .5 - 1
    assert _first_maximum(k, gap[::-1], np.zeros(4)) == 1
    assert _first_maximum(k, np.array([0.1, np.nan, 0.0, 0.2]), np.zeros(4)) == 1


@each(("factor", "text"), [(0, "0 s"), (1.0, "s"), (1.5, "1.5 s"), (40, "40 s")])
def test_gap_rule_by_hand_with_any_number_of_errors(touching, factor, text):
    """The least k with gap(k) ≥ gap(k+1) − c s(k+1); of the same gaps a larger c never has more."""
    found = gap_statistic(touching, RANGE, se_factor=factor, n_references=4, random_state=0)
    assert found.rule == f"the smallest k with gap(k) ≥ gap(k+1) − {text}(k+1)"
    gap, error = found.values, found.errors
    enough = [k for k in RANGE[:-1] if gap[k - 1] >= gap[k] - factor * error[k]]
    assert found.n_clusters == (enough[0] if enough else RANGE[-1])
    # Two clusters that touch: seen with Tibshirani's rule, and not where 40 errors are asked for.
    assert (found.n_clusters > 1) == (factor < 40)


@pytest.fixture(scope="module")
def touching():
    return lumps(2, n=30, apart=4.0)


def test_gap_is_the_difference_of_logs_of_dispersions():
    """References of one column: uniform over the range of the data, made here once more."""
    X = lumps(2, n=15)[:, :1]
    found = gap_statistic(X, [1, 2], n_references=100, random_state=0)
    rng = np.random.default_rng(1)
    logs = {1: [], 2: []}
    for _ in range(100):
        Y = rng.uniform(X.min(), X.max(), size=X.shape)
        for k, made in logs.items():
            model = KernelKGroups(k, random_state=0, n_init=4).fit(Y)
            made.append(np.log(model.within_dispersion_))
    for place, (k, made) in enumerate(logs.items()):
        own = np.log(KernelKGroups(k, random_state=0).fit(X).within_dispersion_)
        spread = np.std(made)
        # Two means of 100 draws each.
        assert found.values[place] == pytest.approx(
            np.mean(made) - own, abs=4 * spread * np.sqrt(2 / 100)
        )
        assert found.errors[place] == pytest.approx(spread * np.sqrt(1 + 1 / 100), rel=0.25)


def logs_of(drops, noise):
    """log W of the data, which falls by these, and of four references, by 1 but for the noise."""
    data = np.append(0.0, -np.cumsum(drops))
    references = -np.arange(len(data)) + noise * np.array([[1], [-1], [1], [-1]]) * data.astype(
        bool
    )
    return np.vstack([data, references])


@each(
    ("drops", "noise", "settled"),
    [
        ([2.0, 0.5], 0.01, True),  # the gap rises by 1 and falls by .5
        ([2.0, 0.5], 0.1, True),
        ([2.0, 0.5], 0.4, False),  # a rise of 1 is not plainly above a slack of .4 x 1.1 x 3
        ([2.0, 1.01], 0.01, False),  # a rise of .01, and a slack of .01
        ([0.9, 1.01], 0.01, True),  # falls at once: what comes then does not matter
        ([2.0, 2.0], 0.01, True),  # rises to the end
    ],
)
def test_more_references_are_made_where_they_may_change_the_answer(drops, noise, settled):
    logs = logs_of(drops, noise)
    assert _is_settled(np.arange(1, 4), logs, 1.0) == settled


def test_as_many_references_as_are_asked_for_give_the_same_answer(plain_lumps):
    few, first, ten = (
        gap_statistic(plain_lumps, RANGE, n_references=n, random_state=0) for n in (None, 4, 10)
    )
    assert few.to_dict() == first.to_dict()
    assert not np.array_equal(few.values, ten.values)
    assert few.n_clusters == ten.n_clusters == 3


@pytest.fixture(scope="module")
def plain_lumps():
    return lumps(3, n=80)
