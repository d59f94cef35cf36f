"""Models of every kind come back from a file bit for bit; other files are refused."""

import dataclasses
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kgroups
from helpers import slow
from kgroups.exceptions import DataError
from kgroups.semimetrics import ColumnSum, Energy, Semimetric
from model_kinds import KINDS, letters_apart

ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [10.0, 3.0], [12.0, 3.0], [11.0, 2.0]])
NEW = np.array([[2.0, 2.0], [9.0, 1.0], [5.5, 2.0]])

pytestmark = [
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning"),
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def differences(a: Any, b: Any, place: str) -> list[str]:
    """Where two values differ, in whatever they hold."""
    if type(a) is not type(b):
        return [f"{place}: {type(a)} is not {type(b)}"]
    if issparse(a):
        a, b = ([x.shape, x.indptr, x.indices, x.data] for x in (a, b))
    if isinstance(a, np.ndarray) and a.dtype != object:
        same = a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        return [] if same else [place]
    if isinstance(a, np.ndarray):
        a, b = a.tolist(), b.tolist()
    if dataclasses.is_dataclass(a):
        a, b = ({f.name: getattr(x, f.name) for f in dataclasses.fields(x)} for x in (a, b))
    if isinstance(a, (list, tuple)):
        a, b = dict(enumerate(a)), dict(enumerate(b))
    if isinstance(a, dict):
        if list(a) != list(b):
            return [f"{place}: other keys"]
        return [found for key in a for found in differences(a[key], b[key], f"{place}.{key}")]
    if type(a).__eq__ is object.__eq__ or isinstance(a, float):
        a, b = repr(a), repr(b)
    return [] if a == b else [f"{place}: {a!r} is not {b!r}"]


def fitted(model: Any) -> dict[str, Any]:
    """The attributes of a fit that have a public name."""
    return {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}


def answers(model: Any, kind: Any) -> dict[str, Any]:
    """What a model answers for new rows, as far as its estimator does."""
    found = {"fit": model.labels_}
    if kind.new is None:
        return found
    found["predict"] = model.predict(kind.new())
    if hasattr(model, "transform") and model.metric != "precomputed_kernel":
        found["transform"] = model.transform(kind.new())
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = model.predict_proba(kind.new())
        found["temperature"] = model.temperature_
    if hasattr(model, "exemplars") and model.method_ != "nystroem":
        found["exemplars"] = model.exemplars()
    return found


# Importing tslearn takes many seconds.
_OF_SERIES = pytest.param("series", marks=slow)


@pytest.mark.parametrize("name", [_OF_SERIES if k == "series" else k for k in KINDS])
def test_a_model_comes_back_bit_for_bit(name, tmp_path):
    kind = KINDS[name]
    model = kind.fit()
    model.save(tmp_path / "m.kg")
    again = kgroups.load(tmp_path / "m.kg", metric=kind.metric)
    assert type(again) is type(model)
    assert differences(model.get_params(), again.get_params(), "parameters") == []
    assert differences(fitted(model), fitted(again), "attributes") == []
    assert differences(answers(model, kind), answers(again, kind), "answers") == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a model of five rows."""
    kgroups.KernelKGroups(2, random_state=0).fit(ROWS).save(tmp_path / "rows.kg")
    return tmp_path / "rows.kg"


def test_a_loaded_model_fits_again(path):
    again = kgroups.load(path)
    assert clone(again).fit(ROWS).labels_.tolist() == again.labels_.tolist()
    model = kgroups.KernelKGroups(2, random_state=0).fit(ROWS)
    assert again.score(NEW) == model.score(NEW)
    assert again.optimality_gap().gap == model.optimality_gap().gap


class Twice(Semimetric):
    """Twice the distance along the first column."""

    def pairwise(self, X: Any, Y: Any = None) -> Any:
        """The matrix."""
        rows, others = (np.asarray(a, float)[:, 0] for a in (X, X if Y is None else Y))
        return 2.0 * np.abs(rows[:, None] - others)


@pytest.mark.parametrize(
    ("metric", "given", "rows", "new"),
    [
        (letters_apart, letters_apart, ["cat", "cart", "dog", "dogs"], ["carts", "god"]),
        (Twice(), Twice(), ROWS, NEW),
        (ColumnSum([(Twice(), [1]), (Energy(), [0])]), Twice(), ROWS, NEW),
    ],
)
def test_a_metric_of_ones_own_has_to_be_given_again(metric, given, rows, new, tmp_path):
    model = kgroups.KernelKGroups(2, metric=metric, random_state=0).fit(rows)
    model.save(tmp_path / "m.kg")
    with pytest.raises(ValueError, match=r"metric.*load"):
        kgroups.load(tmp_path / "m.kg")
    again = kgroups.load(tmp_path / "m.kg", metric=given)
    assert again.transform(new).tobytes() == model.transform(new).tobytes()


def test_a_metric_that_is_not_needed_is_refused(path, tmp_path):
    with pytest.raises(ValueError, match="omit metric"):
        kgroups.load(path, metric=letters_apart)
    kgroups.KernelKGroups(2, metric=letters_apart).fit(["a", "b", "cd"]).save(tmp_path / "f.kg")
    kgroups.KGroups1D(2).fit([1.0, 2.0, 9.0]).save(tmp_path / "line.kg")
    with pytest.raises(ValueError, match="no metric"):
        kgroups.load(tmp_path / "line.kg", metric=letters_apart)
    with pytest.raises(ValueError, match="another kind"):
        kgroups.load(tmp_path / "f.kg", metric=Energy())


def test_a_model_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        kgroups.KGroups1D(2).save(tmp_path / "x.kg")
    with pytest.raises(FileNotFoundError):
        kgroups.load(tmp_path / "x.kg")
    assert not list(tmp_path.iterdir())


def test_a_model_that_cannot_be_kept_leaves_the_earlier_file(path, tmp_path):
    class Point:
        """An object that no file holds."""

        def __init__(self, x: float) -> None:
            self.x = x

    points = [Point(x) for x in (0.0, 1.0, 10.0, 12.0)]
    model = kgroups.KernelKGroups(2, metric=lambda a, b: abs(a.x - b.x), random_state=0)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="Point"):
        model.fit(points).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["rows.kg"]


class Bomb:
    """What writes a file when a pickle of it is read."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("harmed"),)


def foreign(path: Path, kind: str) -> None:
    """Write a file that no model is in."""
    if kind == "empty":
        path.touch()
    if kind == "pickle":
        path.write_bytes(pickle.dumps(Bomb()))
    if kind == "table":
        path.write_bytes(b"a,b\n1,2\n")
    if kind == "arrays":
        with path.open("wb") as stream:
            np.savez(stream, x=ROWS, y=np.array([Bomb()], object))
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("model.json", "{}")


def test_files_that_hold_no_model_are_refused_and_nothing_is_run(folder):
    for kind in ("empty", "pickle", "table", "arrays", "zip"):
        foreign(folder / "x.kg", kind)
        with pytest.raises(DataError, match=r"x\.kg.*not a file"):
            kgroups.load(folder / "x.kg")
        assert not (folder / "harmed").exists(), kind


def test_a_pickle_among_the_parts_of_a_model_is_not_run(path, folder):
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("more.pkl", pickle.dumps(Bomb()))
    with pytest.raises(DataError, match=r"rows\.kg"):
        kgroups.load(path)
    assert not (folder / "harmed").exists()


def test_a_file_that_is_cut_off_or_altered_is_refused(path, tmp_path):
    """Of altered bytes some decide nothing, such as dates; then the model is the same."""
    data, labels = path.read_bytes(), kgroups.load(path).labels_.tolist()
    broken, n_refused = tmp_path / "broken.kg", 0
    for length in [*range(0, len(data), 211), len(data) - 1]:
        broken.write_bytes(data[:length])
        with pytest.raises(DataError, match=r"broken\.kg"):
            kgroups.load(broken)
    places = range(0, len(data), 89)
    for place in places:
        broken.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        try:
            model = kgroups.load(broken)
        except DataError:
            n_refused += 1
        else:
            assert model.labels_.tolist() == labels, place
            assert model.predict(ROWS).tolist() == labels, place
    assert n_refused > 0.8 * len(places)


def test_a_file_of_a_later_version_names_it(path, tmp_path):
    later = tmp_path / "later.kg"
    with zipfile.ZipFile(path) as file, zipfile.ZipFile(later, "w") as changed:
        for name in file.namelist():
            content = file.read(name)
            if name == "schema.json":
                about = {"_kgroups_format": 99, "_kgroups_version": "9.9"}
                content = json.dumps({**json.loads(content), **about}).encode()
            changed.writestr(name, content)
    with pytest.raises(DataError, match=r"later\.kg.*9\.9"):
        kgroups.load(later)
