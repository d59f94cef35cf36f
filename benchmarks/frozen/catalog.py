"""All fits, in the order in which they are listed; none twice."""

from __future__ import annotations

from fnmatch import fnmatchcase

from benchmarks.frozen import graph_fits, metric_fits, statistics_fits, table_fits

FITS = [*table_fits.FITS, *metric_fits.FITS, *graph_fits.FITS, *statistics_fits.FITS]


def matching(pattern: str, names: list[str]) -> list[str]:
    """Names that hold the pattern, in which * stands for anything."""
    return [name for name in names if fnmatchcase(name, f"*{pattern}*")]
