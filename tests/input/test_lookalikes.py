"""What is handed in for a table and is something else: each is told what to write."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

from kgroups import EnergyAgglomerative, GraphKGroups, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.cli import main
from kgroups.exceptions import LookalikeWarning
from kgroups.semimetrics import ColumnSum, Energy, GreatCircle, Hamming
from kgroups.stats import energy_test

X = np.random.default_rng(0).normal(size=(12, 3))
ESTIMATORS = pytest.mark.parametrize(
    "kind", [KernelKGroups, KernelKMeans, EnergyAgglomerative], ids=lambda kind: kind.__name__
)


def fit(X, metric="energy", kind=KernelKGroups, **weights):
    return kind(2, metric=metric).fit(X, **weights)


@ESTIMATORS
def test_a_network(kind):
    for graph in (nx.karate_club_graph(), nx.DiGraph([(0, 1)])):
        with pytest.raises(TypeError, match=r"X is a network .* kgroups\.GraphKGroups\(\)\.fit"):
            fit(graph, kind=kind)
    with pytest.raises(TypeError, match="X is a network"):
        fit(nx.karate_club_graph(), lambda a, b: 0.0)
    with pytest.raises(TypeError, match="X is a network"):
        fit(nx.karate_club_graph(), "precomputed")
    GraphKGroups(2).fit(nx.karate_club_graph())


@ESTIMATORS
def test_a_condensed_vector(kind):
    condensed = pdist(X)
    message = r"66 numbers, as many as 12 points have pairs.*squareform\(X\).*metric=\"precomputed"
    for metric in ("energy", "precomputed"):
        with pytest.raises(ValueError, match=message):
            fit(condensed, metric, kind)
    fit(squareform(condensed), "precomputed", kind)


def test_a_matrix_of_distances_given_as_rows():
    with pytest.warns(UserWarning, match=r'12 x 12 table with zeros.*metric="precomputed"'):
        fit(squareform(pdist(X)))
    with pytest.warns(UserWarning, match='metric="precomputed"'):
        fit(squareform(pdist(X)) + 1e-7 * X[:, :1])
    with pytest.warns(UserWarning, match="GraphKGroups"):
        fit(nx.to_numpy_array(nx.karate_club_graph()))


@pytest.mark.parametrize(
    "table",
    [X, X @ X.T, np.ones((4, 4)), np.zeros((5, 5)), squareform(pdist(X))[:, :-1], np.eye(4) - 1],
    ids=["rows", "kernel", "diagonal", "zeros", "not square", "negative"],
)
def test_other_square_tables_are_rows(table):
    KernelKGroups(1).fit(table)  # warnings are errors here


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_matrix_of_distances_given_as_similarities(dtype, tmp_path, capsys):
    """The two pairs that are closest are torn apart, as the most similar ones would not be."""
    rho = squareform(pdist(np.array([[0.0], [1], [10], [11]]))).astype(dtype)
    message = r'takes similarities, .* distances, write metric="precomputed"'
    with pytest.warns(LookalikeWarning, match=message):
        torn = fit(rho, "precomputed_kernel").labels_
    kept = fit(rho, "precomputed").labels_  # warnings are errors here
    assert torn[0] != torn[1]
    assert kept[0] == kept[1]
    for gram in (-rho, rho + np.eye(4, dtype=dtype), rho.max() - rho, csr_array(rho)):
        fit(gram, "precomputed_kernel")
    with pytest.warns(LookalikeWarning, match=message):
        energy_test(rho, metric="precomputed_kernel", labels=[0, 0, 1, 1], n_permutations=9)
    np.save(tmp_path / "rho.npy", rho)
    command = ["cluster", str(tmp_path / "rho.npy"), "-k", "2", "--metric", "precomputed_kernel"]
    assert main(command) == 0
    assert "If it holds distances, write --metric precomputed;" in " ".join(
        capsys.readouterr().err.split()
    )


@ESTIMATORS
def test_a_masked_array(kind):
    masked = np.ma.masked_array(X, np.zeros(X.shape, bool))
    expected = fit(X, kind=kind).labels_
    np.testing.assert_array_equal(fit(masked, kind=kind).labels_, expected)
    masked[4, 1] = np.ma.masked
    masked[7, 0] = np.ma.masked
    with pytest.raises(ValueError, match="2 masked entries, the first in row 4, column 1"):
        fit(masked, kind=kind)
    weights = np.ma.masked_array(np.ones(12), [False] * 11 + [True])
    with pytest.raises(ValueError, match=r"sample_weight is a masked array .* row 11"):
        fit(X, kind=kind, sample_weight=weights)


def test_masked_numbers_on_a_line_and_of_tests():
    line = np.ma.masked_array(X[:, 0], X[:, 0] > 1)
    with pytest.raises(ValueError, match="masked"):
        KGroups1D(2).fit(line)
    with pytest.raises(ValueError, match="masked"):
        energy_test(line, X[:, 1], n_permutations=9)


@pytest.mark.parametrize("metric", ["energy", "hamming", "precomputed"])
@pytest.mark.parametrize("unit", ["M8[D]", "m8[s]"])
def test_arrays_of_dates(unit, metric):
    times = np.arange(9).reshape(3, 3).astype(unit)
    word = "dates" if unit[0] == "M" else "durations"
    with pytest.raises(ValueError, match=rf"X holds {word} .*numpy\.timedelta64\(1, \"D\"\)"):
        fit(times, metric)
    with pytest.raises(ValueError, match=f"holds {word}"):
        KGroups1D(2).fit(times[:, 0])
    with pytest.raises(ValueError, match=f"holds {word}"):
        energy_test(times, times, n_permutations=9)


def test_a_lazy_frame():
    lazy = pl.DataFrame({"a": X[:, 0]}).lazy()
    with pytest.raises(TypeError, match=r"write X\.collect\(\)"):
        fit(lazy)
    with pytest.raises(TypeError, match=r"\.collect\(\)"):
        energy_test(lazy, lazy, n_permutations=9)


def test_periods_and_other_objects_in_a_frame():
    table = pd.DataFrame({"a": X[:, 0], "when": pd.period_range("2020-01", periods=12, freq="M")})
    with pytest.raises(ValueError, match=r"a date .* '2020-01' in row 0, column 'when'.*days"):
        fit(table)
    table["when"] = pd.to_timedelta(np.arange(12), "D")
    with pytest.raises(ValueError, match="a duration where a number is needed"):
        fit(table)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_column_of_row_numbers_in_a_frame(library):
    table = library({"id": np.arange(12) + 100, "a": X[:, 0], "b": X[:, 1]})
    with pytest.warns(UserWarning, match=r"column 'id' of X looks like a row number"):
        fit(table)
    fit(table, ColumnSum([(Energy(), ["a", "b"])]))
    fit(library({"id": np.arange(12)}))
    fit(library({"even": np.arange(12) * 2, "a": X[:, 0]}))


def letters_apart(a, b):
    return len(set(a) ^ set(b))


WORDS = ["cat", "act", "tac", "dog", "god", "dg"]


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"word": WORDS}),
        pl.DataFrame({"word": WORDS}),
        pd.DataFrame({"word": WORDS}, dtype="string"),
        np.array(WORDS).reshape(-1, 1),
        np.array(WORDS, object).reshape(-1, 1),
        pd.Series(WORDS),
        pl.Series(WORDS),
    ],
    ids=["pandas", "polars", "string", "array", "objects", "series", "polars-series"],
)
def test_one_column_of_text_is_a_list_of_words_for_a_function(given):
    expected = fit(WORDS, letters_apart)
    assert expected.within_dispersion_ == pytest.approx(2 / 3)  # by hand: (1 + 1)/3
    model = fit(given, letters_apart)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(given), model.labels_)


def test_a_metric_that_makes_rows_alike_is_named():
    iris_like = np.abs(X) + 1
    with pytest.raises(ValueError, match=r"n_clusters=2, but by Jaccard\(\) .* only 1 different"):
        fit(iris_like, "jaccard")
    with pytest.raises(ValueError, match="distinct rows with weight, 1"):
        fit(np.ones((5, 2)))


def cosine_distance(a, b):
    return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def test_a_function_whose_distances_are_rounded():
    """ρ(x, x) is 1e-16 here and there; the labels are those of the clean matrix."""
    model = fit(X, cosine_distance)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    rho = squareform(pdist(rows, "sqeuclidean")) / 2
    assert max(cosine_distance(x, x) for x in X) > 0
    np.testing.assert_array_equal(fit(rho, "precomputed").labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


CITIES = np.array(
    [[52.5, 13.4], [48.9, 2.4], [40.7, -74.0], [-33.9, 151.2], [35.7, 139.7], [-1.3, 36.8]]
)


def places(X, metric="great_circle", names=None):
    table = X if names is None else pd.DataFrame(X, columns=names)
    return KernelKGroups(2, metric=metric, random_state=0).fit(table)


def test_radians_given_as_degrees():
    radians = np.radians(CITIES)
    expected = places(CITIES).labels_  # warnings are errors here
    np.testing.assert_array_equal(places(radians, "haversine").labels_, expected)
    advice = r'metric="haversine" or GreatCircle\(units="radians"\)'
    with pytest.warns(LookalikeWarning, match=advice):
        places(radians)
    with pytest.warns(LookalikeWarning, match=advice):
        places(radians[:5])  # a warning of a part of a sum, too
    metric = ColumnSum([(GreatCircle(), ["lat", "lon"]), (Energy(), ["height"])])
    frame = pd.DataFrame(radians, columns=["lat", "lon"]).assign(height=CITIES[:, 0])
    with pytest.warns(LookalikeWarning, match=advice):
        KernelKGroups(2, metric=metric).fit(frame)
    with pytest.warns(LookalikeWarning, match=advice):
        energy_test(radians, radians[::-1], metric="great_circle", n_permutations=9)
    places(radians[:4])  # too few to tell
    places(radians / 20)  # all within 0.2 of 0, 0
    places(radians + np.array([0.0, 2.0]))  # beyond the longitudes of radians


def test_radians_are_not_degrees():
    with pytest.raises(ValueError, match=r"latitude must lie in \[-π/2, π/2\] radians"):
        places(CITIES, "haversine")
    with pytest.raises(ValueError, match=r"in \[-90, 90\] degrees.*write X\[:, \[1, 0\]\]"):
        places(CITIES[:, ::-1])


@pytest.mark.parametrize(
    "names",
    [
        ("lon", "lat"),
        ("Longitude", "Latitude"),
        ("gps_lng", "gps_lat"),
        ("long.", "lat."),
        ("lon_deg", "lat_deg"),
        ("decimalLongitude", "decimalLatitude"),
        ("LON", "LAT"),
    ],
)
def test_longitude_before_latitude(names):
    swapped = CITIES[[0, 1, 2, 5]][:, ::-1]
    message = rf"latitude first.*write X\[\['{names[1]}', '{names[0]}'\]\]"
    for X, metric in ((swapped, "great_circle"), (np.radians(swapped), "haversine")):
        with pytest.warns(LookalikeWarning, match=message):
            places(X, metric, names)
    places(CITIES, names=names[::-1])
    places(CITIES, names=["x", "y"])
    places(CITIES, names=["belongs", "flat"])


def test_codes_of_categories_are_not_row_numbers():
    months = pd.period_range("2020-01", periods=12, freq="M")
    frame = pd.DataFrame({"month": months, "name": [f"{i:02}" for i in range(12)], "x": X[:, 0]})
    mixed = ColumnSum([(Hamming(), ["month", "name"]), (Energy(), ["x"])])
    for metric in ("hamming", mixed):
        KernelKGroups(2, metric=metric, random_state=0).fit(frame)  # warnings are errors here
    with pytest.warns(LookalikeWarning, match="'counter' of X looks like a row number"):
        KernelKGroups(2).fit(frame[["x"]].assign(counter=range(12)))


def test_a_column_of_postal_codes_in_a_frame():
    table = pd.DataFrame({"plz": [10115, 80331, 20095] * 4, "a": X[:, 0]})
    with pytest.warns(LookalikeWarning, match="'plz' of X looks like an identifier, and it is"):
        fit(table)
