"""``--report FILE``: the page that a command writes."""

import hashlib
import importlib.util
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
    status, output, errors = run(*command)
    assert status == 0, errors
    assert output.endswith(
        "Labels written to labels.csv.\nPicture written to p.png.\nReport written to out.html.\n"
    )
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
    assert "compared as dates: &#39;since&#39;" in html


def test_given_distances(run, folder):
    X = groups(30)
    np.save(folder / "d.npy", np.linalg.norm(X[:, None] - X, axis=2))
    status, _, errors = run("cluster", "d.npy", "-k", 3, "--metric", "precomputed",
                            "--report", "out.html")  # fmt: skip
    assert status == 0, errors
    assert "What sets each cluster apart" not in headings(page_of(folder))


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


def test_curved(run, folder, table):
    status, _, errors = run("cluster", "data.csv", "--curved", "--drop", "id,kind",
                            "--report", "out.html")  # fmt: skip
    assert status == 0, errors
    html = page_of(folder)
    assert texts(parsed(html), "h1") == ["3 clusters of any shape in data.csv"]
    assert "so many groups of 7 rows or more have empty space around them" in html


def test_curved_where_nothing_is_apart(run, folder):
    X = np.random.default_rng(0).normal(size=(80, 2))
    np.savetxt(folder / "lump.csv", X, delimiter=",")
    run("cluster", "lump.csv", "--curved", "--report", "out.html")
    assert "no empty space between groups of 10 rows or more was" in page_of(folder)


def test_choose_k(run, folder, table):
    command = ("choose-k", "data.csv", "--drop", "id,kind", "--k-max", "5", "--report", "out.html")
    status, output, errors = run(*command)
    assert status == 0, errors
    assert output.endswith("Report written to out.html.\n")
    html = page_of(folder)
    assert "The 60 rows of data.csv are best divided into 3 clusters." in html
    assert " s in all" not in html
    run(*command)
    assert page_of(folder) == html


def test_choose_k_of_a_lump(run, folder):
    np.savetxt(folder / "lump.csv", np.random.default_rng(0).normal(size=(80, 2)), delimiter=",")
    run("choose-k", "lump.csv", "--k-max", "3", "--report", "out.html")
    assert "show no clusters: nothing that these checks can tell from chance" in page_of(folder)


def test_test_of_samples(run, folder):
    rng = np.random.default_rng(0)
    for name, mean in (("a", 0), ("b", 3), ("c", 0)):
        np.savetxt(folder / f"{name}.csv", rng.normal(mean, 1, (30, 2)), delimiter=",")
    status, output, errors = run("test", "a.csv", "b.csv", "--report", "out.html")
    assert status == 0, errors
    assert output.endswith("Report written to out.html.\n")
    html = page_of(folder)
    assert "The samples a.csv and b.csv differ; the difference is large" in html
    digest = hashlib.sha256((folder / "b.csv").read_bytes()).hexdigest()
    assert digest in html
    run("test", "a.csv", "c.csv", "--report", "same.html")
    assert "No difference between the samples a.csv and c.csv was found." in page_of(
        folder, "same.html"
    )
    run("test", "a.csv", "b.csv", "c.csv", "--report", "three.html")
    assert "Not all of the samples a.csv, b.csv and c.csv are alike" in page_of(
        folder, "three.html"
    )


def test_communities(run, folder):
    import networkx as nx

    nx.write_edgelist(nx.karate_club_graph(), folder / "g.edgelist", data=False)
    status, output, errors = run("communities", "g.edgelist", "-k", 2, "--report", "out.html",
                                 "-o", "c.csv")  # fmt: skip
    assert status == 0, errors
    assert output.endswith("Communities written to c.csv.\nReport written to out.html.\n")
    html = page_of(folder)
    assert texts(parsed(html), "h1") == ["2 communities in g.edgelist"]
    data = json.loads(re.search(r'id="label-data">(.*?)</script>', html)[1])
    assert data["head"] == ["node", "community"]
    digits = [f"{node},{digit}" for node, digit in zip(data["ids"], data["digits"], strict=True)]
    assert digits == (folder / "c.csv").read_text().splitlines()[1:]
    digest = hashlib.sha256((folder / "g.edgelist").read_bytes()).hexdigest()
    assert digest in html


def test_a_network_without_communities(run, folder):
    import networkx as nx

    nx.write_edgelist(nx.complete_graph(8), folder / "g.edgelist", data=False)
    status, _, errors = run("communities", "g.edgelist", "--report", "out.html")
    assert status == 0, errors
    assert "form no communities." in page_of(folder)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--report", "out.txt"], 2, r"--report: must end in \.html; got 'out\.txt'"),
        (["--report", "none/out.html"], 1, r"the folder none does not exist; create it first"),
        (["--report", "folder.html"], 1, r"folder\.html is a folder; name a file in it"),
        (["--report", "a.html", "-o", "a.html"], 2, r"--report a\.html is the same file as -o"),
        (["--report", "a.html", "--certify", "l.csv"], 2, r"--report does not apply to --certify"),
    ],
)
def test_what_is_refused_before_the_work(run, folder, table, arguments, status, message):
    (folder / "folder.html").mkdir()
    k = [] if "--certify" in arguments else ["-k", "3"]
    found, output, errors = run("cluster", "data.csv", *k, *arguments)
    assert (found, output) == (status, "")
    assert re.search(message, errors), errors


def test_rows_in_blocks_have_no_report(run, folder):
    np.save(folder / "x.npy", groups(60))
    status, _, errors = run("cluster", "x.npy", "-k", 3, "--stream", "--report", "out.html")
    assert status == 2
    assert "--report needs the table in memory, and --stream reads it block by block" in errors


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_what_to_install(run, folder, table, monkeypatch, missing):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "kgroups.cli.whole_files.find_spec", lambda name: None if name == missing else found(name)
    )
    status, _, errors = run("cluster", "data.csv", "-k", 3, "--drop", "id,kind",
                            "--report", "out.html")  # fmt: skip
    assert status == 1
    assert re.search(rf'--report needs {missing}; run: pip install "kgroups\[\w+\]"', errors)
    assert not (folder / "out.html").exists()


def test_json_says_nothing_of_the_report(run, folder, table):
    _, output, _ = run("cluster", "data.csv", "-k", 3, "--drop", "id,kind", "--json",
                       "--report", "out.html")  # fmt: skip
    found = json.loads(output)
    assert "report" not in found["settings"]
    assert found["data"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
