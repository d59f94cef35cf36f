"""Blocks of a terminal as parts of a page."""

from kgroups.layout import Command, Heading, Labeled, Table, tied
from kgroups.pages import parts
from kgroups.pages.block_parts import parts_of


def test_every_kind_of_block():
    blocks = [
        [Heading("Title")],
        [Table([["a", "b"], ["1", tied("x y")]], left=[0]), "a legend"],
        [Labeled([("name", tied("1 2"))])],
        [Command("  kgroups demo")],
    ]
    grid, legend, pairs, command = parts_of(blocks, "caption")
    assert grid == parts.Grid(caption="Title", head=["a", "b"], rows=[["1", "x y"]], words=[0])
    assert legend == parts.Paragraph("a legend")
    assert pairs == parts.Pairs([("name", "1 2")])
    assert command == parts.Command("kgroups demo")


def test_a_caption_without_a_heading():
    (grid,) = parts_of([[Table([["a"], ["1"]])]], "caption")
    assert grid.caption == "caption"


def test_the_time_taken_is_left_out():
    (text,) = parts_of([["Converged: it was checked; 1,234.56 s in all."]], "")
    assert text == parts.Paragraph("Converged: it was checked.")
