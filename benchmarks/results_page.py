"""docs/results.md from the JSON documents of ``kgroups reproduce all -o docs/results``.

``python -m benchmarks.results_page [docs/results] [-o docs/results.md]``
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from kgroups.cli import write_whole
from kgroups_papers.document import SCHEMA
from kgroups_papers.page import page
from kgroups_papers.summary import Document


def main() -> None:
    """Read every document of the folder, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/results"))
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/results.md"))
    options = parser.parse_args()
    try:
        found = [_read(path) for path in sorted(options.folder.glob("*.json"))]
    except (OSError, ValueError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    documents = [document for document in found if document.get("schema") == SCHEMA]
    if not documents:
        parser.error(f"{options.folder} has no document of kgroups reproduce -o")
    beside = os.path.relpath(options.folder, options.output.parent)
    write_whole(options.output, page(documents, folder=Path(beside).as_posix()).encode())


def _read(path: Path) -> Document:
    """A document, of whatever schema; ValueError with the name of a file that is none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON document: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} is no document of kgroups: its JSON is no object")
    return found


if __name__ == "__main__":
    main()
