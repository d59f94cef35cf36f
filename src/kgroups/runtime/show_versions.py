"""What a report of a problem should say about the machine and its packages."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kgroups.layout import Labeled, laid_out
from kgroups.native import instructions
from kgroups.native.library import PATH
from kgroups.runtime.threads import effective_n_jobs
from kgroups.version import __version__

_COMPUTING = ("numpy", "scipy", "scikit-learn", "numba")
_PACKAGES = (
    *_COMPUTING, "llvmlite", "joblib", "threadpoolctl", "matplotlib",
    "pandas", "polars", "pyarrow", "networkx", "igraph",
)  # fmt: skip
_VARIABLES = ("OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT", "NUMBA_CPU_NAME", "NUMBA_CACHE_DIR")
# From the widest registers that LLVM uses to the narrowest.
_VECTORS = {"avx512f": "AVX-512, 512 bits", "avx2": "AVX2, 256 bits", "avx": "AVX, 256 bits",
            "sse2": "SSE2, 128 bits", "neon": "NEON, 128 bits"}  # fmt: skip


def show_versions() -> None:
    """Print what a report of a problem should contain: versions, cores, threads, vector units.

    The versions of Python, of kgroups and of the packages that it uses, the cores and how many
    threads ``n_jobs=None`` stands for, the compiled library and its set of instructions, and the
    same of what numba compiles.

    Examples
    --------
    >>> import kgroups
    >>> kgroups.show_versions()  # doctest: +ELLIPSIS
    kgroups ...
    """
    print(laid_out([[Labeled([*_system(), *_packages(), *_library(), *_compiler()])]]))


def versions() -> dict[str, str]:
    """The versions that decide a result: of Python, of kgroups and of what it computes with."""
    found = {"kgroups": __version__, "python": platform.python_version()}
    return found | {name: version(name) for name in _COMPUTING}


def _system() -> list[tuple[str, str]]:
    return [
        ("kgroups", __version__),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", platform.platform()),
        ("cores", f"{os.cpu_count()}, of which {effective_n_jobs(-1)} may be used"),
        ("threads", f"{effective_n_jobs(None)} for n_jobs=None"),
        *((name, os.environ[name]) for name in _VARIABLES if name in os.environ),
    ]


def _packages() -> list[tuple[str, str]]:
    found = []
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "not installed"))
    return found


def _library() -> list[tuple[str, str]]:
    """The set of instructions of the compiled library, and where it is."""
    return [("instructions", instructions), ("library", _shortened(str(PATH)))]


def _compiler() -> list[tuple[str, str]]:
    """The processor that code is compiled for, its vectors, and the folder of compiled code."""
    import llvmlite.binding as llvm
    from numba import config

    from kgroups.runtime.jit import cache_folder

    if config.DISABLE_JIT:
        return [("compiler", "off (NUMBA_DISABLE_JIT)")]
    processor = config.CPU_NAME or llvm.get_host_cpu_name()
    return [
        ("processor", f"{processor} ({_vectors()})"),
        ("compiled code", _shortened(cache_folder())),
    ]


def _vectors() -> str:
    """The widest vector instructions that compiled code may use."""
    import llvmlite.binding as llvm
    from numba import config

    if config.CPU_NAME not in (None, "host"):
        return "chosen by NUMBA_CPU_NAME"
    features = llvm.get_host_cpu_features()
    return next((words for name, words in _VECTORS.items() if features.get(name)), "no vectors")


def _shortened(folder: str | None) -> str:
    if folder is None:
        return "not kept: no folder can be written"
    home = str(Path.home())
    return f"~{folder.removeprefix(home)}" if folder.startswith(home) else folder
