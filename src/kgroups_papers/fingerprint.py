"""What finished runs were made by: a digest of all that their numbers may depend on."""

import inspect
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import kgroups
from kgroups_papers.code import definitions, digest, reached
from kgroups_papers.experiment import Run

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# What shows or checks what was found, or only names what there is.
_LATER = ("cli", "pages", "plots", "report", "layout.py", "testing.py",
          "__init__.py", "__main__.py", "version.py")  # fmt: skip
# What the papers' runs compute with; what files hold is compared by its own digest.
_COMPUTING = ("recipes", "data/content.py")
# What decides a number of an experiment; all else is words, pictures and how many runs there are.
_KEYWORDS = {
    "Experiment": frozenset({"name", "cases", "run"}),
    "Case": frozenset({"key", "parameters", "data"}),
}
# Where a module lists its experiments.
_LISTS = ("PUBLISHED", "DRAFT")


def fingerprint(run: Run) -> str:
    """The code of the library, the recipes and the experiments of a module, and others' versions.

    It says what is computed, not how that is written: a docstring, an annotation, an import, the
    text of an error or of a title, a moved definition and a moved file change nothing; a constant,
    an operator, a default value and any name in the code do. Published numbers and known causes
    are data and have no part in it either: who finds out a cause need not run anything again.
    """
    path = Path(inspect.getfile(run))
    return _fingerprint(path, path.stat().st_mtime_ns, run.__name__)


@lru_cache
def _fingerprint(path: Path, _modified: int, run: str) -> str:
    own = reached([run, *_LISTS], definitions(path, _KEYWORDS))
    packages = (f"{name} {version(name)}" for name in _PACKAGES)
    return digest([*packages, *_library(), *(each.text for each in own)])[:16]


@lru_cache
def _library() -> tuple[str, ...]:
    """Everything that all experiments compute with."""
    return tuple(each.text for path in _files() for each in definitions(path))


def _files() -> Iterator[Path]:
    root, papers = Path(kgroups.__file__).parent, Path(__file__).parent
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] not in _LATER:
            yield path
    for name in _COMPUTING:
        place = papers / name
        yield from place.rglob("*.py") if place.is_dir() else (place,)
