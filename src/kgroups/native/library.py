"""Loading of the compiled library and the one way to call what it exports."""

import ctypes
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import cython_blas

# What the library uses of Python, in the order of the struct Python in src/native/library.cpp.
_FUNCTIONS = (
    *("PyObject_Type", "PyObject_IsInstance", "Py_DecRef", "PyTuple_Size", "PyTuple_GetItem"),
    *("PyTuple_New", "PyTuple_SetItem", "PyLong_AsLongLong", "PyFloat_AsDouble"),
    *("PyLong_FromLongLong", "PyFloat_FromDouble", "PyBool_FromLong", "PyObject_GetBuffer"),
    *("PyBuffer_Release", "PyErr_CheckSignals", "PyEval_SaveThread", "PyEval_RestoreThread"),
    *("PyErr_Occurred", "PyErr_SetString", "PyErr_Format", "PyMem_RawMalloc", "PyMem_RawFree"),
)
_TYPES = (np.ndarray, tuple, int, bool, float, TypeError, ValueError, IndexError, MemoryError)
# No suffix of an extension module: it is none, and nothing that walks the package shall import it.
_NAME = "kernels.bin"
#: The compiled library, which the variable KGROUPS_LIBRARY replaces.
PATH = Path(os.environ.get("KGROUPS_LIBRARY", Path(__file__).with_name(_NAME)))


def _load() -> ctypes.PyDLL:
    try:
        # A PyDLL is called with Python's lock, which kernels release themselves.
        library = ctypes.PyDLL(str(PATH))
    except OSError as error:
        raise ImportError(
            f"{PATH} cannot be loaded ({error}); 'pip install' of kgroups builds it, in a clone "
            "'python hatch_build.py'"
        ) from error
    library.kg_sources.restype = ctypes.c_char_p
    _check_sources(library.kg_sources().decode())
    library.kg_set_name.restype = ctypes.c_char_p
    library.kg_kernel_name.restype = ctypes.c_char_p
    library.kg_kernel.restype = ctypes.c_void_p
    library.kg_call.restype = ctypes.py_object
    library.kg_call.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.py_object]
    functions = [ctypes.cast(getattr(ctypes.pythonapi, f), ctypes.c_void_p) for f in _FUNCTIONS]
    functions.append(_product_of_matrices())
    # In CPython, the identity of an object is its address.
    addresses = [f.value for f in functions] + [id(kind) for kind in _TYPES]
    library.kg_initialize((ctypes.c_void_p * len(addresses))(*addresses))
    return library


def _product_of_matrices() -> ctypes.c_void_p:
    """The address of SciPy's sgemm, which is called without Python's lock."""
    capsule, python = cython_blas.__pyx_capi__["sgemm"], ctypes.pythonapi
    name, pointer = python.PyCapsule_GetName, python.PyCapsule_GetPointer
    name.restype, pointer.restype = ctypes.c_void_p, ctypes.c_void_p
    name.argtypes, pointer.argtypes = [ctypes.py_object], [ctypes.py_object, ctypes.c_void_p]
    signature = ctypes.string_at(name(capsule))
    if b"int64" in signature:
        raise ImportError(
            "kgroups calls SciPy's BLAS with integers of 32 bits, and this SciPy was built for 64 "
            "(ILP64); install a build for 32"
        )
    return ctypes.c_void_p(pointer(capsule, name(capsule)))


def _check_sources(built_from: str) -> None:
    """In a clone, whose loops may be newer than the library."""
    folder = Path(__file__).parents[2] / "native"
    files = sorted([*folder.glob("*.hpp"), *folder.glob("*.cpp")])
    found = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    if files and found != built_from:
        raise ImportError(f"{PATH} was built from other files than {folder}: run hatch_build.py")


def _instructions(library: ctypes.PyDLL) -> int:
    names: list[str] = []
    while (name := library.kg_set_name(len(names))) is not None:
        names.append(name.decode())
    wanted = os.environ.get("KGROUPS_INSTRUCTIONS")
    best = int(library.kg_best_set())
    if wanted is None:
        return best
    if wanted not in names[: best + 1]:
        raise ImportError(
            f"KGROUPS_INSTRUCTIONS={wanted!r} is none of those that this processor supports: "
            f"{', '.join(names[: best + 1])}"
        )
    return names.index(wanted)


class Kernels:
    """The exported functions by name; those with several types of arguments choose by these."""

    def __init__(self, library: ctypes.PyDLL, instructions: int) -> None:
        self._call = library.kg_call
        self._places: dict[str, list[int]] = {}
        index = 0
        while (name := library.kg_kernel_name(instructions, index)) is not None:
            place = library.kg_kernel(instructions, index)
            self._places.setdefault(name.decode(), []).append(place)
            index += 1

    def __getattr__(self, name: str) -> Callable[..., Any]:
        places = self._places.get(name)
        if places is None:
            raise AttributeError(f"the compiled library has no kernel {name!r}")
        call, first, n = self._call, places[0], len(places)

        def kernel(*arguments: Any) -> Any:
            return call(first, n, arguments)

        kernel.__name__ = kernel.__qualname__ = name
        self.__dict__[name] = kernel
        return kernel

    def __dir__(self) -> list[str]:
        return list(self._places)


_library = _load()
_set = _instructions(_library)
#: The set of instructions in use, such as "x86-64-v3".
instructions: str = _library.kg_set_name(_set).decode()
kernels = Kernels(_library, _set)
