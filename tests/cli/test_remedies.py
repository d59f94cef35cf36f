"""Several problems of one table are one error, and the command at its end works."""

import shlex

import pytest

from kgroups.cli import main

ROWS = [
    (i, f"Ada {i}", ["Bonn", "Rome", ""][i % 3], "mf"[i % 2], "" if i == 4 else 20 + i % 7, "")
    for i in range(12)
]
CSV = "key,name,town,sex,age,empty\n" + "".join(
    f"{10 * i % 7},{','.join(map(str, row))}\n" for i, *row in ROWS
)


def refused(capsys, *arguments):
    """The error and the command at its end."""
    assert main([str(a) for a in arguments]) == 1
    reason = capsys.readouterr().err
    return reason, reason.splitlines()[-1]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "cluster x.csv -k 3",
            "--categorical town,sex --drop empty --id-column name --impute mean,category",
        ),
        (
            "cluster x.csv -k 3 --categorical=sex --impute mean",
            "--categorical sex,town --drop empty --id-column name --impute mean,category",
        ),
        (
            "choose-k x.csv --impute most-frequent --drop key --k-max 2",
            "--categorical town,sex --drop key,empty --id-column name",
        ),
        (
            "test x.csv --by sex --permutations 9",
            "--categorical town --drop name,empty --impute mean,category",
        ),
        (
            "cluster x.csv -k 2 --columns age,town --metric manhattan",
            "--categorical town --impute mean,category",
        ),
    ],
)
def test_the_command_works(folder, capsys, command, expected):
    (folder / "x.csv").write_text(CSV)
    _, suggested = refused(capsys, *command.split())
    assert suggested.endswith(f" {expected}")
    program, *arguments = shlex.split(suggested)
    assert program == "kgroups"
    assert main(arguments) == 0


def test_everything_is_named(folder, capsys):
    (folder / "x.csv").write_text(CSV)
    reason, _ = refused(capsys, "cluster", "x.csv", "-k", 3)
    for part in (
        "column 'name', line 2: 'Ada 0'",  # the reason as for one column
        "Columns 'town', 'sex' hold text: --categorical compares",
        "Column 'name' differs in every row: --id-column",
        "left out by --drop: 'empty' (without values)",
        "Missing values: 'age' 1, 'town' 4; --impute says",
        "All at once:",
    ):
        assert part in reason


def test_names_are_quoted_for_the_option_and_the_shell(folder, capsys):
    (folder / "my data.csv").write_text('"a, b",it\'s,x\nu,v,1\nu,v,2\nw,v,9\n')
    _, suggested = refused(capsys, "cluster", "my data.csv", "-k", 2)
    assert main(shlex.split(suggested)[1:]) == 0


def test_names_that_look_like_options(folder, capsys):
    (folder / "x.csv").write_text("-k,--by,x\nu,1,1\nu,-,2\nw,3,9\n")
    _, suggested = refused(capsys, "cluster", "x.csv", "-k", 2)
    assert "--categorical=-k" in suggested
    assert main(shlex.split(suggested)[1:]) == 0


@pytest.mark.parametrize("first", ["2020-01-01", "2020-01-02"])  # a name of rows; dropped
def test_columns_that_were_chosen_and_cannot_be_used(folder, capsys, first):
    rows = f"{first},1,-\n2020-01-02,2,3\n2020-01-03,5,4\n2020-01-04,9,1\n"
    for name, content in (("x.csv", rows), ("y.csv", rows.replace("2020-01-0", "Ada "))):
        (folder / name).write_text(f"day,v,w\n{content}")
        _, suggested = refused(capsys, "cluster", name, "-k", 2, "--columns", "day,v,w")
        assert main(shlex.split(suggested)[1:]) == 0
        assert "2 columns" in capsys.readouterr().out.replace("3 columns", "")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cluster x.csv -k 3 --standardize", "-k 3 --metric mixed --drop empty --id-column name"),
        ("choose-k x.csv --drop key --k-max 2", "--metric mixed --drop key,empty --id-column name"),
    ],
)
def test_the_metric_of_several_kinds_comes_first(folder, capsys, command, expected):
    (folder / "x.csv").write_text(CSV)
    reason, _ = refused(capsys, *command.split())
    assert reason.index("--metric mixed compares columns by what") < reason.index("--categorical")
    suggested = reason.splitlines()[1]
    assert suggested.endswith(f" {expected}")
    assert "--standardize" not in suggested


@pytest.mark.parametrize("option", [["--metric", "manhattan"], ["--curved"], ["--alpha", "0.5"]])
def test_it_is_no_advice_where_something_else_was_asked_for(folder, capsys, option):
    (folder / "x.csv").write_text(CSV)
    reason, _ = refused(capsys, "cluster", "x.csv", "-k", 2, *option)
    assert "mixed" not in reason


@pytest.mark.parametrize("content", ["a,b\n1,u\n2,u\n9,v\n", "a,b\n1,\n2,3\n9,4\n"])
def test_it_comes_first_for_one_column(folder, capsys, content):
    (folder / "x.csv").write_text(content)
    assert main(["cluster", "x.csv", "-k", "2"]) == 1
    said = capsys.readouterr().err
    assert "--metric mixed compares columns by what they hold" in said
    (folder / "x.csv").write_text("a,b\n1,5 kg\n2,3 kg\n9,4 kg\n")
    assert main(["cluster", "x.csv", "-k", "2"]) == 1
    assert "mixed" not in capsys.readouterr().err  # they are numbers


def test_one_problem_is_said_as_before(folder, capsys):
    (folder / "x.csv").write_text("a,b\n1,u\n2,u\n9,v\n")
    assert main(["cluster", "x.csv", "-k", "2"]) == 1
    assert "All at once" not in capsys.readouterr().err
    (folder / "x.csv").write_text("a,b,c\n1,u,2\ninf,u,\n9,v,3\n")
    assert main(["cluster", "x.csv", "-k", "2"]) == 1
    assert "All at once" not in capsys.readouterr().err  # no option helps against infinity
