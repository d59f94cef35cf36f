"""Names of columns, rows and files as a page shows them: on one line, short, never confused."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from kgroups.input.columns import is_missing
from kgroups.text import short

#: A longer name would hide what is said of it.
LONGEST = 60
_FROM_THE_RIGHT = ("R", "AL")
# They keep a name that is written from the right from turning the sentence around it.
_ISOLATED, _END = "\u2068", "\u2069"


def shown(name: object, longest: int = LONGEST) -> str:
    r"""A name in a cell or a picture; control characters and marks of direction are spelled.

    >>> shown("a\u202eb"), shown("  ")
    ('a\\u202eb', '(empty)')
    """
    return short(name, longest).strip() or "(empty)"


def in_sentence(name: object, longest: int = LONGEST) -> str:
    r"""The same within a sentence, which a name that is written from the right does not turn.

    >>> in_sentence("a"), in_sentence("\u05d0")
    ('a', '\u2068\u05d0\u2069')
    """
    text = shown(name, longest)
    is_turned = any(unicodedata.bidirectional(c) in _FROM_THE_RIGHT for c in text)
    return f"{_ISOLATED}{text}{_END}" if is_turned else text


def column_names(names: Sequence[object]) -> list[str]:
    """Names of columns, each shown differently: those without a name by their number from 1.

    >>> column_names(["a", "b", "a", "", float("nan")])
    ['a (column 1)', 'b', 'a (column 3)', 'column 4', 'column 5']
    """
    texts = ["" if is_missing(name) else str(name) for name in names]
    found = [shown(text) if text.strip() else "" for text in texts]
    count = Counter(found)
    return [
        f"column {number}" if not text else f"{text} (column {number})" if count[text] > 1 else text
        for number, text in enumerate(found, 1)
    ]
