"""How a page came about: what was read, by which settings and versions, and how to repeat it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kgroups.pages.parts import Command, Details, Pairs, Paragraph, Part, Section
from kgroups.pages.shown_names import shown
from kgroups.report import RunRecord, versions
from kgroups.text import printable

# A digest in hex has so many digits, and names need no more.
_DIGEST, _LONGEST = 64, 200


def settings_section(run: RunRecord) -> Section:
    """What is needed to get the same result again."""
    parts: list[Part] = [
        Command("\n".join(printable(line) for line in run.command.splitlines())),
        Pairs([pair for data in _several(run) for pair in _data(data)]),
        *([Details(summary="Notes on the data", parts=[Paragraph(n) for n in run.notes])]
          if run.notes else []),
        Details(summary="All settings", parts=[Pairs(_pairs(run.settings))]),
        Details(summary="Versions", parts=[Pairs(list(versions().items()))]),
    ]  # fmt: skip
    sentence = "The same data, settings, seed and versions give the same result. This repeats it:"
    return Section(key="settings", heading="How to repeat it", sentence=sentence, parts=parts)


def _several(run: RunRecord) -> Sequence[Mapping[str, Any]]:
    """What was read; of several files one after the other."""
    return [run.data] if isinstance(run.data, Mapping) else run.data


def _data(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    names = {
        "source": "data", "n_rows": "rows", "n_columns": "columns", "n_nodes": "nodes",
        "n_edges": "edges", "sha256": "SHA-256 of the data",
    }  # fmt: skip
    return [
        (words, shown(f"{data[key]:,}" if isinstance(data[key], int) else data[key], _DIGEST))
        for key, words in names.items()
        if data.get(key) is not None
    ]


def _pairs(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(shown(name), _value(value)) for name, value in settings.items() if value is not None]


def _value(value: Any) -> str:
    """A setting as one reads it; a long one is cut."""
    if isinstance(value, str):
        return shown(value, _LONGEST)
    return shown(json.dumps(value, default=str, ensure_ascii=False), _LONGEST)
