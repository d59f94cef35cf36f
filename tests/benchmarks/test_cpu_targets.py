"""Outcomes of code for two processors."""

from benchmarks.cpu_targets import agree
from benchmarks.frozen.outcome import Outcome


def test_other_partition_and_other_number_are_reported():
    outcome = Outcome({"W": 1.0}, "001")
    others = Outcome({"W": 1.0}, "011"), Outcome({"W": 1.0 + 1e-11}, "001")
    assert agree(outcome, outcome)
    assert not any(agree(outcome, other) for other in others)
