"""Finished runs on disk, so that an interrupted experiment goes on where it stopped."""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from kgroups_papers.types import Scores


class FinishedRuns:
    """Runs of one experiment with one seed, one line of JSON each, added as they finish.

    A line that was cut off by a crash, is not a run, or was made from other data is ignored; of
    two lines for one run the later counts. Runs of other code and packages are in other files.
    Where nothing can be written, a warning says so once, and nothing is kept.
    """

    def __init__(
        self, folder: Path, experiment: str, seed: int, made_by: str, data: Mapping[str, str]
    ) -> None:
        self.path = folder / "runs" / f"{experiment}-{seed}-{made_by}.jsonl"
        #: The digest of what each case was made from.
        self._data = data
        self._ends_whole = True
        self._is_kept = True

    def load(self) -> dict[tuple[str, int], Scores]:
        """The scores of all runs that are there, by case and number."""
        try:
            text = self.path.read_text("utf-8", errors="replace")
        except OSError:
            return {}  # not there, or not to be read: the runs are done again
        self._ends_whole = not text or text.endswith("\n")
        runs: dict[tuple[str, int], Scores] = {}
        for line in text.splitlines():
            try:
                found = json.loads(line)
                key, scores = (str(found["case"]), int(found["run"])), found["scores"]
            except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
                continue
            if _are_scores(scores) and found.get("data") == self._data.get(key[0]):
                runs[key] = scores
        return runs

    def add(self, case: str, run: int, scores: Scores) -> None:
        """Keep a run."""
        found = {"case": case, "run": run, "data": self._data.get(case), "scores": scores}
        if self._is_kept:
            try:
                self._append(json.dumps(found) + "\n")
            except OSError as error:
                self._is_kept = False
                warnings.warn(
                    f"finished runs are not kept because {self.path} cannot be written: "
                    f"{error.strerror or error}; KGROUPS_CACHE names another folder",
                    stacklevel=2,
                )

    def _append(self, line: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line if self._ends_whole else f"\n{line}")
        self._ends_whole = True


def _are_scores(found: Any) -> TypeGuard[Scores]:
    """Numbers by measure by method."""
    return isinstance(found, dict) and all(
        isinstance(values, dict) and all(isinstance(v, float) for v in values.values())
        for values in found.values()
    )
