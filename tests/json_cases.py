"""What ``--json`` prints as tests read it: schemas, a validator, and numbers of a text."""

import json
import math
import re

import pytest

from pages import ROOT

FOLDER = ROOT / "docs" / "json"
_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?%?")


# --- schemas ---------------------------------------------------------------------------------


def schema(name):
    """A schema of the docs; tests of an installed copy have none."""
    path = FOLDER / f"{name}.schema.json"
    if not path.exists():
        pytest.skip("the documentation is not here")
    return json.loads(path.read_text(encoding="utf-8"))


def faults(value, rule, root, where="$"):
    """What a value breaks of a schema, and every key that the schema does not describe.

    Knows the words of JSON Schema that the schemas use, and no others.
    """
    if "$ref" in rule:
        file, _, path = rule["$ref"].partition("#/")
        root = schema(file.removesuffix(".schema.json")) if file else root
        target = root
        for key in path.split("/"):
            target = target[key]
        return faults(value, target, root, where)
    if "anyOf" in rule:
        found = [faults(value, option, root, where) for option in rule["anyOf"]]
        return min(found, key=len)
    return [*_own_faults(value, rule, where), *_inner_faults(value, rule, root, where)]


def _own_faults(value, rule, where):
    types = rule.get("type", list(_TYPES))
    types = [types] if isinstance(types, str) else types
    if not any(_is(value, name) for name in types):
        yield f"{where}: {value!r:.50} is not {' or '.join(types)}"
    if "const" in rule and value != rule["const"]:
        yield f"{where}: {value!r} is not {rule['const']!r}"
    if "enum" in rule and value not in rule["enum"]:
        yield f"{where}: {value!r} is none of {rule['enum']}"
    if "pattern" in rule and not re.search(rule["pattern"], str(value)):
        yield f"{where}: {value!r} does not match {rule['pattern']}"


def _is(value, name):
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _inner_faults(value, rule, root, where):
    if isinstance(value, list) and "items" in rule:
        for i, entry in enumerate(value):
            yield from faults(entry, rule["items"], root, f"{where}[{i}]")
    if not isinstance(value, dict):
        return
    known, others = rule.get("properties", {}), rule.get("additionalProperties")
    yield from (f"{where}: no {key!r}" for key in rule.get("required", ()) if key not in value)
    for key, inner in value.items():
        if key in known:
            yield from faults(inner, known[key], root, f"{where}.{key}")
        elif isinstance(others, dict):
            yield from faults(inner, others, root, f"{where}.{key}")
        elif known and others is not True:
            yield f"{where}: {key!r} is not described"


# --- numbers in a text -----------------------------------------------------------------------


def numbers_in(text):
    """The numbers that a report prints, as they are written there."""
    return _NUMBER.findall(re.sub(r"k=(?=\d)", "", text))


def is_said(token, found, *, but=("command",)):
    """Whether a printed number is a number of the JSON, rounded as it is printed.

    A share may be printed as a percentage, or as what is left of it; a limit is rounded up.
    """
    plain = token.replace(",", "").lstrip("+")
    said, texts = leaves({key: value for key, value in found.items() if key not in but})
    if any(plain in (t.replace(",", "") for t in numbers_in(text)) for text in texts):
        return True
    return any(plain in _written(value, plain) for value in said)


def leaves(value):
    """All numbers and all texts of a JSON value."""
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        pairs = [leaves(entry) for entry in inner]
        return [n for one, _ in pairs for n in one], [t for _, one in pairs for t in one]
    if isinstance(value, str):
        return [], [value]
    return ([] if value is None or isinstance(value, bool) else [value]), []


def _written(value, token):
    """The ways of writing a number that look like a token."""
    decimals = len(token.rstrip("%").partition(".")[2])
    if token.endswith("%"):
        up = math.ceil(100 * value * 10**decimals) / 10**decimals
        shares = (100 * value, 100 * (1 - value), up)
        return {f"{share:.{decimals}f}%" for share in shares}
    fixed = {f"{value:.{decimals}f}", f"{round(value, 4) + 0.0:.{decimals}f}"}
    return fixed | {f"{value:.{digits}g}" for digits in (2, 4, 6)}
