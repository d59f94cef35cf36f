"""How the header of a text file may differ in length from the rows below it."""

from collections.abc import Sequence
from enum import Enum, auto

from kgroups.input.table_files.numerals import is_number


class Layout(Enum):
    """Which of the two has one field more."""

    ALIKE = auto()
    #: Names or numbers of rows stand in front without a name, as R writes tables.
    ROW_NAMES = auto()
    #: Rows end with a delimiter, and the header does not.
    DATA_END = auto()
    #: The header ends with a delimiter, and rows do not.
    HEADER_END = auto()

    def header(self, fields: list[str]) -> list[str]:
        """A header of as many fields as its rows have."""
        if self is Layout.HEADER_END:
            return fields[:-1]
        return ["", *fields] if self is Layout.ROW_NAMES else fields


def layout_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Layout:
    """The layout of a header and the rows below it.

    >>> layout_of(["x", "y"], [["a", "1", "2"], ["b", "3", "4"]])
    <Layout.ROW_NAMES: 2>
    >>> layout_of(["x", "y"], [["1", "2", ""], ["3", "4", ""]])
    <Layout.DATA_END: 3>
    """
    longer = {len(row) - len(header) for row in rows}
    if longer == {1} and not any(row[-1].strip() for row in rows):
        return Layout.DATA_END
    if longer == {1} and _lacks_a_name(header, rows):
        return Layout.ROW_NAMES
    if longer == {-1} and len(header) > 1 and not header[-1].strip():
        return Layout.HEADER_END
    return Layout.ALIKE


def _lacks_a_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether names or numbers stand in front of the rows."""
    if len(header) < 2 or not all(row[-1].strip() for row in rows) or any(map(is_number, header)):
        return False
    in_front = [row[0] for row in rows]
    return in_front == ["1", "2"] or not any(map(is_number, in_front))
