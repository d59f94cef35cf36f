"""Steps from older formats, which do not exist yet."""

import pytest

from kgroups.persistence import format_steps
from kgroups.persistence.format_steps import FORMAT, STEPS, brought_up


@pytest.mark.nojit
def test_there_is_a_step_from_every_older_format():
    assert list(STEPS) == list(range(1, FORMAT))


@pytest.mark.nojit
def test_steps_are_taken_in_order(monkeypatch):
    steps = {
        1: lambda content: {"b": content["a"]},
        2: lambda content: {**content, "b": content["b"] + 1},
    }
    monkeypatch.setattr(format_steps, "STEPS", steps)
    assert brought_up({"a": 1}, 1, to=3) == {"b": 2}
    assert brought_up({"b": 1}, 2, to=3) == {"b": 2}
    assert brought_up({"b": 1}, 3, to=3) == {"b": 1}
