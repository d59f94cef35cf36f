"""The file of frozen answers: one line per fit, sorted by name, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from benchmarks.frozen.outcome import Outcome

REFERENCE = Path(__file__).resolve().parents[1] / "frozen.json"
# Keys of an outcome that are not numbers.
_WORDS = ("partition", "path")


def read(path: Path) -> dict[str, Outcome]:
    """Outcomes by the names of the fits; none where there is no file yet."""
    if not path.exists():
        return {}
    return {name: _outcome(entry) for name, entry in json.loads(path.read_text("utf-8")).items()}


def write(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Replace the file in one step."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_entry(outcomes[name]))}" for name in sorted(outcomes)
    ]
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as stream:
        try:
            stream.write("{\n" + ",\n".join(lines) + "\n}\n")
            stream.close()
            Path(stream.name).chmod(0o644)
            os.replace(stream.name, path)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise


def _entry(outcome: Outcome) -> dict[str, Any]:
    words = {name: getattr(outcome, name) for name in _WORDS}
    return {**outcome.numbers, **{name: word for name, word in words.items() if word}}


def _outcome(entry: dict[str, Any]) -> Outcome:
    numbers = {name: value for name, value in entry.items() if name not in _WORDS}
    return Outcome(numbers, **{name: entry[name] for name in _WORDS if name in entry})
