"""Blocks on a page: what fits stays as it is, what does not is broken so that it can be read."""

from helpers import each
from kgroups.layout import (
    Command,
    Page,
    Table,
    laid_out,
    spelled,
    text_width,
    tied,
)


def lines(*parts, width=80, **page):
    return laid_out([parts], Page(width, **page)).split("\n")


def test_columns_line_up_and_lines_have_no_blanks_at_their_end():
    rows = [["a", "b", "c"], ["long", "x", ""], ["1", "22", "333"]]
    assert lines(Table(rows, left=[0])) == ["a      b    c", "long   x", "1     22  333"]
    assert lines(Table([["n", "what"], ["100", "x"]], left=[1])) == ["  n  what", "100  x"]


def test_a_command_is_broken_where_a_shell_goes_on():
    command = Command("tool data.csv --one 1 --two 2", "Next:")
    assert lines(command) == ["Next: tool data.csv --one 1 --two 2"]
    assert lines(command, width=25) == ["Next:", "tool data.csv --one 1 \\", "  --two 2"]
    assert lines(Command("  tool --a --b"), width=13) == ["  tool --a \\", "    --b"]


WIDE = Table(
    [
        ["name", "edges inside", "what it is"],
        ["a", "1", f"{tied('one two')}, {tied('three four')}"],
    ],
    left=[0, 2], words=[2],
)  # fmt: skip


def test_a_table_breaks_its_words_then_its_heads_then_its_columns():
    assert lines(WIDE, width=41) == [
        "name  edges inside  what it is", "a                1  one two, three four",
    ]  # fmt: skip
    long = Table([*WIDE.rows, ["b", "2", "x " * 19 + "x"]], left=[0, 2], words=[2])
    assert lines(long, width=41)[2:] == [
        "b                2  x x x x x x x x x x x", "                    x x x x x x x x x",
    ]  # fmt: skip
    assert lines(WIDE, width=34) == [
        "       edges", "name  inside  what it is", "a          1  one two, three four",
    ]  # fmt: skip
    assert lines(WIDE, width=26) == [
        "       edges", "name  inside", "a          1", "",
        "name  what it is", "a     one two, three four",
    ]  # fmt: skip


def test_width_is_that_of_a_terminal():
    assert [text_width(text) for text in ("abc", "é", "e\u0301", "漢字", "ρ̂₂")] == [3, 1, 1, 4, 2]
    assert lines(Table([["n", "x"], ["漢", "1"], ["abc", "2"]], left=[0])) == [
        "n    x", "漢   1", "abc  2",
    ]  # fmt: skip


@each(
    ("encoding", "text"),
    [
        ("utf-8", "é ≥ α² × ρ …"),
        ("latin-1", "é >= alpha² × rho ..."),
        ("ascii", "\\xe9 >= alpha^2 x rho ..."),
    ],
)
def test_symbols_have_a_form_for_every_encoding(encoding, text):
    assert spelled("é ≥ α² × ρ …", encoding) == text
    assert lines("é ≥ α² × ρ …", encoding=encoding) == [text]
