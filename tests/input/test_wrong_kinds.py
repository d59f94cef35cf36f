"""Input that is not a table: the message says what was found and what to write."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, dok_array
from scipy.spatial.distance import pdist, squareform
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.metrics import clustering_accuracy
from kgroups.select import choose_n_clusters, cluster_stability, feature_contributions
from kgroups.semimetrics import Hamming, Mixed
from kgroups.stats import disco, energy_test, within_dispersion

X = np.random.default_rng(0).normal(size=(12, 2))
NAMES = [f"city {i}" for i in range(12)]
D = pd.DataFrame(squareform(pdist(X)), columns=NAMES)
WITH_NAMES = D.assign(name=NAMES)[["name", *NAMES]]
MODEL = KernelKGroups(2, random_state=0).fit(X)

NO_TABLES = [
    ("data.csv", TypeError, r"X is 'data\.csv', and files are not read.*pandas\.read_csv\(path\)"),
    (Path("data.npy"), TypeError, r"data\.npy.*numpy\.load\(path\)"),
    (None, TypeError, "X must be a table or a sequence of points; got None"),
    (2.5, TypeError, r"got 2\.5"),
    ({"a": [1, 2]}, TypeError, r"X is a dict; write pandas\.DataFrame\(X\)"),
    ({(1, 2), (3, 4)}, TypeError, r"sequence; got set.*X = list\(X\)"),
    (zip([1], [2], strict=True), TypeError, r"sequence; got zip.*X = list\(X\)"),
    (MODEL, TypeError, r"X is an estimator \(KernelKGroups\).*data comes first.*model\.labels_"),
]
SHAPES = [
    ([{"a": 1}, {"a": 2}], TypeError, r"X is a list of dicts.*pandas\.DataFrame\(X\)"),
    ([[1, 2], [3], [4, 5]], ValueError, "2 values in row 0 and 1 value in row 1"),
    ([[1, 2], 3], ValueError, "2 values in row 0 and a single value in row 1"),
    ([1.0, 2.0, 5.0], ValueError, r"numpy\.reshape\(X, \(-1, 1\)\) for 3 points on a line"),
    (X[:, 0], ValueError, r"shape \(12,\).*Reshape your data"),
    (pd.Series(X[:, 0]), ValueError, r"X is a Series.*write X\.to_frame\(\)"),
    (pl.Series("x", X[:, 0]), ValueError, r"X is a Series.*write X\.to_frame\(\)"),
    (np.zeros((3, 2, 2)), ValueError, r"3 dimensions, shape \(3, 2, 2\).*reshape\(X, \(len"),
    ([{1, 2}, {3, 4}], ValueError, r"sequence of sets, which begins with \{1, 2\}.*\"jaccard\""),
    (pd.Series([{1}, {2, 3}]), ValueError, r"sequence of sets, which begins with \{1\}"),
    (pl.Series("x", [[1.0], [2.0, 3.0]]), ValueError, r"X is a Series.*numpy\.stack"),
    (pd.Series([X[0], X[1, :1]]), ValueError, '2 values in row 0 and 1 value in row 1.*"dtw"'),
    (pd.Series([X[0], X[1]]), ValueError, r"arrays of one length; write numpy\.stack\(X\)"),
    (["a", "b"], ValueError, r"sequence of text, which begins with 'a'.*\"levenshtein\""),
    ([], ValueError, "Found 0 samples in X"),
    (pd.DataFrame(), ValueError, r"without columns, shape \(0, 0\)"),
    (pd.DataFrame({"a": [], "b": []}), ValueError, r"Found 0 samples in X \(shape \(0, 2\)\); at"),
    (np.zeros((0, 2)), ValueError, r"Found 0 samples in X \(shape \(0, 2\)\); at least one"),
    (np.zeros((2, 0)), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\) while .* 1 is required\.$"),
    (pd.DataFrame({"v": [[1, 2], [3]]}), ValueError, r"type list.*'\[1, 2\]' in row 0, column 'v'"),
]


def ids(value):
    return type(value).__name__ if not isinstance(value, (str, type)) else None


@pytest.mark.parametrize(("data", "kind", "message"), [*NO_TABLES, *SHAPES], ids=ids)
def test_an_estimator_says_what_to_write(data, kind, message):
    for estimator in (KernelKGroups(2), KernelKMeans(2), EnergyAgglomerative(2)):
        with pytest.raises(kind, match=message):
            estimator.fit(data)
    with pytest.raises(kind, match=message):
        choose_n_clusters(data, [1, 2])


def test_functions_name_no_private_class():
    for semimetric in (Hamming(), Mixed()):
        with pytest.raises(
            ValueError, match=r"Found 0 samples in X \(shape \(0, 1\)\); at least one"
        ):
            semimetric.pairwise(pd.DataFrame({"a": []}))


@pytest.mark.parametrize(("data", "kind", "message"), NO_TABLES, ids=ids)
def test_functions_and_other_metrics_say_the_same(data, kind, message):
    with pytest.raises(kind, match=message):
        KGroups1D(2).fit(data)
    for metric in ("precomputed", lambda a, b: 0.0):
        with pytest.raises(kind, match=message):
            KernelKGroups(2, metric=metric).fit(data)
    for function in (disco, feature_contributions, within_dispersion, cluster_stability):
        with pytest.raises(kind, match=message):
            function(data, MODEL.labels_)
    with pytest.raises(TypeError, match="sample 2"):
        energy_test(X, data)


def test_a_memoryview_is_an_array():
    # numpy.isscalar counts it among scalars.
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]])
    assert KernelKGroups(2, random_state=0).fit(memoryview(X)).labels_.tolist() == [0, 0, 1, 1]


def test_sparse_data_is_called_sparse():
    for kind in (dok_array, coo_array):
        with pytest.raises(TypeError, match="Sparse data"):
            KernelKGroups(2, metric="jaccard").fit(kind(np.eye(5)))


def test_a_prediction_says_the_same():
    with pytest.raises(ValueError, match="Reshape your data"):
        MODEL.predict(X[0])
    with pytest.raises(ValueError, match="unequal length"):
        MODEL.predict([[1, 2], [3]])
    with pytest.raises(ValueError, match="unequal length: 1 value in row 0 and 2 values in row 1"):
        KGroups1D(2).fit([[1], [1, 2]])


@pytest.mark.parametrize("metric", ["precomputed", "precomputed_kernel"])
def test_a_column_of_names_next_to_a_matrix(metric):
    model = KernelKGroups(2, metric=metric)
    message = r"column 'name' holds text, 'city 0' in row 0.*{}"
    advice = r"read_csv\(path, index_col=0\), or X\.set_index\('name'\)"
    with pytest.raises(ValueError, match=message.format(advice)):
        model.fit(WITH_NAMES)
    with pytest.raises(ValueError, match=message.format(r"X\.drop\('name'\)")):
        model.fit(pl.from_pandas(WITH_NAMES))
    with pytest.raises(ValueError, match=r"column 0 holds text.*numpy\.delete\(X, 0, axis=1\)"):
        model.fit(WITH_NAMES.to_numpy())
    numbered = D.reset_index()
    with pytest.raises(ValueError, match=r"\(12, 13\).*first column holds.*set_index\('index'\)"):
        model.fit(numbered)
    model = KernelKGroups(2, metric="precomputed").fit(WITH_NAMES.set_index("name"))
    assert len(model.labels_) == 12
    with pytest.raises(ValueError, match="column 'name' holds text"):
        model.predict(WITH_NAMES)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("w", r"one number for each of the 12 rows: got 'w'.*sample_weight=X\['w'\]"),
        (2.0, r"one number for each of the 12 rows: got 2\.0"),
        ({0: 1.0}, r"got \{0: 1\.0\}"),
        (["a"] * 12, "could not convert string to float: 'a'"),
        ([[1], [1, 2]], "12 rows: setting an array element"),
        (np.ones(12) * 1j, "Complex data not supported"),
    ],
    ids=["name", "number", "dict", "text", "uneven", "complex"],
)
def test_weights_that_are_not_one_number_for_each_row(weight, message):
    for estimator in (KernelKGroups(2), EnergyAgglomerative(2)):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, sample_weight=weight)


def test_labels_that_are_a_model_or_a_number():
    for function in (cluster_stability, disco, within_dispersion, feature_contributions):
        with pytest.raises(ValueError, match=r"estimator \(KernelKGroups\), whose labels are.*lab"):
            function(X, MODEL)
        with pytest.raises(ValueError, match="one label for each of the 12 points; got 3"):
            function(X, 3)
    with pytest.raises(
        ValueError, match=r"labels_pred must be a list of labels.*attribute labels_"
    ):
        clustering_accuracy(MODEL.labels_, MODEL)


@pytest.mark.parametrize("seed", ["a", 1.5, -1])
def test_a_seed_that_is_none(seed):
    with pytest.raises(ValueError, match=f"random_state must be an integer from 0.*got {seed!r}"):
        KernelKGroups(2, random_state=seed).fit(X)
    with pytest.raises(ValueError, match="random_state must be an integer"):
        energy_test(X, X + 1, random_state=seed)


def test_labels_given_as_a_second_sample():
    labels = [0, 1] * 6
    with pytest.raises(ValueError, match="write labels=, the group of each point"):
        energy_test(X, labels)
    assert energy_test(X, labels=labels, n_permutations=9, random_state=0).pvalue > 0


def test_n_jobs_and_n_clusters_of_another_kind():
    with pytest.raises(ValueError, match="n_jobs must be an integer or None, -1 for all cores"):
        KernelKGroups(2, n_jobs="all").fit(X)
    for k in (3.0, "3", None):
        with pytest.raises(ValueError, match=r"n_clusters must be .auto. or an integer >= 1; got"):
            KernelKGroups(k).fit(X)
    with pytest.raises(ValueError, match=r"data belongs to fit: KernelKGroups\(k\)\.fit\(X\)"):
        KernelKGroups(X).fit(X)


def test_a_pipeline_is_data_for_nobody():
    pipeline = make_pipeline(StandardScaler(), KernelKGroups(2)).fit(X)
    with pytest.raises(TypeError, match=r"estimator \(Pipeline\)"):
        choose_n_clusters(pipeline)


def test_tables_of_arrow_and_repeated_names():
    table = pa.table({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(TypeError, match=r"X is of pyarrow \(Table\); write X.to_pandas\(\)"):
        KernelKGroups(2).fit(table)
    frame = pd.DataFrame(np.eye(4), columns=["a", "b", "a", "c"])
    for metric in ("energy", "mixed"):
        with pytest.raises(ValueError, match="X has 2 columns called 'a'; give each a name"):
            KernelKGroups(2, metric=metric).fit(frame)


def test_texts_and_uneven_rows_name_the_metrics_for_them():
    with pytest.raises(ValueError, match='metric="levenshtein"; texts by make_pipeline'):
        KernelKGroups(2).fit(["kitten", "mitten", "dog"])
    with pytest.raises(ValueError, match='metric="dtw" as series, by metric="samples"'):
        KernelKGroups(2).fit([[1, 2], [1]])
