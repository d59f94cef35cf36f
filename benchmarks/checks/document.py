"""The finished units of a check as a JSON document, which says how many of them there are."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.checks.check import Check, Unit
from kgroups.cli import write_whole

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "checks"


@dataclass
class Document:
    """Finished units with their seconds, and the machines that computed them."""

    check: Check
    units: dict[int, Unit] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    machines: list[dict[str, Any]] = field(default_factory=list)

    def content(self) -> dict[str, Any]:
        """All that is written."""
        units = {str(number): self.units[number] for number in sorted(self.units)}
        summary = self.check.fold(list(units.values()))
        return {
            "check": self.check.name,
            "claim": self.check.claim,
            "holds": self.check.holds(summary, len(units)),
            "summary": summary,
            "units_done": len(units),
            "units_of_all": self.check.n_units,
            "machines": self.machines,
            "digest": digest(units),
            "seconds": {number: round(self.seconds[int(number)], 2) for number in units},
            "units": units,
        }

    def write(self, folder: Path = FOLDER) -> None:
        """Replace the file, with one line for each unit."""
        content = self.content()
        units = content.pop("units")
        head = [f" {json.dumps(key)}: {_json(value)}" for key, value in content.items()]
        lines = ",\n".join(
            f"  {json.dumps(number)}: {_json(unit)}" for number, unit in units.items()
        )
        text = "{\n" + ",\n".join([*head, f' "units": {{\n{lines}\n }}']) + "\n}\n"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path_of(self.check, folder), text.encode())


def path_of(check: Check, folder: Path = FOLDER) -> Path:
    """Where the document of a check lies."""
    return folder / f"{check.name}.json"


def read(check: Check, folder: Path = FOLDER) -> Document:
    """The document of a check; empty where there is no file."""
    path = path_of(check, folder)
    if not path.exists():
        return Document(check)
    content = json.loads(path.read_text("utf-8"))
    units = {int(number): unit for number, unit in content["units"].items()}
    seconds = {int(number): value for number, value in content["seconds"].items()}
    return Document(check, units, seconds, content["machines"])


def faults(check: Check, folder: Path = FOLDER) -> Iterator[str]:
    """What is wrong with a document, computing no unit."""
    path = path_of(check, folder)
    if not path.exists():
        yield f"{check.name}: there is no document"
        return
    written = json.loads(path.read_text("utf-8"))
    if written["digest"] != digest(written["units"]):
        yield f"{check.name}: the units are not those of the digest"
    expected = json.loads(json.dumps(read(check, folder).content()))
    for key in ("claim", "holds", "summary", "units_done", "units_of_all"):
        if not same(written[key], expected[key]):
            yield f"{check.name}: {key} is {written[key]!r}, but from the units {expected[key]!r}"
    if not expected["holds"]:
        yield f"{check.name}: the claim does not hold: {check.claim}"


def digest(units: Mapping[str, Unit]) -> str:
    """A name for all that the units say."""
    return hashlib.sha256(json.dumps(units, sort_keys=True).encode()).hexdigest()


def same(first: Any, second: Any) -> bool:
    """Whether two answers agree: floats to 1e-9, since processors round differently."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return bool(first == second)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
