"""The tables of docs/json.md from the schemas in docs/json.

``python -m benchmarks.json_page``

A table follows each line ``<!-- NAME -->`` and a blank one, where NAME is that of a schema, or of a
definition of ``common.schema.json``. The prose around the tables is written in the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kgroups.cli import write_whole

PAGE = Path("docs/json.md")
_TABLE = re.compile(r"(?<=<!-- )([\w-]+)( -->\n\n)(?:\|.*\n)*")
_MANY = {"array": "arrays", "null": "null"}


class Row(NamedTuple):
    """A key, with dots before the keys of what it holds and [] for each entry of an array."""

    key: str
    kind: str
    meaning: str


def schemas(folder: Path) -> dict[str, Any]:
    """The schemas of a folder by name, and the definitions that they share."""
    found = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.schema.json"))
    }
    return found | found.pop("common")["$defs"]


def rows(schema: dict[str, Any], prefix: str = "") -> Iterator[Row]:
    """The keys of an object, and below each those of what it holds; not those of a reference."""
    for key, value in schema.get("properties", {}).items():
        yield Row(f"{prefix}{key}", kind(value), value["description"])
        yield from _inside(value, f"{prefix}{key}")


def _inside(value: dict[str, Any], key: str) -> Iterator[Row]:
    yield from rows(value, f"{key}.")
    for entry in (value.get("items"), *value.get("anyOf", ())):
        if entry is not None:
            yield from _inside(entry, f"{key}[]" if entry is value.get("items") else key)
    if isinstance(value.get("additionalProperties"), dict):
        yield from _inside(value["additionalProperties"], f"{key}.NAME")


def kind(value: dict[str, Any], *, many: bool = False) -> str:
    """The type of a value in words, in the plural for the entries of an array."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "anyOf" in value:
        return "objects" if many else "object"
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join("null" if word is None else f"`{word}`" for word in value["enum"])
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    return " or ".join(_in_words(one, value, many=many) for one in types)


def _in_words(one: str, value: dict[str, Any], *, many: bool) -> str:
    word = _MANY.get(one, f"{one}s") if many else one
    return f"{word} of {kind(value['items'], many=True)}" if one == "array" else word


def table(schema: dict[str, Any]) -> str:
    """The keys of a schema, each once, as a table in Markdown."""
    unique: dict[str, Row] = {}
    for row in rows(schema):
        unique.setdefault(row.key, row)
    lines = [f"| `{row.key}` | {row.kind} | {row.meaning} |" for row in unique.values()]
    return "\n".join(["| key | value | meaning |", "|---|---|---|", *lines, ""])


def with_tables(text: str, found: dict[str, Any]) -> str:
    """A page with every table as the schemas have it."""
    return _TABLE.sub(lambda match: f"{match[1]}{match[2]}{table(found[match[1]])}", text)


def main() -> None:
    """Write the tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    write_whole(PAGE, with_tables(text, schemas(PAGE.with_suffix(""))).encode())


if __name__ == "__main__":
    main()
