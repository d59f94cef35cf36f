"""Compiled code is kept on disk where that is possible; elsewhere work goes on with one warning."""

import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import pytest

from helpers import each
from kgroups.runtime import jit as module

if numba.config.DISABLE_JIT:
    pytest.skip("nothing is compiled", allow_module_level=True)

FUNCTIONS = """
from kgroups.runtime.jit import jit

@jit
def one_more(x):
    return x + 1

@jit
def twice(x):
    return 2 * one_more(x)
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder in which numba keeps its code."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_said", set())
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    return tmp_path / "cache"


def functions(cache):
    """The functions as a new process would have them."""
    spec = importlib.util.spec_from_file_location("functions", cache.parent / "functions.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def compiled(cache):
    """How many functions are kept."""
    return len(list(cache.rglob("*.nbc")))


def test_code_is_kept_and_found(cache):
    assert functions(cache).twice(3) == 8
    assert compiled(cache) == 2
    again = functions(cache)
    assert again.twice(3) == 8
    assert sum(again.twice.stats.cache_hits.values()) == 1


@each("suffix", [".nbi", ".nbc"])
@each("content", [b"", b"\x80\x05damaged", b"cos\nnot_there\n."])
def test_damaged_files_are_written_again(cache, suffix, content):
    functions(cache).twice(3)
    for path in cache.rglob(f"*{suffix}"):
        path.write_bytes(content)
    assert functions(cache).twice(3) == 8
    again = functions(cache)
    assert again.twice(3) == 8
    assert sum(again.twice.stats.cache_hits.values()) == 1


def test_a_folder_that_went_away_is_missed_once(cache):
    found = functions(cache)
    cache.rename(cache.parent / "elsewhere")
    cache.write_text("a file where the folder was")
    with pytest.warns(UserWarning, match=r"cache.* cannot be used: .*NUMBA_CACHE_DIR") as warned:
        assert found.twice(3) == 8
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found.twice(3.5) == 9


def test_no_folder_at_all(cache, monkeypatch):
    def refuse(_):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(module, "_Cache", refuse)
    found = functions(cache)
    with pytest.warns(UserWarning, match="nor that of the user's cache can be written") as warned:
        assert found.twice(3) == 8
    assert len(warned) == 1


@pytest.mark.skipif(os.name == "nt", reason="no limit of file sizes")
def test_a_full_disk(cache):
    """A limit on the size of files stands in for it."""
    code = (
        "import resource, functions\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))\n"
        "print(functions.twice(3), functions.twice(3.5))\n"
    )
    source = Path(module.__file__).parents[2]
    environment = {"PYTHONPATH": f"{cache.parent}{os.pathsep}{source}"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "8 9.0\n"
    assert done.stderr.count("compiled code is not kept") == 1
    assert "File too large" in done.stderr
    assert compiled(cache) == 0
