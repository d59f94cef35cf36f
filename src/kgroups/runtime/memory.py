"""How much memory there is; a MemoryError comes before a computation, not in the midst of it."""

import os
import re
import sys
from pathlib import Path

from kgroups.text import quoted

# The rest is for numpy temporaries, the tables of cluster sums and other programs.
USABLE_SHARE = 0.8


def available_bytes() -> int | None:
    """Memory that this process can still take, in bytes; None where the system does not tell."""
    limits = [n for n in (_meminfo_available(), _cgroup_available()) if n is not None]
    return min(limits, default=None)


def _meminfo_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_available() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if limit == "max":
            return None
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        statistics = Path("/sys/fs/cgroup/memory.stat").read_text().split()
        # Files in the page cache count as used, and make room when it is needed.
        cache = int(statistics[statistics.index("inactive_file") + 1])
        return max(0, int(limit) - used + cache)
    except (OSError, ValueError):
        return None


def human_bytes(n_bytes: float) -> str:
    """Bytes in the largest binary unit that leaves a number above one.

    >>> human_bytes(80e9)
    '74.5 GiB'
    """
    size = float(n_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def memory_limit(given: int | str | None) -> int | None:
    """Bytes that may be used: as given, or a share of what is free; None where that is unknown.

    >>> memory_limit("1.5 GiB") == 3 << 29
    True
    """
    if given is None:
        free = available_bytes()
        return None if free is None else int(USABLE_SHARE * free)
    if isinstance(given, str):
        return parsed_bytes(given)
    return int(given)


_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", start=1):
    _UNITS[_letter + "b"] = 1000**_power
    _UNITS[_letter + "ib"] = 1024**_power


def parsed_bytes(text: str) -> int:
    """Bytes that "500 MB", "1.5 GiB" or "2000000" stand for; ValueError otherwise."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?i?b?)\s*", text, re.IGNORECASE)
    unit = None if match is None else _UNITS.get(match[2].lower())
    if match is None or unit is None:
        raise ValueError(f'a size such as "500 MB" or "2 GiB" was expected; got {quoted(text)}.')
    size = float(match[1]) * unit
    if size > sys.maxsize:
        raise ValueError(f"no machine has so much memory: {quoted(text)}; leave the limit out.")
    return int(size)


def require(n_bytes: int, *, what: str, instead: str) -> None:
    """Raise MemoryError, with the number and the alternative, when ``n_bytes`` would not fit."""
    free = available_bytes()
    if free is not None and n_bytes > USABLE_SHARE * free:
        raise MemoryError(
            f"{what} needs {human_bytes(n_bytes)}, and {human_bytes(free)} are free. {instead}"
        )
