"""The documentation as tests read it: pages, their code and their tables."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Pages with sentences that somebody wrote, by the name that their tests use.
PAGES = {
    "README": ROOT / "README.md",
    **{path.stem: path for path in sorted((ROOT / "docs").glob("*.md")) if path.stem != "results"},
}
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name):
    """The text of a page; tests of an installed copy have none."""
    if name not in PAGES or not PAGES[name].exists():
        pytest.skip("the documentation is not here")
    return PAGES[name].read_text(encoding="utf-8")


def blocks(text, language):
    """The blocks of code of a language."""
    return [code for kind, code in _BLOCK.findall(text) if kind == language]


def table(text, header):
    """Cells of the only table whose first line begins so."""
    (start,) = re.finditer(f"^{re.escape(header)}.*\n[|-]+\n", text, re.MULTILINE)
    lines = text[start.end() :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
