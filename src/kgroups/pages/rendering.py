"""The template, the styles and the script of pages, read from the files next to them."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import import_module, resources
from typing import Any

_TEMPLATES = "kgroups.pages.templates"


def require_jinja2() -> None:
    """Raise an ImportError that says how to install Jinja2 if it is missing."""
    try:
        import_module("jinja2")
    except ImportError as error:
        raise ImportError('Reports need jinja2: pip install "kgroups[report]"') from error


def rendered(template: str, **values: Any) -> str:
    """A template with values, which are escaped. Whatever it asks for must be given."""
    require_jinja2()
    styles, script = _text("page.css"), _text("page.js")
    return str(
        _environment().get_template(template).render(
            styles=styles, script=script, script_hash=_digest(script), **values
        )
    )  # fmt: skip


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _text(name: str) -> str:
    return resources.files(_TEMPLATES).joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """The script as a content security policy names it, so that no other one runs."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
