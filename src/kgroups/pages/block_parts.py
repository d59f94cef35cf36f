"""The blocks of a report in the terminal as parts of a page, with every number that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgroups.layout import Block, Command, Heading, Labeled, Table, untied
from kgroups.pages import parts

_SECONDS = re.compile(r"; [\d,.]+ s in all\.")


def parts_of(blocks: Sequence[Block], caption: str) -> list[parts.Part]:
    """Tables, pairs and sentences in their order; headings become captions of what follows."""
    return list(_parts(blocks, caption))


def _parts(blocks: Sequence[Block], caption: str) -> Iterator[parts.Part]:
    for block in blocks:
        for piece in block:
            if isinstance(piece, Heading):
                caption = piece.text
            elif isinstance(piece, Table):
                yield _grid(piece, caption)
            elif isinstance(piece, Labeled):
                yield parts.Pairs([(name, _plain(text)) for name, text in piece.pairs])
            elif isinstance(piece, Command):
                yield parts.Command(piece.text.strip())
            else:
                yield parts.Paragraph(_plain(piece))


def _grid(table: Table, caption: str) -> parts.Grid:
    head, *rows = table.rows
    return parts.Grid(
        caption=caption,
        head=[_plain(text) for text in head],
        rows=[[_plain(text) for text in row] for row in rows],
        words=[*table.left],
    )


def _plain(text: str) -> str:
    """Text as a browser breaks it, without the time taken, which is another one in every run."""
    return _SECONDS.sub(".", untied(text)).strip()
