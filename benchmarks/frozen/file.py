"""The file of frozen answers: one line per fit, sorted by name, written whole or not at all."""

import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks.frozen.outcome import Outcome
from kgroups.runtime.written_whole import written_whole

FROZEN = Path(__file__).resolve().parents[1] / "frozen.json"
# Keys of an outcome that are not numbers.
_WORDS = ("partition", "path")
#: Fits of more rows, and fits on a cluster, are not fast.
_FAST = 4_000


def read(path: Path = FROZEN) -> dict[str, Outcome]:
    """Outcomes by the names of the fits."""
    return {name: _outcome(entry) for name, entry in json.loads(path.read_text("utf-8")).items()}


def matching(pattern: str, names: Iterable[str], *, fast: bool = False) -> list[str]:
    """Names that hold the pattern, in which * stands for anything; of fast fits only if asked."""
    found = [name for name in names if fnmatchcase(name, f"*{pattern}*")]
    return [name for name in found if _is_fast(name)] if fast else found


def write(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Replace the file in one step."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_entry(outcomes[name]))}" for name in sorted(outcomes)
    ]
    with written_whole(path) as stream:
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _is_fast(name: str) -> bool:
    rows = re.search(r" n=(\d+)", name)
    return not name.startswith("dask.") and (rows is None or int(rows[1]) <= _FAST)


def _entry(outcome: Outcome) -> dict[str, Any]:
    words = {name: getattr(outcome, name) for name in _WORDS}
    return {**outcome.numbers, **{name: word for name, word in words.items() if word}}


def _outcome(entry: dict[str, Any]) -> Outcome:
    numbers = {name: value for name, value in entry.items() if name not in _WORDS}
    return Outcome(numbers, **{name: entry[name] for name in _WORDS if name in entry})
