"""Measures of the code itself: ``python -m benchmarks.structure [ROOT] [--list]``.

Counts the packages under ``ROOT/src`` from their text: nothing is imported or run. Exit status 1
where a limit of ``LIMITS`` is missed. ``--list`` names the offenders: the modules of the longest
chain of imports, undocumented names, imports of underscored modules, and so on.
"""

from __future__ import annotations

import argparse
import ast
import io
import operator
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from statistics import median
from typing import NamedTuple

LIBRARY = "kgroups"
START = "kgroups.estimators.kernel_kgroups"
# What must hold, by the name of the measure: (at most or at least, number).
LIMITS: dict[str, tuple[str, float]] = {
    "median module, lines": ("<=", 150),
    "largest module, lines": ("<=", 500),
    "functions fully annotated": (">=", 1.0),
    "parameters typed Any": ("<=", 0.08),
    "noqa": ("<=", 10),
    "public names without docstring": ("<=", 0),
    "test lines : source lines": (">=", 0.8),
    "rooms at top level": ("<=", 29),
    "longest chain of imports": ("<=", 16),
    "underscored modules imported from outside": ("<=", 0),
    "file names in several folders": ("<=", 0),
}
HOLDS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


class Module(NamedTuple):
    """One file of Python."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The folder, as a dotted name."""
        is_package = self.path.name == "__init__.py"
        return self.name if is_package else self.name.rpartition(".")[0]

    @property
    def n_lines(self) -> int:
        """All lines, blank ones too."""
        return len(self.text.splitlines())


class Measure(NamedTuple):
    """A number, and the places that it counts where they can be named."""

    name: str
    value: float
    places: Sequence[str] = ()

    @property
    def limit(self) -> str:
        """The limit as it is printed; empty without one."""
        return "{} {:g}".format(*LIMITS[self.name]) if self.name in LIMITS else ""

    @property
    def holds(self) -> bool:
        """Whether the limit is kept; true without one."""
        if self.name not in LIMITS:
            return True
        sign, limit = LIMITS[self.name]
        return HOLDS[sign](self.value, limit)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("root", type=Path, nargs="?", default=here, metavar="ROOT")
    parser.add_argument("--list", action="store_true", help="name what is counted, where possible")
    options = parser.parse_args(arguments)
    measures = measured(options.root)
    for measure in measures:
        mark = "" if measure.holds else "  MISSED"
        print(f"{measure.name:44}{measure.value:>10,.5g}  {measure.limit:8}{mark}".rstrip())
        for place in measure.places if options.list else ():
            print(f"    {place}")
    return int(not all(measure.holds for measure in measures))


def measured(root: Path) -> list[Measure]:
    """All measures of a checkout: of all packages together, of ``kgroups`` where only it counts."""
    source = [module for folder in packages(root) for module in modules(folder)]
    lines = [module.n_lines for module in source]
    return [
        Measure("modules", len(source)),
        Measure("lines", sum(lines)),
        *lines_of_packages(source),
        Measure("statements", sum(n_statements(module.tree) for module in source)),
        Measure("median module, lines", median(lines)),
        largest(source),
        *of_functions(source),
        silenced(source),
        undocumented(source),
        Measure("test lines : source lines", n_test_lines(root) / sum(lines)),
        rooms(root),
        chain(source, START),
        intrusions(source),
        namesakes(source),
    ]


def packages(root: Path) -> list[Path]:
    """The import packages of a checkout."""
    return sorted(path.parent for path in (root / "src").glob("*/__init__.py"))


def modules(package: Path) -> Iterator[Module]:
    """Every file of a package."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield Module(name, path, text, ast.parse(text))


def lines_of_packages(source: Iterable[Module]) -> list[Measure]:
    """The lines of each package."""
    lines: dict[str, int] = defaultdict(int)
    for module in source:
        lines[module.name.partition(".")[0]] += module.n_lines
    return [Measure(f"  of {package}", n) for package, n in lines.items()]


def n_statements(tree: ast.Module) -> int:
    """Statements; docstrings are none."""
    nodes = list(ast.walk(tree))
    docstrings = sum(isinstance(n, Documented) and has_docstring(n) for n in nodes)
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def has_docstring(node: Documented) -> bool:
    """Whether the body begins with text."""
    return ast.get_docstring(node, clean=False) is not None


def largest(source: Sequence[Module]) -> Measure:
    """The longest module."""
    module = max(source, key=lambda module: module.n_lines)
    return Measure("largest module, lines", module.n_lines, [module.name])


def of_functions(source: Iterable[Module]) -> Iterator[Measure]:
    """Length and annotations of all functions and methods, nested ones too."""
    places = {
        node: f"{module.name}:{node.lineno} {node.name}"
        for module in source
        for node in ast.walk(module.tree)
        if isinstance(node, Function)
    }
    yield Measure("functions", len(places))
    yield Measure("median function, lines", median(n.end_lineno - n.lineno + 1 for n in places))
    bare = [place for node, place in places.items() if not is_annotated(node)]
    yield Measure("functions fully annotated", 1 - len(bare) / len(places), bare)
    owned = [(arg, place) for node, place in places.items() for arg in parameters(node)]
    loose = [f"{place}: {arg.arg}" for arg, place in owned if is_any(arg.annotation)]
    yield Measure("parameters", len(owned))
    yield Measure("parameters typed Any", len(loose) / len(owned), loose)


def parameters(node: Function) -> list[ast.arg]:
    """All parameters but ``self`` and ``cls``."""
    a = node.args
    stars = [arg for arg in (a.vararg, a.kwarg) if arg is not None]
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    return [arg for arg in named + stars if arg.arg not in ("self", "cls")]


def is_annotated(node: Function) -> bool:
    """Whether all parameters and what is returned have a type."""
    return node.returns is not None and all(arg.annotation for arg in parameters(node))


def is_any(annotation: ast.expr | None) -> bool:
    """Whether a parameter may be anything: ``Any``, alone or in a union."""
    if isinstance(annotation, ast.BinOp):
        return is_any(annotation.left) or is_any(annotation.right)
    return annotation is not None and ast.unparse(annotation) in ("Any", "typing.Any")


def silenced(source: Iterable[Module]) -> Measure:
    """Findings of the linter that are silenced line by line."""
    places = [
        f"{module.name}:{token.start[0]} {token.string}"
        for module in source
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline)
        if token.type == tokenize.COMMENT and "noqa" in token.string
    ]
    return Measure("noqa", len(places), places)


def undocumented(source: Iterable[Module]) -> Measure:
    """Modules, and public classes, functions and methods, that have no docstring."""
    places = [
        f"{module.name}: {name or 'the module'}"
        for module in source
        for name, node in public(module.tree, "")
        if not has_docstring(node)
    ]
    return Measure("public names without docstring", len(places), places)


def public(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    """A module or class and what it defines, without what begins with an underscore."""
    yield name, node
    for inner in node.body if not isinstance(node, Function) else ():
        if isinstance(inner, ast.ClassDef | Function) and not inner.name.startswith("_"):
            yield from public(inner, f"{name}.{inner.name}".lstrip("."))


def n_test_lines(root: Path) -> int:
    """Lines of all test files."""
    files = (root / "tests").rglob("*.py")
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def rooms(root: Path) -> Measure:
    """Modules and packages that lie directly in the library's folder."""
    folder = root / "src" / LIBRARY
    folders = [path.parent.name for path in folder.glob("*/__init__.py")]
    places = sorted([path.stem for path in folder.glob("*.py")] + folders)
    return Measure("rooms at top level", len(places), places)


def imported(module: Module, statements: Iterable[ast.AST], known: set[str]) -> Iterator[str]:
    """The modules among ``known`` that statements import; a package where it gives only names."""
    for node in statements:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(module, node)
            names = {f"{base}.{alias.name}" for alias in node.names}
            yield from names & known
            if base in known and names - known:
                yield base


def absolute(module: Module, node: ast.ImportFrom) -> str:
    """The dotted name that ``from ... import`` starts from."""
    return resolve_name("." * node.level + (node.module or ""), module.package)


def at_import(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when a module is imported, without those for type checkers alone."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from at_import(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from at_import([n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)])
        else:
            yield node


def chain(source: Iterable[Module], start: str) -> Measure:
    """The longest chain of modules, each imported by the one before; a circle is an error."""
    known = {module.name: module for module in source}
    arrows = {
        name: set(imported(module, at_import(module.tree.body), set(known))) - {name}
        for name, module in known.items()
    }
    longest: dict[str, list[str]] = {}
    for name in TopologicalSorter(arrows).static_order():
        below = [longest[target] for target in sorted(arrows[name])]
        longest[name] = [name, *max(below, key=len, default=[])]
    places = longest.get(start, [])
    return Measure("longest chain of imports", len(places), places)


def intrusions(source: Sequence[Module]) -> Measure:
    """Imports of a module with an underscore, type-only and late ones too, by another folder."""
    known = {module.name for module in source}
    places = [
        f"{module.name} imports {target}"
        for module in source
        for target in sorted(set(imported(module, ast.walk(module.tree), known)))
        if not within(module.package, owner(target))
    ]
    return Measure("underscored modules imported from outside", len(places), places)


def owner(name: str) -> str:
    """The package to which a module belongs: above the first part with an underscore."""
    parts = name.split(".")
    private = [i for i, part in enumerate(parts) if part.startswith("_")]
    return ".".join(parts[: private[0]]) if private else ""


def within(package: str, folder: str) -> bool:
    """Whether a package is a folder or in it."""
    return not folder or f"{package}.".startswith(f"{folder}.")


def namesakes(source: Iterable[Module]) -> Measure:
    """Files of one name in different folders of a package, apart from compiled loops."""
    folders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in source:
        if "compiled" not in module.path.parts and not module.path.stem.startswith("__"):
            library = module.package.split(".")[0]
            folders[library, module.path.stem].append(module.package)
    places = [f"{name}: {', '.join(f)}" for (_, name), f in sorted(folders.items()) if len(f) > 1]
    return Measure("file names in several folders", len(places), places)


if __name__ == "__main__":
    raise SystemExit(main())
