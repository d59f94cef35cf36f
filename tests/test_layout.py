"""Blocks on a page: what fits stays as it is, what does not is broken so that it can be read."""

from helpers import ESCAPE, each
from kgroups.layout import (
    Command,
    Heading,
    Labeled,
    Page,
    Table,
    laid_out,
    one_line,
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


def test_blocks_have_a_blank_line_between_them_and_empty_ones_are_left_out():
    assert laid_out([["a", "b"], [], ["c"]]) == "a\nb\n\nc"
    assert laid_out([[], []]) == ""


def test_labels_line_up_with_color_or_without():
    pairs = Labeled([("n", "3"), ("name", "x")])
    assert lines(pairs) == ["n     3", "name  x"]
    assert lines(pairs, color=True) == [
        f"{ESCAPE}2mn   {ESCAPE}0m  3", f"{ESCAPE}2mname{ESCAPE}0m  x",
    ]  # fmt: skip
    assert lines(Heading("x")) == ["x"]
    assert lines(Heading("x"), color=True) == [f"{ESCAPE}1mx{ESCAPE}0m"]


def test_paragraphs_are_indented_where_they_go_on():
    assert lines("one two three", width=8) == ["one two", "  three"]
    assert lines("  one two three", width=9) == ["  one two", "    three"]
    assert lines("one two", width=7) == ["one two"]


def test_a_word_wider_than_the_page_is_not_broken():
    path = "/a/path/that/somebody/copies.csv"
    assert lines(f"written to {path} now", width=20) == ["written to", f"  {path}", "  now"]


def test_values_go_on_in_their_column_or_below_their_label():
    pairs = Labeled([("n", "one two three four five six")])
    assert lines(pairs, width=23) == ["n  one two three four", "   five six"]
    assert lines(pairs, width=20) == ["n", "  one two three four", "  five six"]


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


def test_long_names_lose_their_middle_only_where_a_table_would_not_fit():
    names = ["sample_of_2019_before.csv", "sample_of_2019_after.csv"]
    table = Table([["name", "n"], *([name, "1"] for name in names)], left=[0])
    assert lines(table, width=28)[1:] == [f"{names[0]}  1", f"{names[1]}   1"]
    assert lines(table, width=27)[1:] == [
        "sample_of_20…_before.csv  1", "sample_of_2019_after.csv  1",
    ]  # fmt: skip


def test_each_part_of_a_table_begins_with_the_keys_that_leave_room():
    table = Table(
        [["a", "b", "numbers", "figures"], ["x", "y", "1", "2"]], left=[0, 1], keys=[0, 1]
    )
    assert lines(table, width=13) == [
        "a  b  numbers", "x  y        1", "", "a  b  figures", "x  y        2",
    ]  # fmt: skip
    assert "a  figures" in lines(table, width=11)


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


def test_lines_are_as_narrow_where_symbols_become_longer():
    assert lines("a ≥ b", width=5) == ["a ≥ b"]
    assert lines("a ≥ b", width=5, encoding="ascii") == ["a >=", "  b"]


def test_one_line_without_what_does_not_fit():
    assert one_line("abcdef", Page(6)) == "abcdef"
    assert one_line("abcdefg", Page(6)) == "abcde…"
    assert one_line("abcdefg", Page(6, encoding="ascii")) == "abc..."
    assert one_line("漢字漢字", Page(6)) == "漢字…"
