"""Lists of edges: two ids per line and perhaps a weight."""

from dataclasses import replace
from itertools import islice
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_layout import COMMENTS, Layout, layout_of, perhaps_labels
from kgroups.input.graph_files.edge_lines import LineError, NotAHeaderError, read_any
from kgroups.input.graph_files.edge_names import (
    AskedColumns,
    end_columns_by_name,
    ignored_columns,
    is_plain_weight,
)
from kgroups.input.graph_files.edges import Edges, graph_of_edges
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.integer_edges import read_integers
from kgroups.input.graph_files.layout_advice import layout_advice, other_delimiter
from kgroups.input.graph_files.matrix_files import matrix_in_text
from kgroups.input.graph_files.text_lines import NotUTF8Error, is_substance, lines
from kgroups.input.graph_files.utf8_lines import in_utf8, notes_on_text
from kgroups.input.graph_files.weight_marks import (
    CommaError,
    advice_on_marks,
    has_decimal_commas,
    notes_on_points,
)
from kgroups.input.table_files.field_table import on_commas
from kgroups.input.table_files.sniffing import IN_WORDS
from kgroups.input.table_files.table import listed
from kgroups.input.table_files.text_format import ListFound, TextFormat
from kgroups.text import quoted

# Lines that are looked at for another delimiter.
_LINES = 50


def read_edge_list(
    stream: IO[bytes],
    source: str,
    suffix: str = "",
    text: TextFormat | None = None,
    columns: AskedColumns | None = None,
) -> Graph:
    """An undirected graph from a list of edges or a square matrix; tabs separate it in a .tsv.

    ``text`` says how they are written, ``columns`` which of a list are read; what they leave open
    is found out. A matrix has no columns to choose from.
    """
    asked = text or TextFormat()
    stream, encoding = in_utf8(stream, source, asked)
    try:
        graph = _read(stream, source, suffix, asked, columns or AskedColumns())
    except DataError as error:
        raise DataError(_advised(error, stream, source, suffix, asked)) from error
    notes = notes_on_text(asked, source, encoding)
    found = None if graph.text is None else replace(
        graph.text, encoding=encoding, skip_lines=asked.skip_lines
    )  # fmt: skip
    return replace(graph, notes=(*notes, *graph.notes), text=found)


def _read(
    stream: IO[bytes], source: str, suffix: str, asked: TextFormat, columns: AskedColumns
) -> Graph:
    """The graph of a matrix or a list of edges in UTF-8."""
    if columns.is_empty and (graph := matrix_in_text(stream, source, suffix, asked)) is not None:
        return graph
    layout = layout_of(stream, source, suffix, asked, columns, may_have_header=True)
    edges = read_integers(stream, layout) if layout.is_plain else None
    if edges is None:
        try:
            layout, edges = _read_marked(stream, source, layout)
        except NotAHeaderError:
            layout = layout_of(stream, source, suffix, asked, columns, may_have_header=False)
            layout, edges = _read_marked(stream, source, layout)
        if asked.delimiter is None and suffix != ".tsv":
            edges.notes.extend(_other_delimiter(stream, source, layout))
    found = _text_found(layout, asked)
    notes = [*(f"{note}." for note in on_commas(found)), *_layout_notes(layout, edges)]
    if found.decimal is None and not found.decimal_commas:
        notes += notes_on_points(stream, source, layout, edges.weights)
    return replace(graph_of_edges(edges, notes, source), text=found)


def _advised(
    error: DataError, stream: IO[bytes], source: str, suffix: str, asked: TextFormat
) -> str:
    """What is wrong, and the arguments with which it would not be."""
    if isinstance(error, NotUTF8Error):
        return f'{error} Or name its encoding, as in encoding="latin-1".'
    try:
        advice = layout_advice(stream, source, suffix, asked)
    except NotUTF8Error as other:
        return _advised(other, stream, source, suffix, asked)
    if isinstance(error, LineError) and not advice:
        advice = f" If the line is not an edge, {error.without} leaves it out."
    return f"{error}{advice}"


def _other_delimiter(stream: IO[bytes], source: str, layout: Layout) -> list[str]:
    """A note if another delimiter divides all lines alike, too."""
    stream.seek(0)
    substance = (line for _, line in lines(stream, source) if is_substance(line, COMMENTS))
    mark = other_delimiter(list(islice(substance, _LINES)), layout.delimiter)
    if mark is None:
        return []
    shown = mark.replace("\t", "\\t")
    return [
        f"fields are separated by {IN_WORDS[layout.delimiter or ' ']}, although "
        f'{IN_WORDS[mark]} divide all lines alike, too; delimiter="{shown}" takes those.'
    ]


def _read_marked(stream: IO[bytes], source: str, layout: Layout) -> tuple[Layout, Edges]:
    """All edges, and the layout with a decimal comma if only that explains the weights."""
    try:
        return layout, read_any(stream, source, layout)
    except CommaError as error:
        if not has_decimal_commas(stream, source, layout):
            raise DataError(f"{error}; {advice_on_marks(stream, source, layout)}") from error
    layout = layout._replace(decimal=",")
    return layout, read_any(stream, source, layout)


def _text_found(layout: Layout, asked: TextFormat) -> ListFound:
    """How the list was written."""
    has_commas, names = layout.decimal is not None and asked.decimal is None, layout.names()
    return ListFound(
        delimiter=layout.delimiter or " ",
        encoding="utf-8",
        decimal=asked.decimal,
        na_values=(),
        decimal_commas=(layout.weight_name,) if has_commas else (),
        has_header=layout.header is not None,
        columns=tuple(names[column] for column in layout.columns),
    )


def _layout_notes(layout: Layout, edges: Edges) -> list[str]:
    """Notes on the header and on columns that are not used, followed by those on the edges."""
    notes = []
    if layout.header is not None:
        names = layout.header.fields
        if not layout.is_certain and (
            edges.nodes.dtype == object or end_columns_by_name(names) is None
        ):
            notes.append(f"line {layout.header.line} is taken as column names: {listed(names)}.")
        if end_columns_by_name(names) is None and not layout.is_certain:
            notes.extend(perhaps_labels(layout.header))
    if len(layout.columns) == 3 and layout.header and not is_plain_weight(layout.weight_name):
        notes.append(f"column {quoted(layout.weight_name)} is read as the weights.")
    others = [name for c, name in enumerate(layout.names()) if c not in layout.columns]
    if others:
        advice = f'weight="{others[0]}" reads it as the weights'
        if len(others) > 1:
            advice = f'if one holds the weights, say which, as in weight="{others[0]}"'
        if len(layout.columns) == 3:
            advice = f"the weights are in {quoted(layout.weight_name)}"
        notes.append(ignored_columns(others, advice))
    if layout.ending:
        notes.append(f"{layout.ending} with a delimiter; the empty field is left out.")
    return [*notes, *edges.notes]
