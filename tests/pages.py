"""The documentation as tests read it: pages, their code, their tables, and numbers in sentences.

A test takes the numbers that it checks from the sentence that states them, so that neither can
change without the other.
"""

import re
from pathlib import Path

import pytest

from kgroups.fit.plan import Size

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


def prose(text):
    """The text without blocks of code, every paragraph and cell of a table on one line."""
    return re.sub(r"[ \n]+", " ", _BLOCK.sub("", text))


def said(text, pattern):
    """What the groups of a pattern match in the only sentence that it fits, as numbers."""
    (match,) = re.finditer(pattern, prose(text))
    return tuple(number(group) for group in match.groups())


def number(text):
    """A number as it is written in prose: 1,000 or .5 or 10¹³ or 30 % or 3 · 10⁹."""
    plain = text.replace(",", "").replace("−", "-").strip()
    if plain.endswith("%"):
        return float(plain[:-1]) / 100
    if plain.startswith("10") and plain[2:].strip("⁰¹²³⁴⁵⁶⁷⁸⁹") == "" and len(plain) > 2:
        return 10.0 ** int(plain[2:].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    factor, _, power = plain.partition(" · ")
    return float(factor) * (number(power) if power else 1.0)


def table(text, header):
    """Cells of the only table whose first line begins so."""
    (start,) = re.finditer(f"^{re.escape(header)}.*\n[|-]+\n", text, re.MULTILINE)
    lines = text[start.end() :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def size(n, *, columns=16, k=10, **known):
    """A problem as the pages measure them: single precision, ten clusters, two threads."""
    usual = {"itemsize": 4, "n_threads": 2, "is_compiled": True, "is_negative_type": True}
    return Size(n=n, n_columns=columns, n_clusters=k, **{**usual, **known})
