"""The record of the last long hunt, as a table in docs/reliability.md."""

from __future__ import annotations

import datetime as dt
import platform
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.hunt.run import Tally

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- last hunt -->", "<!-- end of last hunt -->"


def keep(tally: Tally, seed: int, workers: int, page: Path = PAGE) -> None:
    """Replace the table between the marks."""
    import numba
    import numpy as np
    import scipy
    import sklearn

    from kgroups import __version__

    packages = ", ".join(
        f"{package.__name__} {package.__version__}" for package in (np, scipy, sklearn, numba)
    )
    rows = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "kgroups": __version__,
        "Python and packages": f"{platform.python_version()}, {packages}",
        "seed": str(seed),
        **{f"{kind}s": f"{count:,}" for kind, count in tally.done.items()},
        "minutes, processes": f"{tally.seconds / 60:.0f}, {workers}",
        "wrong": str(len(tally.failed)),
    }
    table = "\n".join(
        ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )
    text = page.read_text("utf-8")
    marked = f"{BEGIN}\n{table}\n{END}"
    replaced = re.sub(f"{BEGIN}.*?{END}", lambda _: marked, text, flags=re.DOTALL)
    page.write_text(replaced, "utf-8")
