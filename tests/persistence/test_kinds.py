"""Models of all kinds in another process, and what is and is not in their files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import kgroups
from kgroups import KernelKGroups, KGroups1D
from kgroups.persistence import save
from kgroups.semimetrics import ColumnSum, PairFunction
from model_kinds import KINDS, SLOW, check, keep

ROOT = Path(__file__).resolve().parents[2]
LINE = [1.0, 2.0, 10.0, 12.0]
ROWS = np.array(LINE)[:, None]

pytestmark = [
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning"),
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


def test_another_process_gives_the_same_labels_and_the_same_files(tmp_path):
    assert len(KINDS) >= 20
    keep(tmp_path, [name for name in KINDS if name not in SLOW])
    done = subprocess.run(
        [sys.executable, "-m", "tests.model_kinds", "check", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr


def test_the_check_notices_another_answer(tmp_path):
    """One cluster more, and a file that says something else than the answers."""
    keep(tmp_path, ["line", "tree"])
    assert check(tmp_path, ["line", "tree"]) == []
    KGroups1D(2).fit([1.0, 2.0, 9.0]).save(tmp_path / "line.kg")
    assert check(tmp_path, ["line", "tree"]) == ["line: labels", "line: predict"]


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
    assert [one.filename for one in found] == [__file__, __file__]
    made = kgroups.load(tmp_path / "x.kg")
    assert (made.random_state, made.verbose) == (None, 0)
    assert made.labels_.tolist() == model.labels_.tolist()


def test_a_fitted_preparation_travels_with_the_model(tmp_path):
    frame = pd.DataFrame(
        {
            "x": [1.0, np.nan, 9.0, 8.0],
            "y": [3.0, 4.0, 30.0, np.nan],
            "kind": ["a", None, "b", "b"],
            "place": ["N", "S", "N", "S"],
            "text": ["one fish", "two fish", "red deer", "blue deer"],
        }
    )
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    kinds = make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder())
    columns = ColumnTransformer(
        [
            ("numbers", numbers, ["x", "y"]),
            ("kinds", kinds, ["kind"]),
            ("place", OneHotEncoder(sparse_output=False), slice("place", "place")),
            ("text", TfidfVectorizer(max_features=4, stop_words="english"), "text"),
        ],
        remainder="drop",
        sparse_threshold=0,
    )
    X = columns.fit_transform(frame)
    model = KernelKGroups(2, random_state=0).fit(X)
    model.preparation_ = columns
    model.save(tmp_path / "x.kg")
    again = kgroups.load(tmp_path / "x.kg")
    assert again.preparation_.transform(frame).tobytes() == columns.transform(frame).tobytes()
    assert again.predict(frame).tolist() == again.predict(X).tolist() == model.labels_.tolist()


def test_what_names_and_values_there_may_be(tmp_path):
    """Keys that JSON would turn into others, days, scalars, arrays of any order."""
    model = KGroups1D(2).fit(LINE)
    model.found_ = {
        1: "a", "1": "b", None: "c", False: "d", 2.5: np.float32(0.1), (1, "x"): np.str_("é\ud800"),
        "__id__": float("nan"), "set": {frozenset({2, 1}), "a"}, "empty": [], "nothing": {},
        "arrays": [np.arange(3), np.arange(0)], "other": [np.arange(3), np.eye(2)],
        "objects": np.array([["a", None], ["b", (1,)]], object), "type": np.float64,
        "columns": np.asfortranarray(np.eye(2)), "slice": slice(0, None, 2),
    }  # fmt: skip
    model.save(tmp_path / "x.kg")
    again = kgroups.load(tmp_path / "x.kg")
    assert repr(again.found_) == repr(model.found_)
    assert again.found_["columns"].flags.f_contiguous


@pytest.mark.nojit
def test_only_estimators_of_kgroups_and_one_metric_of_another_program_are_saved(tmp_path):
    class Mine(KGroups1D):
        """Not an estimator that another program has."""

    with pytest.raises(TypeError, match="KMeans is not an estimator of kgroups"):
        save(KMeans(2, n_init=1).fit(ROWS), tmp_path / "x.kg")
    with pytest.raises(TypeError, match="Mine is not an estimator of kgroups"):
        save(Mine(2).fit(LINE), tmp_path / "x.kg")
    model = KGroups1D(2).fit(LINE)
    model.metric_ = ColumnSum(
        [(PairFunction(lambda a, b: 0.0), [0]), (PairFunction(lambda a, b: 1.0), [0])]
    )
    with pytest.raises(ValueError, match="second function"):
        model.save(tmp_path / "x.kg")
    for value in (np.ma.masked_array([1.0]), object()):
        model.metric_ = value
        with pytest.raises(ValueError, match="cannot be kept"):
            model.save(tmp_path / "x.kg")
    assert not list(tmp_path.iterdir())
