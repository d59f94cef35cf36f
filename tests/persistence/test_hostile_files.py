"""Files that somebody has written to do harm: an error soon, or labels, and nothing else."""

import importlib
import inspect
import io
import json
import time
import zipfile
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import kgroups
from kgroups import semimetrics
from kgroups.exceptions import DataError
from kgroups.persistence import KEPT
from kgroups.semimetrics import Semimetric
from model_kinds import KINDS, SLOW

# Values that are no index, no number of anything, and nothing of the expected type.
STRANGE = (None, -1, 10**6, 10**30, 1.5, "x", [], {}, True, "1.npy", "null", "[3]", "kgroups")
NUMBERS = (-1, 10**9, 2**40, 5, 0)
N_FILES = 60
MODEL = json.dumps("kgroups.estimators.kgroups_1d")


def class_of(name):
    """The class by the name that a file has of it."""
    module, _, kind = name.rpartition(".")
    return getattr(importlib.import_module(module), kind)


@pytest.mark.nojit
def test_what_is_trusted_runs_nothing_when_it_is_made():
    """skops makes objects by ``__new__`` and ``__setstate__``, and tuples with names by a call."""
    found = set()
    for name in KEPT:
        kind = class_of(name)
        assert f"{kind.__module__}.{kind.__qualname__}" == name
        made_by = {"__new__", "__setstate__", "__reduce__", "__reduce_ex__"}
        ours = (base for base in kind.__mro__ if base.__module__.startswith("kgroups"))
        found |= {f"{base.__name__}.{one}" for base in ours for one in made_by & vars(base).keys()}
    # Of another version it warns; tuples with names keep what they are given.
    tuples = {"Frame", "MixedColumn", "SettledColumns", "Step"}
    names = {f"{one}.__new__" for one in tuples}
    assert found == {"KernelClustering.__setstate__", "Packed.__new__", *names}
    assert len(KEPT) == 61


@pytest.mark.nojit
def test_all_estimators_and_semimetrics_are_kept():
    public = [getattr(semimetrics, name) for name in semimetrics.__all__]
    public += [getattr(kgroups, name) for name in kgroups.__all__]
    kinds = {c for c in public if inspect.isclass(c) and issubclass(c, (BaseEstimator, Semimetric))}
    assert {class_of(name) for name in KEPT} >= kinds - {Semimetric}


@pytest.fixture(scope="module")
def originals():
    """The parts of a file of each kind; without tslearn, whose import takes long."""
    found = {}
    for name in KINDS.keys() - {*SLOW, "certified"}:
        stream = io.BytesIO()
        kgroups.persistence.write_model(KINDS[name].fit(), stream)
        with zipfile.ZipFile(stream) as file:
            found[name] = {part: file.read(part) for part in file.namelist()}
    return found


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


def write(path, parts):
    """A file of these parts, without compression."""
    with zipfile.ZipFile(path, "w") as file:
        for part, data in parts.items():
            file.writestr(part, data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_nothing_but_errors_and_labels_comes_of_altered_files(originals, tmp_path, seed):
    """A wrong index in a compiled loop would end this process."""
    rng, path = np.random.default_rng(seed), tmp_path / "x.kg"
    n_loaded = 0
    for _ in range(N_FILES):
        name = pick(sorted(originals), rng)
        parts = dict(originals[name])
        for _ in range(rng.integers(1, 4)):
            part = pick(list(parts), rng)
            change = with_another_value if part == "schema.json" else with_another_number
            parts[part] = change(parts[part], rng)
        write(path, parts)
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


def array(shape, kind="<f8", data=b""):
    """A part that claims to be an array."""
    stream = io.BytesIO()
    header = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + data


def node(loader, module, name, **others):
    """A value as skops writes it."""
    return {"__loader__": loader, "__module__": module, "__class__": name, **others}


TEXT = node("JsonNode", "builtins", "str", content='"touch harmed"')
ARGUMENTS = node("TupleNode", "builtins", "tuple", content=[TEXT])
ARRAY = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="1.npy")
VALUES = {
    "a function": node("FunctionNode", "os", "system"),
    "a call": node("ConstructorFromReduceNode", "os", "system", content=ARGUMENTS),
    "a call of ours": node(
        "ConstructorFromReduceNode", "kgroups.semimetrics.coordinates", "Energy", content=ARGUMENTS
    ),
    "a class": node("TypeNode", "subprocess", "Popen"),
    "an object": node("ObjectNode", "subprocess", "Popen", content=TEXT),
    "one of ours": node("ObjectNode", "kgroups.fit.checkpoint", "Checkpoint", content=TEXT),
    "a tree": node("ObjectNode", "sklearn.tree._tree", "Tree", content=TEXT),
    "a regression": node("ObjectNode", "sklearn.svm._classes", "SVR", content=TEXT),
    "a list": node("ListNode", "kgroups.persistence.values", "Packed", content=[TEXT, TEXT]),
    "depth": node("JsonNode", "builtins", "str", content="[" * 10**6),
    "copies of an array": node(
        "ListNode", "builtins", "list", content=[{**ARRAY, "__id__": i} for i in range(2, 9999)]
    ),
    "many values": node("ListNode", "builtins", "list", content=[TEXT] * 200_000),
    "shared lists": node("ListNode", "builtins", "list", content=[], __id__=77),
}
INDEX = array((4,), "<i8", np.array([0, 0, 1, 9]).tobytes())
PARTS = {
    "10 GB": {"1.npy": array((10**9, 1))},
    "nothing 10^15 times": {"1.npy": array((10**15,), "<U0")},
    "objects": {"1.npy": array((1,), "|O", b"\x80\x04N.")},
    "labels out of range": {f"{i}.npy": INDEX for i in range(1, 4)},
    "many parts": {f"{i}.npy": b"" for i in range(100, 30_000)},
    "nested schema": {"schema.json": b'{"a":' * 10**5},
    "another file of skops": {"schema.json": json.dumps({**TEXT, "protocol": 2}).encode()},
}


@pytest.fixture
def line(tmp_path):
    """The parts of a file of four numbers."""
    path = tmp_path / "x.kg"
    kgroups.KGroups1D(2).fit([1.0, 2.0, 10.0, 12.0]).save(path)
    with zipfile.ZipFile(path) as file:
        return {part: file.read(part) for part in file.namelist()}


def refused(path):
    """Load a file that is none; the time and the memory that it takes."""
    before, begun = getrusage(RUSAGE_SELF).ru_maxrss, time.perf_counter()
    with pytest.raises(DataError, match=r"^[^\n]*x\.kg[^\n]*not a file"):
        kgroups.load(path)
    assert time.perf_counter() - begun < 5
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 400_000  # kB


@pytest.mark.parametrize("name", VALUES)
def test_values_of_other_kinds_are_refused(line, folder, name):
    schema = json.loads(line["schema.json"])
    known = schema["content"]
    known["content"] = {"preparation_": VALUES[name], **known["content"]}
    known["key_types"]["content"].append(known["key_types"]["content"][0])
    write(folder / "x.kg", {**line, "schema.json": json.dumps(schema)})
    refused(folder / "x.kg")
    assert [path.name for path in folder.iterdir()] == ["x.kg"]


@pytest.mark.parametrize("name", PARTS)
def test_parts_that_lie_are_refused(line, folder, name):
    write(folder / "x.kg", {**line, **PARTS[name]})
    refused(folder / "x.kg")


def test_a_compressed_part_is_refused(line, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.kg", "w", zipfile.ZIP_DEFLATED) as file:
        for part, data in line.items():
            file.writestr(part, data)
        with file.open("9.npy", "w", force_zip64=True) as part:
            for _ in range(300):
                part.write(bytes(10**6))
    refused(tmp_path / "x.kg")
