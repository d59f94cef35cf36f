"""What ``--json`` says besides the result: the command, its settings, and the data that it read."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgroups.cli.console import Console
from kgroups.input.digest import sha256_of

if TYPE_CHECKING:
    from kgroups.graphs import Graph
    from kgroups.input.table_files import Rows
    from kgroups.report import RunRecord

# Options that decide no result: what is read and how, what is written, and by how many threads.
# The method has what follows from blocks.
_NO_SETTINGS = (
    "help", "data", "graph", "model", "output", "append", "plot", "plot_search", "report", "save",
    "json", "n_jobs", "stream", "scheduler",
)  # fmt: skip
# Options that say how a file is written; the record has what was read.
_OF_TEXT = ("delimiter", "decimal", "na_values", "encoding", "skip_lines", "header")
# Options that the record has under another key.
_COLUMNS = (
    "columns", "drop", "categorical", "label_column", "weight_column", "id_column", "kinds",
    "text_column", "source", "target",
)  # fmt: skip
_OF_METRIC = ("alpha", "sigma")
_ELSEWHERE = {*_NO_SETTINGS, *_OF_TEXT, *_COLUMNS, *_OF_METRIC}
# Options that results and estimators know by another name.
_ATTRIBUTES = {"seed": "random_state", "permutations": "n_permutations"}


def run_record(
    options: Namespace,
    console: Console,
    data: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
    columns: Mapping[str, Any] | None = None,
) -> RunRecord:
    """The record of a command; ``settings`` are those that the result knows better."""
    from kgroups.report import RunRecord

    return RunRecord(
        command=command_line(options),
        settings={**_asked(options), **settings},
        data=data,
        notes=console.notes,
        columns=columns,
    )


def is_recorded(options: Namespace) -> bool:
    """Whether the data are identified by a digest: for ``--json`` and ``--report``."""
    return bool(options.json) or options.report is not None


def command_line(options: Namespace) -> str:
    """What was typed, as a shell reads it."""
    return shlex.join(["kgroups", *options.arguments])


def table_data(table: Rows) -> dict[str, Any]:
    """The name, the size and the digest of a table, or of other rows."""
    return {
        "source": table.source,
        "n_rows": table.n_rows,
        "n_columns": table.n_columns,
        "has_header": table.has_header,
        "text": None if table.text is None else table.text.to_dict(),
        "sha256": table.sha256,
    }


def graph_data(graph: Graph, options: Namespace, sha256: str | None) -> dict[str, Any]:
    """The name, the size and the digest of a network, and of the labels to score against.

    The digest is given if the network came from standard input.
    """
    return {
        "source": graph.source,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "text": None if graph.text is None else graph.text.to_dict(),
        "sha256": sha256 or sha256_of(options.graph),
        "labels": None
        if options.labels is None
        else {"source": str(options.labels), "sha256": sha256_of(options.labels)},
    }


def _asked(options: Namespace) -> dict[str, Any]:
    """Every option of the command that decides its result, also one that was not typed."""
    names = [action.dest for action in options.parser._actions if action.dest not in _ELSEWHERE]
    return {_ATTRIBUTES.get(name, name): _plain(getattr(options, name)) for name in names}


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
