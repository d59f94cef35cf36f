"""Messages of the library in words of the command line: options, files and their lines."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgroups.exceptions import DataError
from kgroups.text import quoted

if TYPE_CHECKING:
    from kgroups.cli.columns import TableFeatures
    from kgroups.input.table_files import Rows

# Options that the library calls by another name.
_RENAMED = {"random_state": "seed", "sample_weight": "weight_column"}
# What Python users write, and what stands for it.
_PHRASES = {
    r"write \(X \+ X\.T\) / 2": "write the mean of both in either place",
    r"write X \+ X\.T and metric": "fill the other half and write metric",
    r"for rounding write numpy\.fill_diagonal\(X, 0\)": "for rounding write 0 there",
    r"Standardize the columns of X, or give X as float64": "Use --standardize",
    r"If the values of X are very large, standardize its columns": (
        "If values are very large, use --standardize"
    ),
    r"Fewer n_components, fewer threads and float32 need less": "Fewer threads need less",
    r"GraphKGroups \(kgroups communities\)": "kgroups communities",
    r"Stopped at max_iter while points still moved; increase max_iter": (
        "Stopped at the largest number of sweeps while points still moved"
    ),
    r"\b[A-Z][a-z]+Distance\((?:name=)?'(\w+)'[^()]*\)": r"\1",  # one of a family
    r" \(negative_type_violation\)": "",
    r"\bbut A has\b": "but GRAPH has",
    r"\b([A-Z][a-z]+(?:[A-Z][a-z]+)?)\((?:\w+=[^(),]*)?\)": r"\1",  # a semimetric
}
_TABLE = re.compile(r"(?<![\w'.])X(?![\w'.(])")
_PLACES = re.compile(
    r"entries \((?P<i>\d+), (?P<j>\d+)\) and \(\d+, \d+\)"
    r"|entry \((?P<own>\d+), \d+\)"
    r"|rows (?P<a>\d+) and (?P<b>\d+)"
    r"|\brow (?P<row>\d+), column (?P<column>\d+)"
    r"|\brow (?P<alone>\d+)"
)


def worded(text: str, parser: argparse.ArgumentParser) -> str:
    """A message with options for the Python arguments that it names, and DATA for X.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--n-jobs"), parser.add_argument("--seed")
    >>> worded('X is too large; write n_jobs=1 or method="dense"', parser)
    'DATA is too large; write --n-jobs 1 or method="dense"'
    >>> worded("n_jobs must be 1, and random_state 0", parser)
    '--n-jobs must be 1, and --seed 0'
    """
    for phrase, words in _PHRASES.items():
        text = re.sub(phrase, words, text)
    options = {a.dest: a.option_strings[-1] for a in parser._actions if a.option_strings}
    options |= {name: options[dest] for name, dest in _RENAMED.items() if dest in options}

    def option(found: re.Match[str]) -> str:
        """The option with its value, or the text as it was."""
        name = options.get(found[1])
        return found[0] if name is None else f"{name} {found[2]}"

    text = re.sub(r"""\b(\w+)=["']?([\w.-]*\w)["']?""", option, text)
    # A name with an underscore is not a word of a sentence.
    text = re.sub(r"(?<![\w-])[a-z]+(?:_[a-z]+)+\b", lambda m: options.get(m[0], m[0]), text)
    return _TABLE.sub("DATA", text)


@contextmanager
def in_words_of(
    table: Rows, features: TableFeatures, options: argparse.Namespace
) -> Iterator[None]:
    """A block in which errors of the library name the file, its lines and its columns."""
    try:
        yield
    except ValueError as error:
        text = _of_file(worded(str(error), options.parser), table, features)
        raise DataError(f"{table.source}: {text}") from error


def _of_file(text: str, table: Rows, features: TableFeatures) -> str:
    def column(position: str) -> str:
        """A column of the features as messages name it."""
        if int(position) >= len(features.names):
            return f"column {int(position) + 1}"
        name = features.names[int(position)]
        return f"column {quoted(name)}" if table.has_header else name

    def where(row: str) -> str:
        """A row of the features by its line."""
        return table.where(int(row))

    def place(found: re.Match[str]) -> str:
        """The line and column for positions that count from 0."""
        at = found.groupdict()
        if at["i"]:
            i, j = at["i"], at["j"]
            return f"{where(i)}, {column(j)}, and {where(j)}, {column(i)},"
        if at["own"]:
            return f"{where(at['own'])}, {column(at['own'])}"
        if at["a"]:
            return f"{where(at['a'])} and {where(at['b'])}"
        if at["row"]:
            return f"{where(at['row'])}, {column(at['column'])}"
        return where(at["alone"])

    return _PLACES.sub(place, text)
