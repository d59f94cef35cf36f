"""Names that somebody made to break a page."""

import numpy as np
import pandas as pd
import pytest

from page_cases import groups, parsed, report_of, texts, without_pictures

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of data": "</script><img src=x onerror=alert(1)>",
    "quotes": "\"'`&amp;",
    "right to left": "\u202etxt.exe",
    "template": "{{ 7 * 7 }}{% raw %}",
    "control": "a\x00b\x1b[2J\ud800",
    "math": "$x_1$ costs $5 \\frac{",
    "long": "n" * 10_000,
    "comment": "<!-- ]]> -->",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_of_columns_cells_rows_and_files(name):
    """The page says them in short, and nothing of them becomes part of the page."""
    X = groups(30, 2)
    table = pd.DataFrame({name: X[:, 0], "kind": [name] * 15 + ["other"] * 15})
    html = report_of(X, 2, table=table, ids=[name] * 30, source=name).to_html()
    tree = parsed(html)
    tags = [str(e.tag).rpartition("}")[2] for e in tree.iter() if isinstance(e.tag, str)]
    assert tags.count("script") == 2  # the labels and the script of the page
    assert not [e for e in tree.iter() if e.get("onerror") or e.get("src")]
    assert "alert(1)</script>" not in html
    assert "\u202e" not in html
    assert "\x00" not in html
    assert "\x1b" not in html
    assert name[:20] not in ("nnnnnnnnnnnnnnnnnnnn",) or "n" * 70 not in without_pictures(
        html.split('id="label-data"')[0]
    )
    (title,) = texts(tree, "h1")
    assert title.startswith("2 clusters in ")
    assert len(title) < 100


def test_columns_without_names_or_named_alike():
    X = groups(30, 2, columns=4)
    table = pd.DataFrame(X, columns=["a", "", "a", np.nan])
    html = report_of(X, 2, table=table).to_html()
    for name in ("a (column 1)", "column 2", "a (column 3)", "column 4"):
        assert name in html


def test_a_name_from_the_right_does_not_turn_its_sentence():
    X = groups(30, 2)
    html = report_of(X, 2, table=pd.DataFrame(X, columns=["مرحبا", "b"])).to_html()
    assert "\u2068مرحبا\u2069 " in html
