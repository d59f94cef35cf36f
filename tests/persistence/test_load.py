"""Models come back; files that are damaged, altered or of later versions are refused."""

import hashlib
import json
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest

import kgroups
from kgroups import KernelKGroups, KGroups1D
from kgroups.estimators.cluster_answers import MADE
from kgroups.exceptions import DataError
from kgroups.persistence.load import read_model
from kgroups.semimetrics import ColumnSum, Energy, PairFunction, Semimetric
from kgroups.semimetrics.semimetric import as_table

ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [10.0, 3.0], [12.0, 3.0], [11.0, 2.0]])
NEW = np.array([[2.0, 2.0], [9.0, 1.0], [5.5, 2.0]])
WORDS = ["cat", "cart", "dog", "dogs"]


def apart(a, b):
    return float(len(set(a) ^ set(b)))


class Twice(Semimetric):
    """Twice the distance along the first column."""

    def pairwise(self, X, Y=None):
        """The matrix."""
        rows = as_table(X, "X")
        others = rows if Y is None else as_table(Y, "Y")
        return 2.0 * np.abs(rows[:, None, 0] - others[None, :, 0])


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


def test_everything_is_as_it_was(saved):
    model, path = saved
    made = kgroups.load(path)
    assert type(made) is KernelKGroups
    assert made.get_params() == model.get_params()
    # Answers that have been made are made anew.
    assert vars(made).keys() == vars(model).keys() - {MADE}
    assert made.predict(NEW).tobytes() == model.predict(NEW).tobytes()
    assert made.transform(NEW).tobytes() == model.transform(NEW).tobytes()
    assert made.score(NEW) == model.score(NEW)
    assert made.certificate_ == model.certificate_
    assert made.optimality_gap().gap == model.optimality_gap().gap
    assert made.fit(ROWS).labels_.tolist() == model.labels_.tolist()


def test_labels_can_be_changed_without_changing_the_model(saved):
    made = kgroups.load(saved[1])
    made.labels_[:] = 0
    assert made.predict(ROWS).tolist() == saved[0].labels_.tolist()


def test_a_function_has_to_be_given_again(tmp_path):
    model = KernelKGroups(2, metric=apart, random_state=0).fit(WORDS)
    path = tmp_path / "words.kg"
    model.save(path)
    with pytest.raises(ValueError, match=r"holds the name of its metric, apart, but not the me.*"
                       r"write kgroups\.load\('.*words\.kg', metric=apart\)"):  # fmt: skip
        kgroups.load(path)
    with pytest.raises(ValueError, match=r"metric=Energy\(alpha=1\.0\) is another kind of metric"):
        kgroups.load(path, metric=Energy())
    for metric in (apart, PairFunction(apart)):
        made = kgroups.load(path, metric=metric)
        assert made.metric is apart
        assert made.predict(["carts", "god"]).tolist() == model.predict(["carts", "god"]).tolist()


@pytest.mark.parametrize("metric", [Twice(), ColumnSum([(Twice(), [1]), (Energy(), [0])])])
def test_a_semimetric_of_ones_own_has_to_be_given_again(tmp_path, metric):
    model = KernelKGroups(2, metric=metric, random_state=0).fit(ROWS)
    path = tmp_path / "rows.kg"
    model.save(path)
    with pytest.raises(ValueError, match="the name of its metric, Twice,"):
        kgroups.load(path)
    made = kgroups.load(path, metric=Twice())
    assert made.transform(NEW).tobytes() == model.transform(NEW).tobytes()


def test_a_metric_that_is_not_needed_is_an_error(saved, tmp_path):
    with pytest.raises(ValueError, match="holds the metric of its model, 'energy'; omit metric="):
        kgroups.load(saved[1], metric=apart)
    KGroups1D(2).fit([1.0, 2.0, 9.0]).save(tmp_path / "line.kg")
    with pytest.raises(ValueError, match="a model that has no metric; omit metric="):
        kgroups.load(tmp_path / "line.kg", metric=apart)


def test_a_file_that_is_cut_off_is_refused_wherever_it_is_cut(saved, tmp_path):
    data, path = saved[1].read_bytes(), tmp_path / "cut.kg"
    for length in [*range(0, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(DataError, match=r"cut\.kg is damaged, altered, or not a file that"):
            kgroups.load(path)


def test_an_altered_byte_is_noticed_or_decides_nothing(saved, tmp_path):
    """Dates of members decide nothing; whatever else is altered is an error."""
    data, path, again = saved[1].read_bytes(), tmp_path / "altered.kg", tmp_path / "again.kg"
    n_refused = 0
    for place in range(0, len(data), 53):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        try:
            made = kgroups.load(path)
        except DataError:
            n_refused += 1
            continue
        made.save(again)
        assert again.read_bytes() == data
    assert n_refused > 0.8 * len(range(0, len(data), 53))


@pytest.mark.parametrize(
    "content", [b"", b"PK\x05\x06" + bytes(18), b"\x93NUMPY", pickle.dumps([1, 2]), b"a,b\n1,2\n"]
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.kg"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a file that save"):
        kgroups.load(path)


def test_other_zip_files_are_refused(tmp_path):
    np.savez(tmp_path / "arrays.npz", x=ROWS)
    with pytest.raises(DataError, match="not a file that save"):
        kgroups.load(tmp_path / "arrays.npz")
    with pytest.raises(FileNotFoundError):
        kgroups.load(tmp_path / "missing.kg")


def test_a_later_format_names_both_versions(saved, tmp_path):
    later = changed(saved[1], tmp_path / "later.kg", manifest={"format": 2, "kgroups": "9.9"})
    with pytest.raises(DataError, match=r"later\.kg was written by kgroups 9\.9 and holds format 2 "
                       r"of its files, which kgroups .* does not know \(it reads formats up to 1\)"
                       r"; install kgroups 9\.9 or later"):  # fmt: skip
        kgroups.load(later)


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
