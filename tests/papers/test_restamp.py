"""Kept results are computed again in part, and stamped where not a bit has changed."""

import json
import sys
from math import nextafter

import pytest

import toy_experiments as toys
from benchmarks import restamp as tool
from benchmarks.kept import documents
from kgroups_papers.data import DataFolders
from kgroups_papers.document import as_json, document
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.monte_carlo import reproduce


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Documents of made-up experiments, one of which was made by other code."""
    known = {"toy": toys.TOY, "sets": toys.on_data("iris", "wine", "glass")}
    monkeypatch.setattr(sys.modules["kgroups_papers.catalog"], "catalog", lambda: known)
    data = DataFolders((), tmp_path / "nowhere")
    for name, experiment in known.items():
        found = document(reproduce(experiment, data=data, n_jobs=1))
        if name == "toy":
            del found["made_by"], found["digest"]
        (tmp_path / f"{name}.json").write_bytes(as_json(found))
    (tmp_path / "other.json").write_text('{"schema": "another"}')
    return tmp_path, data


def told(kept, name):
    folder, _ = kept
    return json.loads((folder / f"{name}.json").read_text())


def one(kept, name):
    folder, _ = kept
    return next(k for k in documents(folder) if k.experiment.name == name)


def change_last_bit(kept, name, case, method):
    """Of a mean, in the file."""
    found = told(kept, name)
    row = next(r for r in found["rows"] if (r["case"], r["method"]) == (case, method))
    row["mean"] = nextafter(row["mean"], 9)
    (kept[0] / f"{name}.json").write_bytes(as_json(found))


@pytest.mark.parametrize(
    ("share", "cases"), [(0.05, ["1"]), (0.34, ["1", "2"]), (1, ["1", "2", "3"])]
)
def test_a_share_is_computed_again_and_the_document_stamped(kept, share, cases):
    said = []
    before = told(kept, "toy")
    assert tool.stale(documents(kept[0])) == ["toy"]
    assert tool.restamp(one(kept, "toy"), kept[1], share=share, n_jobs=1, say=said.append) == []
    assert [text.split(":")[0] for text in said] == [f"toy {case}" for case in cases]
    after = told(kept, "toy")
    assert after.pop("made_by") == fingerprint(toys.run)
    assert len(after.pop("digest")) == 64
    assert after == before
    assert tool.stale(documents(kept[0])) == []


def test_a_bit_that_differs_is_named_and_nothing_is_stamped(kept):
    change_last_bit(kept, "toy", "2", "noise")
    before = told(kept, "toy")
    (wrong,) = tool.restamp(one(kept, "toy"), kept[1], share=1, n_jobs=1, say=str)
    assert wrong.startswith("toy 2, noise accuracy: (")
    assert told(kept, "toy") == before
    # In a case that is not computed again it is not seen.
    assert tool.restamp(one(kept, "toy"), kept[1], n_jobs=1, say=str) == []


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test sees the runs of this machine."""
    monkeypatch.setenv("KGROUPS_CACHE", str(tmp_path_factory.mktemp("cache")))
