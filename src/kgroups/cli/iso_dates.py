"""Dates in the order of ISO 8601: year, month, day, and perhaps a time."""

import re
from datetime import datetime

from kgroups.input.table_files import Table

# A date, or a date and a time, in the order of ISO 8601; fromisoformat knows more, such as weeks.
_ISO = re.compile(
    r"\d{4}[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])"
    r"([T ]([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?"
)


def are_dates(table: Table, column: int) -> bool:
    """Whether a column of text holds dates and nothing else; empty fields are missing."""
    present = {value for value in table.columns[column].tolist() if value is not None}
    return bool(present) and all(map(is_date, present))


def is_date(text: str) -> bool:
    """Whether a text is a date, or a date with a time."""
    try:
        moment(text)
    except ValueError:
        return False
    return True


def moment(text: str) -> datetime:
    """A date with a time; ValueError for a day that no month has, and for other text."""
    if _ISO.fullmatch(text.strip()) is None:
        raise ValueError(text)
    day, mark, time = text.strip().replace("/", "-").replace("T", " ").partition(" ")
    year, month, number = day.split("-")
    time = time.replace(",", ".").replace("UTC", "Z").replace(" ", "")
    if time and time[1] == ":":
        time = f"0{time}"
    return datetime.fromisoformat(f"{year}-{month:0>2}-{number:0>2}{mark}{time}")
