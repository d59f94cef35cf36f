"""Where numbers were made: the machine without its name, and the versions of what was used."""

import platform
from importlib.metadata import version
from pathlib import Path

from joblib import cpu_count

from kgroups import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def machine() -> dict[str, str | int]:
    """Processor, cores that may be used, and system."""
    return {
        "cpu": _cpu(),
        "cores": cpu_count(),
        "system": f"{platform.system()} {platform.machine()}".strip(),
    }


def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those that it computes with."""
    ours = {"python": platform.python_version(), "kgroups": __version__}
    return ours | {name: version(name) for name in _PACKAGES}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine()
