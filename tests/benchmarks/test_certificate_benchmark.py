"""``python -m benchmarks.certificate``: its data, its rounds, and its exit status."""

import numpy as np
import pytest

from benchmarks import certificate as bench
from kgroups.bounds import Certificate
from kgroups.certificate.ladder import Step


def test_data_are_the_same_each_time_and_what_their_name_says():
    data = bench.Data(400, 3, 5)
    assert str(data) == "overlapping, n=400, D=3, k=5"
    assert str(bench.Data(400, spread=0.0)) == "noise, n=400, D=16, k=10"
    assert str(bench.Data(400, noise="lognormal")) == "lognormal, n=400, D=16, k=10"
    X = data.make()
    assert X.shape == (400, 3)
    assert X.dtype == np.float32
    assert (data.make() == X).all()
    # Noise of unit variance around no center at all.
    assert bench.Data(5000, spread=0.0).make().std() == pytest.approx(1.0, abs=0.02)
    assert (bench.Data(500, spread=0.0, noise="lognormal").make() > 0).all()


def test_the_round_in_which_most_rows_were_looked_at_is_shown():
    steps = [Step(0, 5, 5, 100), Step(0, 50, 60, 1000), Step(256, 20, 20, 300), Step(0, 3, 3, 90)]
    found = Certificate(True, 0, 1, 1, steps=steps)
    assert bench._first_look(found, 100) == [0.5, 0.2]


def test_limits_that_are_missed_are_said():
    data = bench.Data(10)
    assert bench._over(data, "time", 0.1, 0.2) == []
    (line,) = bench._over(data, "time", 0.3, 0.2)
    assert line == "overlapping, n=10, D=16, k=10: time 0.300, limit 0.200"


@pytest.mark.parametrize(("missed", "status"), [([], 0), (["a limit"], 1)])
def test_the_exit_status_is_that_of_the_parts(monkeypatch, capsys, missed, status):
    monkeypatch.setattr(bench, "PARTS", {"table": lambda: missed, "speed": list})
    monkeypatch.setattr("sys.argv", ["certificate", "table"])
    assert bench.main() == status
    assert ("missed: a limit" in capsys.readouterr().out) == bool(missed)


def test_unknown_parts_are_named(monkeypatch):
    monkeypatch.setattr("sys.argv", ["certificate", "tables"])
    with pytest.raises(SystemExit, match="no part 'tables'; parts are table, speed"):
        bench.main()


def test_a_small_table_is_printed(monkeypatch, capsys):
    monkeypatch.setattr(bench, "TABLE", [bench.Data(600, 3, 4)])
    assert bench.table() == []
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("overlapping, n=600, D=3, k=4")
    assert "%" in line


def test_a_bare_pass_grows_with_the_square_of_the_rows(monkeypatch):
    monkeypatch.setattr(bench, "_BARE", 500)
    X = bench.Data(500, 3).make()
    ticks = iter([0.0, 2.0])
    monkeypatch.setattr(bench.time, "perf_counter", lambda: next(ticks))
    assert bench.bare_pass(X, 5000, 4) == pytest.approx(2.0 * 100)
