"""The command line as a whole: what is written about it can be typed."""

import re
import shlex
from pathlib import Path

from helpers import each
from kgroups.cli import option_values as values
from kgroups.cli.parser import make_parser
from kgroups.names import MATRICES, SEMIMETRICS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = [
    line
    for page in PAGES
    for line in re.findall(r"^kgroups .+$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


@each("line", sorted(set(COMMANDS)))
def test_commands_of_the_pages_parse(line):
    make_parser().parse_args(shlex.split(line, comments=True)[1:])


@each("page", PAGES)
def test_links_of_the_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


# --- values of options -----------------------------------------------------------------------


@each(
    ("read", "text", "value"),
    [
        (values.metric, "energy", "energy"),
        (values.metric, "precomputed", "precomputed"),
        (values.positive, "7", 7),
        (values.FORMATS.__getitem__, "tsv", "edgelist"),
        (values.number_or_auto, "auto", "auto"),
        (values.lines, "5, 1-3,2", (1, 2, 3, 5)),
        (values.number_or_auto, "3", 3),
        (values.regularizer, "average_degree", "average_degree"),
        (values.regularizer, "2.5", 2.5),
        (values.size, "500 MB", "500 MB"),
        (values.n_init, "auto", "auto"),
        (values.n_init, "4", 4),
        (values.seed, "0", 0),
        (values.seed, "4294967295", 4294967295),
        (values.n_jobs, "-1", -1),
        (values.n_jobs, "8", 8),
        (values.alpha, "2", 2.0),
        (values.alpha, "1e-3", 1e-3),
        (values.sigma, "median", "median"),
        (values.sigma, "0.5", 0.5),
        (values.names, "a, b,c", ["a", "b", "c"]),
        (values.names, '"a, b",c', ["a, b", "c"]),
        (values.kinds, "zip=category", {"zip": "category"}),
        (values.kinds, "a = number , b=date", {"a": "number", "b": "date"}),
        (values.kinds, "a=b=boolean", {"a=b": "boolean"}),
        (values.kinds, '"a, b=ordered",size=S<M<L', {"a, b": "ordered", "size": "S<M<L"}),
        (values.picture, "out.PNG", Path("out.PNG")),
        (values.picture, "a/b.svg", Path("a/b.svg")),
    ],
)
def test_text_becomes_a_value(read, text, value):
    assert read(text) == value
    assert type(read(text)) is type(value)


def test_every_metric_of_the_library_is_known():
    for name in (*SEMIMETRICS, *MATRICES):
        assert values.metric(name) == name
