"""Kills, full disks and read-only folders; ``python -m benchmarks.hunt.kills`` does many more."""

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("needs signals and limits of POSIX", allow_module_level=True)

from benchmarks.hunt import kills
from helpers import slow

pytestmark = slow  # the hunt runs outside CI


def test_kills_of_a_program_that_writes():
    assert kills.broken_by_kills_of_a_writer(6, seed=0) == []


def test_a_full_disk():
    assert kills.broken_by_full_disks(kills.COMMANDS[:1], [b"old"]) == []


def test_read_only_folders():
    assert kills.broken_by_read_only_folders(kills.COMMANDS[:1]) == []


def test_what_counts_as_broken(tmp_path):
    (tmp_path / "a").write_bytes(b"new")
    (tmp_path / "b").write_bytes(b"ne")
    whole = {"a": b"new", "b": b"new", "c": b"new"}
    said = "has 2 bytes, which are neither the old nor the new ones"
    assert kills.faults(tmp_path, whole, None) == [f"b {said}"]
    old = [fault.split()[0] for fault in kills.faults(tmp_path, whole, b"ne")]
    assert old == ["c"], "a file that was there is gone"
