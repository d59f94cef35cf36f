"""No argument from Python makes a kernel read or write past an end.

A process of its own records calls of all kernels in small fits. It makes them again with one
argument changed at a time, in memory that ends where no page may be touched.
"""

import copy
import ctypes
import mmap
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np

import kgroups
from kgroups import KernelKGroups
from kgroups.gram import DenseGram, FactorGram, MatrixFreeGram
from kgroups.native import kernels
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, HartiganPairs, Lloyd, OnlineLloyd, Problem
from kgroups.solvers.neighboring import neighboring

# Calls of one kernel that are made again, each with arguments of other types.
MOST = 3
# Other types of numbers in place of each.
OTHERS = {"?": "u1", "f": "i8", "d": "f4", "q": "i4", "B": "u2", "H": "u4", "I": "i4", "i": "i8"}


def fit():
    """Fits in which every kernel is called."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 3 * rng.integers(0, 3, (60, 1))
    for metric in ("energy", "manhattan", "sqeuclidean", "cosine", "laplacian"):
        for rows in (X, X.astype("f4")):
            KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
    w, start = rng.uniform(0.5, 2.0, 60), rng.permutation(np.arange(60) % 4)
    dense, free = (kind.from_points(X, Energy()) for kind in (DenseGram, MatrixFreeGram))
    for gram in (dense, DenseGram(dense.matrix.astype("f4")), free):
        for solver in (Hartigan(ratio=False), Lloyd(), OnlineLloyd(), HartiganPairs()):
            found = solver.solve(Problem(gram, w, 4), start)
            HartiganPairs().improve(Problem(gram, w, 4), found)
        if isinstance(gram, DenseGram):
            search = neighboring(Problem(gram, w, 4), Hartigan())
            search.split(search.begun(start, 4), np.arange(3))
            gram.part(np.arange(9))
    for rows in (X, X.astype("f4")):
        FactorGram(rows).running_sums(start, w, 4)


def recorded():
    """The calls of :func:`fit`, by kernel and types of arguments; arrays as they were before."""
    calls = {}

    def record(name, kernel, *arguments):
        types = str([getattr(leaf, "dtype", type(leaf)) for leaf in leaves(arguments)])
        known = calls.setdefault(name, {})
        if len(known) < MOST and types not in known:
            known[types] = copy.deepcopy(arguments)
        return kernel(*arguments)

    plain = {name: getattr(kernels, name) for name in dir(kernels)}
    kernels.__dict__.update({name: partial(record, name, kernel) for name, kernel in plain.items()})
    fit()
    kernels.__dict__.update(plain)
    return [(name, call) for name, known in calls.items() for call in known.values()]


def leaves(argument):
    """Arguments, and the fields of tuples among them one by one."""
    if not isinstance(argument, tuple):
        return [argument]
    return [leaf for field in argument for leaf in leaves(field)]


def replaced(argument, values):
    """The same tuples around other values, which are taken from the list."""
    if not isinstance(argument, tuple):
        return values.pop(0)
    return tuple(replaced(field, values) for field in argument)


def guarded(array, at_end):
    """A copy that ends, or begins, at a page that may not be touched."""
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
        return array
    page = mmap.PAGESIZE
    size = -(-max(array.nbytes, 1) // page) * page + 2 * page
    memory = mmap.mmap(-1, size)
    if sys.platform != "win32":
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for edge in (address, address + size - page):
            ctypes.CDLL(None).mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0)
    at = size - page - array.nbytes if at_end else page
    made = np.frombuffer(memory, np.uint8, array.nbytes, at).view(array.dtype).reshape(array.shape)
    made[...] = array
    made.flags.writeable = array.flags.writeable
    return made


def changes(value):
    """Names of changes of an argument, whether each must raise an error, and what it becomes."""
    if isinstance(value, (bool, float)) or not isinstance(value, (int, np.integer, np.ndarray)):
        return
    if not isinstance(value, np.ndarray):
        yield from ((str(n), False, n) for n in (-1, value + 1, 10**5, 2**62, -(2**63)))
        return
    yield "a type", False, value.astype(OTHERS.get(value.dtype.char.replace("l", "q"), "f8"))
    yield "an axis more", True, value[None]
    yield "strides", value.size > 1, np.repeat(value, 2, axis=-1)[..., ::2]
    if value.ndim > 1:
        yield "an axis less", True, value.reshape(-1)
        yield "Fortran order", min(value.shape) > 1, np.asfortranarray(value)
        yield "a column fewer", False, value[..., :-1].copy()
    yield "a row fewer", False, value[:-1].copy()
    yield "no rows", False, value[:0].copy()
    yield "read-only", False, np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
    if value.size and value.dtype.kind in "iu":
        for n in (-1, value.size, 10**5, np.iinfo(value.dtype).max):
            for place in (0, -1):
                wrong = value.copy()
                wrong.flat[place] = np.array(n).astype(value.dtype)
                yield f"{n} at {place}", False, wrong


def replay():
    """Make all calls again with changed arguments; the last line names the one under way."""
    for name, call in recorded():
        for i, leaf in enumerate(leaves(call)):
            for what, must_raise, value in changes(leaf):
                for at_end in (True, False):
                    values = leaves(call)
                    values[i] = value
                    values = [guarded(x, at_end) for x in values]
                    print(f"{name}: argument {i} with {what}", flush=True)
                    try:
                        getattr(kernels, name)(*replaced(call, values))
                    except (TypeError, ValueError, IndexError, MemoryError, OverflowError):
                        continue
                    assert not must_raise


def test_no_changed_argument_crashes_a_kernel_and_wrong_shapes_raise():
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=False, timeout=300
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr[-500:])
    assert {line.split(":")[0] for line in lines} == set(dir(kernels)), "fit() calls all kernels"


def test_the_kernels_in_use_are_those_that_are_exported():
    texts = [path.read_text() for path in Path(kgroups.__file__).parent.rglob("*.py")]
    used = {name for text in texts for name in re.findall(r"\bkernels\.([a-z]\w+)", text)}
    assert used - {"so", "dll"} == set(dir(kernels))


if __name__ == "__main__":
    replay()
