"""Compiled code for other processors gives the same partitions."""

from datetime import date, timedelta

from benchmarks import cpu_targets
from benchmarks.cpu_targets import TARGETS, differences, fits, in_turn, main
from benchmarks.frozen.outcome import Outcome


def test_target_of_the_day_agrees():
    assert main(["--in-turn", "--fits", "2"]) == 0


def test_each_target_has_its_day(monkeypatch):
    monkeypatch.setattr(cpu_targets, "can_run", lambda target: True)
    days = [date(2026, 1, 1) + timedelta(days=i) for i in range(4)]
    assert {in_turn(day) for day in days} == set(TARGETS)


def test_targets_that_cannot_run_are_left_out(monkeypatch):
    monkeypatch.setattr(cpu_targets.platform, "machine", lambda: "arm64")
    assert {in_turn(date.fromordinal(day)) for day in range(1, 9)} == {"generic"}


def test_fits_are_spread_and_different():
    assert len(set(fits(60))) == 60
    assert {fit.split()[0] for fit in fits(60)} >= {"KernelKGroups", "KernelKMeans", "GraphKGroups"}


def test_other_partition_and_other_number_are_told():
    here = {"a": Outcome({"W": 1.0}, "001"), "b": Outcome({"W": 1.0}, "001")}
    there = {"a": Outcome({"W": 1.0}, "011"), "b": Outcome({"W": 1.0 + 1e-11}, "001")}
    found = differences(here, there)
    assert "a: another partition" in found[0]
    assert "b: W by 1e-11" in found[1]
    assert not differences(here, here)
