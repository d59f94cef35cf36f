"""Digests of Python code by what it does, not by how it is written or where it stands."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

# Names that say what a module offers or which release it belongs to; nothing is computed from them.
_SAYS_NOTHING = ("__all__", "__version__")
# How the names of the packages begin whose modules may move.
_OWN = "kgroups"

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Definition:
    """A statement at the top level of a module: its text without words, and the names in it."""

    defines: frozenset[str]
    uses: frozenset[str]
    text: str


#: Of calls by name, the keywords that count; all do where a name is not there.
Keywords = Mapping[str, frozenset[str]]


def definitions(path: Path, keywords: Keywords | None = None) -> list[Definition]:
    """The functions, classes and other statements of a module.

    Left out are docstrings, comments, annotations, imports, and the messages of errors and
    warnings. An imported name stands for what it names: ``np.dot`` is the same as ``dot`` after
    ``from numpy import dot``, and another thing than a ``dot`` of SciPy. Imports of one module of
    a package by another count by the last name alone, so that a module may move. Names that the
    code itself gives do count: a renamed function is another function.
    """
    tree = ast.parse(path.read_text("utf-8"))
    bare = _Bare(_imports(tree, path), keywords or {}).visit(tree)
    return [_definition(statement) for statement in bare.body]


def digest(texts: Iterable[str]) -> str:
    """SHA-256 of texts, whatever their order."""
    each = sorted(hashlib.sha256(text.encode()).hexdigest() for text in texts)
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def reached(start: Iterable[str], among: Iterable[Definition]) -> list[Definition]:
    """The definitions of some names, and those of all names that these use in turn."""
    waiting, found = set(start), list[Definition]()
    left = list(among)
    while here := [each for each in left if each.defines & waiting]:
        found += here
        left = [each for each in left if each not in here]
        waiting = {name for each in here for name in each.uses}
    return found


def _definition(statement: ast.stmt) -> Definition:
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    defines = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        defines = {statement.name}
    uses = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return Definition(frozenset(defines), frozenset(uses), text(statement))


def text(node: object) -> str:
    """A tree as text, the same in all versions of Python: what is empty is not mentioned."""
    if isinstance(node, ast.AST):
        fields = (f"{name}={text(of)}" for name, of in ast.iter_fields(node) if _counts(name, of))
        return f"{type(node).__name__}({', '.join(fields)})"
    if isinstance(node, list):
        return f"[{', '.join(map(text, node))}]"
    return repr(node)


def _counts(name: str, value: object) -> bool:
    return name not in ("ctx", "kind", "type_comment") and value not in (None, [])


@dataclass(frozen=True)
class _Imports:
    """What imported names stand for, and which of them are of other packages or are own modules."""

    names: dict[str, str]
    foreign: set[str]
    modules: set[str]


def _imports(tree: ast.Module, path: Path) -> _Imports:
    found = _Imports({}, set(), set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                found.names[alias.asname or full] = full
                found.foreign.add(full)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            own = module.startswith(_OWN)
            for alias in node.names:
                full = alias.name if own else f"{module}.{alias.name}"
                found.names[alias.asname or alias.name] = full
                if not own:
                    found.foreign.add(full)
                elif _is_module(path, f"{module}.{alias.name}"):
                    found.modules.add(full)
    return found


def _is_module(path: Path, name: str) -> bool:
    """Whether ``name`` is a module next to the package that a file belongs to."""
    packages = [folder for folder in path.parents if folder.name.startswith(_OWN)]
    place = packages[-1].parent.joinpath(*name.split(".")) if packages else path
    return place.is_dir() or place.with_suffix(".py").is_file()


class _Bare(ast.NodeTransformer):
    """Takes away from a module what decides no number."""

    def __init__(self, imports: _Imports, keywords: Keywords) -> None:
        self._imports, self._keywords = imports, keywords

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Leave out documentation, then go deeper; a body without statements is ``pass``."""
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            return super().generic_visit(node)
        kept = [statement for statement in body if not _says_nothing(statement)]
        node = super().generic_visit(_with(node, body=kept))
        if not getattr(node, "body", None) and not isinstance(node, ast.Module):
            node = _with(node, body=[ast.Pass()])
        return node

    def visit_Import(self, node: ast.Import) -> None:
        """Names stand for what they import."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Names stand for what they import."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """What is only there for types is left out."""
        is_for_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_for_types else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """The function without the type that it returns."""
        return self.generic_visit(_with(node, returns=None))

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter without its type."""
        return _with(node, annotation=None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """A value without its type; a field without a value is its name."""
        if node.value is None:
            return self.generic_visit(ast.Expr(node.target))
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """The kind of error without its message."""
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return self.generic_visit(ast.Raise(kind))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A warning without its message; any call without the keywords that do not count."""
        called = self.visit(node.func)
        name = called.id if isinstance(called, ast.Name) else ""
        args = node.args[1:] if name == "warnings.warn" else node.args
        counted = self._keywords.get(name)
        keywords = [k for k in node.keywords if counted is None or k.arg in counted]
        return ast.Call(called, [*map(self.visit, args)], [*map(self.visit, keywords)])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The full name of what is imported."""
        return ast.Name(self._imports.names.get(node.id, node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """What an imported module has goes by its full name; by the last one for own modules."""
        owner = self.visit(node.value)
        if isinstance(owner, ast.Name) and owner.id in self._imports.modules:
            return ast.Name(node.attr, node.ctx)
        if isinstance(owner, ast.Name) and owner.id in self._imports.foreign:
            full = f"{owner.id}.{node.attr}"
            self._imports.foreign.add(full)
            return ast.Name(full, node.ctx)
        return _with(node, value=owner)


def _with(node: Node, **fields: object) -> Node:
    """The node with other fields."""
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def _says_nothing(statement: ast.stmt) -> bool:
    """Whether it is a string, such as a docstring, or names what a module offers."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        return isinstance(target, ast.Name) and target.id in _SAYS_NOTHING
    is_value = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_value and isinstance(statement.value.value, str)  # type: ignore[attr-defined]
