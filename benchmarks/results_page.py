"""docs/results.md from the JSON documents of ``kgroups reproduce all -o docs/results``.

``python -m benchmarks.results_page [docs/results] [-o docs/results.md]``

Sentences in the documents that come from the code, such as titles and notes, are brought up to
date first; no number changes.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.kept import FOLDER, documents
from kgroups.cli import write_whole
from kgroups_papers.page import page


def main() -> None:
    """Read every document of the folder, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/results.md"))
    options = parser.parse_args()
    try:
        for kept in documents(options.folder):
            kept.write()
        found = [kept.document for kept in documents(options.folder)]
    except (OSError, ValueError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    if not found:
        parser.error(f"{options.folder} has no document of kgroups reproduce -o")
    relative = os.path.relpath(options.folder, options.output.parent)
    write_whole(options.output, page(found, folder=Path(relative).as_posix()).encode())


if __name__ == "__main__":
    main()
