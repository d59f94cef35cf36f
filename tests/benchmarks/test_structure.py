"""The measures of the code, on a small tree counted by hand, and their limits on this one."""

from graphlib import CycleError
from pathlib import Path

import pytest

from benchmarks import structure

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "src/kgroups/__init__.py": '"""The package."""\n\nfrom .fit import fit as run\n',
    "src/kgroups/fit.py": '''"""A fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgroups.gram import _pairs, base

if TYPE_CHECKING:
    from kgroups.late import Late


def fit(X: Any, y: int | Any, *rest: int, k: int = 2) -> int:
    """Everything."""
    import kgroups.late

    return k  # noqa: RET504


class Model:
    def score(self, X):
        "With a docstring."

    def _hidden(self) -> None: ...
''',
    "src/kgroups/late.py": '"""noqa in a docstring is not one."""\n\nfrom kgroups import fit\n',
    "src/kgroups/gram/__init__.py": '"""Operators."""\n',
    "src/kgroups/gram/_pairs.py": "from kgroups.gram.base import N\n",
    "src/kgroups/gram/base.py": '"""Base."""\n\nN = 1\n',
    "src/kgroups/solvers/__init__.py": '"""Solvers."""\n',
    "src/kgroups/solvers/base.py": '"""Base."""\n',
    "src/kgroups/solvers/compiled/__init__.py": '"""Loops."""\n',
    "src/kgroups/solvers/compiled/fit.py": '"""A loop of the same name."""\n',
    "tests/test_fit.py": "\n" * 20,
}
# Lines: 3 + 24 + 3 + 1 + 1 + 3 + 1 + 1 + 1 + 1; statements: 1 + 12 + 1 + 0 + 1 + 1 and no more.
BY_HAND = {
    "modules": 10,
    "lines": 39,
    "  of kgroups": 39,
    "statements": 16,
    "median module, lines": 1,
    "largest module, lines": 24,
    "functions": 3,
    "median function, lines": 2,
    "functions fully annotated": 2 / 3,
    "parameters": 5,
    "parameters typed Any": 2 / 5,
    "noqa": 1,
    "public names without docstring": 2,
    "test lines : source lines": 20 / 39,
    "rooms at top level": 5,
    "longest chain of imports": 3,
    "underscored modules imported from outside": 1,
    "file names in several folders": 1,
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def measures(tree, monkeypatch):
    monkeypatch.setattr(structure, "START", "kgroups.fit")
    return {measure.name: measure for measure in structure.measured(tree)}


@pytest.mark.parametrize("name", BY_HAND)
def test_measure_counted_by_hand(measures, name):
    assert measures[name].value == pytest.approx(BY_HAND[name])


def test_all_measures_are_counted_by_hand(measures):
    assert measures.keys() == BY_HAND.keys()
    assert measures.keys() >= structure.LIMITS.keys()


def test_places(measures):
    assert {name: measure.places for name, measure in measures.items() if measure.places} == {
        "largest module, lines": ["kgroups.fit"],
        "functions fully annotated": ["kgroups.fit:21 score"],
        "parameters typed Any": ["kgroups.fit:13 fit: X", "kgroups.fit:13 fit: y"],
        "noqa": ["kgroups.fit:17 # noqa: RET504"],
        "public names without docstring": ["kgroups.fit: Model", "kgroups.gram._pairs: the module"],
        "rooms at top level": ["__init__", "fit", "gram", "late", "solvers"],
        "longest chain of imports": ["kgroups.fit", "kgroups.gram._pairs", "kgroups.gram.base"],
        "underscored modules imported from outside": ["kgroups.fit imports kgroups.gram._pairs"],
        "file names in several folders": ["base: kgroups.gram, kgroups.solvers"],
    }


def test_circle_of_imports_is_an_error(tree):
    (tree / "src/kgroups/gram/base.py").write_text('"""Base."""\n\nimport kgroups.gram._pairs\n')
    with pytest.raises(CycleError, match="base"):
        structure.measured(tree)


def test_second_package_is_counted_but_for_rooms(tree):
    (tree / "src/other").mkdir()
    (tree / "src/other/__init__.py").write_text('"""Other."""\n\nimport kgroups.gram._pairs\n')
    measures = {measure.name: measure for measure in structure.measured(tree)}
    assert measures["  of other"].value == 3
    assert measures["lines"].value == 42
    assert measures["rooms at top level"].value == 5
    assert measures["underscored modules imported from outside"].value == 2


@pytest.mark.parametrize(("lines", "status"), [(501, 1), (500, 0)])
def test_status_says_whether_limits_are_kept(tree, capsys, monkeypatch, lines, status):
    monkeypatch.setattr(structure, "LIMITS", {"largest module, lines": ("<=", 500)})
    (tree / "src/kgroups/gram/base.py").write_text('"""Base."""\n' + "\n" * (lines - 1))
    assert structure.main([str(tree), "--list"]) == status
    printed = capsys.readouterr().out
    assert ("MISSED" in printed) == bool(status)
    assert "    kgroups.gram.base\n" in printed


def test_this_code_keeps_its_limits():
    missed = [measure for measure in structure.measured(ROOT) if not measure.holds]
    told = [f"{m.name} {m.value}: {', '.join(m.places)}" for m in missed]
    assert not missed, "\n".join(told)
