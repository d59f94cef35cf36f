"""Plain text with one text on each line, as a column of a table."""

from collections.abc import Iterator
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.table_files.json_values import plain_lines
from kgroups.input.table_files.table import Table


def lines_of_text(stream: IO[bytes], source: str) -> Table:
    """A column of text of the lines of a file; blank lines at its end are not read."""
    texts, blank = [], 0
    for number, text in enumerate(_text_lines(stream, source), start=1):
        if not text.strip():
            blank = blank or number
            continue
        if blank:
            raise DataError(f"{source}, line {blank} is blank; each line must hold one text.")
        texts.append(text)
    if not texts:
        raise DataError(f"{source} is empty.")
    return Table(
        source=source,
        names=("1",),
        columns=(np.array([*texts, None], dtype=object)[:-1],),
        has_header=False,
        lines=np.arange(1, len(texts) + 1),
    )


def _text_lines(stream: IO[bytes], source: str) -> Iterator[str]:
    for number, line in enumerate(plain_lines(stream, source), start=1):
        try:
            yield line.decode("utf-8").strip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{source}, line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is "
                "not UTF-8 text; save the file as UTF-8."
            ) from error
