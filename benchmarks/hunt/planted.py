"""A process with one planted fault: ``python -m benchmarks.hunt.planted NAME SEED SECONDS``.

Prints the number and the faults of every problem that fails, as JSON.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

from benchmarks.hunt.faults import FAULTS, Fault
from benchmarks.hunt.run import failures

_MANY = 10**9


class Planted(SourceFileLoader):
    """A loader that reads one line differently."""

    fault: Fault

    def get_code(self, fullname: str) -> types.CodeType:
        """The code of the module with the fault in it."""
        text = self.get_data(self.path).decode()
        if self.fault.line not in text:
            sys.exit(f"{fullname} does not hold the line {self.fault.line!r}")
        text = text.replace(self.fault.line, self.fault.instead)
        return compile(text, self.path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds the module of a fault, and no other."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The spec of the module with the loader above."""
        if fullname != self.fault.module:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin is None:
            sys.exit(f"there is no module {fullname}")
        spec.loader = Planted(fullname, spec.origin)
        spec.loader.fault = self.fault
        return spec


def main(name: str, seed: int, seconds: float) -> None:
    """Hunt with the fault until the time is up."""
    fault = next(fault for fault in FAULTS if fault.name == name)
    sys.meta_path.insert(0, Finder(fault))
    for failure in failures(fault.kind, seed, range(_MANY), seconds):
        print(json.dumps([failure.number, failure.faults]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
