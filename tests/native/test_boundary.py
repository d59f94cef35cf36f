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
from scipy.sparse import csr_array

import kgroups
from kgroups import EnergyAgglomerative, KernelKGroups, KGroups1D
from kgroups.gram import ColumnGram, DenseGram, FactorGram, MatrixFreeGram, SparseGram
from kgroups.gram.csr import Csr
from kgroups.gram.directions import DirectedRows, DirectionGram
from kgroups.gram.sparse_points import SparsePointsGram, sums_of_new
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.native import kernels
from kgroups.runtime.threads import Threads
from kgroups.select import feature_contributions
from kgroups.semimetrics import Energy, Hamming, Manhattan, codes, sparse_pairs
from kgroups.semimetrics.all_pairs import Points, Term
from kgroups.semimetrics.group_sums import Group, sums_to_group, sums_within_group
from kgroups.solvers import (
    Hartigan,
    HartiganPairs,
    Lloyd,
    OnlineLloyd,
    Problem,
    block_search,
    one_dimensional,
)
from kgroups.solvers.feature_search import nearest_means
from kgroups.solvers.neighboring import neighboring
from kgroups.solvers.starts import plus_plus

# Calls of one kernel that are made again, each with arguments of other types.
MOST = 3
# Other types of numbers in place of each.
OTHERS = {"?": "u1", "f": "i8", "d": "f4", "q": "i4", "B": "u2", "H": "u4", "I": "i4", "i": "i8"}
# Tables whose numbers check_csr and check_tiles check when they are made.
CHECKED_ONCE = (Csr, sparse_pairs.Rows, sparse_pairs.Tiles)


def fit():
    """Fits in which every kernel is called."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 3 * rng.integers(0, 3, (60, 1))
    S = csr_array(np.where(rng.random((60, 9)) < 0.4, rng.normal(size=(60, 9)), np.eye(60, 9)))
    S += csr_array(np.eye(1, 9).repeat(60, axis=0))
    samples = [X[i : i + 3] for i in range(57)]
    for metric in ("energy", "manhattan", "sqeuclidean", "cosine", "laplacian"):
        for rows in (X, X.astype("f4"), S):
            model = KernelKGroups(3, metric=metric, n_init=3, random_state=0).fit(rows)
            feature_contributions(rows, model.labels_, metric=metric)
    for rows in (samples, [some[:, 0] for some in samples]):
        KernelKGroups(3, metric="samples", random_state=0).fit(rows)
    for alpha in (1, 1.5, 2):
        KGroups1D(3, alpha=alpha).fit(X[:, 0]).predict(X[:, 0])
    one_dimensional._cell_starts(np.sort(X[:, 0]), np.ones(60), 9)
    EnergyAgglomerative(3).fit(X)
    w, start = rng.uniform(0.5, 2.0, 60), rng.permutation(np.arange(60) % 4)
    sums_of_new(Energy().terms(S[:5]), Energy().terms(S), start, w, 4, 1)
    group = Group.of(X, w)
    points = Points.of(Energy().terms(X))
    sums_to_group(points, X[:9], group)
    sums_within_group(points, group, 0, 2)
    for gram in grams(X, S):
        problem = Problem(gram, w, 4)
        for solver in (Hartigan(ratio=False), Lloyd(), OnlineLloyd(), HartiganPairs(), Hartigan()):
            found = solver.solve(problem, start)
            HartiganPairs().improve(problem, found)
        if isinstance(gram, DenseGram | FactorGram):
            list(Hartigan().solve_all(problem, [start], Threads(1)))
        if isinstance(gram, DenseGram):
            search = neighboring(problem, Hartigan())
            search.split(search.begun(start, 4), np.arange(3))
        plus_plus(problem, rng, 0)
        use(gram, X, start, w)


def grams(X, S):
    """Operators of every kind, from dense and from sparse rows."""
    lines = [*Manhattan().terms(X[:, :2]), *Hamming().terms(X[:, 2:].round())]
    missing = X > 4
    gaps = Term(
        np.hstack([np.where(missing, 0.0, 1.0), missing]), codes.GAPS, codes.SCALE, 2.0, 0.5
    )
    edges = csr_array((S @ S.T > 1.0).toarray().astype(float))
    yield DenseGram.from_points(X, Energy())
    yield DenseGram.from_points(X.astype("f4"), Energy())
    yield MatrixFreeGram.from_points(X, Energy())
    yield ColumnGram.from_terms([*lines, gaps])
    yield ColumnGram.from_terms(Manhattan().terms(X.astype("f4")))
    yield SparseGram(edges, columns=X[:, :1].copy())
    yield SparseRowsGram(S)
    yield SparsePointsGram.from_terms(Energy().terms(S))
    yield FactorGram(X)
    yield FactorGram(X.astype("f4"))
    yield DirectionGram(DirectedRows.of(X.astype("f4")))
    yield DirectionGram(DirectedRows.of(X.astype("f2")))


def use(gram, X, labels, w):
    """Call what an operator and its sums can do, also where many points move at once."""
    sums = gram.running_sums(labels, w, 4)
    sums.own(labels), sums.within(labels, w, 4), sums.everything(w), sums.largest(w)
    gram.rows(np.arange(3)), gram.block(0, 9), gram.matmul(X)
    if isinstance(gram, DenseGram):
        gram.part(np.arange(9))
    if isinstance(gram, SparseGram):
        gram.contracted(w, labels, 4)
    if isinstance(gram, SparseRowsGram):
        gram.dispersions(labels, w, 4)
        gram.squared_distances_to(gram.means(np.arange(60), np.ones(60), 60))
    if isinstance(gram, FactorGram):
        gram.dispersions(labels, w, 4), gram.squared_distances(0)
        nearest_means(gram.in_memory(), X[:4] / 2, Threads(1))
        at_once, block_search._ONE_BY_ONE = block_search._ONE_BY_ONE, 0
        Hartigan().solve(Problem(gram, w, 4), labels)
        block_search._ONE_BY_ONE = at_once


def recorded():
    """The calls of :func:`fit`, by kernel and types of arguments; arrays as they were before."""
    calls = {}

    def record(name, kernel, *arguments):
        types = str([getattr(leaf, "dtype", type(leaf)) for leaf, _ in leaves(arguments)])
        known = calls.setdefault(name, {})
        if len(known) < MOST and types not in known:
            known[types] = copy.deepcopy(arguments)
        return kernel(*arguments)

    plain = {name: getattr(kernels, name) for name in dir(kernels)}
    kernels.__dict__.update({name: partial(record, name, kernel) for name, kernel in plain.items()})
    fit()
    kernels.__dict__.update(plain)
    return [(name, call) for name, known in calls.items() for call in known.values()]


def leaves(argument, is_checked=False):
    """Arguments, and the fields of tuples among them; whether they were checked before."""
    if not isinstance(argument, tuple):
        return [(argument, is_checked)]
    is_checked |= isinstance(argument, CHECKED_ONCE)
    return [leaf for field in argument for leaf in leaves(field, is_checked)]


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


def changes(value, is_checked):
    """Names of changes of an argument, whether each must raise an error, and what it becomes."""
    if isinstance(value, (bool, float)) or not isinstance(value, (int, np.integer, np.ndarray)):
        return
    if not isinstance(value, np.ndarray):
        numbers = () if is_checked else (-1, value + 1, 10**5, 2**62, 2**63 - 1, -(2**63))
        yield from ((str(n), False, n) for n in numbers)
        return
    with np.errstate(all="ignore"):
        other = value.astype(OTHERS.get(value.dtype.char.replace("l", "q"), "f8"))
    yield "a type", False, other
    yield "an axis more", True, value[None]
    yield "strides", value.size > 1, np.repeat(value, 2, axis=-1)[..., ::2]
    if value.ndim > 1:
        yield "an axis less", True, value.reshape(-1)
        yield "Fortran order", min(value.shape) > 1, np.asfortranarray(value)
        yield "a column fewer", False, value[..., :-1].copy()
    yield "a row fewer", False, value[:-1].copy()
    yield "no rows", False, value[:0].copy()
    yield "read-only", False, np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
    if value.size and value.dtype.kind in "iu" and not is_checked:
        for n in (-1, value.size, 10**5, np.iinfo(value.dtype).max - value.size):
            for place in (0, -1):
                wrong = value.copy()
                wrong.flat[place] = np.array(n).astype(value.dtype)
                yield f"{n} at {place}", False, wrong


def replay(*names):
    """Make all calls again with changed arguments; the last line names the one under way."""
    for name, call in recorded():
        if names and name not in names:
            continue
        checks = name.startswith("check_")
        plain = leaves(call)
        for at_end in (True, False):
            memory = [guarded(value, at_end) for value, _ in plain]
            for i, (leaf, is_checked) in enumerate(plain):
                for what, must_raise, value in changes(leaf, is_checked and not checks):
                    for kept, (before, _) in zip(memory, plain, strict=True):
                        if isinstance(kept, np.ndarray) and kept.flags.writeable:
                            kept[...] = before
                    values = [*memory[:i], guarded(value, at_end), *memory[i + 1 :]]
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
    assert used - {"bin"} == set(dir(kernels))


if __name__ == "__main__":
    replay(*sys.argv[1:])
