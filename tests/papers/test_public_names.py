"""The papers use the library as anybody does: by its public names."""

import ast
from importlib import import_module
from pathlib import Path

import kgroups_papers
from helpers import each

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


@each("path", FILES, ids=lambda path: path.stem)
def test_only_public_names_are_imported(path):
    found = set(imported(ast.parse(path.read_text("utf-8"))))
    assert {pair for pair in found if not is_public(*pair)} == set()
