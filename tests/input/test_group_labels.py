"""Labels of groups: integers, text, anything that can be sorted."""

import numpy as np
import pandas as pd
import pytest

from kgroups.input.group_labels import as_array, group_codes


@pytest.mark.parametrize(
    ("labels", "groups", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([True, False, True], (False, True), [1, 0, 1]),
        (np.array([0.5, -1.0, 0.5]), (-1.0, 0.5), [1, 0, 1]),
        (pd.Series(["x", "y", "x"], index=[7, 8, 9]), ("x", "y"), [0, 1, 0]),
        (pd.Categorical(["u", "v", "u"]), ("u", "v"), [0, 1, 0]),
        ([-1, 0, -1], (-1, 0), [0, 1, 0]),
    ],
)
def test_groups_are_sorted_and_rows_have_their_places(labels, groups, codes):
    found, places = group_codes(labels, 3)
    assert found == groups
    assert places.tolist() == codes
    assert places.dtype == np.int64


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2], "labels must hold one label for each of the 3 points"),
        ([[1], [2], [3]], "labels must hold one label for each of the 3 points"),
        ([1.0, float("nan"), 2.0], r"labels is missing for row 1 \(1 of 3\)"),
        (["a", None, None], r"labels is missing for row 1 \(2 of 3\)"),
        (
            [1, "a", 2],
            r"labels must be of one kind, all text or all numbers; got int and str\. "
            r"Write \[str\(x\) for x in labels\]",
        ),
    ],
)
def test_what_is_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        group_codes(labels, 3)


def test_the_name_of_the_argument_is_said():
    with pytest.raises(ValueError, match="y must hold one label"):
        group_codes([1], 3, name="y")


def test_numbers_next_to_text_stay_numbers():
    """NumPy by itself would make text of both."""
    mixed = as_array([1, "a"])
    assert mixed.dtype == object
    assert mixed.tolist() == [1, "a"]
    assert as_array([1, 2]).dtype.kind == "i"
