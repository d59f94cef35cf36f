"""docs/json.md has every key of every schema, and the schemas are sound."""

import re

import pytest
from json_cases import FOLDER

from benchmarks.json_page import kind, rows, schemas, with_tables
from pages import page

KNOWN = {
    "$schema", "$ref", "title", "description", "type", "properties", "required", "items", "enum",
    "const", "pattern", "anyOf", "additionalProperties",
}  # fmt: skip


@pytest.fixture(scope="module")
def text():
    return page("json")


@pytest.fixture(scope="module")
def found(text):
    return schemas(FOLDER)


def test_the_tables_are_those_of_the_schemas(text, found):
    assert with_tables(text, found) == text, "run python -m benchmarks.json_page"
    assert set(re.findall(r"<!-- ([\w-]+) -->", text)) == set(found) - {"notes"}


def test_every_key_is_in_the_page(text, found):
    for name, schema in found.items():
        for row in rows(schema):
            assert f"| `{row.key}` | {row.kind} | " in text, (name, row.key)


def test_a_table_has_the_keys_that_objects_hold():
    schema = {
        "properties": {
            "a": {"type": "integer", "description": "A."},
            "b": {
                "type": ["array", "null"],
                "description": "B.",
                "items": {"properties": {"c": {"enum": ["x", None], "description": "C."}},
                          "type": "object"},
            },
            "d": {
                "type": "object",
                "description": "D.",
                "additionalProperties": {"properties": {"e": {"$ref": "f#/$defs/g",
                                                              "description": "E."}}},
            },
        }
    }  # fmt: skip
    assert list(rows(schema)) == [
        ("a", "integer", "A."),
        ("b", "array of objects or null", "B."),
        ("b[].c", "`x`, null", "C."),
        ("d", "object", "D."),
        ("d.NAME.e", "[g](#g)", "E."),
    ]
    assert kind({"type": "array", "items": {"type": ["number", "null"]}}) == (
        "array of numbers or null"
    )


def test_schemas_use_only_words_that_the_validator_knows(found):
    def words(rule):
        yield from rule
        inner = [*rule.get("properties", {}).values(), *rule.get("anyOf", ())]
        inner += [rule.get("items"), rule.get("additionalProperties")]
        for one in inner:
            if isinstance(one, dict):
                yield from words(one)

    for name, schema in found.items():
        assert set(words(schema)) <= KNOWN, name


def test_the_page_leads_to_every_schema(text):
    for path in FOLDER.glob("*.json"):
        assert f"(json/{path.name})" in text
    assert "(docs/json.md)" in page("README")
