"""Plain text: columns that line up, numbers with their nouns, and names that do no harm."""

import pytest

from helpers import ESCAPE
from kgroups.text import (
    aligned,
    bold,
    counted,
    did_you_mean,
    joined,
    labeled,
    printable,
    short,
)


def test_aligned():
    assert aligned([["n", "what"], ["100", "x"]], left=[1]) == ["  n  what", "100  x"]


def test_columns_line_up_and_lines_have_no_blanks_at_their_end():
    rows = [["a", "b", "c"], ["long", "x", ""], ["1", "22", "333"]]
    assert aligned(rows, left=[0]) == ["a      b    c", "long   x", "1     22  333"]
    with pytest.raises(ValueError, match="shorter"):
        aligned([["a", "b"], ["a"]])


def test_blocks_have_a_blank_line_between_them_and_empty_ones_are_left_out():
    assert joined(["a", "b"], [], ["c"]) == "a\nb\n\nc"
    assert joined([], []) == ""


def test_labels_line_up_with_color_or_without():
    pairs = [("n", "3"), ("name", "x")]
    assert labeled(pairs, color=False) == ["n     3", "name  x"]
    assert labeled(pairs, color=True) == [
        f"{ESCAPE}2mn   {ESCAPE}0m  3", f"{ESCAPE}2mname{ESCAPE}0m  x",
    ]  # fmt: skip
    assert labeled([], color=True) == []
    assert (bold("x", color=False), bold("x", color=True)) == ("x", f"{ESCAPE}1mx{ESCAPE}0m")


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("row",), "0 rows"),
        (1, ("row",), "1 row"),
        (1_234_567, ("row",), "1,234,567 rows"),
        (1, ("pass", "passes"), "1 pass"),
        (2, ("pass", "passes"), "2 passes"),
    ],
)
def test_numbers_with_their_nouns(count, nouns, text):
    assert counted(count, *nouns) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é σ 漢", "plain é σ 漢"),
        ("a\nb\r\t", r"a\nb\r\t"),
        (f"{ESCAPE}2J", r"\x1b[2J"),
        ("\x7f\u202e", r"\x7f\u202e"),  # delete, and the mark that turns text around
        ("it's", "it's"),
    ],
)
def test_no_name_can_control_a_terminal(text, shown):
    assert printable(text) == shown
    assert shown.isprintable()


def test_long_names_are_cut_to_a_length_that_counts_the_mark():
    assert short("x" * 40) == "x" * 40
    assert short("x" * 41) == "x" * 39 + "…"
    assert short("abcdef", 4) == "abc…"
    assert short(12345, 3) == "12…"
    assert short("a\nb", 3) == r"a\…"


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("enegry", " Did you mean 'energy'?"),
        ("hamming ", " Did you mean 'hamming'?"),
        ("xyz", ""),
        (None, ""),
    ],
)
def test_hints_at_the_nearest_name(value, hint):
    assert did_you_mean(value, iter(["energy", "hamming"])) == hint


def test_a_hint_needs_as_much_in_common_as_asked():
    """Four of five letters twice over ten: a ratio of 0.8."""
    assert did_you_mean("abcdx", ["abcde"], cutoff=0.8) == " Did you mean 'abcde'?"
    assert did_you_mean("abcdx", ["abcde"], cutoff=0.81) == ""
