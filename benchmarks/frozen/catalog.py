"""All fits, in the order in which they are listed; none twice."""

from __future__ import annotations

from fnmatch import fnmatchcase

from benchmarks.frozen import graph_fits, metric_fits, path_fits, statistics_fits, table_fits

#: Fits of up to 4,000 rows, a tenth of a second each.
SMALL = [*table_fits.FITS, *metric_fits.FITS, *graph_fits.FITS, *statistics_fits.FITS]
FITS = [*SMALL, *path_fits.FITS]


def matching(pattern: str, names: list[str], *, fast: bool = False) -> list[str]:
    """Names that hold the pattern, in which * stands for anything; of no long fits if fast."""
    left_out = path_fits.FITS if fast else []
    return [name for name in names if fnmatchcase(name, f"*{pattern}*") and name not in left_out]
