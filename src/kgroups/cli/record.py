"""What ``--json`` and ``--report`` say of a run: the command, its settings, the data it read."""

from __future__ import annotations

import hashlib
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgroups.cli.console import Console

if TYPE_CHECKING:
    from kgroups.graphs import Graph
    from kgroups.input.table_files import FileRows
    from kgroups.report import RunRecord

# Options that decide no result, or that the record has under another key.
_ELSEWHERE = {
    "help", "data", "graph", "model", "output", "append", "plot", "plot_search", "report", "save",
    "json", "n_jobs", "stream", "scheduler", "delimiter", "decimal", "na_values", "encoding",
    "skip_lines", "header", "columns", "drop", "categorical", "label_column", "weight_column",
    "id_column", "kinds", "text_column", "source", "target", "alpha", "sigma", "arguments",
    "proba", "given",
}  # fmt: skip
_IF_GIVEN = ("date_format", "stop_words", "min_df", "max_df")
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

    asked = {
        _ATTRIBUTES.get(name, name): str(value) if isinstance(value, Path) else value
        for name, value in vars(options).items()
        if name not in _ELSEWHERE and (value is not None or name not in _IF_GIVEN)
    }
    return RunRecord(
        command=command_line(options),
        settings={**asked, **settings},
        data=data,
        notes=console.notes,
        columns=columns,
    )


def command_line(options: Namespace) -> str:
    """What was typed, as a shell reads it."""
    return shlex.join(["kgroups", *options.arguments])


def is_recorded(options: Namespace) -> bool:
    """Whether the data are identified by a digest: for ``--json`` and ``--report``."""
    return bool(options.json) or getattr(options, "report", None) is not None


def table_data(file: FileRows) -> dict[str, Any]:
    """The name, the size and the digest of a table, or of other rows."""
    values = file.values
    shape = values.shape if hasattr(values, "shape") else (len(values), 1)
    return {
        "source": file.source,
        "n_rows": shape[0],
        "n_columns": shape[1],
        "has_header": file.has_header,
        "text": None if file.text is None else file.text.to_dict(),
        "sha256": file.sha256,
    }


def graph_data(graph: Graph, options: Namespace, sha256: str | None) -> dict[str, Any]:
    """The name, the size and the digest of a network, and of the labels to score against.

    The digest is given if the network came from standard input.
    """
    labels = options.labels
    return {
        "source": graph.source,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "text": None if graph.text is None else graph.text.to_dict(),
        "sha256": sha256 or sha256_of(options.graph),
        "labels": None if labels is None else {"source": str(labels), "sha256": sha256_of(labels)},
    }


def sha256_of(path: str | Path) -> str:
    """The digest of a file's bytes, by which others can tell whether they have the same."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
