"""``--report FILE``: the page that a command writes."""

import hashlib
import json
import re

import numpy as np
import pytest

from kgroups.cli import main
from page_cases import groups, headings, parsed, texts, without_pictures


@pytest.fixture
def run(capsys, folder, monkeypatch):
    """Run a command in an empty folder; gives the exit status, output and errors."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(folder)

    def call(*arguments):
        return main([str(a) for a in arguments]), *capsys.readouterr()

    return call


@pytest.fixture
def table(folder):
    """Three groups with a column of text and one of names."""
    path = folder / "data.csv"
    rows = groups(60)
    lines = [f"r{i},{x:.2f},{y:.2f},{'ab'[i % 2]}" for i, (x, y) in enumerate(rows)]
    path.write_text("\n".join(["id,x,y,kind", *lines]))
    return path


def page_of(folder, name="out.html"):
    html = (folder / name).read_text(encoding="utf-8")
    parsed(html)
    assert "http" not in html.replace("http-equiv", "")
    return html


def test_cluster(run, folder, table):
    command = ["cluster", "data.csv", "-k", "3", "--id-column", "id", "--categorical", "kind",
               "--report", "out.html", "-o", "labels.csv", "--plot", "p.png"]  # fmt: skip
    status, _, errors = run(*command)
    assert status == 0, errors
    html = page_of(folder)
    assert f"<code>kgroups {' '.join(command)}</code>" in html
    assert hashlib.sha256(table.read_bytes()).hexdigest() in html
    data = json.loads(re.search(r'id="label-data">(.*?)</script>', html)[1])
    lines = (folder / "labels.csv").read_text().splitlines()[1:]
    assert [int(digit, 36) for digit in data["digits"]] == [int(line[-1]) for line in lines]
    assert data["ids"] == [f"r{i}" for i in range(60)]
    assert "What sets each cluster apart" in headings(html)
    first = html
    run(*command)
    assert page_of(folder) == first


def test_columns_are_told_in_their_own_units(run, folder, table):
    run(
        "cluster", "data.csv", "-k", "3", "--drop", "id,kind", "--standardize", "--report", "o.html"
    )
    words = without_pictures(page_of(folder, "o.html"))
    assert "all rows 8." in words or "all rows 7." in words  # not the 0 of standardized columns


def test_mixed_tables_with_dates_and_gaps(run, folder):
    lines = [f"{2000 + 10 * (i // 20)}-01-0{1 + i % 9},{'abc'[i // 20]},{i % 7 or ''}"
             for i in range(60)]  # fmt: skip
    (folder / "data.csv").write_text("\n".join(["since,kind,count", *lines]))
    status, _, errors = run("cluster", "data.csv", "-k", 3, "--metric", "mixed",
                            "--report", "out.html")  # fmt: skip
    assert status == 0, errors
    html = page_of(folder)
    assert "2000-01-0" in html


def test_words_are_shown_as_typical_rows(run, folder):
    (folder / "words.csv").write_text("word\n" + "\n".join(["cat", "cats", "cart", "dogs", "dog"]))
    status, _, errors = run("cluster", "words.csv", "-k", 2, "--metric", "levenshtein",
                            "--report", "out.html")  # fmt: skip
    assert status == 0, errors
    cells = texts(parsed(page_of(folder)), "td")
    assert {"cat", "dogs"} & set(cells)


def test_texts_are_told_apart_by_their_words(run, folder):
    lines = [
        "good wine and cheese",
        "red wine with cheese",
        "old ship at sea",
        "the sea and a ship",
    ]
    (folder / "texts.csv").write_text("text\n" + "\n".join(f'"{line}"' for line in lines * 3))
    status, _, errors = run("cluster", "texts.csv", "-k", 2, "--text", "text",
                            "--report", "out.html")  # fmt: skip
    assert status == 0, errors
    assert re.search("cheese[^.]*wine|wine[^.]*cheese", without_pictures(page_of(folder)))


def test_choose_k(run, folder, table):
    command = ("choose-k", "data.csv", "--drop", "id,kind", "--k-max", "5", "--report", "out.html")
    status, _, errors = run(*command)
    assert status == 0, errors
    html = page_of(folder)
    assert " s in all" not in html
    run(*command)
    assert page_of(folder) == html


def test_test_of_samples(run, folder):
    rng = np.random.default_rng(0)
    for name, mean in (("a", 0), ("b", 3)):
        np.savetxt(folder / f"{name}.csv", rng.normal(mean, 1, (30, 2)), delimiter=",")
    status, _, errors = run("test", "a.csv", "b.csv", "--report", "out.html")
    assert status == 0, errors
    html = page_of(folder)
    digest = hashlib.sha256((folder / "b.csv").read_bytes()).hexdigest()
    assert digest in html


def test_communities(run, folder):
    import networkx as nx

    nx.write_edgelist(nx.karate_club_graph(), folder / "g.edgelist", data=False)
    status, _, errors = run("communities", "g.edgelist", "-k", 2, "--report", "out.html",
                                 "-o", "c.csv")  # fmt: skip
    assert status == 0, errors
    html = page_of(folder)
    assert texts(parsed(html), "h1") == ["2 communities in g.edgelist"]
    data = json.loads(re.search(r'id="label-data">(.*?)</script>', html)[1])
    assert data["head"] == ["node", "community"]
    digits = [f"{node},{digit}" for node, digit in zip(data["ids"], data["digits"], strict=True)]
    assert digits == (folder / "c.csv").read_text().splitlines()[1:]
    digest = hashlib.sha256((folder / "g.edgelist").read_bytes()).hexdigest()
    assert digest in html


def test_json_says_nothing_of_the_report(run, folder, table):
    _, output, _ = run("cluster", "data.csv", "-k", 3, "--drop", "id,kind", "--json",
                       "--report", "out.html")  # fmt: skip
    found = json.loads(output)
    assert "report" not in found["settings"]
    assert found["data"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
