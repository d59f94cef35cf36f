"""Options: what their text becomes, what ``--help`` shows, and commands that are written down."""

import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from helpers import each
from kgroups.cli import main, options
from kgroups.cli.demo import NEXT
from kgroups.cli.options import COMMANDS, ROOT
from pages import PAGES, page

LINES = [line for name in PAGES for line in re.findall(r"^kgroups .+$", page(name), re.MULTILINE)]


@pytest.fixture
def parsed(monkeypatch):
    """What a command is given, which does not run."""

    def parse(line, *, is_checked=True):
        given = {}
        if not is_checked:
            monkeypatch.setattr(options, "check_together", lambda *_: set())
        monkeypatch.setattr(
            options, "resolve_name", lambda _: lambda found, _: given.update(vars(found))
        )
        words = shlex.split(line, comments=True)[1:]
        here = SimpleNamespace(console=None, arguments=words)
        with ROOT.make_context("kgroups", [*words], obj=here) as context:
            ROOT.invoke(context)
        return given

    return parse


@each("line", sorted({*LINES, NEXT, *re.findall(r"kgroups \w.+", ROOT.epilog)}))
def test_commands_that_are_written_down_parse(parsed, line):
    assert parsed(line)["arguments"] == shlex.split(line, comments=True)[1:]


def test_the_command_that_the_demo_suggests_runs(folder):
    (folder / "your-data.csv").write_text("a,b\n" + "".join(f"{i % 3},{i}\n" for i in range(12)))
    assert main(shlex.split(NEXT)[1:]) == 0
    assert {path.name for path in folder.iterdir()} == {
        "your-data.csv",
        "labels.csv",
        "report.html",
    }


# --- values ----------------------------------------------------------------------------------

GIVEN = {
    "-k 3": ("n_clusters", 3),
    "-k auto": ("n_clusters", "auto"),
    "--alpha 1e-3": ("alpha", 1e-3),
    "--sigma median": ("sigma", "median"),
    "--sigma 0.5": ("sigma", 0.5),
    "--columns 'a, b,c'": ("columns", ["a", "b", "c"]),
    "--drop '\"a, b\",c'": ("drop", ["a, b", "c"]),
    "--impute mean,category": ("impute", ["mean", "category"]),
    "--kinds 'a = number , b=date'": ("kinds", {"a": "number", "b": "date"}),
    "--kinds a=b=boolean": ("kinds", {"a=b": "boolean"}),
    "--kinds '\"a, b=ordered\",size=S<M<L'": ("kinds", {"a, b": "ordered", "size": "S<M<L"}),
    "--text words": ("text_column", "words"),
    "--stop-words english": ("stop_words", "english"),
    "--stop-words the,a": ("stop_words", ["the", "a"]),
    "--min-df 2": ("min_df", 2),
    "--max-df 0.5": ("max_df", 0.5),
    "--date-format %d.%m.%Y": ("date_format", "%d.%m.%Y"),
    "--delimiter tab": ("delimiter", "\t"),
    "--delimiter ';'": ("delimiter", ";"),
    "--decimal ,": ("decimal", ","),
    "--na-values -999,-": ("na_values", ["-999", "-"]),
    "--skip-lines '5, 1-3,2'": ("skip_lines", (1, 2, 3, 5)),
    "--no-header": ("header", False),
    "--n-init auto": ("n_init", "auto"),
    "--seed 4294967295": ("seed", 2**32 - 1),
    "--n-jobs -1": ("n_jobs", -1),
    "--cluster tcp://a:1": ("scheduler", "tcp://a:1"),
    "-o a/b.csv": ("output", Path("a/b.csv")),
    "--proba": ("proba", True),
}


@each("text, expected", list(zip(GIVEN, GIVEN.values(), strict=True)))
def test_text_becomes_a_value(parsed, text, expected):
    name, value = expected
    found = parsed(f"kgroups cluster x.csv -k 2 {text}", is_checked=False)
    assert (found[name], type(found[name])) == (value, type(value))


def test_what_is_not_given(parsed):
    found = parsed("kgroups cluster - --curved")
    assert (found["data"], found["n_clusters"], found["header"], found["proba"]) == (
        "-", None, None, False,
    )  # fmt: skip
    assert (found["seed"], found["n_init"], found["method"], found["impute"]) == (
        0, "auto", "auto", [],
    )  # fmt: skip
    assert parsed("kgroups choose-k x.csv")["max_samples"] == 2_000
    line = "kgroups communities g.csv --format tsv --r average_degree --weight-column w"
    found = parsed(line, is_checked=False)
    assert (found["graph"], found["format"], found["r"], found["weight_column"]) == (
        "g.csv", "tsv", "average_degree", "w",
    )  # fmt: skip
    assert parsed("kgroups test a.csv b.csv")["data"] == ("a.csv", "b.csv")


@each(
    "text",
    ["-k 0", "-k 1.5", "--alpha 2.1", "--alpha x", "--sigma 0", "--columns a,,b", "--columns ''",
     "--kinds a", "--kinds a=colour", "--kinds a=S<", "--skip-lines 0", "--skip-lines 3-1",
     "--delimiter ab", "--delimiter .", "--impute median", "--seed -1",
     "--n-jobs some", "--min-df x", "--metric energie", "--bound exact", "--time-limit 0",
     "--plot-search p.png", "--quick"],
)  # fmt: skip
def test_text_that_is_no_value(capsys, text):
    assert main(["cluster", "x.csv", "-k", "2", *shlex.split(text)]) == 2
    assert shlex.split(text)[0] in capsys.readouterr().err


@each(
    "text",
    ["--curved --metric energy", "--text a --metric energy", "--method nystroem --stream",
     "--bound none --stream", "--metric mixed --impute category --kinds a=date", "--sigma median "
     "--metric gaussian", "--alpha 1", "--categorical a --columns b --id-column c"],
)  # fmt: skip
def test_options_that_go_together(parsed, text):
    parsed(f"kgroups cluster x.npy -k 2 {text}")


# --- help ------------------------------------------------------------------------------------


@each("name", COMMANDS)
def test_help_is_one_screen_and_all_options_are_described(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([name, "--help"]) == 0
    brief = capsys.readouterr().out
    assert len(brief.splitlines()) <= 24
    assert max(map(len, brief.splitlines())) <= 80
    shown = re.findall(r"^  (-\S+)", brief, re.MULTILINE)
    assert 2 < len(shown) <= 10
    assert main([name, "--help-all"]) == 0
    everything = capsys.readouterr().out
    params = [p for p in COMMANDS[name].params if isinstance(p, click.Option) and p.expose_value]
    for param in params:
        assert param.help
        assert param.opts[-1] in everything
    if len(shown) < len(params):
        assert f"kgroups {name} --help-all lists all {len(params)} options" in brief
