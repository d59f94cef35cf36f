"""The command line as a whole: what is written about it can be typed."""

import re
import shlex
from pathlib import Path

import pytest

from kgroups.cli import main
from kgroups.cli.parser import make_parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = [
    line
    for page in PAGES
    for line in re.findall(r"^kgroups .+$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_commands_of_the_pages_parse(line):
    make_parser().parse_args(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_the_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "command", ["cluster", "choose-k", "communities", "predict", "test", "demo"]
)
def test_help_is_as_wide_as_the_terminal(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out.split("examples:")[0]
    assert max(map(len, text.splitlines())) <= 80
