"""``kgroups reproduce``: names of experiments in, published numbers next to ours out."""

import json
import tempfile
from argparse import Namespace
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from kgroups import __version__
from kgroups.cli import (
    Console,
    OutputError,
    UsageError,
    check_folder,
    command_line,
    has_matplotlib,
    keeping,
    make_folder,
    raised_interrupt,
    saved,
    say,
    show,
    write_whole,
)
from kgroups.exceptions import DataError
from kgroups.layout import Table
from kgroups.report import versions
from kgroups.text import counted
from kgroups_papers import monte_carlo
from kgroups_papers.catalog import catalog, find
from kgroups_papers.data import DataFolders, cache_folder, download
from kgroups_papers.document import as_json, document
from kgroups_papers.experiment import Experiment, Outcome
from kgroups_papers.monte_carlo import Progress
from kgroups_papers.page import page
from kgroups_papers.summary import Document, Overall
from kgroups_papers.text import blocks
from kgroups_papers.wording import overall

_ALL = "all"
_PAGE = "results.md"
_BAR = 24


def reproduce(options: Namespace, console: Console) -> None:
    """Run ``kgroups reproduce``; each experiment is printed and written when it is done."""
    if options.list:
        _list(options)
        return
    chosen = _chosen(options.names)
    if options.output is not None:
        check_folder(options.output, "-o")
    data = DataFolders.find(options.data_dir)
    if options.download:
        # For a file that is half written, which a process that ends at once would leave.
        with raised_interrupt():
            _download(_data_of(chosen, quick=options.quick), data, console)
    _check_data(chosen, data, options)
    if options.output is not None and not has_matplotlib():
        console.note('no pictures without matplotlib: pip install "kgroups[plot]"')
    cache = _cache(console)
    documents, failed = [], {}
    with _interruptible(options):
        for experiment in chosen:
            try:
                outcome = _outcome(experiment, data, cache, options, console)
            except monte_carlo.RunError as error:
                failed[experiment.name] = str(error)
                if len(chosen) > 1:
                    console.error(str(error))
                continue
            console.clear()
            documents.append(document(outcome))
            written = _write(outcome, documents[-1], options.output)
            if not options.json:
                _print(outcome, documents[-1], written, options)
    _finish(documents, options)
    if failed:
        raise OutputError(_failures(failed, len(chosen)))


# --- what is asked for ---------------------------------------------------------------------------


def _chosen(names: list[str]) -> list[Experiment]:
    """Each experiment once, in the order of the catalog."""
    if not names:
        raise UsageError("name an experiment such as fig3a, or all; --list shows them")
    try:
        found = {find(name).name for name in names if name != _ALL}
    except ValueError as error:
        raise UsageError(str(error)) from None
    return [e for name, e in catalog().items() if _ALL in names or name in found]


def _list(options: Namespace) -> None:
    if options.names:
        raise UsageError("--list shows all experiments; leave NAME out")
    data = DataFolders.find(options.data_dir)
    if options.json:
        found = _listing(data) | {"command": command_line(options)}
        say(json.dumps(found, allow_nan=False))
        return
    head = ["name", "also", "runs", "data", "title", "source"]
    rows = [
        [
            experiment.name,
            ", ".join(experiment.other_names),
            str(experiment.n_runs),
            _data_text(experiment, data),
            experiment.title,
            experiment.source,
        ]
        for experiment in catalog().values()
    ]
    show([Table([head, *rows], left=[0, 1, 3, 4, 5], words=[4, 5])])


def _listing(data: DataFolders) -> dict[str, Any]:
    return {
        "schema": "kgroups.reproduce.list/1",
        "kgroups_version": __version__,
        "versions": versions(),
        "experiments": [
            {
                "name": experiment.name,
                "other_names": list(experiment.other_names),
                "title": experiment.title,
                "source": experiment.source,
                "about": experiment.about,
                "runs": experiment.n_runs,
                "quick_runs": experiment.quick_runs,
                "cases": [case.key for case in experiment.cases],
                "data": {name: data.missing(name) is None for name in _data_of([experiment])},
            }
            for experiment in catalog().values()
        ],
    }


def _data_of(chosen: Iterable[Experiment], *, quick: bool = False) -> list[str]:
    """Names of data sets, each once."""
    cases = (case for experiment in chosen for case in experiment.chosen(quick=quick))
    return list(dict.fromkeys(case.data for case in cases if case.data is not None))


def _data_text(experiment: Experiment, data: DataFolders) -> str:
    names = _data_of([experiment])
    missing = [name for name in names if data.missing(name) is not None]
    if not missing:
        return "here" if names else "none needed"
    return f"{len(missing)} of {len(names)} missing" if len(names) > 1 else "missing"


# --- data ----------------------------------------------------------------------------------------


def _download(names: list[str], data: DataFolders, console: Console) -> None:
    """Fetch what is missing; what does not come is missing still, and a note says why."""
    for name in names:
        if data.missing(name) is None:
            continue

        def told(address: str, come: int, total: int | None) -> None:
            of = "" if total is None else f" of {total / 1e6:.1f}"
            console.status(f"{address}: {come / 1e6:.1f}{of} MB")

        try:
            path = download(name, data, told)
        except DataError as error:
            console.note(str(error))
        else:
            console.note(f"{name} was downloaded to {path}")


def _check_data(chosen: list[Experiment], data: DataFolders, options: Namespace) -> None:
    """Something can be run, and files are what they should be, before the work begins."""
    missing = [monte_carlo.missing_data(e, data, quick=options.quick) for e in chosen]
    planned = (
        monte_carlo.planned(e, m, quick=options.quick) for e, m in zip(chosen, missing, strict=True)
    )
    if not any(planned):
        raise DataError("\n".join(dict.fromkeys(why for m in missing for why in m.values())))
    data.digests(_data_of(chosen, quick=options.quick))


# --- the work ------------------------------------------------------------------------------------


class _Watch:
    """Follows the runs of one experiment, for the bar and for what Ctrl-C reports."""

    def __init__(self, name: str, total: int, console: Console, *, fresh: bool) -> None:
        self._name, self._total, self._console = name, total, console
        self._left = total
        self._command = "the same command without --fresh" if fresh else "the same command"

    def hear(self, event: Progress) -> None:
        """A run has finished."""
        self._left = event.total - event.number
        self._console.status(bar(self._name, event))

    def kept(self) -> str:
        """What the cache has of this experiment."""
        done = self._total - self._left
        return (
            f"{done:,} of {counted(self._total, 'run')} of {self._name} are kept, and "
            f"{self._command} goes on from there"
        )


def bar(name: str, event: Progress) -> str:
    """Share of the runs, as a bar and in figures, and the time that is left.

    >>> bar("fig1", Progress(number=5, total=10, seconds_left=7))
    'fig1 [############            ]  50 % of 10 runs, 7 s left'
    """
    share = event.number / event.total if event.total else 1.0
    marks = "#" * int(share * _BAR)
    left = "" if event.seconds_left is None else f", {_duration(event.seconds_left)} left"
    return f"{name} [{marks:{_BAR}}] {share:4.0%} of {counted(event.total, 'run')}{left}".replace(
        "%", " %"
    )


def _duration(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _interruptible(options: Namespace) -> AbstractContextManager[None]:
    """Worker processes have to be ended; a single process just stops."""
    return nullcontext() if monte_carlo.n_workers(options.n_jobs) == 1 else raised_interrupt()


def _cache(console: Console) -> Path | None:
    """The folder of finished runs; None, and a note, where nothing can be written."""
    folder = cache_folder()
    runs = folder / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=runs):
            return folder
    except OSError as error:
        console.note(
            f"finished runs are not kept because {runs} cannot be written to: "
            f"{error.strerror or error}; KGROUPS_CACHE names another folder"
        )
        return None


def _outcome(
    experiment: Experiment,
    data: DataFolders,
    cache: Path | None,
    options: Namespace,
    console: Console,
) -> Outcome:
    missing = monte_carlo.missing_data(experiment, data, quick=options.quick)
    n_runs = len(monte_carlo.planned(experiment, missing, quick=options.quick))
    if not n_runs:
        return _empty(experiment, data, missing, options)
    watch = _Watch(experiment.name, n_runs, console, fresh=options.fresh)
    if cache is not None:
        keeping(watch.kept)
    return monte_carlo.reproduce(
        experiment,
        quick=options.quick,
        seed=options.seed,
        data=data,
        n_jobs=options.n_jobs,
        cache=cache,
        fresh=options.fresh,
        listener=watch.hear,
    )


def _failures(failed: dict[str, str], n_chosen: int) -> str:
    """The last words: of one experiment why, of several which; the reasons are said by then."""
    if n_chosen == 1:
        return failed.popitem()[1]
    return f"{len(failed)} of {n_chosen} experiments failed: {', '.join(failed)}"


def _empty(
    experiment: Experiment, data: DataFolders, missing: dict[str, str], options: Namespace
) -> Outcome:
    """The outcome of an experiment whose data are all missing: its rows say so."""
    return Outcome(
        experiment=experiment,
        quick=options.quick,
        seed=options.seed,
        data=data,
        values={},
        missing=missing,
    )


# --- what comes out ------------------------------------------------------------------------------


def _write(outcome: Outcome, found: Document, folder: Path | None) -> list[Path]:
    """All files of an experiment; the picture is drawn before any is written."""
    if folder is None:
        return []
    name = outcome.experiment.name
    files = {folder / f"{name}.json": as_json(found)}
    if outcome.values and has_matplotlib():
        figure = outcome.experiment.draw(outcome)
        files |= {folder / f"{name}{suffix}": saved(figure, suffix) for suffix in (".png", ".svg")}
    make_folder(folder)
    for path, content in files.items():
        write_whole(path, content)
    return list(files)


def _print(outcome: Outcome, found: Document, written: list[Path], options: Namespace) -> None:
    missing = outcome.missing
    files = [f"Written: {', '.join(map(str, written))}."] if written else []
    show(*blocks(found, missing=missing, all_rows=options.all_rows), files)
    say("")


def _finish(documents: list[dict[str, Any]], options: Namespace) -> None:
    """The page of all experiments, or the JSON of those that were asked for."""
    results = None
    if options.output is not None and _ALL in options.names and documents:
        results = options.output / _PAGE
        write_whole(results, page(documents).encode())
    if options.json:
        found = {"schema": "kgroups.reproduce/1", "kgroups_version": __version__}
        say(json.dumps({**found, "results": documents}, allow_nan=False))
        return
    if len(documents) > 1:
        show([overall(Overall.of(documents))])
    if results is not None:
        say(f"The page of all experiments: {results}.")
