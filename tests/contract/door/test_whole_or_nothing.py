"""How commands end: exit status, streams, and files that are whole or as they were before."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kgroups
from door_cases import found, ring_of_cliques, run, table
from helpers import has_words

on_posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
OLD = b"what was there before\n"

#: Mistakes in the command line, and two words of what is printed.
USAGE = {
    "": ["cluster", "communities"],
    "clutser t.csv -k 3": ["clutser", "cluster"],
    "cluster xy.csv -k 3 --metrik energy": ["--metrik", "--metric"],
    "cluster xy.csv": ["-k", "cluster"],
    "cluster xy.csv -k 0": ["-k", "0"],
    "cluster xy.csv -k three": ["-k", "three"],
    "cluster xy.csv -k 3 --alpha 3": ["--alpha", "3"],
    "cluster xy.csv -k 3 --metric manhatan": ["manhatan", "manhattan"],
    "cluster xy.csv -k 3 --metric manhattan --alpha 1.5": ["--alpha", "manhattan"],
    "cluster xy.csv -k 3 --curved --metric cosine": ["--curved", "--metric"],
    "cluster xy.csv -k 3 --certify l.csv": ["--certify", "-k"],
    "cluster xy.csv -k 3 --append": ["--append", "-o"],
    "cluster xy.csv -k 3 --bound exact": ["--bound", "exact"],
    "cluster xy.csv -k 3 --n-init 0": ["--n-init", "0"],
    "communities ring.csv --objective modularity --r 2": ["--r", "bethe_hessian"],
    "communities ring.csv --objective normalized_cut --weights degree": [
        "--weights",
        "normalized_cut",
    ],
    "communities ring.csv --source a": ["--source", "--target"],
    "choose-k xy.csv --k-max 0": ["--k-max", "0"],
    "test xy.csv": ["two", "--by"],
    "test xy.csv xy.csv --by x": ["--by", "one"],
    "predict m.kg": ["DATA", "predict"],
}
#: Mistakes in the data, and two words of what is printed.
DATA = {
    "cluster absent.csv -k 3": ["absent.csv", "there"],
    "cluster empty.csv -k 3": ["empty.csv", "empty"],
    "cluster t.csv -k 3": ["kind", "t.csv"],
    "cluster gaps.csv -k 2": ["gaps.csv", "missing"],
    "cluster ragged.csv -k 2": ["ragged.csv", "4"],
    "cluster xy.csv -k 37": ["37", "36"],
    "cluster xy.csv -k 3 --columns x,z": ["z", "column"],
    "cluster xy.csv -k 3 --metric precomputed": ["square", "xy.csv"],
    "cluster t.csv -k 3 --columns x,y --weight-column kind": ["kind", "weights"],
    "cluster bytes.csv -k 3": ["bytes.csv", "UTF-8"],
    "cluster xy.csv --certify short.csv": ["short.csv", "36"],
    "communities ring.csv -k 25": ["25", "24"],
    "communities absent.gml": ["absent.gml", "there"],
    "communities signed.csv --objective normalized_cut": ["negative", "weights"],
    "choose-k one.csv": ["one.csv", "row"],
    "test t.csv --by name --columns x,y": ["name", "sample"],
    "predict xy.csv xy.csv": ["xy.csv", "not"],
    "predict m.kg one.csv": ["y", "column"],
}


@pytest.fixture
def data(folder: Path) -> Path:
    """A table, a network, a model, labels, and files with something wrong."""
    table().to_csv("t.csv", index=False)
    table()[["x", "y"]].to_csv("xy.csv", index=False)
    pd.DataFrame(ring_of_cliques(), columns=["a", "b", "w"]).to_csv("ring.csv", index=False)
    assert run("cluster xy.csv -k 3 -o l.csv --save m.kg").status == 0
    texts = {
        "empty.csv": "", "gaps.csv": "x,y\n1,2\n,3\n4,5\n", "ragged.csv": "x,y\n1,2\n3,4\n5,6,7\n",
        "short.csv": "cluster\n0\n1\n", "one.csv": "x\n1\n",
        "signed.csv": "a,b,w\nu,v,-1\nv,w,2\n",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bytes.csv").write_bytes(bytes(range(256)) * 4)
    return folder


def held(folder: Path) -> dict[str, bytes]:
    """Every file, whatever it is called, and what it holds."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("status", "mistakes"), [(2, USAGE), (1, DATA)], ids=["usage", "data"])
def test_mistakes_have_a_status_and_leave_all_files_as_they_were(status, mistakes, data):
    (data / "out.csv").write_bytes(OLD)
    before = held(data)
    for words, printed in mistakes.items():
        writes = words and not words.startswith(("choose-k", "test"))
        ran = run(words, "-o out.csv" if writes and "--append" not in words else "")
        assert (ran.status, words) == (status, words), ran.err
        output = ran.out + ran.err if words == "" else ran.err
        assert has_words(output, *printed), (words, output)
        assert "Traceback" not in output, words
        assert held(data) == before, words


def test_help_and_version_succeed(folder):
    for command in ("", "cluster", "communities", "choose-k", "predict", "test", "demo"):
        ran = run(command, "--help")
        assert (ran.status, ran.err) == (0, ""), command
        assert f"kgroups {command}".strip() in ran.out
    assert run("--version").out.startswith("kgroups ")


@pytest.mark.parametrize("place", ["no/p.png", "xy.csv", "."])
def test_a_picture_that_finds_no_place_leaves_no_labels(place, data):
    """A folder that is not there, the data themselves, and a folder for a file."""
    before = held(data)
    ran = run("cluster xy.csv -k 3 -o out.csv --plot", place)
    assert ran.status in (1, 2)
    assert place in ran.err
    assert held(data) == before


def test_outputs_replace_files_and_nothing_else_is_left(data):
    (data / "out.csv").write_bytes(OLD)
    before = set(held(data))
    made = {"out.csv", "p.svg", "p.html", "n.kg"}
    words = "cluster xy.csv -k 3 -o out.csv --plot p.svg --report p.html --save n.kg"
    assert run(words).status == 0
    assert set(held(data)) == before | made
    assert (data / "out.csv").read_bytes() == (data / "l.csv").read_bytes()


# --- processes of their own -----------------------------------------------------------------------


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """``python`` with arguments, in this folder."""
    environment = {**os.environ, "PYTHONHASHSEED": "7", "COLUMNS": "80"}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, text=True, check=False, timeout=300, **given
    )


def test_a_process_reads_a_pipe_and_keeps_notes_from_its_report(data):
    """The same labels as here, whatever the order of sets is; notes go to standard error."""
    text = (data / "gaps.csv").read_text()
    words = "cluster - -k 2 --impute mean --json --save g.kg"
    done = process("-m", "kgroups", *words.split(), input=text)
    assert done.returncode == 0, done.stderr
    here = found("cluster gaps.csv -k 2 --impute mean")
    assert json.loads(done.stdout)["labels"] == here["labels"]
    assert "mean" in done.stderr
    assert found("predict g.kg gaps.csv")["labels"] == here["labels"]


def test_a_process_that_fails_says_so(data):
    done = process("-m", "kgroups", "cluster", "xy.csv", "-k", "37")
    assert (done.returncode, done.stdout) == (1, "")
    assert "37" in done.stderr


_KILLS = """
import os, random, signal, sys, time
import numpy as np
import kgroups
from kgroups.cli import main

def saves(models):
    while True:
        for model in models:
            model.save("m.kg")

def predicts(models):
    while True:
        for name in ("a.csv", "b.csv"):
            main(["predict", "rows.kg", name, "-o", "l.csv", "--n-jobs", "1"])

models = [kgroups.KGroups1D(k).fit(np.arange(200_000.0)) for k in (2, 3)]
random.seed(0)
sys.stdout = open(os.devnull, "w")
whole = {"m.kg": set(), "l.csv": set()}
for model in models:
    model.save("m.kg")
    whole["m.kg"].add(open("m.kg", "rb").read())
for name, shift in (("a.csv", 0), ("b.csv", 9)):
    np.savetxt(name, np.arange(5_000.0)[:, None] % 7 + shift)
assert main(["cluster", "few.csv", "-k", "2", "--save", "rows.kg"]) == 0
for name in ("a.csv", "b.csv"):
    assert main(["predict", "rows.kg", name, "-o", "l.csv"]) == 0
    whole["l.csv"].add(open("l.csv", "rb").read())
for work, name in ((saves, "m.kg"), (predicts, "l.csv")):
    for number in range(12):
        child = os.fork()
        if child == 0:
            work(models)
        time.sleep(random.uniform(0.0, 0.08))
        os.kill(child, (signal.SIGKILL, signal.SIGTERM)[number % 2])
        os.waitpid(child, 0)
        assert len(whole[name]) == 2
        assert open(name, "rb").read() in whole[name], (name, number)
"""


@on_posix
def test_a_process_that_is_killed_while_it_writes_leaves_a_whole_file(folder):
    """Twelve kills of a program that saves models, and of one that writes labels."""
    (folder / "few.csv").write_text("0\n1\n8\n9\n")
    done = process("-c", _KILLS)
    assert done.returncode == 0, done.stderr


_FULL = """
import resource
from kgroups.cli import main

def cluster(*words):
    print("status", main(["cluster", "xy.csv", "-k", "3", *words]))

cluster("-o", "l.csv", "--save", "m.kg")
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, most))
for words in ("-o l.csv", "-o new.csv", "--save m.kg", "--save new.kg", "-o new.csv --plot p.svg"):
    cluster(*words.split())
"""


@on_posix
def test_a_full_disk_is_an_error_that_names_the_file_and_leaves_the_earlier_one(folder):
    """No file may grow beyond 64 bytes, but those that were written before are larger."""
    table()[["x", "y"]].to_csv("xy.csv", index=False)
    done = process("-c", _FULL)
    assert done.returncode == 0, done.stderr
    output = [line for line in done.stdout.splitlines() if line.startswith("status")]
    assert output == ["status 0", *["status 1"] * 5]
    for name in ("l.csv", "new.csv", "m.kg", "new.kg"):
        assert name in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    left = held(folder)
    assert set(left) == {"xy.csv", "l.csv", "m.kg"}
    assert len(left["l.csv"]) > 64
    assert kgroups.load("m.kg").labels_.tolist() == pd.read_csv("l.csv")["cluster"].tolist()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is not here")
def test_a_report_that_finds_no_room_is_an_error(data):
    with open("/dev/full", "w") as full:
        done = process("-m", "kgroups", "cluster", "xy.csv", "-k", "3", stdout=full)
    assert done.returncode == 1
    assert "output" in done.stderr
