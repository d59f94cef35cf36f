"""Models come back; files that are damaged, altered or of later versions are refused."""

import hashlib
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

import kgroups
from kgroups import KernelKGroups
from kgroups.exceptions import DataError
from kgroups.persistence.load import read_model

ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [10.0, 3.0], [12.0, 3.0], [11.0, 2.0]])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model of five rows and its file."""
    model = KernelKGroups(2, random_state=0).fit(ROWS)
    path = tmp_path_factory.mktemp("saved") / "rows.kg"
    model.save(path)
    return model, path


def changed(path, target, **members):
    """A copy with other members, and digests that are right; None removes a member."""
    with zipfile.ZipFile(path) as file:
        held = {name: file.read(name) for name in file.namelist()}
    manifest = json.loads(held.pop("manifest.json"))
    manifest.update(members.pop("manifest", {}))
    for key, change in members.items():
        name = key.replace("_json", ".json")
        held[name] = json.dumps(change(json.loads(held[name]))).encode()
    manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in held.items()}
    with zipfile.ZipFile(target, "w") as file:
        for name, data in held.items():
            file.writestr(name, data)
        file.writestr("manifest.json", json.dumps(manifest))
    return target


def test_labels_can_be_changed_without_changing_the_model(saved):
    made = kgroups.load(saved[1])
    made.labels_[:] = 0
    assert made.predict(ROWS).tolist() == saved[0].labels_.tolist()


@pytest.mark.parametrize("number", [0, -1, "2", 1.0, True, None])
def test_what_is_no_format_is_refused(saved, tmp_path, number):
    with pytest.raises(DataError, match="its manifest is not that of a model"):
        kgroups.load(changed(saved[1], tmp_path / "x.kg", manifest={"format": number}))


def with_attribute(name, tree):
    return lambda content: {**content, "attributes": {**content["attributes"], name: tree}}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (with_attribute("new_", {"spline": 1}), "a value of the kind 'spline'"),
        (with_attribute("new_", {"object": ["Spline", {}]}), "an object of the class 'Spline'"),
        (lambda c: {**c, "class": "Kernel9"}, "an estimator 'Kernel9'"),
        (lambda c: {**c, "class": "os.system"}, "an estimator 'os.system'"),
        (lambda c: {**c, "parameters": {**c["parameters"], "mu": 1}}, "a parameter 'mu' of Kern"),
    ],
)
def test_what_a_later_version_knows_is_named(saved, tmp_path, change, named):
    path = changed(saved[1], tmp_path / "x.kg", model_json=change)
    with pytest.raises(DataError, match=f"written by kgroups .* and holds {named}"):
        kgroups.load(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_attribute("predict", 1), "'predict' is not an attribute"),
        (with_attribute("__class__", 1), "'__class__' is not an attribute"),
        (with_attribute("labels", 1), "'labels' is not an attribute"),
        (lambda c: {**c, "attributes": {}}, "nothing refers to"),
        (lambda c: [c], "TypeError"),
        (lambda c: {"class": "KGroups1D"}, "KeyError: 'parameters'"),
        (with_attribute("new_", {"array": 99}), "KeyError"),
        (with_attribute("new_", {"array": "0"}), "KeyError"),
        (with_attribute("new_", {"array": "../../x"}), "invalid literal"),
        (with_attribute("new_", {"object": ["Energy", {"alpha": -1}]}), "alpha"),
        (with_attribute("new_", json.loads("[" * 900 + "]" * 900)), "RecursionError"),
    ],
)
def test_what_no_model_has_is_refused(saved, tmp_path, change, reason):
    path = changed(saved[1], tmp_path / "x.kg", model_json=change)
    with pytest.raises(DataError, match=reason):
        kgroups.load(path)


def test_labels_beyond_the_clusters_are_refused(saved, tmp_path):
    """They would be indices of compiled loops."""

    def one_cluster(content):
        parts = content["attributes"]["_nearest"]["object"][1]
        clusters = parts["centroids"]["object"][1]
        clusters["partition_weight"] = {"arrays": [clusters["labels"]["array"]] * 2}
        return content

    path = changed(saved[1], tmp_path / "x.kg", model_json=one_cluster)
    with pytest.raises(DataError, match=r"lengths of arrays|labels of centroids"):
        kgroups.load(path)


def test_reading_takes_no_more_memory_than_the_file(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20_000, 8))
    model = KernelKGroups(2, method="nystroem", n_components=200, random_state=0).fit(rows)
    model.rows_ = rows
    model.save(tmp_path / "large.kg")
    size = (tmp_path / "large.kg").stat().st_size
    assert size > rows.nbytes
    tracemalloc.start()
    read_model(tmp_path / "large.kg")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * size + (8 << 20)
