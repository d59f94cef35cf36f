"""The documents of the papers' results that the repository keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgroups.cli import write_whole
from kgroups_papers.catalog import find
from kgroups_papers.document import SCHEMA, as_json, reworded
from kgroups_papers.experiment import Experiment
from kgroups_papers.summary import Document

#: Where they are kept.
FOLDER = Path("docs/results")


@dataclass(frozen=True)
class Kept:
    """A document, the file in which it lies, and its experiment."""

    path: Path
    document: Document
    experiment: Experiment

    def write(self, **changed: Any) -> None:
        """Write the file anew with other values and today's words, unless it is the same."""
        new = as_json(reworded({**self.document, **changed}, self.experiment))
        if new != self.path.read_bytes():
            write_whole(self.path, new)


def documents(folder: Path = FOLDER) -> list[Kept]:
    """All documents of a folder; ValueError or OSError with the name of a file that is none."""
    found = ((path, _read(path)) for path in sorted(folder.glob("*.json")))
    return [
        Kept(path, document, find(document["experiment"]))
        for path, document in found
        if document.get("schema") == SCHEMA
    ]


def _read(path: Path) -> Document:
    """A document of whatever schema."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not a JSON document: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} is not a document of kgroups: its JSON is not an object")
    return found
