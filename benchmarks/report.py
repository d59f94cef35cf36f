"""What every measurement shares: aligned tables, the JSON file, the machine, the memory."""

import json
import platform
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from kgroups.cli import write_whole
from kgroups.runtime.threads import effective_n_jobs
from kgroups_papers.machine import machine as machine_without_packages

PACKAGES = ("kgroups", "numpy", "scipy", "scikit-learn", "numba", "tslearn", "kmedoids")


def cores() -> int:
    """Cores that this process may use."""
    return effective_n_jobs(None)


def peak_bytes() -> int:
    """Largest memory this process ever held.

    The kernel's VmHWM where there is one: ru_maxrss also counts what the parent held at the fork.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their widest entry: numbers to the right, words to the left."""
    cells = [list(titles), *map(list, rows)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(titles))]
    words = [not any(row[c][:1].isdigit() for row in rows) for c in range(len(titles))]
    for row in cells:
        parts = zip(row, widths, words, strict=True)
        line = "  ".join(t.ljust(w) if left else t.rjust(w) for t, w, left in parts)
        print(line.rstrip(), flush=True)


def megabytes(size: int | None) -> str:
    """A size in MB, or a dash."""
    return "-" if size is None else f"{size / 1e6:,.0f}"


def number(value: float | None, form: str) -> str:
    """A formatted number, or a dash."""
    return "-" if value is None else format(value, form)


def machine() -> dict[str, Any]:
    """The processor, its cores, the system and the versions of all that is compared."""
    return {
        **machine_without_packages(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "R": _r_versions(),
    }


def print_machine() -> None:
    """One line that says where the numbers below come from."""
    here = machine()
    packages = ", ".join(f"{name} {v}" for name, v in here["packages"].items() if v)
    print(f"{here['cpu']}, {here['cores']} cores, Python {here['python']}, {packages}")


def write_json(path: str | None, content: dict[str, Any]) -> None:
    """The whole file or none of it, with the machine beside the numbers; nothing without a path."""
    if path is None:
        return
    text = json.dumps({"machine": machine(), **content}, indent=1) + "\n"
    write_whole(Path(path), text.encode())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _r_versions() -> dict[str, str] | None:
    if shutil.which("Rscript") is None:
        return None
    code = (
        "cat(as.character(getRversion()), if (requireNamespace('energy', quietly = TRUE)) "
        "as.character(packageVersion('energy')) else 'not installed')"
    )
    answer = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)
    r, _, energy = answer.stdout.partition(" ")
    return {"R": r, "energy": energy}
