"""The values in a JSON file: one on each line, or those of one array; parsed one by one."""

import json
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, NoReturn

from kgroups.exceptions import DataError
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

# A longer line could take gigabytes as objects of Python.
_LONGEST_LINE = 1 << 23
# Objects of Python for one byte of text: a short array between two commas.
_TIMES = 24
# How much text is read between two looks at the free memory.
_BYTES_PER_CHECK = 1 << 24
_BOM = b"\xef\xbb\xbf"
_LONGEST_REASON = 200


class Value(NamedTuple):
    """A value with the line on which it stands, or its place in an array."""

    place: int
    content: Any


def values_of_lines(stream: IO[bytes], source: str) -> Iterator[Value]:
    """The values of the lines of a stream; blank lines at the end are not read.

    Raises
    ------
    DataError
        For a line that is blank, is not JSON or not UTF-8, or is longer than 8 MiB.
    MemoryError
        While reading, if the values would not fit in memory.
    """
    size, unchecked, blank = 0, 0, 0
    for number, line in enumerate(plain_lines(stream, source), start=1):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise DataError(f"{source}, line {blank} is blank; remove it, or write null.")
        yield Value(number, _parsed(line, f"{source}, line {number}"))
        size, unchecked = size + len(line), unchecked + len(line)
        if unchecked > _BYTES_PER_CHECK:
            require(
                size,  # once more, as columns are put together
                what=f"Reading {source}, which has more than {number:,} lines,",
                instead="Keep fewer rows, or save them as .npy or .parquet.",
            )
            unchecked = 0


def values_of_array(content: Any) -> Iterator[Value]:
    """The entries of an array that stands alone in a file, counted from 1."""
    for place, entry in enumerate(content, start=1):
        yield Value(place, entry)


def whole_value(stream: IO[bytes], source: str) -> Any:
    """The only value of a file; None where several follow each other, as on lines.

    MemoryError before reading if it might not fit.
    """
    begin = stream.tell()
    size = stream.seek(0, 2) - begin
    stream.seek(begin)
    require(_TIMES * size, what=f"Reading {source}", instead="Save one JSON value per line.")
    content = stream.read()
    if not content.strip():
        return None
    try:
        return _parsed(content, source)
    except DataError:
        first, _, rest = content.lstrip().partition(b"\n")
        if rest.strip() and _is_json(first):
            return None
        raise


def plain_lines(stream: IO[bytes], source: str) -> Iterator[bytes]:
    """The lines of a file, without the mark at its beginning; DataError for a long one."""
    number, begin = 0, _BOM
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise DataError(
                f"{source}, line {number} is longer than {_LONGEST_LINE >> 20} MiB; each line must "
                "hold one row."
            )
        yield line.removeprefix(begin)
        begin = b""


def _parsed(text: bytes, where: str) -> Any:
    """One JSON value; NaN stands for a missing one."""
    try:
        content = _DECODER.decode(text.decode("utf-8-sig"))
        if b"\\u" in text:  # half a pair of surrogates is not a character
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{where} holds half a character (an unpaired surrogate).") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}: byte {error.start + 1} (0x{text[error.start]:02x}) is not UTF-8 text; save "
            "the file as UTF-8."
        ) from error
    except RecursionError:
        raise DataError(f"{where} is nested too deeply.") from None
    except ValueError as error:
        reason = short(error, _LONGEST_REASON)
        raise DataError(
            f"{where} is not JSON: {reason}. It begins {quoted(_head(text))}."
        ) from error
    return content


def _is_json(text: bytes) -> bool:
    try:
        _parsed(text, "")
    except DataError:
        return False
    return True


def _head(text: bytes) -> str:
    return text[:60].decode("utf-8", "replace").strip()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key is repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {quoted(twice)} stands twice in one object")
    return found


def _constant(name: str) -> float:
    """What Python writes for numbers that JSON does not have."""
    return float(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def refuse_kind(where: str, content: Any, advice: str) -> NoReturn:
    """DataError for a value of a kind that is not a row."""
    raise DataError(f"{where} holds {in_words(content)}; {advice}.")


def in_words(content: Any) -> str:
    """The kind of a value, as messages say it.

    >>> [in_words(value) for value in ("a", 1.5, True, None, [], {})]
    ['text', 'a number', 'true or false', 'null', 'an array', 'an object']
    """
    kinds = {str: "text", bool: "true or false", list: "an array", dict: "an object"}
    return "null" if content is None else kinds.get(type(content), "a number")
