"""Files altered at random, with digests that are right: errors or other labels, no more."""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kgroups
from kgroups.exceptions import DataError
from model_kinds import KINDS

HERE = Path(__file__).resolve().parent
# Values that are no index, no number of anything, and nothing of the expected type.
STRANGE = (None, -1, 10**6, 10**30, 1.5, "x", [], {}, True, {"array": 3}, {"float": "nan"})
NUMBERS = (-1, 10**9, 2**40, 5, 0)
N_FILES = 60


def pick(values, rng):
    """One of some values."""
    return values[rng.integers(len(values))]


def places(tree):
    """Every place of a value of JSON."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from places(tree[key])


def with_another_value(data, rng):
    """JSON with something strange somewhere, or with a value from elsewhere in it."""
    tree = json.loads(data)
    where = list(places(tree))
    (holder, key), (other, there) = pick(where, rng), pick(where, rng)
    strange = json.loads(json.dumps(other[there])) if rng.random() < 0.5 else pick(STRANGE, rng)
    holder[key] = strange
    return json.dumps(tree).encode()


def with_another_number(data, rng):
    """An array with another number somewhere after its header of 128 bytes."""
    count = (len(data) - 128) // 8
    if count < 1:
        return data
    at = 128 + 8 * int(rng.integers(count))
    return data[:at] + pick(NUMBERS, rng).to_bytes(8, "little", signed=True) + data[at + 8 :]


def altered(members, rng):
    """The members of a file with one to three changes, and a manifest that is right."""
    members = dict(members)
    manifest = json.loads(members.pop("manifest.json"))
    for _ in range(rng.integers(1, 4)):
        name = pick(list(members), rng)
        change = with_another_value if name == "model.json" else with_another_number
        members[name] = change(members[name], rng)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    return {**members, "manifest.json": json.dumps({**manifest, "sha256": digests}).encode()}


@pytest.fixture(scope="module")
def originals():
    """The members of a file of each kind; without tslearn, whose import takes long."""
    found = {}
    with zipfile.ZipFile(HERE / "format_1.zip") as archive:
        for name in archive.namelist():
            if name.endswith(".kg") and name != "series.kg":
                with archive.open(name) as stream, zipfile.ZipFile(stream) as file:
                    members = {member: file.read(member) for member in file.namelist()}
                found[name.removesuffix(".kg")] = members
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_nothing_but_errors_and_labels_comes_of_altered_files(originals, tmp_path, seed):
    """A wrong index in a compiled loop would end this process."""
    rng, path = np.random.default_rng(seed), tmp_path / "x.kg"
    n_loaded = 0
    for _ in range(N_FILES):
        name = pick(list(originals), rng)
        with zipfile.ZipFile(path, "w") as file:
            for member, data in altered(originals[name], rng).items():
                file.writestr(member, data)
        try:
            model = kgroups.load(path, metric=KINDS[name].metric)
        except (DataError, ValueError):
            continue
        n_loaded += 1
        assert (model.labels_ >= 0).all()
        assert model.labels_.max(initial=0) <= len(model.labels_)
        answered_or_refused(model, KINDS[name])
    assert 0 < n_loaded < N_FILES


def answered_or_refused(model, kind):
    """Ask for labels; what an altered model raises is an error like any other."""
    try:
        found = model.labels_at(1) if kind.new is None else model.predict(kind.new())
        if hasattr(model, "predict_proba"):
            assert len(model.predict_proba(kind.new())) == len(found)
    except MemoryError:
        raise
    except Exception:
        return
    assert found.ndim == 1
