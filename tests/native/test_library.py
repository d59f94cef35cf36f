"""The compiled library: sets of instructions, errors where it is missing, threads, processes."""

import ctypes
import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import kgroups
from hatch_build import find_compiler
from helpers import each
from kgroups import KernelKGroups
from kgroups.native import instructions, library

FIT = """
import numpy as np
from kgroups import KernelKGroups
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3)) + 3 * rng.integers(0, 3, (400, 1))
for metric in ("energy", "manhattan", "sqeuclidean", "cosine", "laplacian"):
    for rows in (X, X.astype("f4")):
        model = KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
        print(metric, *model.labels_, sep=",", end=";")
        print(model.within_dispersion_)
"""


LONG = """
import signal, time
import numpy as np
from kgroups import KGroups1D

def interrupted(*_):
    global since
    since = time.perf_counter()
    raise KeyboardInterrupt

X = np.random.default_rng(0).normal(size=20_000)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
sent = time.perf_counter() + 1.5
signal.setitimer(signal.ITIMER_REAL, 1.5)
try:
    KGroups1D(30, alpha=1.5).fit(X)
except KeyboardInterrupt:
    print(since - sent, time.perf_counter() - since)
"""


def python(code, **environment):
    """What a new process prints, or raises."""
    environment = os.environ | {"PYTHONPATH": str(Path(kgroups.__file__).parents[1])} | environment
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else done.stderr.splitlines()[-1]


def sets():
    """Sets of instructions that this processor supports."""
    names = iter(range(9))
    count = library._library.kg_best_set() + 1
    return [library._library.kg_set_name(next(names)).decode() for _ in range(count)]


def test_every_set_of_instructions_gives_the_same_labels():
    fits = [python(FIT, KGROUPS_INSTRUCTIONS=name).splitlines() for name in sets()]
    assert instructions in sets()
    for other in fits:
        for line, expected in zip(other, fits[0], strict=True):
            (labels, within), (true, best) = line.split(";"), expected.split(";")
            assert labels == true
            assert float(within) == pytest.approx(float(best), rel=1e-12)


def test_an_unknown_set_is_named_with_those_there_are():
    printed = python("import kgroups.native", KGROUPS_INSTRUCTIONS="x86-64-v9")
    assert printed.startswith("ImportError: KGROUPS_INSTRUCTIONS='x86-64-v9' is none of those")
    assert printed.endswith(", ".join(sets()))


def test_a_missing_library_says_how_it_is_built(tmp_path):
    printed = python("import kgroups.native", KGROUPS_LIBRARY=str(tmp_path / "kernels.bin"))
    assert printed.startswith("ImportError:")
    assert "'python hatch_build.py'" in printed


def test_a_library_of_other_sources_is_refused(tmp_path):
    source = Path(kgroups.__file__).parents[1]
    if not (source / "native").exists():
        pytest.skip("the package is not that of a clone")
    shutil.copytree(source, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "src" / "native" / "codes.hpp", "a") as file:
        file.write("// newer\n")
    printed = python("import kgroups.native", PYTHONPATH=str(tmp_path / "src"))
    assert printed.startswith("ImportError:")
    assert printed.endswith("run hatch_build.py")


@each(
    ("variable", "command"),
    [
        ("g++ -m64", ["g++", "-m64"]),
        ("'a folder/my c++' -m64", ["a folder/my c++", "-m64"]),
        ("missing++", ["missing++"]),  # which fails, and is not another one in silence
        ("zig", None),
    ],
)
def test_the_compiler_is_the_one_that_the_variable_names(variable, command, monkeypatch):
    monkeypatch.setenv("CXX", variable)
    assert find_compiler() == command


def test_a_blas_with_integers_of_64_bits_is_refused(monkeypatch):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    long = b"void (char *, char *, int64_t *, int64_t *, int64_t *)"
    monkeypatch.setitem(library.cython_blas.__pyx_capi__, "sgemm", make(1, long, None))
    with pytest.raises(ImportError, match="ILP64"):
        library._product_of_matrices()


class Undecided:
    """Has no class when it is asked for one."""

    @property
    def __class__(self):
        raise RuntimeError("no class")


@each(
    ("argument", "error"),
    [
        (2**63, OverflowError),
        (-(2**63) - 1, OverflowError),
        (None, TypeError),
        (np.longdouble(1), TypeError),
        (np.zeros((1, 1, 1, 1)), TypeError),
        (np.zeros(4, object), TypeError),
        (np.zeros(4, ">f8"), TypeError),
        ((np.zeros(4),) * 65, TypeError),
        (Undecided(), RuntimeError),
    ],
)
def test_what_no_kernel_takes_raises_and_leaves_no_reference(argument, error):
    x, out = np.zeros(4), np.zeros(4)
    before = [sys.getrefcount(kept) for kept in (x, out, argument, error)]
    for _ in range(100):
        with pytest.raises(error):
            library.kernels.sum_distances(x, argument, out)
    after = [sys.getrefcount(kept) for kept in (x, out, argument, error)]
    assert all(abs(a - b) < 50 for a, b in zip(after, before, strict=True))


@pytest.mark.skipif(not shutil.which("nm"), reason="nm is not there")
def test_the_library_needs_nothing_but_memory_functions_of_the_system():
    path = library.PATH
    command = ["nm", "-D", "--undefined-only", path]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = {line.split()[1].split("@")[0] for line in listed.splitlines() if " U " in line}
    assert needed <= {"memcpy", "memmove", "memset", "memcmp"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers that send signals")
def test_an_interrupt_ends_a_long_fit():
    waited, raised = map(float, python(LONG).split())
    assert waited + raised < 1


def fit(seed):
    """Labels of a small fit."""
    X = np.random.default_rng(seed).normal(size=(300, 2))
    return KernelKGroups(3, n_init=2, random_state=0).fit(X).labels_


@each("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_other_processes_and_threads_give_the_same_labels(method):
    expected = [fit(seed) for seed in range(4)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        np.testing.assert_array_equal(pool.map(fit, range(4)), expected)
    with ThreadPoolExecutor(4) as pool:
        np.testing.assert_array_equal(list(pool.map(fit, range(4))), expected)
