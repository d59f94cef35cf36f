"""Estimators on a cluster: the answers of those for rows in memory, and what is refused."""

import pickle

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kgroups
from helpers import assert_same_fit, each
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


# --- equal answers --------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_are_many")
def test_a_proof_gathers_the_rows_on_one_worker(client, lazy):
    X, w = table(), weights_of()
    for weights in (None, w):
        given = None if weights is None else lazy(weights)
        found = on_cluster("auto").fit(lazy(X), sample_weight=given, client=client)
        expected = local("auto").fit(X, sample_weight=weights)
        assert_same_fit(found, expected)
        assert found.labels_.chunks == lazy(X).chunks[:1]
        again = found.to_local()
        assert again.predict(X).tolist() == expected.predict(X).tolist()


@pytest.mark.usefixtures("few_are_many")
def test_a_proof_by_blocks_is_that_of_a_source(monkeypatch, client, lazy):
    """Where no worker has room for all rows, and where this process has none."""
    monkeypatch.setattr(estimators, "_OF_ONE_WORKER", 0.0)
    X = table()
    found = on_cluster("auto").fit(lazy(X), client=client)
    expected = local("auto", memory_limit=40 * len(X)).fit(from_array(X))
    assert_same_fit(found, expected)
    assert found.method_ == "certified"
    assert found.certificate_.proved or found.certificate_.n_open < N


@pytest.mark.usefixtures("few_are_many")
@each("way", ["sketch", "squared", "auto"])
def test_a_source_is_read_by_the_workers(client, way):
    X = table()
    found = on_cluster(way).fit(from_array(X), client=client)
    assert_same_fit(found, local(way).fit(X))
    assert found.labels_.shape == (N,)


READ = []


def noted_part(cuts, *, block_id):
    """A chunk of new rows; that it was read is noted in this process."""
    start, stop = cuts[block_id[0] :][:2]
    READ.append((start, stop))
    return table(seed=3)[start:stop]


# --- after the fit --------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_are_many")
@each("way", ["sketch", "squared"])
def test_nothing_of_a_fit_stays_on_the_workers(client, lazy, way):
    on_cluster(way).fit(lazy(table()), client=client)
    assert len(kept_blocks._stores) == 0
    bad = table()
    bad[600] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        on_cluster(way).fit(lazy(bad), client=client)
    assert len(kept_blocks._stores) == 0


@pytest.mark.usefixtures("few_are_many")
@each("way", ["sketch", "squared", "auto"])
def test_new_rows_are_predicted_when_they_are_asked_for(client, lazy, way):
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
    model = on_cluster(way).fit(lazy(X), client=client)
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
@each("way", ["sketch", "squared"])
def test_a_local_model_is_small_and_predicts_the_same(client, lazy, way, tmp_path):
    X = table(n=2000)
    model = on_cluster(way).fit(lazy(X), client=client)
    plain = model.to_local()
    assert isinstance(plain, kgroups.KernelKGroups)
    data = pickle.dumps(plain)
    assert len(data) < 200_000 + plain.labels_.nbytes
    sent = without_labels(plain)  # with predictions, which need no labels of the fit
    assert len(pickle.dumps(sent)) < len(data) - plain.labels_.nbytes + 1000
    again = pickle.loads(data)
    assert again.predict(X).tolist() == model.predict(lazy(X)).compute().tolist()
    assert again.labels_.tolist() == model.labels_.compute().tolist()
    plain.save(tmp_path / "m.kg")
    assert kgroups.load(tmp_path / "m.kg").predict(X).tolist() == again.predict(X).tolist()
    assert (tmp_path / "m.kg").stat().st_size < 200_000 + plain.labels_.nbytes


def test_parameters_and_clones(client, lazy):
    for kind, plain in (
        (KernelKGroups, kgroups.KernelKGroups),
        (KernelKMeans, kgroups.KernelKMeans),
    ):
        assert kind().get_params() == plain().get_params()
    model = on_cluster(k=4, landmarks="uniform", n_jobs=1)
    again = clone(model.fit(lazy(table()), client=client))
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "labels_")
    with pytest.raises(NotFittedError):
        again.predict(lazy(table()))
    assert again.set_params(n_clusters=3).n_clusters == 3
    labels = again.fit_predict(lazy(table()), client=client)
    assert labels.compute().max() == 2


@pytest.mark.usefixtures("few_are_many")
def test_a_fit_that_fails_leaves_the_model_as_it_was(client, lazy):
    model = on_cluster().fit(lazy(table()), client=client)
    before = model.labels_.compute().tolist()
    bad = table()
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(lazy(bad), client=client)
    assert model.labels_.compute().tolist() == before
    assert model.predict(lazy(table())).compute().tolist() == before


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


CHANGES = {
    "fewer columns": lambda part: part[:, :2],
    "fewer rows": lambda part: part[:-1],
    "another type": lambda part: part.astype(np.float32),
    "masked": lambda part: np.ma.masked_less(part, 0),
    "frame": pd.DataFrame,
}


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("many", [False, True])
@each("change", CHANGES)
def test_a_chunk_that_is_not_what_the_array_says(monkeypatch, client, change, many):
    """Whether a block of the fit holds several chunks, or all rows are gathered."""
    if not many:
        monkeypatch.setattr(estimators, "STARTS_ON_ALL", N)
    parts = [table()[a : a + 50] for a in range(0, N, 50)]
    with pytest.raises(ValueError, match="chunk 4 of 14"):
        on_cluster().fit(announced(parts, 4, CHANGES[change]), client=client)
