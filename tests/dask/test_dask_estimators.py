"""Estimators on a cluster: the answers of those for rows in memory, and what is refused."""

import pickle
import re

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kgroups
from benchmarks.dask_cells import differences
from kgroups.blocks import from_array
from kgroups.dask import KernelKGroups, KernelKMeans, estimators, kept_blocks
from kgroups.dask.predictions import without_labels
from kgroups.semimetrics import Energy

WAYS = {"sketch": {"method": "nystroem"}, "squared": {"metric": Energy(2)}, "auto": {}}
N = 700


def table(n=N, d=3, dtype=float, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(5, d))[rng.integers(5, size=n)]
    return X.astype(dtype)


def weights_of(n=N):
    w = np.random.default_rng(1).uniform(0.5, 2, size=n)
    w[::9] = 0
    return w


def on_cluster(way="sketch", kind=KernelKGroups, k=5, **settings):
    return kind(k, random_state=0, n_init=2, **WAYS[way], **settings)


def local(way="sketch", kind=kgroups.KernelKGroups, k=5, **settings):
    return kind(k, random_state=0, n_init=2, **WAYS[way], **settings)


def same(found, expected):
    assert differences(found, expected) == []


# --- equal answers --------------------------------------------------------------------------------


CHUNKS = {
    "even": (175,) * 4,
    "uneven": (3, 400, 97, 200),
    "single rows": (1, 1, 348, 349, 1),
    "empty": (0, 350, 0, 0, 350, 0),
    "one": (N,),
}


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("chunks", list(CHUNKS))
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_chunks_change_no_bit(client, on_disk, way, chunks):
    X, w = table(), weights_of()
    expected = local(way).fit(X, sample_weight=w)
    found = on_cluster(way).fit(on_disk(X, CHUNKS[chunks]), sample_weight=on_disk(w), client=client)
    same(found, expected)
    assert found.labels_.chunks == (CHUNKS[chunks],)
    assert found.labels_.dtype == np.int32


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int16, np.bool_])
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_types_are_those_of_rows_in_memory(client, on_disk, way, dtype):
    X = table() > 0 if dtype == np.bool_ else (table() * 4).astype(dtype)
    same(on_cluster(way, k=3).fit(on_disk(X), client=client), local(way, k=3).fit(X))


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("scale", [1e-22, 1e12])
def test_numbers_that_float32_does_not_square(client, on_disk, scale):
    X = (scale * table()).astype(np.float32)
    for way in ("sketch", "squared"):
        same(on_cluster(way).fit(on_disk(X), client=client), local(way).fit(X))


@pytest.mark.usefixtures("few_are_many")
def test_rows_of_unknown_lengths(client, on_disk):
    X = table()
    found = on_cluster().fit(on_disk(X, CHUNKS["uneven"], are_known=False), client=client)
    same(found, local().fit(X))
    assert found.labels_.chunks == (CHUNKS["uneven"],)


@pytest.mark.usefixtures("few_are_many")
def test_columns_in_several_chunks(client, on_disk):
    X = table(d=4)
    rows = da.concatenate([on_disk(X[:, :1]), on_disk(X[:, 1:])], axis=1)
    assert len(rows.chunks[1]) == 2
    same(on_cluster().fit(rows, client=client), local().fit(X))


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "auto"])
def test_a_proof_gathers_the_rows_on_one_worker(client, on_disk, way):
    X, w = table(), weights_of()
    for weights in (None, w):
        given = None if weights is None else on_disk(weights)
        found = on_cluster("auto").fit(on_disk(X), sample_weight=given, client=client)
        expected = local("auto").fit(X, sample_weight=weights)
        same(found, expected)
        assert found.labels_.chunks == on_disk(X).chunks[:1]
        again = found.to_local()
        assert again.predict(X).tolist() == expected.predict(X).tolist()


@pytest.mark.usefixtures("few_are_many")
def test_a_proof_by_blocks_is_that_of_a_source(monkeypatch, client, on_disk):
    """Where no worker has room for all rows, and where this process has none."""
    monkeypatch.setattr(estimators, "_OF_ONE_WORKER", 0.0)
    X = table()
    found = on_cluster("auto").fit(on_disk(X), client=client)
    expected = local("auto", memory_limit=40 * len(X)).fit(from_array(X))
    same(found, expected)
    assert found.method_ == "certified"
    assert found.certificate_.proved or found.certificate_.n_open < N


@pytest.mark.parametrize("way", list(WAYS))
def test_few_rows_are_gathered_in_this_process(client, on_disk, way):
    X, w = table(), weights_of()
    found = on_cluster(way).fit(on_disk(X), sample_weight=on_disk(w), client=client)
    same(found, local(way).fit(X, sample_weight=w))
    assert found.labels_.chunks == on_disk(X).chunks[:1]


@pytest.mark.parametrize("many", [False, True])
def test_a_dataframe_has_names(request, client, many):
    if many:
        request.getfixturevalue("few_are_many")
    frame = pd.DataFrame(table(), columns=["a", "b", "c"])
    frame["b"] = frame["b"].astype(np.float32)
    found = on_cluster().fit(dd.from_pandas(frame, npartitions=4), client=client)
    same(found, local().fit(frame))
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]
    assert found.n_features_in_ == 3
    assert found.predict(dd.from_pandas(frame, npartitions=2)).compute().tolist() == (
        found.labels_.compute().tolist()
    )


@pytest.mark.usefixtures("few_are_many")
def test_weights_may_be_in_memory_a_series_or_in_other_chunks(client, on_disk):
    X, w = table(), weights_of()
    expected = local().fit(X, sample_weight=w)
    series = dd.from_pandas(pd.Series(w), npartitions=3)
    for weights in (w, w.tolist(), series, on_disk(w, (1, N - 1)), on_disk(w, (0, N, 0))):
        same(on_cluster().fit(on_disk(X), sample_weight=weights, client=client), expected)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared", "auto"])
def test_a_source_is_read_by_the_workers(client, way):
    X = table()
    found = on_cluster(way).fit(from_array(X), client=client)
    same(found, local(way).fit(X))
    assert found.labels_.shape == (N,)


@pytest.mark.parametrize("many", [False, True])
def test_kernel_k_means_gathers_the_rows(request, client, on_disk, many):
    if many:
        request.getfixturevalue("few_are_many")
    X = table()
    found = on_cluster("auto", KernelKMeans).fit(on_disk(X), client=client)
    same(found, local("auto", kgroups.KernelKMeans).fit(X))


READ = []


def noted_part(cuts, *, block_id):
    """A chunk of new rows; that it was read is noted in this process."""
    start, stop = cuts[block_id[0] :][:2]
    READ.append((start, stop))
    return table(seed=3)[start:stop]


# --- after the fit --------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_nothing_of_a_fit_stays_on_the_workers(client, on_disk, way):
    on_cluster(way).fit(on_disk(table()), client=client)
    assert len(kept_blocks._stores) == 0
    bad = table()
    bad[600] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        on_cluster(way).fit(on_disk(bad), client=client)
    assert len(kept_blocks._stores) == 0


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared", "auto"])
def test_new_rows_are_predicted_when_they_are_asked_for(client, on_disk, way):
    X, new = table(), table(seed=3)
    READ.clear()
    cuts = [0, 100, 100, 101, N]
    lengths = np.diff(cuts).tolist()
    rows = da.map_blocks(
        noted_part,
        cuts,
        chunks=(tuple(lengths), (3,)),
        dtype=float,
        meta=np.empty((0, 0)),
    )
    model = on_cluster(way).fit(on_disk(X), client=client)
    labels, distances = model.predict(rows), model.transform(rows)
    assert (labels.chunks, labels.dtype) == ((tuple(lengths),), np.int64)
    assert distances.chunks == (tuple(lengths), (5,))
    assert READ == []
    expected = local(way).fit(X)
    with client.as_current():
        assert labels.compute().tolist() == expected.predict(new).tolist()
        assert sorted(READ) == [(0, 100), (100, 101), (101, N)]
        np.testing.assert_allclose(distances.compute(), expected.transform(new), rtol=1e-6)
    # Rows in memory, and a source, at once.
    assert model.predict(new).tolist() == expected.predict(new).tolist()
    assert model.predict(from_array(new)).tolist() == expected.predict(new).tolist()
    assert model.transform(from_array(new)).shape == (N, 5)


@pytest.mark.usefixtures("few_are_many")
def test_new_rows_of_unknown_lengths(client, on_disk):
    X = table()
    model = on_cluster().fit(on_disk(X), client=client)
    found = model.predict(on_disk(X, are_known=False))
    assert np.isnan(found.shape[0])
    assert found.compute().tolist() == model.labels_.compute().tolist()


@pytest.mark.usefixtures("few_are_many")
def test_new_rows_of_a_frame_have_the_columns_of_the_fit(client):
    frame = pd.DataFrame(table(), columns=["a", "b", "c"])
    model = on_cluster().fit(dd.from_pandas(frame, npartitions=2), client=client)
    other = dd.from_pandas(frame[["c", "b", "a"]], npartitions=2)
    message = r"X has the columns \['c', 'b', 'a'\], and the fit had \['a', 'b', 'c'\]; choose"
    for work in (model.predict, model.transform):
        with pytest.raises(ValueError, match=message):
            work(other)
    plain = on_cluster().fit(dd.from_pandas(frame, npartitions=2).to_dask_array(), client=client)
    assert plain.predict(other).compute().shape == (N,)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_a_local_model_is_small_and_predicts_the_same(client, on_disk, way, tmp_path):
    X = table(n=5000)
    model = on_cluster(way).fit(on_disk(X), client=client)
    plain = model.to_local()
    assert isinstance(plain, kgroups.KernelKGroups)
    data = pickle.dumps(plain)
    assert len(data) < 200_000 + plain.labels_.nbytes
    sent = without_labels(plain)  # with predictions, which need no labels of the fit
    assert len(pickle.dumps(sent)) < len(data) - plain.labels_.nbytes + 1000
    again = pickle.loads(data)
    assert again.predict(X).tolist() == model.predict(on_disk(X)).compute().tolist()
    assert again.labels_.tolist() == model.labels_.compute().tolist()
    plain.save(tmp_path / "m.kg")
    assert kgroups.load(tmp_path / "m.kg").predict(X).tolist() == again.predict(X).tolist()
    assert (tmp_path / "m.kg").stat().st_size < 200_000 + plain.labels_.nbytes


def test_rows_of_another_width_are_refused_at_once(client, on_disk):
    model = on_cluster().fit(on_disk(table()), client=client)
    narrow = on_disk(table())[:, :1]
    for work in (model.predict, model.transform):
        with pytest.raises(ValueError, match=r"and the fit had 3 columns; give as many"):
            work(narrow)
        with pytest.raises(ValueError, match=r"and the fit had 3 columns; give as many"):
            work(narrow[:, 0])


def test_parameters_and_clones(client, on_disk):
    for kind, plain in (
        (KernelKGroups, kgroups.KernelKGroups),
        (KernelKMeans, kgroups.KernelKMeans),
    ):
        assert kind().get_params() == plain().get_params()
    model = on_cluster(k=4, landmarks="uniform", n_jobs=1)
    again = clone(model.fit(on_disk(table()), client=client))
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "labels_")
    with pytest.raises(NotFittedError):
        again.predict(on_disk(table()))
    assert again.set_params(n_clusters=3).n_clusters == 3
    labels = again.fit_predict(on_disk(table()), client=client)
    assert labels.compute().max() == 2


@pytest.mark.usefixtures("few_are_many")
def test_a_fit_leaves_nothing_of_the_one_before(client, on_disk):
    frame = pd.DataFrame(table(), columns=["a", "b", "c"])
    model = on_cluster("squared").fit(dd.from_pandas(frame, npartitions=2), client=client)
    assert model.cluster_centers_.shape == (5, 3)
    model.set_params(metric="energy", method="nystroem").fit(on_disk(table()), client=client)
    for name in ("cluster_centers_", "inertia_", "feature_names_in_"):
        assert not hasattr(model, name)


@pytest.mark.usefixtures("few_are_many")
def test_a_fit_that_fails_leaves_the_model_as_it_was(client, on_disk):
    model = on_cluster().fit(on_disk(table()), client=client)
    before = model.labels_.compute().tolist()
    bad = table()
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(on_disk(bad), client=client)
    assert model.labels_.compute().tolist() == before
    assert model.predict(on_disk(table())).compute().tolist() == before


@pytest.mark.parametrize(
    ("way", "many"), [("auto", False), ("auto", True), ("sketch", True), ("squared", True)]
)
def test_a_number_that_is_chosen_is_that_of_rows_in_memory(request, client, on_disk, way, many):
    if many:
        request.getfixturevalue("few_are_many")
    X = np.random.default_rng(0).normal(size=(150, 3)) + 12 * np.eye(3)[np.arange(150) % 3]
    expected = local(way, k="auto").fit(X)
    found = on_cluster(way, k="auto").fit(on_disk(X), client=client)
    same(found, expected)
    assert found.n_clusters_ == expected.n_clusters_ == found.cluster_count_.n_clusters
    assert found.cluster_count_.votes == expected.cluster_count_.votes
    model = found.to_local()
    assert (model.n_clusters, model.n_clusters_) == ("auto", found.n_clusters_)
    assert str(model.cluster_count_) == str(found.cluster_count_)
    found.set_params(n_clusters=2).fit(on_disk(X), client=client)
    assert (found.n_clusters_, found.cluster_count_) == (2, None)


def test_weights_that_differ_are_named_where_the_number_is_chosen(client, on_disk, few_are_many):
    X, w = table(100), weights_of(100)
    model = on_cluster(k="auto")
    for given in (w, on_disk(w)):
        with pytest.warns(UserWarning, match="counts all rows alike"):
            model.fit(on_disk(X), sample_weight=given, client=client)
    assert model.fit(on_disk(X), sample_weight=on_disk(np.full(100, 2.0)), client=client)


@pytest.mark.usefixtures("few_are_many")
def test_progress_is_told(client, on_disk):
    events = []
    on_cluster(verbose=events.append).fit(on_disk(table()), client=client)
    assert {"sketch", "start", "sweep"} <= {event.phase for event in events}


@pytest.mark.usefixtures("few_are_many")
def test_the_current_client_is_used(client, on_disk):
    with client.as_current():
        same(on_cluster().fit(on_disk(table())), local().fit(table()))


# --- what is refused ------------------------------------------------------------------------------


def announced(parts, number, change):
    """A Dask array of some chunks, one of which is not what the array says."""

    def chunk(block_id=None):
        here = parts[block_id[0]]
        return change(here) if block_id[0] == number else here

    lengths = tuple(len(part) for part in parts)
    return da.map_blocks(
        chunk, chunks=(lengths, (3,)), dtype=parts[0].dtype, meta=np.empty((0, 0), parts[0].dtype)
    )


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("size", [64, 50])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part[:, :2], r"has shape \(\d+, 2\), and X says that it has \(\d+, 3\); all"),
        (lambda part: part[:-1], r"has shape \(\d+, 3\), and X says"),
        (lambda part: part[:, 0], r"has shape \(\d+,\), and X says"),
        (lambda part: part.astype(np.float32), "holds float32, and X says that it holds float64;"),
        (lambda part: part.astype(str), "holds <U32, and X says that it holds float64; convert"),
        (lambda part: np.ma.masked_less(part, 0), "is a MaskedArray; make it an array of NumPy"),
        (pd.DataFrame, "is a DataFrame; make it an array of NumPy"),
    ],
)
def test_a_chunk_that_is_not_what_the_array_says(monkeypatch, client, change, message, size, many):
    """Whether a block of the fit is a chunk, holds several, or all rows are gathered."""
    if not many:
        monkeypatch.setattr(estimators, "STARTS_ON_ALL", N)
    parts = [table()[a : a + size] for a in range(0, N, size)]
    with pytest.raises(ValueError, match=f"chunk 4 of {len(parts)} of X {message}"):
        on_cluster().fit(announced(parts, 4, change), client=client)


@pytest.mark.parametrize("where", ["blocks", "one worker", "this process"])
@pytest.mark.parametrize("way", ["sketch", "squared", "auto"])
def test_an_entry_that_is_not_a_number_is_found_in_its_chunk(
    client, on_disk, way, where, monkeypatch, request
):
    if where != "this process":
        request.getfixturevalue("few_are_many")
        monkeypatch.setattr(estimators, "is_gathered", lambda *given: where == "one worker")
    X = table(n=800)
    X[17 * 20 + 7, 2] = np.nan
    X[400, 0] = np.nan
    message = re.escape(
        "chunk 17 of 40 of X, row 7 of it: Input X contains NaN in row 347, column 2 and 1 more."
    )
    with pytest.raises(ValueError, match=message):
        on_cluster(way).fit(on_disk(X, (20,) * 40), client=client)


def test_columns_of_text_are_named(client):
    frame = pd.DataFrame({"a": [1.0, 2.0], "kind": ["x", "y"]})
    with pytest.raises(ValueError, match=r"column 'kind' of X holds .*, which are not numbers"):
        on_cluster().fit(dd.from_pandas(frame, npartitions=1), client=client)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (lambda: da.ones(10, chunks=5), ValueError, r"1 dimension\. For one column write X\["),
        (lambda: da.ones((4, 4, 4)), ValueError, "a Dask array of 3 dimensions"),
        (lambda: da.ones((0, 3)), ValueError, "Found 0 samples in X"),
        (lambda: da.ones((3, 0)), ValueError, "Found 0 features in X"),
        (lambda: da.ones((9, 3), dtype=complex), ValueError, "complex128, which are not numbers"),
        (lambda: da.ones((9, 3)).astype("U3"), ValueError, "<U3, which are not numbers"),
        (lambda: np.ones((9, 3)), TypeError, "X must be a Dask array or dataframe, or a source"),
        (lambda: "rows.csv", TypeError, "got str. For rows in memory use kgroups.KernelKGroups"),
    ],
)
def test_what_is_not_a_table_is_refused(request, client, rows, error, message, many):
    if many:
        request.getfixturevalue("few_are_many")
    with pytest.raises(error, match=message):
        on_cluster().fit(rows(), client=client)


def test_rows_that_all_filters_took_away(client, on_disk):
    rows = on_disk(table())
    with pytest.raises(ValueError, match="Found 0 samples in X"):
        on_cluster().fit(rows[rows[:, 0] > 1e9], client=client)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_rows_that_are_all_equal_are_too_few(client, on_disk, way):
    rows = on_disk(np.ones((N, 2)))
    with pytest.raises(ValueError, match="the number of distinct rows with weight, 1;"):
        on_cluster(way).fit(rows, client=client)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("way", ["sketch", "squared"])
def test_chunks_may_have_fewer_rows_than_there_are_clusters(client, on_disk, way):
    X = table()
    found = on_cluster(way, k=30).fit(on_disk(X, (7,) * 100), client=client)
    same(found, local(way, k=30).fit(X))


@pytest.mark.parametrize("many", [False, True])
def test_more_clusters_than_rows_are_refused(request, client, on_disk, many):
    if many:
        request.getfixturevalue("few_are_many")
    with pytest.raises(ValueError, match="n_clusters"):
        on_cluster(k=N + 1).fit(on_disk(table()), client=client)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda: np.ones(N + 1), "sample_weight has 701 weights, and X has 700 rows"),
        (lambda: da.ones(N - 1), "sample_weight has 699 weights, and X has 700 rows"),
        (lambda: da.ones((N, 1)), r"sample_weight.shape == \(700, 1\), expected \(700,\)"),
        (lambda: -da.ones(N), "sample_weight must not be negative; row 0 is -1"),
        (lambda: da.zeros(N), "sample_weight is zero for every row"),
        (lambda: np.full(N, np.nan), "sample_weight"),
    ],
)
def test_bad_weights_are_refused(request, client, on_disk, weights, message, many):
    if many:
        request.getfixturevalue("few_are_many")
    with pytest.raises(ValueError, match=message):
        on_cluster().fit(on_disk(table()), sample_weight=weights(), client=client)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"init": np.zeros(N, int)}, "init must be a name for rows that are read in blocks"),
        ({"metric": "mixed"}, "looks at all rows before the first distance"),
        ({"metric": lambda a, b: abs(a - b).sum()}, "looks at all rows|has no sketch"),
        ({"metric": "precomputed"}, "a precomputed matrix has one row and one column per point"),
        ({"method": "fast"}, "method must be one of"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_what_needs_all_rows_is_refused(client, on_disk, settings, message):
    with pytest.raises(ValueError, match=message):
        on_cluster().set_params(**settings).fit(on_disk(table()), client=client)


def test_without_a_client_the_message_says_how_to_make_one(on_disk):
    rows = on_disk(table())
    with pytest.raises(ValueError, match=r"there is no Dask client; make one, as by distributed\."):
        on_cluster().fit(rows)


def test_a_client_that_is_closed_is_refused(client, on_disk):
    closed = Client(client.scheduler.address)
    closed.close()
    with pytest.raises(ValueError, match="client is closed; make a new one"):
        on_cluster().fit(on_disk(table()), client=closed)
    with pytest.raises(ValueError, match=r"client is a \w+, not a Dask client"):
        on_cluster().fit(on_disk(table()), client="tcp://localhost:8786")
