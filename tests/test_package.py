"""The package as a whole: lazy import, names, threads, memory, the compiler's cache."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kgroups
from helpers import ESCAPE, each
from kgroups.runtime import memory
from kgroups.runtime.threads import run
from kgroups.text import printable


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_brings_in_nothing_heavy():
    loaded = python("import kgroups, sys; print(*sys.modules)").split()
    heavy = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "pandas"}
    assert not heavy & set(loaded)


def test_names():
    assert set(kgroups.__all__) <= set(dir(kgroups))
    for name in kgroups.__all__:
        assert getattr(kgroups, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'KMeans'; it has BetheHessian"):
        _ = kgroups.KMeans


def test_help_and_names_need_no_optional_package():
    """Tools that look up every name work, and ``kgroups.dask`` says what to install."""
    missing = "dask distributed matplotlib networkx pyarrow pandas polars tslearn rapidfuzz jinja2"
    printed = python(f"""
import inspect, pydoc, sys
sys.modules.update(dict.fromkeys({missing.split()}))
import kgroups
from kgroups import *
for package in (kgroups, blocks, bounds, graphs, metrics, plots, select, semimetrics, stats):
    assert set(package.__all__) <= {{name for name, _ in inspect.getmembers(package)}}
    pydoc.render_doc(package)
for statement in ("import kgroups.dask", "from kgroups import dask", "kgroups.dask"):
    try:
        exec(statement)
    except ImportError as error:
        print(error)
""")
    install = 'kgroups.dask needs dask and distributed; run: pip install "kgroups[dask]"'
    assert printed.splitlines() == [install] * 3


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert version("kgroups") == kgroups.__version__


def test_compiles_where_no_cache_can_be_written(tmp_path):
    """numba refuses to cache while decorating; the package must work all the same."""
    copy = tmp_path / "kgroups"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(kgroups.__file__).parent, copy, ignore=ignored)
    for folder in [copy, *(p for p in copy.rglob("*") if p.is_dir())]:
        (folder / "__pycache__").write_text("a file where the cache would be a folder")
    code = (
        "import kgroups\n"
        f"assert kgroups.__file__.startswith({str(tmp_path)!r}), kgroups.__file__\n"
        "from kgroups.graphs.compiled.local_moves import occupied\n"
        "print(type(occupied._cache).__name__)\n"
        "print(kgroups.KernelKGroups(2, random_state=0).fit([[0.], [1.], [9.]]).labels_)"
    )
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_DIR": ""}
    printed = python(code, PYTHONPATH=str(tmp_path), **nowhere)
    assert printed.splitlines() == ["_NoCache", "[0 0 1]"]


@each("n_threads", [1, 2, 5])
def test_run_keeps_the_order_of_tasks(n_threads):
    assert list(run(lambda x: x * x, list(range(20)), n_threads)) == [x * x for x in range(20)]


def test_run_raises_the_first_error_and_cancels_the_rest():
    begun = []

    def work(x):
        begun.append(x)
        if x == 3:
            raise KeyError("three")
        time.sleep(0.01)  # so that the error is seen long before the last task begins

    with pytest.raises(KeyError, match="three"):
        list(run(work, list(range(500)), 2))
    assert len(begun) < 500


def test_require(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    memory.require(800, what="it", instead="")
    with pytest.raises(MemoryError, match=r"it needs 801 B, and 1000 B are free\. Write less\."):
        memory.require(801, what="it", instead="Write less.")
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.require(10**30, what="it", instead="")


@each(
    ("text", "shown"),
    [
        ("plain é σ 漢", "plain é σ 漢"),
        ("a\nb\r\t", r"a\nb\r\t"),
        (f"{ESCAPE}2J", r"\x1b[2J"),
        ("\x7f\u202e", r"\x7f\u202e"),  # delete, and the mark that turns text around
        ("it's", "it's"),
    ],
)
def test_no_name_can_control_a_terminal(text, shown):
    assert printable(text) == shown
    assert shown.isprintable()
