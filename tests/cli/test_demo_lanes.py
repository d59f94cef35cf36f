"""Lanes: results and errors come back, and no process is left."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import each
from kgroups.cli.console import OutputError
from kgroups.cli.demo_scenes import lanes as module
from kgroups.cli.demo_scenes.lanes import Elsewhere, Here, lanes

# What Python says of the root of -1, which depends on its version.
DOMAIN = "math domain|nonnegative"


@pytest.fixture(scope="module")
def elsewhere():
    lane = Elsewhere()
    yield lane
    lane.end()


@pytest.fixture(params=["here", "elsewhere"])
def lane(request):
    return Here() if request.param == "here" else request.getfixturevalue("elsewhere")


def test_results_come_in_order(lane):
    for number in (9.0, 16.0):
        lane.begin("math:sqrt", number)
        assert lane.result() == number**0.5


def test_errors_are_raised_and_the_lane_goes_on(lane):
    lane.begin("math:sqrt", -1)
    with pytest.raises(ValueError, match=DOMAIN):
        lane.result()
    lane.begin("math:floor", 1.5)
    assert lane.result() == 1


def test_one_lane_is_another_process(elsewhere):
    elsewhere.begin("os:getpid")
    assert elsewhere.result() != os.getpid()


def test_ctrl_c_is_left_to_the_command(elsewhere):
    elsewhere.begin("signal:getsignal", signal.SIGINT)
    assert elsewhere.result() == signal.SIG_IGN


def test_a_process_that_dies_is_told():
    lane = Elsewhere()
    lane.begin("os:_exit", 3)
    with pytest.raises(OutputError, match="ended with exit code 3; it may have run out of memory"):
        lane.result()
    lane.end()


def test_one_core_needs_no_process(monkeypatch):
    monkeypatch.setattr(module, "Elsewhere", None)
    with lanes(2, n_cores=1) as (first, second):
        assert first is not second
        first.begin("os:getpid")
        assert first.result() == os.getpid()


def _fail_while_the_other_sleeps():
    with lanes(2, n_cores=2) as (first, second):
        second.begin("time:sleep", 60)
        first.begin("math:sqrt", -1)
        first.result()


def test_no_process_is_left_after_an_error():
    before = set(multiprocessing.active_children())
    with pytest.raises(ValueError, match=DOMAIN):
        _fail_while_the_other_sleeps()
    assert set(multiprocessing.active_children()) == before


BOTH_SLEEP = """
import os, sys
from kgroups.cli.demo_scenes.lanes import lanes
if __name__ == "__main__":
    with lanes(2, n_cores=2) as both:
        for lane in both:
            lane.begin("os:getpid")
        print(*(lane.result() for lane in both), flush=True)
        for lane in both:
            lane.begin("time:sleep", 60)
        both[0].result()
"""


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are seen in /proc")
@each("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_command(tmp_path, how):
    script = tmp_path / "sleeping.py"
    script.write_text(BOTH_SLEEP)
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=given
    )
    workers = [int(pid) for pid in command.stdout.readline().split()]
    assert len(workers) == 2
    assert all(map(is_running, workers))
    command.send_signal(getattr(signal, how))
    _, err = command.communicate(timeout=20)
    until = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_running, workers))
    assert b"leaked" not in err
