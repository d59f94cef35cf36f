"""Settings by column."""

import numpy as np
import pytest

from kgroups.semimetrics.named_columns import by_position, position

NAMES = ["age", "town", "town"]


def test_by_name_by_position_and_in_order():
    assert by_position(None, 2, None, "weights", 1.0) == [1.0, 1.0]
    assert by_position([3, 4], 2, None, "weights", 1.0) == [3, 4]
    assert by_position({"age": 5, -1: 6}, 3, NAMES, "weights", 1.0) == [5, 1.0, 6]
    assert position(np.int64(1), 3, None, "weights") == 1


@pytest.mark.parametrize(
    ("given", "names", "message"),
    [
        ({"aeg": 1}, NAMES, r"no column 'aeg'. Did you mean 'age'"),
        ({"town": 1}, NAMES, "2 columns called 'town'"),
        ({"age": 1}, None, "no column names"),
        ({3: 1}, NAMES, "column 3, but X has 3 columns"),
        ({True: 1}, NAMES, "by position or by name; got True"),
        ({0: 1, "age": 2}, NAMES, "one column twice: 0 and 'age'"),
        ([1, 2], NAMES, "has 2 values and X has 3 columns"),
    ],
)
def test_errors_name_the_column(given, names, message):
    with pytest.raises(ValueError, match=message):
        by_position(given, 3, names, "weights", 1.0)
