"""Code of the pages runs, and whatever they name exists."""

import importlib
import re
import tomllib
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from kgroups import KernelKGroups
from kgroups.cli.parser import make_parser
from kgroups.semimetrics import Energy
from pages import PAGES, ROOT, blocks, page
from select_cases import lumps


def edit_distance(a, b):
    """Levenshtein's distance, by the textbook."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(row[-1] + 1, above[j] + 1, above[j - 1] + (letter != other)))
    return row[-1]


def cells():
    """What a snippet takes for an AnnData object."""
    A = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None)
    names = pd.Index([f"c{i}" for i in range(A.shape[0])])
    return SimpleNamespace(obsp={"connectivities": A}, obs_names=names, obs={})


def given():
    """What the snippets take as known."""
    X = lumps(3, n=10)
    rng = np.random.default_rng(0)
    kinds = np.array(["a", "b", "c"])[rng.integers(3, size=len(X))]
    columns = {"age": X[:, 0], "income": X[:, 1], "town": kinds, "color": kinds[::-1]}
    model = KernelKGroups(3, random_state=0).fit(X)
    return {
        "X": X, "X_new": X[:4], "Y": X + 1, "Z": X - 1, "x": X[:, 0], "rho": Energy().pairwise(X),
        "groups": model.labels_, "labels": model.labels_, "words": ["cat", "cart", "dog", "dogs"],
        "edit_distance": edit_distance, "frame": pd.DataFrame(columns), "model": model,
        "graph": nx.karate_club_graph(), "adata": cells(), "KernelKGroups": KernelKGroups,
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name in PAGES if blocks(page(name), "python")])
@pytest.mark.filterwarnings("ignore:A graph:kgroups.exceptions.GraphNotice")
@pytest.mark.filterwarnings("ignore:3 neighbors of each row:kgroups.exceptions.GraphNotice")
def test_python_of_a_page_runs(name, tmp_path, monkeypatch):
    """Each block by itself, as somebody pastes it; examples with a prompt are run elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    edges = ["source,target", *(f"{a},{b}" for a, b in nx.karate_club_graph().edges)]
    (tmp_path / "edges.csv").write_text("\n".join(edges) + "\n")
    for code in blocks(page(name), "python"):
        if not code.startswith(">>> "):
            exec(compile(code, f"{name}.md", "exec"), given())  # noqa: S102


@pytest.mark.parametrize("name", PAGES)
def test_names_of_a_page_exist(name):
    """Dotted names in backticks can be imported, modules of benchmarks be run."""
    for dotted in re.findall(r"`(kgroups(?:\.\w+)+)", page(name)):
        module, _, last = dotted.rpartition(".")
        found = importlib.import_module(module)
        assert hasattr(found, last) or importlib.util.find_spec(dotted), dotted
    for script in re.findall(r"`(?:python -m )?benchmarks[./](\w+)", page(name)):
        assert importlib.util.find_spec(f"benchmarks.{script}"), script


@pytest.mark.parametrize("name", PAGES)
def test_files_and_anchors_of_a_page_exist(name):
    for path in re.findall(r"`((?:solvers|docs|src)/[\w./-]+\.\w+)`", page(name)):
        assert any((root / path).exists() for root in (ROOT, ROOT / "src" / "kgroups")), path
    for target, anchor in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", page(name)):
        other = (PAGES[name].parent / target) if target else PAGES[name]
        heads = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


def all_options():
    """Every option of every command."""
    (commands,) = (a for a in make_parser()._actions if hasattr(a.choices, "values"))
    return {o for command in commands.choices.values() for o in command._option_string_actions}


@pytest.mark.parametrize("name", PAGES)
def test_options_of_a_page_exist(name):
    known = all_options() | benchmark_options()
    text = re.sub(r"`(?:pip|python) [^`]*`", "", page(name))
    for quoted in re.findall(r"`([^`\n]*--[^`]*)`", text):
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", quoted)) <= known, quoted


def benchmark_options():
    """Options of benchmarks that a page may name."""
    files = ("how_many.py", "hunt/__main__.py", "cpu_targets.py")
    texts = [(ROOT / "benchmarks" / file).read_text() for file in files]
    return set(re.findall(r'"(--[\w-]+)"', "\n".join(texts)))


def test_python_and_extras_of_the_readme_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (version,) = re.findall(r"You need Python ([\d.]+) or later", page("README"))
    assert project["requires-python"] == f">={version}"
    extras = set(re.findall(r'"\.\[(\w+)\]"', page("README")))
    assert extras
    assert extras <= set(project["optional-dependencies"])
