"""The papers use the library as anybody does: by its public names."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import kgroups_papers

FILES = sorted(Path(kgroups_papers.__file__).parent.rglob("*.py"))


def imported(tree):
    """Pairs of a module of kgroups and a name in it; None for the module itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            yield from ((node.module, alias.name) for alias in node.names)


def is_ours(module):
    return module.split(".")[0] == "kgroups"


def is_public(module, name):
    """No part begins with an underscore, and a folder, or a file next to them, offers the name."""
    parts = [*module.split("."), *([name] if name else [])]
    if any(part.startswith("_") and part != "__version__" for part in parts):
        return False
    found = import_module(module)
    if not hasattr(found, "__path__") and len(module.split(".")) > 2:
        return False
    return name is None or name in getattr(found, "__all__", ())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_only_public_names_are_imported(path):
    found = set(imported(ast.parse(path.read_text("utf-8"))))
    assert {pair for pair in found if not is_public(*pair)} == set()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from kgroups.solvers import Hartigan", True),
        ("from kgroups import __version__", True),
        ("import kgroups", True),
        ("from kgroups.plots._style import INK", False),
        ("from kgroups.text import counted", True),
        ("from kgroups.text import _LONGEST", False),
        ("from kgroups.version import __version__", False),
        ("from kgroups.solvers import compiled", False),
        ("from kgroups.solvers import hartigan", False),
        ("from kgroups.solvers.hartigan import Hartigan", False),
        ("def f():\n    from kgroups.solvers import sweep", False),
    ],
)
def test_what_is_public(code, expected):
    assert [is_public(*pair) for pair in imported(ast.parse(code))] == [expected]
