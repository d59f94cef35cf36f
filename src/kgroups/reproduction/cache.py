"""Finished runs on disk, so that an interrupted experiment goes on where it stopped."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, TypeGuard

from kgroups.reproduction.experiment import Scores


class FinishedRuns:
    """Runs of one experiment with one seed, a line of JSON each, added as they finish.

    A line that was cut off by a crash, or is no run, is left out. Runs of other code, other
    packages or other data are in other files, which go when a new one is begun. Where nothing can
    be written, a warning says so once, and nothing is kept.
    """

    def __init__(self, folder: Path, experiment: str, seed: int, made_by: str) -> None:
        self.path = folder / "runs" / f"{experiment}-{seed}-{made_by}.jsonl"
        self._others = _pattern(experiment, seed)
        self._runs: dict[tuple[str, int], Scores] = {}
        self._ends_whole = True
        self._is_kept = True

    def load(self) -> None:
        """Read what is there."""
        try:
            text = self.path.read_text("utf-8", errors="replace")
        except OSError:
            return  # not there, or not to be read: the runs are done again
        self._ends_whole = not text or text.endswith("\n")
        for line in text.splitlines():
            try:
                found = json.loads(line)
                key, scores = (str(found["case"]), int(found["run"])), found["scores"]
            except (ValueError, KeyError, TypeError):
                continue
            if _are_scores(scores):
                self._runs[key] = scores

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, case: str, run: int) -> Scores | None:
        """The scores of a run that has finished."""
        return self._runs.get((case, run))

    def add(self, case: str, run: int, scores: Scores) -> None:
        """Keep a run."""
        self._runs[case, run] = scores
        line = json.dumps({"case": case, "run": run, "scores": scores})
        if self._is_kept:
            try:
                self._append(line + "\n")
            except OSError as error:
                self._is_kept = False
                warnings.warn(
                    f"finished runs are not kept, as {self.path} cannot be written: "
                    f"{error.strerror or error}; KGROUPS_CACHE names another folder",
                    stacklevel=2,
                )

    def _append(self, line: str) -> None:
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _remove(self.path.parent, self._others)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line if self._ends_whole else f"\n{line}")
        self._ends_whole = True


def forget(folder: Path, experiment: str, seed: int) -> None:
    """Remove all runs of an experiment with that seed; OSError where that cannot be."""
    _remove(folder / "runs", _pattern(experiment, seed))


def _pattern(experiment: str, seed: int) -> str:
    return f"{experiment}-{seed}-*.jsonl"


def _remove(folder: Path, pattern: str) -> None:
    for path in folder.glob(pattern):
        path.unlink(missing_ok=True)


def _are_scores(found: Any) -> TypeGuard[Scores]:
    """Numbers by measure by method."""
    return isinstance(found, dict) and all(
        isinstance(values, dict) and all(isinstance(v, float) for v in values.values())
        for values in found.values()
    )
