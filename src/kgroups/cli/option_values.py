"""Values of options: each function turns text into a value or says what to write instead."""

import argparse
import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kgroups.names import (
    GRAPH_FORMATS,
    MATRICES,
    METRIC_ALIASES,
    OBJECT_METRICS,
    SCIPY_DISTANCES,
    SEMIMETRICS,
)
from kgroups.text import did_you_mean

#: What ``--impute`` takes.
IMPUTATIONS = ("mean", "most-frequent", "category")
#: What ``--kinds`` takes, besides the levels of an ordered column.
COLUMN_KINDS = ("number", "category", "ordered", "boolean", "date")
#: What ``--bound`` takes.
BOUNDS = ("spectral", "semidefinite", "none")
#: Names that ``--format`` takes, and the format of :func:`kgroups.graphs.read_graph` for each.
FORMATS = {"csv": "edgelist", "tsv": "edgelist", **{name: name for name in GRAPH_FORMATS[1:]}}
# Delimiters that shells and terminals do not show.
_DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " "}
# They are parts of numbers, or quote and end fields.
_NO_DELIMITERS = '"\r\n.+-_\0'
# A number of a line, or the first and the last of several.
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST_LINES = 10_000
#: Extensions of pictures that matplotlib writes without further packages.
PICTURES = (".png", ".svg", ".pdf")


def metric(text: str) -> str:
    """The name of a metric, or of a precomputed matrix."""
    known = (*SEMIMETRICS, *OBJECT_METRICS, *SCIPY_DISTANCES, *MATRICES)
    if text in known or text in METRIC_ALIASES:
        return text
    if text == "rbf":
        raise argparse.ArgumentTypeError(
            "'rbf' is --metric gaussian here, with --sigma S, where S = (2 gamma)^(-1/2)"
        )
    from kgroups.semimetrics.known_elsewhere import what_to_write

    if advice := what_to_write(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of kgroups; in Python: {advice}")
    hint = did_you_mean(text, (*known, *METRIC_ALIASES))
    raise argparse.ArgumentTypeError(f"{text!r} is not known.{hint} Names: {', '.join(known)}")


def positive(text: str) -> int:
    """An integer above zero."""
    return _integer(text, least=1)


def number_or_auto(text: str) -> int | Literal["auto"]:
    """A number of clusters or communities, or auto."""
    return "auto" if text == "auto" else _integer(text, least=1, other="auto")


def regularizer(text: str) -> float | Literal["average_degree"]:
    """The r of the Bethe Hessian."""
    if text == "average_degree":
        return "average_degree"
    return _positive_float(text, other="average_degree")


def resolution(text: str) -> float:
    """What modularity and the constant Potts model charge for large communities."""
    return _positive_float(text)


def size(text: str) -> str:
    """A number of bytes, with or without a unit."""
    from kgroups.runtime.memory import parsed_bytes

    try:
        parsed_bytes(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def n_init(text: str) -> int | Literal["auto"]:
    """A number of starts, or auto."""
    return "auto" if text == "auto" else positive(text)


def seed(text: str) -> int:
    """A seed that NumPy accepts."""
    return _integer(text, least=0, most=2**32 - 1)


def n_jobs(text: str) -> int:
    """A number of threads; below zero counted from the number of cores, as in joblib."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise argparse.ArgumentTypeError(
            f"must be a number of threads, or -1 for all cores; got {text!r}"
        )
    return value


def alpha(text: str) -> float:
    """The exponent of the energy semimetric."""
    value = _float(text)
    if not 0 < value <= 2:
        raise argparse.ArgumentTypeError(f"must be a number in (0, 2], such as 1; got {text!r}")
    return value


def sigma(text: str) -> float | Literal["median"]:
    """A length scale, or median."""
    return "median" if text == "median" else _positive_float(text, other="median")


def seconds(text: str) -> float:
    """``--time-limit``."""
    return _positive_float(text)


def names(text: str) -> list[str]:
    """Names separated by commas; one that contains a comma is put in double quotes."""
    try:
        found = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error:  # a carriage return, or a name of more than 131,072 characters
        found = []
    if not found or "" in found:
        raise argparse.ArgumentTypeError(f"must be names separated by commas; got {text!r}")
    return found


def kinds(text: str) -> dict[str, str]:
    """Columns with what they hold; the levels of an ordered one may be given in their order.

    >>> kinds("zip=category,size=S<M<L")
    {'zip': 'category', 'size': 'S<M<L'}
    """
    found: dict[str, str] = {}
    for part in names(text):
        name, mark, kind = (piece.strip() for piece in part.rpartition("="))
        is_order = "<" in kind and all(level.strip() for level in kind.split("<"))
        if not mark or not name or not (kind in COLUMN_KINDS or is_order):
            hint = did_you_mean(kind, COLUMN_KINDS)
            raise argparse.ArgumentTypeError(
                "must be columns with what they hold, such as zip=category,size=S<M<L, where kinds "
                f"are {', '.join(COLUMN_KINDS)}; got {part!r}.{hint}"
            )
        if name in found:
            raise argparse.ArgumentTypeError(f"names {name!r} twice; got {text!r}")
        found[name] = kind
    return found


def column(text: str) -> str:
    """The name of a column, or its number from 1."""
    if not text.strip() or (text.isdecimal() and int(text) < 1):
        raise argparse.ArgumentTypeError(
            f"must be the name of a column or its number from 1; got {text!r}"
        )
    return text.strip()


def as_list(names: Sequence[str]) -> str:
    """Names as :func:`names` reads them: separated by commas, in quotes if they contain one."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def lines(text: str) -> tuple[int, ...]:
    """Numbers of lines and ranges of them, separated by commas; sorted.

    >>> lines("5,1-3")
    (1, 2, 3, 5)
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _LINES.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last < first + _MOST_LINES:
            raise argparse.ArgumentTypeError(
                f"must be numbers of lines, such as 2 or 1-3,5; got {text!r}"
            )
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def delimiter(text: str) -> str:
    """One character between fields, or its name."""
    mark = _DELIMITERS.get(text, text)
    if len(mark) != 1 or mark.isalnum() or mark in _NO_DELIMITERS:
        raise argparse.ArgumentTypeError(
            f"must be one character, such as ';' in quotes, or tab or space; got {text!r}"
        )
    return mark


def encoding(text: str) -> str:
    """The name of an encoding of text that Python knows."""
    try:
        "a".encode(text)
    except (LookupError, UnicodeError, ValueError):  # a name with a null character
        hint = did_you_mean(text, ("utf-8", "utf-16", "latin-1", "cp1252"))
        raise argparse.ArgumentTypeError(
            f"must be an encoding, such as utf-8, latin-1, cp1252 or utf-16; got {text!r}.{hint}"
        ) from None
    return text


def imputation(text: str) -> list[str]:
    """What stands for missing values: some of three words."""
    found = names(text)
    wrong = [name for name in found if name not in IMPUTATIONS]
    if wrong:
        hint = did_you_mean(wrong[0], IMPUTATIONS)
        raise argparse.ArgumentTypeError(
            f"must be one or more of {', '.join(IMPUTATIONS)}; got {wrong[0]!r}.{hint}"
        )
    return found


def picture(text: str) -> Path:
    """A file name with an extension that matplotlib can write."""
    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(PICTURES)}; got {text!r}")
    return path


def web_page(text: str) -> Path:
    """A file name of a page of HTML."""
    path = Path(text)
    if path.suffix.lower() not in (".html", ".htm"):
        raise argparse.ArgumentTypeError(f"must end in .html; got {text!r}")
    return path


def _integer(text: str, *, least: int, most: int | None = None, other: str = "") -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least or (most is not None and value > most):
        limit = "" if most is None else f" and <= {most}"
        limit += f", or {other}" if other else ""
        raise argparse.ArgumentTypeError(f"must be an integer >= {least}{limit}; got {text!r}")
    return value


def _positive_float(text: str, *, other: str = "") -> float:
    value = _float(text)
    if not 0 < value < float("inf"):
        what = f"a positive number or {other}" if other else "a positive number"
        raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}")
    return value


def _float(text: str) -> float:
    """A number, or NaN, which is outside every range."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
