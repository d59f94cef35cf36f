"""All options that a table still needs, said in one error, with a command to copy."""

import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from kgroups.cli.column_roles import Roles
from kgroups.cli.iso_dates import are_dates
from kgroups.cli.nearly_numbers import NearlyNumbers, nearly_numbers
from kgroups.cli.option_values import as_list
from kgroups.cli.title_lines import title_lines
from kgroups.cli.total_lines import total_line
from kgroups.cli.unit_lines import units_of
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.table import listed, some
from kgroups.names import MATRICES
from kgroups.text import quoted

# More columns make no command that anyone would read before it runs.
_MOST = 20
# Options of one value, which needs no quotes where it contains a comma.
_SINGLE = ("--id-column", "--skip-lines")
# Columns of which the number of missing values is told.
_SHOWN = 6


_MIXED = (
    "--metric mixed compares columns by what they hold: numbers, categories, dates and missing "
    "values"
)
_REASONS = {
    "two marks": "decimal points and commas",
    "percent": "percent signs",
    "date": "dates",
    "unit": "numbers with something around them",
    "notation": "numbers in a notation that is not read",
}


class UnusableError(DataError):
    """What a table holds that cannot be used, and what to do about the first of it."""

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(f"{found} {advice}")
        self.found, self.advice = found, advice


@dataclass
class _Needs:
    """The columns that cannot be used as they are, by the option that would do."""

    #: Lines that hold units or totals.
    lines: set[int] = field(default_factory=set)
    na_values: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    #: Why a column cannot be compared, by its name.
    drop: dict[str, str] = field(default_factory=dict)
    id_column: list[str] = field(default_factory=list)
    #: Those of ``drop`` that hold dates, which can be compared as such.
    dates: list[str] = field(default_factory=list)
    #: How many values are missing from columns of numbers and of categories.
    numbers: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)

    @property
    def skip_lines(self) -> str:
        """The lines as the option takes them."""
        return as_ranges(sorted(self.lines))

    @property
    def count(self) -> int:
        """How many words and columns need an option, and whether lines or values do."""
        columns = (*self.na_values, *self.categorical, *self.drop, *self.id_column)
        return len(columns) + bool(self.lines) + bool(self.numbers or self.categories)


@contextmanager
def all_at_once(table: Table, roles: Roles, options: Namespace) -> Iterator[None]:
    """Add to an error about one column what the others need, and a command that does it all."""
    try:
        yield
    except DataError as error:
        needs = None if options.metric in MATRICES else _needs(table, roles, options)
        if needs is None or not 1 <= needs.count <= _MOST:
            raise
        by_kinds = _is_mixed(needs) and _may_be_mixed(options)
        if needs.count == 1 and not by_kinds:
            raise
        found = error.found if isinstance(error, UnusableError) else str(error)
        if needs.count == 1:
            advice = (
                f" Or {error.advice[0].lower()}{error.advice[1:]}"
                if isinstance(error, UnusableError)
                else ""
            )
            raise DataError(f"{found} {_MIXED}.{advice}") from error
        if _leaves_something(needs, table, roles):
            command = f" All at once:\n{_command(needs, options)}"
        else:
            command = " Then no column is left: mend the file."
        first = f" {_MIXED}, as in\n{_mixed_command(needs, options)}\nOr:" if by_kinds else ""
        raise DataError(f"{found}{first} {_said(needs, options)}{command}") from error


def _in_a_sentence(advice: str) -> str:
    """A sentence as the second half of another."""
    return advice[:1].lower() + advice[1:]


def _may_be_mixed(options: Namespace) -> bool:
    """Whether the metric was not chosen, in a command that compares columns by their kinds."""
    is_plain = options.metric == "energy" and options.alpha is None
    return is_plain and "by" not in options and not vars(options).get("curved")


def _is_mixed(needs: _Needs) -> bool:
    """Whether columns are of several kinds, or have gaps."""
    return bool(needs.categorical or needs.numbers or needs.dates) and not needs.na_values


def _mixed_command(needs: _Needs, options: Namespace) -> str:
    """What was typed, with ``--metric mixed`` and the columns that it does not compare either."""
    dropped = [name for name in needs.drop if name not in needs.dates]
    added = {
        "--metric": ["mixed"],
        "--skip-lines": [needs.skip_lines] if needs.skip_lines else [],
        "--drop": [*options.drop, *dropped] if dropped else [],
        "--id-column": needs.id_column,
    }
    arguments = [a for a in options.arguments if a != "--standardize"]
    typed = _without([option for option, names in added.items() if names], arguments)
    return shlex.join(["kgroups", *_without(["--impute"], typed), *_typed(added)])


def _leaves_something(needs: _Needs, table: Table, roles: Roles) -> bool:
    gone = {*needs.drop, *needs.id_column}
    return any(table.names[column] not in gone for column in (*roles.numeric, *roles.categorical))


def _needs(table: Table, roles: Roles, options: Namespace) -> _Needs | None:
    """What the columns of a table need; None if no option helps."""
    needs = _Needs()
    if title_lines(table, roles.numeric) is not None:  # the columns have other names
        return None
    if (units := units_of(table, roles.numeric)) is not None:
        needs.lines, table = {*units.skipped}, units.below()
    if (total := total_line(table, roles.numeric)) is not None:
        needs.lines, table = needs.lines | {*total.skipped}, total.above()
    for column in roles.numeric:
        name, n_missing = table.names[column], int(table.missing(column).sum())
        if n_missing == table.n_rows:
            needs.drop[name] = "without values"
        elif table.is_text(column):
            nearly = nearly_numbers(table.columns[column].tolist())
            if nearly.kind == "marks":
                return None
            _place(needs, table, column, options, nearly)
        elif np.isinf(table.columns[column]).any():
            return None
        elif n_missing and not {"mean", "most-frequent"} & {*options.impute}:
            needs.numbers[name] = n_missing
    for name in (*needs.categorical, *(table.names[column] for column in roles.categorical)):
        n_missing = int(table.missing(table.position(name)).sum())
        if n_missing == table.n_rows:
            return None
        if n_missing and not {"category", "most-frequent"} & {*options.impute}:
            needs.categories[name] = n_missing
    return needs


def _place(
    needs: _Needs, table: Table, column: int, options: Namespace, nearly: NearlyNumbers
) -> None:
    """Put a column of text where it belongs: numbers, names of rows, or categories."""
    name = table.names[column]
    if nearly.kind == "words":
        needs.na_values += [word for word in nearly.words if word not in needs.na_values]
        needs.numbers[name] = nearly.n_words + int(table.missing(column).sum())
        return
    if nearly.kind:
        needs.drop[name] = _REASONS[nearly.kind]
        if are_dates(table, column):
            needs.dates.append(name)
        return
    takes_ids = "by" not in options and options.data != "-" and options.id_column is None
    if len(set(table.columns[column].tolist())) < table.n_rows:
        if "curved" in options and options.curved:
            needs.drop[name] = "text"
        else:
            needs.categorical.append(name)
    elif takes_ids and not needs.id_column:
        needs.id_column.append(name)
    else:
        needs.drop[name] = "different in every row"


def _said(needs: _Needs, options: Namespace) -> str:
    """One sentence for each kind of need."""
    sentences = []
    if needs.skip_lines:
        sentences.append(f"--skip-lines {needs.skip_lines} leaves out what is not a point.")
    if needs.na_values:
        words = listed(needs.na_values)
        sentences.append(f"--na-values takes {words} for missing values.")
    if needs.categorical:
        # Only one command scores.
        score = ", and --label-column scores against it" if "append" in options else ""
        sentences.append(
            f"{_columns(needs.categorical)} text: --categorical compares it for equality{score}."
        )
    if needs.id_column:
        sentences.append(
            f"Column {quoted(needs.id_column[0])} differs in every row: --id-column takes it for "
            "the names of rows."
        )
    if needs.drop:
        reasons = ", ".join(f"{quoted(name)} ({why})" for name, why in needs.drop.items())
        sentences.append(f"Not comparable as written, so left out by --drop: {reasons}.")
    gaps = {**needs.numbers, **needs.categories}
    if gaps:
        shown = [f"{quoted(name)} {gaps[name]}" for name in list(gaps)[:_SHOWN]]
        counts = some(shown, len(gaps))
        sentences.append(f"Missing values: {counts}; --impute says what stands for them.")
    return " ".join(sentences)


def _columns(names: Sequence[str]) -> str:
    return f"Column {listed(names)} holds" if len(names) == 1 else f"Columns {listed(names)} hold"


def _command(needs: _Needs, options: Namespace) -> str:
    """What was typed, with all that is needed."""
    fill = bool(needs.numbers) and not {"mean", "most-frequent"} & {*options.impute}
    impute = [*options.impute, *["mean"] * fill]
    impute += ["category"] * bool(needs.categories)
    added = {
        "--skip-lines": [needs.skip_lines] if needs.skip_lines else [],
        "--na-values": [*options.na_values, *needs.na_values] if needs.na_values else [],
        "--categorical": [*options.categorical, *needs.categorical] if needs.categorical else [],
        "--drop": [*options.drop, *needs.drop] if needs.drop else [],
        "--id-column": needs.id_column,
        "--impute": impute if fill or needs.categories else [],
    }
    typed = _without([option for option, names in added.items() if names], options.arguments)
    return shlex.join(["kgroups", *typed, *_typed(added)])


def _typed(added: Mapping[str, Sequence[str]]) -> list[str]:
    """Options with their values; nothing for those without."""
    typed: list[str] = []
    for option, names in added.items():
        if names:
            typed += _with_value(option, names[0] if option in _SINGLE else as_list(names))
    return typed


def _without(replaced: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """The arguments without some options and their values."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument in replaced:
            next(rest, None)
        elif argument.partition("=")[0] not in replaced:
            kept.append(argument)
    return kept


def _with_value(option: str, value: str) -> list[str]:
    """An option and its value, in one word where the value would be read as an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]
