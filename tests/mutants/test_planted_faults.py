"""The lists of faults fit the library as it stands."""

import pytest

from tests.compile_cache import ROOT
from tests.mutants.fault import faults_of, guards_of, rooms


def test_what_computes_has_a_list():
    packages = {path.parent.name for path in (ROOT / "src" / "kgroups").glob("*/__init__.py")}
    without = {"cli", "dask", "estimators", "pages", "persistence", "plots", "report", "runtime"}
    assert set(rooms()) == packages - without


@pytest.mark.parametrize("room", rooms())
def test_every_guard_is_there(room):
    for guard in guards_of(room):
        path, _, name = guard.partition("::")
        assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8"), guard
        assert (ROOT / path).exists(), guard


@pytest.mark.parametrize("room", rooms())
def test_every_fault_is_one_other_line(room):
    faults = faults_of(room)
    assert len(set(faults)) == len(faults) >= 30
    for fault in faults:
        text = (ROOT / "src" / "kgroups" / fault.file).read_text("utf-8")
        planted = fault.planted(text)
        assert planted != text
        if fault.file.endswith(".py"):
            compile(planted, fault.file, "exec")
