"""``kgroups demo``: six scenes in which the answer is known, as a table, a picture and a report."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgroups.cli.console import Console, say, show
from kgroups.cli.demo_scenes.cast import CUSTOMERS, N_LANES, PARTS, Part
from kgroups.cli.demo_scenes.lanes import Lane, lanes
from kgroups.cli.recording import command_line
from kgroups.cli.whole_files import (
    check_writable,
    has_matplotlib,
    require_matplotlib,
    write_whole,
)
from kgroups.layout import Command, Table
from kgroups.runtime.threads import default_threads
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.cli.demo_scenes.scene import Outcome, Played

_PICTURE = Path("kgroups-demo.png")
_NEXT = "kgroups cluster your-data.csv -k 3 --standardize -o labels.csv --report report.html"
_PREPARE = "kgroups.cli.demo_scenes.cast:prepare"
_DRAW = "kgroups.cli.demo_scenes.picture:picture"
_LEGEND = (
    "n rows, k groups known, and how many were found. ARI: agreement with the known groups, 1 is "
    "perfect and 0 is chance; the mean over several data sets where data are drawn at random.",
    "Seconds of one fit, alone on the machine and after compiling, on one thread; those of many "
    "rows on all threads.",
)


@dataclass(frozen=True)
class Files:
    """Where the picture and the report go; None for one that cannot be made."""

    picture: Path | None
    report: Path | None


def demo(options: Namespace, console: Console) -> None:
    """Run ``kgroups demo``; it prints the table only where pictures cannot be drawn."""
    files = destinations(options)
    with lanes(N_LANES, default_threads()) as open_lanes:
        with console.status_after(1.0, "compiling (about half a minute, first run only)"):
            page = _prepared(open_lanes, files, command_line(options))
        played = {}
        for part in _playable():
            console.status(f"clustering {part.title}")
            played[part.module] = _result(open_lanes[part.lane], part.function("play"))
        drawn: bytes = b""
        if files.picture is not None:
            console.status("drawing")
            drawn = _result(open_lanes[CUSTOMERS.lane], _DRAW, played, files.picture.suffix)
    for path, content in ((files.picture, drawn), (files.report, page)):
        if path is not None:
            write_whole(path, content)
    console.clear()
    if options.json:
        say(json.dumps(_as_dict(played, files, options), allow_nan=False))
    else:
        _print(played, files)


def destinations(options: Namespace) -> Files:
    """The picture, and the report next to it; an error for one that could not be written."""
    if options.output is not None:
        require_matplotlib("-o")
    if not has_matplotlib():
        return Files(None, None)
    picture: Path = options.output or _PICTURE
    report = picture.with_suffix(".html") if find_spec("jinja2") is not None else None
    for path in (picture, report):
        if path is not None:
            check_writable(path, "-o")
    return Files(picture, report)


def _playable() -> list[Part]:
    return [part for part in PARTS if part.is_playable]


def _prepared(open_lanes: Sequence[Lane], files: Files, command: str) -> bytes:
    """Load and compile in all lanes at a time; the report, which is not timed, as bytes."""
    for number, lane in enumerate(open_lanes):
        wanted = [part.function("prepare") for part in _playable() if part.lane == number]
        lane.begin(_PREPARE, wanted)
    reporter = open_lanes[CUSTOMERS.lane]
    reporter.result()
    if files.report is not None:
        reporter.begin(CUSTOMERS.function("page"), command)
    for lane in open_lanes:
        if lane is not reporter:
            lane.result()
    return b"" if files.report is None else bytes(reporter.result())


def _result(lane: Lane, function: str, *arguments: Any) -> Any:
    lane.begin(function, *arguments)
    return lane.result()


def _as_dict(played: Mapping[str, Played], files: Files, options: Namespace) -> dict[str, Any]:
    from kgroups.runtime.show_versions import versions

    return {
        "schema": "kgroups.demo/2",
        "kgroups_version": __version__,
        "versions": versions(),
        "command": command_line(options),
        "about": " ".join(_LEGEND),
        "scenes": [_scene(name, scene) for name, scene in played.items()],
        "left_out": {part.module: part.needs for part in PARTS if not part.is_playable},
        "picture": None if files.picture is None else str(files.picture),
        "report": None if files.report is None else str(files.report),
    }


def _scene(name: str, scene: Played) -> dict[str, Any]:
    results = [{**asdict(outcome), "mean_ari": outcome.mean_ari} for outcome in scene.outcomes]
    return {"name": name, "results": results, "lesson": scene.lesson, "facts": scene.facts}


def _print(played: Mapping[str, Played], files: Files) -> None:
    outcomes = [outcome for scene in played.values() for outcome in scene.outcomes]
    lessons = [[scene.lesson] for scene in played.values()]
    left_out = [
        f"{part.title.capitalize()}: left out, because {part.needs} is missing; run: pip install "
        '"kgroups[cli]"'
        for part in PARTS
        if not part.is_playable
    ]
    ending: list[str | Command] = [
        *left_out,
        *_written(files),
        Command(_NEXT, "Next, try your own data:"),
    ]
    show([_table(outcomes)], _LEGEND, *lessons, ending)


def _written(files: Files) -> list[str]:
    """Where the files are, or what to install for them."""
    if files.picture is None:
        return [
            'No picture and no report, because matplotlib is missing: pip install "kgroups[report]"'
        ]
    picture = f"Picture written to {files.picture}."
    if files.report is None:
        return [picture, 'No report, because jinja2 is missing: pip install "kgroups[report]"']
    return [picture, f"Report of the customers written to {files.report}; open it in a browser."]


def _table(outcomes: Sequence[Outcome]) -> Table:
    head = ["data", "n", "k", "method", "found", "ARI", "seconds"]
    return Table([head, *(_cells(outcome) for outcome in outcomes)], left=[0, 3], keys=[0, 3])


def _cells(outcome: Outcome) -> list[str]:
    least, most = min(outcome.n_clusters), max(outcome.n_clusters)
    return [
        outcome.data,
        f"{outcome.n_samples:,}",
        str(outcome.n_classes),
        outcome.method,
        str(least) if least == most else f"{least}-{most}",
        f"{outcome.mean_ari:.2f}",
        f"{outcome.seconds:.2f}",
    ]
