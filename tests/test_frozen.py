"""The frozen fits give the frozen answers, and a wrong answer does not pass."""

import json
import os

import numpy as np
import pytest

from benchmarks.cpu_targets import agree
from benchmarks.frozen import __main__ as command
from benchmarks.frozen import file as frozen_file
from benchmarks.frozen.comparison import changes
from benchmarks.frozen.outcome import Outcome, partition_text
from benchmarks.frozen.path import WHY
from benchmarks.frozen.run import run

FROZEN = frozen_file.read()
FITS = list(FROZEN)
LINE, OTHER, NEW = "KGroups1D line k=3", "KGroups1D line k=2", "KGroups1D line k=6"
_AT_ONCE = 6
# What holds similarity, where starts compete if not on all rows, and why: each method that is asked
# for, each reason for which one is chosen, with the operators that it may mean, in memory and by
# block. A method "matrix_free" that is asked for is always of rows in memory.
PATHS = {
    "dense: matrix",
    "sparse: matrix",
    "dense: asked",
    "dense: few rows",
    "dense: slow distances",
    "matrix_free/pairs: asked",
    "matrix_free/pairs: labels",
    "matrix_free/pairs: many rows",
    "matrix_free/pairs from a sketch: asked",
    "matrix_free/pairs from a sketch: bounds fail",
    "matrix_free/pairs from a sketch: many rows",
    "matrix_free/squared: asked",
    "matrix_free/squared: asked for a proof",
    "matrix_free/squared: means",
    "matrix_free/squared from a sample: means",
    "matrix_free/columns: columns",
    "matrix_free/columns from a sketch: asked",
    "matrix_free/columns from a sketch: asked for a proof",
    "matrix_free/columns from a sketch: columns",
    "certified: asked",
    "certified: bounds",
    "nystroem: asked",
    "nystroem: many pairs",
    "nystroem: memory",
    "nystroem: slow distances",
    "blocks matrix_free/squared from a sample: means",
    "blocks certified: bounds",
    "blocks nystroem: asked",
    "blocks nystroem: no bounds",
}


@pytest.mark.parametrize("first", range(0, len(FITS), _AT_ONCE))
def test_answers_are_the_frozen_ones(first):
    fits = FITS[first : first + _AT_ONCE]
    found = changes({fit: FROZEN[fit] for fit in fits}, {fit: run(fit) for fit in fits})
    assert [str(change) for change in found] == []


def test_every_path_is_taken_by_a_fit():
    taken = {FROZEN[fit].path for fit in FITS} - {""}
    assert taken == PATHS
    assert {path.split(": ")[1] for path in taken} == set(WHY.values())
    of_rows = [fit for fit in FITS if "Kernel" in fit.split()[0]]
    assert [fit for fit in of_rows if not FROZEN[fit].path] == []


def test_the_file_has_one_line_per_fit_in_order():
    lines = frozen_file.FROZEN.read_text("utf-8").splitlines()
    names = [json.loads(f"{{{line.rstrip(',')}}}").popitem()[0] for line in lines[1:-1]]
    assert names == sorted(FITS)
    assert len(names) > 340


# The comparison


@pytest.fixture
def file(tmp_path):
    """A file of two quick fits."""
    path = tmp_path / "frozen.json"
    frozen_file.write(path, {name: FROZEN[name] for name in (LINE, OTHER)})
    return path


def alter(path, change_entry):
    """Change the entry of one fit in the file."""
    entries = json.loads(path.read_text())
    change_entry(entries[LINE])
    path.write_text(json.dumps(entries))


def add(path, fit):
    """A line without an answer."""
    path.write_text(json.dumps({**json.loads(path.read_text()), fit: {}}))


def scale_W(factor):
    def change_entry(entry):
        entry["W"] *= factor

    return change_entry


def test_a_number_may_differ_by_rounding_and_no_more(file, capsys):
    assert command.main([], file) == 0
    alter(file, scale_W(1 + 1e-12))
    assert command.main([], file) == 0
    alter(file, scale_W(1 + 1e-9))
    assert command.main([], file) == 1
    W = FROZEN[LINE].numbers["W"]
    shown = capsys.readouterr().out
    assert LINE in shown
    assert f"-> {W!r}" in shown
    assert OTHER not in shown


def test_one_wrong_label_and_another_path_are_told():
    labels = np.arange(500) % 3
    moved = np.where(np.arange(500) == 499, 0, labels)
    for n in (100, 500):
        old, new = ({"fit": Outcome.of_labels(z[-n:], "dense", W=1.0)} for z in (labels, moved))
        assert changes(old, old) == []
        assert len(changes(old, new)) == 1
    old, new = ({"fit": Outcome.of_labels(labels, path, W=1.0)} for path in ("dense", "sparse"))
    (change,) = changes(old, new)
    assert "dense -> sparse" in str(change)
    assert not change.is_worse


def test_the_names_of_the_clusters_do_not_matter():
    labels = np.random.default_rng(0).integers(5, size=450)
    renamed = np.array([7, 0, 3, 9, 1])[labels]
    for n in (50, 450):
        assert partition_text(labels[:n]) == partition_text(renamed[:n])
    assert partition_text(np.array([4, 4, -1, 2, -1])) == "00121"


def test_a_fit_that_fails_is_reported_and_never_kept(file, capsys):
    add(file, "KGroups1D line k=900")
    before = file.read_bytes()
    assert command.main(["--update"], file) == 1
    assert "KGroups1D line k=900: ValueError" in capsys.readouterr().out
    assert file.read_bytes() == before


def test_fits_without_an_answer_are_reported(file, capsys):
    add(file, NEW)
    assert command.main([], file) == 1
    assert f"{NEW}: new" in capsys.readouterr().out


def test_fast_leaves_out_fits_of_many_rows_and_on_a_cluster():
    fits = ["a n=4000 k=5", "a k=5", "a n=4001", "dask.a k=5"]
    assert frozen_file.matching("", fits, fast=True) == fits[:2]
    assert 300 < len(frozen_file.matching("", FITS, fast=True)) < len(FITS)


def test_two_processes_find_what_one_does(file):
    assert command.main(["--workers", "2"], file) == 0


def test_other_partition_and_other_number_are_reported():
    outcome = Outcome({"W": 1.0}, "001")
    others = Outcome({"W": 1.0}, "011"), Outcome({"W": 1.0 + 1e-11}, "001")
    assert agree(outcome, outcome)
    assert not any(agree(outcome, other) for other in others)


# The update


def test_an_update_refuses_a_risen_W_and_leaves_the_file(file, capsys):
    alter(file, scale_W(1 - 1e-9))
    before = file.read_bytes()
    assert command.main(["--update"], file) == 1
    assert file.read_bytes() == before
    assert LINE in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "worse", "better"), [("normalized_cut", 1.1, 0.9), ("modularity", 0.9, 1.1)]
)
def test_cuts_may_only_fall_and_modularity_only_rise(number, worse, better):
    def is_worse(value):
        (change,) = changes({"fit": Outcome({number: 1.0})}, {"fit": Outcome({number: value})})
        return change.is_worse

    assert (is_worse(worse), is_worse(better)) == (True, False)


def test_an_update_keeps_a_fallen_W_and_every_other_line(file):
    before = file.read_text()
    file.write_text(before.replace(f'"W": {FROZEN[LINE].numbers["W"]!r}', '"W": 1e9'))
    assert command.main(["--update"], file) == 0
    assert file.read_text() == before


def test_an_update_fills_new_lines(file):
    add(file, NEW)
    assert command.main(["--update"], file) == 0
    assert list(frozen_file.read(file)) == [OTHER, LINE, NEW]
    assert changes(FROZEN, {NEW: frozen_file.read(file)[NEW]}) == []


def test_an_update_that_is_cut_short_leaves_the_file(file, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    alter(file, scale_W(2))
    before = file.read_bytes()
    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        command.main(["--update"], file)
    assert (file.read_bytes(), os.listdir(file.parent)) == (before, [file.name])
