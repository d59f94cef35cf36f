"""What finished runs are made by: what the code does, not how it is written or where it stands."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

import kgroups
from helpers import each
from kgroups_papers.catalog import catalog
from kgroups_papers.fingerprint import fingerprint

module = sys.modules["kgroups_papers.fingerprint"]

SOLVER = '''\
"""How points are moved."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from kgroups.gram import matrix
from kgroups.gram import tables as kept

if TYPE_CHECKING:
    from kgroups.gram import Matrix

__all__ = ["solve"]

TOLERANCE = 1e-9


def solve(G: "Matrix", tol: float = 0.5) -> float:
    """The largest eigenvalue."""
    found: float = eigh(G)[0].max()  # the last one
    if found < tol:
        raise ValueError(f"{found} is too small")
    warnings.warn("this takes long", stacklevel=2)
    return np.maximum(found + matrix(G), kept.least(G))


class Sums:
    """Sums of rows."""

    rows: int
    columns: int = 3
'''
EXPERIMENT = '''\
"""An experiment."""

from kgroups_papers.experiment import Case, Experiment, Method

_SIZES = (10, 20)
_NOTES = ("It is slow.",)


def run(size, rng, data):
    return helper(size) + rng.normal()


def helper(size):
    return 2 * size


def draw(outcome):
    return "a picture"


def made(name, factor):
    return Experiment(
        name=name,
        title="Sizes",
        source="nowhere",
        about="Sizes are doubled.",
        cases=tuple(Case(key=str(n), parameters=factor * n, x=n) for n in _SIZES),
        methods=(Method(key="a", title="a method"),),
        run=run,
        draw=draw,
        n_runs=100,
        quick_runs=1,
        notes=_NOTES,
    )


PUBLISHED = (made("first", 1),)
DRAFT = ()
'''


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Two packages of few files, and the fingerprint of a run in one of them."""
    root, papers = tmp_path / "kgroups", tmp_path / "kgroups_papers"
    files = {
        root / "__init__.py": "",
        root / "gram" / "__init__.py": "from kgroups.gram.matrix import matrix\n",
        root / "gram" / "matrix.py": "def matrix(G):\n    return 1\n",
        root / "gram" / "tables.py": "def least(G):\n    return 0\n",
        root / "solvers" / "hartigan.py": SOLVER,
        root / "cli" / "cluster.py": "x = 1\n",
        root / "plots" / "lines.py": "x = 1\n",
        root / "report" / "words.py": "x = 1\n",
        papers / "recipes" / "methods.py": "STARTS = 5\n",
        papers / "data" / "content.py": "x = 1\n",
        papers / "data" / "folders.py": "x = 1\n",
        papers / "verdict.py": "x = 1\n",
        papers / "figures" / "curves.py": "x = 1\n",
        papers / "experiments" / "sizes.py": EXPERIMENT,
        papers / "experiments" / "grid.py": "x = 1\n",
        papers / "fingerprint.py": "x = 1\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(kgroups, "__file__", str(root / "__init__.py"))
    monkeypatch.setattr(module, "__file__", str(papers / "fingerprint.py"))
    spec = spec_from_file_location("an_experiment", papers / "experiments" / "sizes.py")
    experiment = module_from_spec(spec)
    spec.loader.exec_module(experiment)
    yield tmp_path, lambda: made_by(experiment.run)
    forget()


def forget():
    module._library.cache_clear()
    module._fingerprint.cache_clear()


def made_by(run):
    forget()
    found = fingerprint(run)
    assert re.fullmatch("[0-9a-f]{16}", found)
    return found


def edit(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


SAME = {
    "a docstring": ('"""The largest eigenvalue."""', '"""Another sentence."""'),
    "no docstring": ('    """The largest eigenvalue."""\n', ""),
    "a docstring of a class": ('    """Sums of rows."""\n', ""),
    "a comment": ("  # the last one", "  # the largest one\n    # of all"),
    "blank lines": ("\n\n\nclass", "\n\n\n\n\nclass"),
    "an annotation": ("found: float = ", "found = "),
    "an annotated parameter": ("tol: float = 0.5) -> float:", "tol=0.5):"),
    "the type of a field": ("rows: int", "rows: float"),
    "an import for types": ("import Matrix", "import Matrix, Table"),
    "a name that is public": ('["solve"]', '["Sums", "solve"]'),
    "the text of an error": ("is too small", "is too little for this"),
    "the text of a warning": ("this takes long", "this takes a while"),
    "the same import": ("import numpy as np", "import numpy"),
    "an import of one name": ("from scipy.linalg import eigh", "from scipy import linalg"),
    "an import from elsewhere": ("kgroups.gram import matrix", "kgroups.new import matrix"),
    "another name for it": ("import tables as kept", "import tables as held"),
}  # fmt: skip
USES = {
    "the same import": ("np.maximum", "numpy.maximum"),
    "an import of one name": ("eigh(G)[0]", "linalg.eigh(G)[0]"),
    "another name for it": ("kept.least", "held.least"),
}


@each("what", SAME)
def test_how_code_is_written_changes_nothing(library, what):
    root, made = library
    path, before = root / "kgroups" / "solvers" / "hartigan.py", made()
    text = path.read_text()
    edit(path, *SAME[what])
    if what in USES:
        edit(path, *USES[what])
    assert made() == before
    path.write_text(text)


OTHER = {
    "a constant": ("TOLERANCE = 1e-9", "TOLERANCE = 1e-8"),
    "an operator": ("found + matrix(G)", "found - matrix(G)"),
    "a comparison": ("found < tol", "found <= tol"),
    "a default value": ("tol: float = 0.5", "tol: float = 0.25"),
    "a default of a field": ("columns: int = 3", "columns: int = 4"),
    "the order of fields": ("rows: int\n    columns: int = 3", "columns: int = 3\n    rows: int"),
    "another function": ("np.maximum", "np.minimum"),
    "the same name elsewhere": ("from scipy.linalg import eigh", "from numpy.linalg import eigh"),
    "a name of another module": ("kept.least", "kept.most"),
    "another error": ("raise ValueError", "raise TypeError"),
    "the name of a constant": ("TOLERANCE", "SLACK"),
    "the name of a function": ("def solve", "def solved"),
    "the name of a parameter": ("tol", "tolerance"),
    "a statement": ('    warnings.warn("this takes long", stacklevel=2)\n', ""),
}  # fmt: skip


@each("what", OTHER)
def test_what_code_does_counts_and_so_do_its_names(library, what):
    root, made = library
    path, before = root / "kgroups" / "solvers" / "hartigan.py", made()
    text = path.read_text()
    edit(path, *OTHER[what])
    assert made() != before
    path.write_text(text)


COUNTS = (
    "kgroups/gram/matrix.py",
    "kgroups/solvers/hartigan.py",
    "kgroups_papers/recipes/methods.py",
    "kgroups_papers/data/content.py",
)
LATER = (
    "kgroups/__init__.py",
    "kgroups/cli/cluster.py",
    "kgroups/plots/lines.py",
    "kgroups/report/words.py",
    "kgroups_papers/verdict.py",
    "kgroups_papers/data/folders.py",
    "kgroups_papers/figures/curves.py",
    "kgroups_papers/experiments/grid.py",
)


@pytest.mark.parametrize(("names", "is_same"), [(COUNTS, False), (LATER, True)])
def test_runs_are_made_by_what_their_numbers_depend_on(library, names, is_same):
    root, made = library
    for name in names:
        before = made()
        with (root / name).open("a") as stream:
            stream.write("\nanother = 2\n")
        assert (made() == before) is is_same, name
    before = made()
    (root / "kgroups" / "new.py").write_text("x = 1\n")
    assert made() != before


def test_every_experiment_has_a_fingerprint():
    """That of its module: experiments of one module share it, those of two do not."""
    modules = {}
    for experiment in catalog().values():
        modules.setdefault(experiment.run.__module__, set()).add(fingerprint(experiment.run))
    assert all(len(found) == 1 for found in modules.values())
    assert len(set.union(*modules.values())) == len(modules) > 5
