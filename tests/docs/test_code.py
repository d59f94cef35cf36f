"""Code of the pages runs, and whatever they name exists."""

import doctest
import importlib
import re
import shlex
import tomllib
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from json_cases import FOLDER

from helpers import write_csv
from kgroups import KernelKGroups
from kgroups.cli import main
from kgroups.cli.options import COMMANDS
from kgroups.names import MATRICES, OBJECT_METRICS, SEMIMETRICS
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


@pytest.mark.parametrize("name", [name for name in PAGES if "\n>>> " in page(name)])
@pytest.mark.filterwarnings("ignore:.*negative type")
def test_examples_of_a_page_print_what_it_shows(name, folder):
    code = "\n".join(blocks(page(name), "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, name, None, 0)
    assert len(example.examples) > 5
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


def test_commands_of_the_page_on_keeping_a_model(folder, capsys):
    rows = np.random.default_rng(0).normal(size=(30, 2)) + 5 * np.arange(30)[:, None] // 10
    write_csv(folder / "data.csv", [["a", "b"], *rows.round(3).tolist()])
    write_csv(folder / "new.csv", [["b", "a"], *rows[:5, ::-1].round(3).tolist()])
    (commands,) = blocks(page("keeping-a-model"), "bash")
    for line in commands.splitlines():
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert len((folder / "labels.csv").read_text().splitlines()) == 6


def test_names_in_pages_exist():
    """Dotted names in backticks can be imported, modules of benchmarks be run."""
    for name in PAGES:
        for dotted in re.findall(r"`(kgroups(?:\.\w+)+)", page(name)):
            module, _, last = dotted.rpartition(".")
            found = importlib.import_module(module)
            assert hasattr(found, last) or importlib.util.find_spec(dotted), (name, dotted)
        for script in re.findall(r"`(?:python -m )?benchmarks[./](\w+)", page(name)):
            assert importlib.util.find_spec(f"benchmarks.{script}"), (name, script)


def test_files_and_anchors_in_pages_exist():
    for name, place in PAGES.items():
        text = page(name)
        for path in re.findall(r"`((?:solvers|docs|src)/[\w./-]+\.\w+)`", text):
            roots = (ROOT, ROOT / "src" / "kgroups")
            assert any((root / path).exists() for root in roots), (name, path)
        for target in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", text):
            assert (place.parent / target).exists(), (name, target)
        for target, anchor in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", text):
            other = (place.parent / target) if target else place
            heads = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            known = {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}
            assert anchor in known, (name, anchor)


def test_options_in_pages_exist():
    """Options of every command, and those of benchmarks that a page may name."""
    params = [param for command in COMMANDS.values() for param in command.params]
    known = {"--version", *(option for param in params for option in param.opts)}
    for file in ("hunt/__main__.py",):
        known |= set(re.findall(r'"(--[\w-]+)"', (ROOT / "benchmarks" / file).read_text()))
    for name in PAGES:
        text = re.sub(r"`(?:pip|python) [^`]*`", "", page(name))
        for quoted in re.findall(r"`([^`\n]*--[^`]*)`", text):
            assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", quoted)) <= known, (name, quoted)


def test_metrics_in_tables_of_the_page_on_metrics_exist():
    metrics = {*SEMIMETRICS, *OBJECT_METRICS, *MATRICES}
    tree = page("metrics").partition("## What is one row?")[2].partition("![Nine")[0]
    assert set(re.findall(r'`"(\w+)"`', tree)) <= metrics


@pytest.fixture
def json_page():
    """What writes the tables of a page."""
    page("json")  # skips where the documentation is not here
    return importlib.import_module("docs.json_page")


def test_tables_of_the_page_on_json_are_those_of_the_schemas(json_page):
    text, found = page("json"), json_page.schemas(FOLDER)
    assert json_page.with_tables(text, found) == text, "run python docs/json_page.py"
    assert set(re.findall(r"<!-- ([\w-]+) -->", text)) == set(found) - {"notes"}


def test_extras_of_the_readme_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(re.findall(r'"\.\[(\w+)\]"', page("README")))
    assert extras
    assert extras <= set(project["optional-dependencies"])
