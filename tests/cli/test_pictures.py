"""The pages of ``kgroups cluster``: what is handed to them for each kind of rows."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups import GraphKGroups, KernelKGroups
from kgroups.answers.characteristic_words import Words
from kgroups.cli.columns import TableFeatures
from kgroups.cli.pictures import picture, picture_of_search
from kgroups.semimetrics import Energy

pytest.importorskip("matplotlib")

X = np.array([[0.0], [1.0], [10.0], [12.0]])
MODEL = KernelKGroups(2, init=[0, 0, 1, 1]).fit(X)


def options(metric="energy", suffix="svg"):
    path = Path(f"p.{suffix}")
    return Namespace(metric=metric, plot=path, plot_search=path)


def features(**given):
    usual = {"X": X, "names": ["x"], "numbers": X, "categories": {}}
    return TableFeatures(**{**usual, **given})


@pytest.fixture
def handed(monkeypatch):
    """What ``overview`` is given."""
    from matplotlib.figure import Figure

    seen = {}

    def overview(model, rows, **more):
        seen.update(more, rows=rows)
        return Figure()

    monkeypatch.setattr("kgroups.plots.overview", overview)
    return seen


def test_columns_come_in_their_own_units_with_weights_dates_and_categories(handed):
    given = features(
        X=np.zeros((4, 3)), names=["size", "day", "town"],
        numbers=np.column_stack([X[:, 0], [0.0, 0, 1, 1]]),
        categories={"town": ["a", "a", "b", "(missing)"]}, weights=np.array([1.0, 3, 1, 1]),
        columns={"kinds": {"size": "number", "day": "date", "town": "category"}},
    )  # fmt: skip
    picture(MODEL, given, options())
    size, day, town = handed["table"].columns
    assert (size.name, size.means.tolist(), size.is_date) == ("size", [0.75, 11.0], False)
    assert (day.name, day.means.tolist(), day.is_date) == ("day", [0.0, 1.0], True)
    assert town.categories[0] == "a"
    assert town.shares.tolist() == [1.0, 0.5]
    assert town.shares_of_all[0] == 4 / 6
    assert handed["feature_names"] == ["size", "day", "town"]
    assert handed["names"] is None


def test_ids_name_rows_and_texts_name_themselves(handed):
    picture(MODEL, features(ids=list("abcd"), texts=list("efgh")), options())
    assert handed["names"] == list("abcd")
    picture(MODEL, features(texts=list("efgh")), options())
    assert handed["names"] == list("efgh")


def test_sparse_rows_hand_over_their_words(handed):
    words = Words(csr_array(X), ["word"].__getitem__)
    picture(MODEL, features(words=words), options())
    assert handed["table"] is words


def test_a_matrix_has_no_columns(handed):
    rho = Energy().pairwise(X)
    model = KernelKGroups(2, metric="precomputed", init=[0, 0, 1, 1]).fit(rho)
    picture(model, features(X=rho, numbers=rho, names=list("abcd")), options("precomputed"))
    assert handed["table"] is None
    assert handed["rows"] is rho


def test_rows_without_columns_have_no_profiles(handed):
    picture(MODEL, features(numbers=np.empty((4, 0)), names=["text"]), options())
    assert handed["table"] is None


@each(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?x")])
def test_pages_are_files_of_the_type_that_was_named(suffix, magic):
    assert picture(MODEL, features(), options(suffix=suffix)).startswith(magic)
    assert picture_of_search(MODEL, options(suffix=suffix)).startswith(magic)


def test_curved_clusters_have_their_own_page():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2)) + 20.0 * (np.arange(40) % 2)[:, None]
    model = GraphKGroups(2, affinity="nearest_neighbors", n_neighbors=5, random_state=0)
    model.fit(rows)
    page = picture(model, features(X=rows, numbers=rows, names=["a", "b"]), options())
    assert page.startswith(b"<?x")
