"""``kgroups demo``: scenes in which the answer is known, as a table, a picture and a report."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from kgroups.cli import demo_scenes as scenes
from kgroups.cli.console import Console, in_words, say, show
from kgroups.cli.output import check_destinations, picture_bytes, write_together
from kgroups.layout import Command, Table
from kgroups.runtime.show_versions import versions
from kgroups.version import __version__

_FIRST = (scenes.heavy_tails, scenes.customers, scenes.network)
_OTHERS = (scenes.misspelled_names, scenes.proof, scenes.flowers)
#: What the demo suggests.
NEXT = "kgroups cluster your-data.csv -k 3 --standardize -o labels.csv --report report.html"
_LEGEND = (
    "n rows, k groups known, and how many were found. ARI: agreement with the known groups, 1 is "
    "perfect and 0 is chance; the mean over several data sets where data are drawn at random.",
    "Seconds of one fit, after compiling, on one thread; those of many rows on all threads.",
)


def demo(options: Namespace, console: Console) -> None:
    """Run ``kgroups demo``; files are written before the table is printed."""
    picture: Path = options.output or Path("kgroups-demo.png")
    report = picture.with_suffix(".html")
    check_destinations({"picture": picture, "--report": report}, {})
    played = []
    for play in (*_FIRST, *_OTHERS) if options.all else _FIRST:
        console.status(f"clustering {play.__name__.replace('_', ' ')}")
        played.append(play())
    console.status("drawing, and writing the report")
    write_together({picture: lambda: _drawn(played, picture.suffix), report: _page})
    console.clear()
    if options.json:
        found = {
            "schema": "kgroups.demo/2",
            "kgroups_version": __version__,
            "versions": versions(),
            "command": shlex.join(["kgroups", *options.arguments]),
            "about": " ".join(_LEGEND),
            "scenes": [
                {key: vars(one)[key] for key in ("name", "results", "lesson", "facts")}
                for one in played
            ],
            "left_out": {},
            "picture": str(picture),
            "report": str(report),
        }
        say(json.dumps(found, allow_nan=False))
        return
    show(
        [_table(played)],
        _LEGEND,
        *([one.lesson] for one in played),
        [
            *in_words({"Picture": picture, "Report of the customers, for a browser,": report}),
            *([] if options.all else ["Three more scenes: kgroups demo --all"]),
            Command(NEXT, "Next, try your own data:"),
        ],
    )


def _table(played: Sequence[scenes.Scene]) -> Table:
    rows = [["data", "n", "k", "method", "found", "ARI", "seconds"]]
    for result in (result for one in played for result in one.results):
        least, most = min(result["n_clusters"]), max(result["n_clusters"])
        rows.append([
            result["data"], f"{result['n_samples']:,}", str(result["n_classes"]), result["method"],
            str(least) if least == most else f"{least}-{most}", f"{result['mean_ari']:.2f}",
            f"{result['seconds']:.2f}",
        ])  # fmt: skip
    return Table(rows, left=[0, 3], keys=[0, 3])


def _drawn(played: Sequence[scenes.Scene], suffix: str) -> bytes:
    """The panels of the scenes that have one."""
    from kgroups.plots.style import blank

    figure, panels = blank(15.0, 4.6), [one.draw for one in played if one.draw is not None]
    for ax, draw in zip(figure.subplots(1, len(panels)), panels, strict=True):
        draw(ax)
    return picture_bytes(figure, suffix)


def _page() -> bytes:
    """The report of one table of customers."""
    from kgroups.estimators import KernelKGroups

    frame, _ = scenes.customers_drawn(0)
    model = KernelKGroups(4, metric="mixed", random_state=0, n_jobs=1).fit(frame)
    return model.report(frame, source="customers made up for the demo").to_bytes()
