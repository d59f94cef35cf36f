"""The tables of docs/json.md from the schemas in docs/json: ``python docs/json_page.py``.

A table follows each line ``<!-- NAME -->`` and a blank one, where NAME is that of a schema, or of a
definition of ``common.schema.json``. The prose around the tables is written in the page.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("json.md")
_TABLE = re.compile(r"(?<=<!-- )([\w-]+)( -->\n\n)(?:\|.*\n)*")
_MANY = {"array": "arrays", "null": "null"}


def schemas(folder: Path) -> dict[str, Any]:
    """The schemas of a folder by name, and the definitions that they share."""
    found = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.schema.json"))
    }
    return found | found.pop("common")["$defs"]


def with_tables(text: str, found: dict[str, Any]) -> str:
    """A page with every table as the schemas have it."""
    return _TABLE.sub(lambda match: f"{match[1]}{match[2]}{_table(found[match[1]])}", text)


def _table(schema: dict[str, Any]) -> str:
    first: dict[str, dict[str, Any]] = {}
    for key, value in _keys(schema):
        first.setdefault(key, value)
    lines = [f"| `{key}` | {_kind(v)} | {v['description']} |" for key, v in first.items()]
    return "\n".join(["| key | value | meaning |", "|---|---|---|", *lines, ""])


def _keys(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys of an object, and below each those of what it holds; not those of a reference."""
    for key, value in schema.get("properties", {}).items():
        yield f"{prefix}{key}", value
        yield from _inside(value, f"{prefix}{key}")


def _inside(value: dict[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Dots before the keys of what a value holds, and [] for each entry of an array."""
    yield from _keys(value, f"{key}.")
    if "items" in value:
        yield from _inside(value["items"], f"{key}[]")
    for entry in value.get("anyOf", ()):
        yield from _inside(entry, key)
    if isinstance(value.get("additionalProperties"), dict):
        yield from _inside(value["additionalProperties"], f"{key}.NAME")


def _kind(value: dict[str, Any], *, many: bool = False) -> str:
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
    return f"{word} of {_kind(value['items'], many=True)}" if one == "array" else word


if __name__ == "__main__":
    _text = with_tables(PAGE.read_text(encoding="utf-8"), schemas(PAGE.with_suffix("")))
    PAGE.write_text(_text, encoding="utf-8")
