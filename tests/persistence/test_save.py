"""What is written of a model, and what is not."""

import json
import warnings
import zipfile

import numpy as np
import pytest

import kgroups
from kgroups import KernelKGroups, KGroups1D
from kgroups.persistence import save
from kgroups.persistence.load import read_model
from kgroups.version import __version__

LINE = [1.0, 2.0, 10.0, 12.0]
ROWS = np.array(LINE)[:, None]


def content(path):
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("model.json")), json.loads(file.read("manifest.json"))


def test_a_model_on_a_line_by_hand(tmp_path):
    """{1, 2} and {10, 12}: W = 1/2 + 2/2, in the unit 8 of the values."""
    model = KGroups1D(2).fit(LINE)
    model.save(tmp_path / "line.kg")
    told, manifest = content(tmp_path / "line.kg")
    assert (manifest["what"], manifest["format"]) == ("a model of kgroups", 1)
    assert manifest["kgroups"] == __version__
    assert told["class"] == "KGroups1D"
    assert told["parameters"] == {"alpha": 1.0, "n_clusters": 2}
    assert told["attributes"]["within_dispersion_"] == 1.5
    assert told["attributes"]["_unit"] == 8.0
    name, intervals = told["attributes"]["_intervals"]["object"]
    assert name == "Intervals"
    with zipfile.ZipFile(tmp_path / "line.kg") as file:
        for part, values in (("bounds", [0, 2, 4]), ("values", [0.125, 0.25, 1.25, 1.5])):
            with file.open(f"arrays/{intervals[part]['array']}.npy") as member:
                assert np.load(member, allow_pickle=False).tolist() == values


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model = KernelKGroups(2, random_state=0).fit(ROWS)
    model.save(tmp_path / "a.kg")
    model.save(str(tmp_path / "b.kg"))
    KernelKGroups(2, random_state=0).fit(ROWS).save(tmp_path / "c.kg")
    first = (tmp_path / "a.kg").read_bytes()
    assert first == (tmp_path / "b.kg").read_bytes() == (tmp_path / "c.kg").read_bytes()


def test_a_generator_and_functions_that_only_a_fit_needs_are_left_out(tmp_path):
    model = KernelKGroups(
        2, random_state=np.random.RandomState(0), verbose=lambda progress: None
    ).fit(ROWS)
    with pytest.warns(RuntimeWarning, match="is not kept") as found:
        model.save(tmp_path / "x.kg")
    told = sorted(str(one.message) for one in found)
    assert len(told) == 2
    assert told[0].startswith("random_state=RandomState(")
    assert told[0].endswith("the loaded model has random_state=None.")
    assert told[1].endswith("the loaded model has verbose=0.")
    assert all(one.filename == __file__ for one in found)
    made = kgroups.load(tmp_path / "x.kg")
    assert (made.random_state, made.verbose) == (None, 0)
    assert made.labels_.tolist() == model.labels_.tolist()


def test_labels_to_start_from_are_kept(tmp_path):
    model = KernelKGroups(2, init=np.array([0, 0, 1, 1])).fit(ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "x.kg")
    assert kgroups.load(tmp_path / "x.kg").init.tolist() == [0, 0, 1, 1]


def test_a_program_keeps_something_next_to_the_model(tmp_path):
    preparation = {"columns": ["a", "b"], "means": np.array([1.0, 2.0])}
    save(KGroups1D(2).fit(LINE), tmp_path / "x.kg", preparation)
    loaded = read_model(tmp_path / "x.kg")
    assert loaded.preparation["columns"] == ["a", "b"]
    assert loaded.preparation["means"].tolist() == [1.0, 2.0]
    assert loaded.model.predict([0.0, 20.0]).tolist() == [0, 1]
    assert kgroups.load(tmp_path / "x.kg").labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.nojit
def test_only_estimators_of_kgroups_are_saved(tmp_path):
    from sklearn.cluster import KMeans

    with pytest.raises(TypeError, match="KMeans is not an estimator of kgroups"):
        save(KMeans(2, n_init=1).fit(ROWS), tmp_path / "x.kg")
