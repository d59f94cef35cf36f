"""Plain text: numbers with their nouns, and names that do no harm."""

from helpers import ESCAPE, each
from kgroups.text import (
    counted,
    did_you_mean,
    printable,
    short,
)


@each(
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


@each(
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


@each(
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
