"""``--save``: the model with what its fit has settled about the columns of a table."""

from __future__ import annotations

import copy
import io
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgroups.cli.column_rules import Rule
from kgroups.cli.columns import TableFeatures
from kgroups.cli.row_kinds import ARRAY_METRICS, reads_whole_lines
from kgroups.cli.table_input import is_matrix
from kgroups.input.table_files import Rows, Table

if TYPE_CHECKING:
    from kgroups.graphs import Graph, GraphKGroups

#: What rows are that ``kgroups predict`` does not read.
MATRIX, NETWORK = "matrix", "network"


def preparation_of(table: Rows, features: TableFeatures, options: Namespace) -> dict[str, Any]:
    """What new rows need to be read as those of a fit were."""
    rules: list[Rule] = [{"as": MATRIX}] if is_matrix(options) else features.rules()
    names = list(table.names) if isinstance(table, Table) else []
    return {
        "rules": rules,
        "is_list": options.metric in ARRAY_METRICS,
        "names": names,
        "has_header": table.has_header,
        "id_column": options.id_column,
        "as_text": _as_written(table, rules, options),
        "na_values": list(options.na_values),
        "whole_lines": reads_whole_lines(options),
    }


def _as_written(table: Rows, rules: Sequence[Rule], options: Namespace) -> list[str]:
    """The columns that were text, and names of rows: 007 stays 007 where all others are numbers."""
    if not isinstance(table, Table):
        return []
    names = [rule["name"] for rule in rules if "name" in rule]
    found = [name for name in names if table.is_text(table.position(name))]
    return found if options.id_column is None else [*found, options.id_column]


def model_bytes(model: Any, preparation: dict[str, Any]) -> bytes:
    """The file of a model that a command has fitted, without its line of progress."""
    from kgroups.persistence import write_model

    kept = copy.copy(model)
    kept.verbose, kept.preparation_ = 0, preparation
    stream = io.BytesIO()
    write_model(kept, stream)
    return stream.getvalue()


def network_bytes(model: GraphKGroups, part: Graph) -> bytes:
    """The file of communities, with the names of the nodes."""
    kept = copy.copy(model)
    kept.nodes_ = part.nodes
    return model_bytes(kept, {"rules": [{"as": NETWORK}]})
