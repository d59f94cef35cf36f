"""Fits on the workers of a Dask cluster: the labels of the local estimators, bit for bit."""

import json

import numpy as np
import pandas as pd
import pytest

from kgroups import KernelKGroups
from kgroups.blocks import from_npy
from kgroups.exceptions import DataError
from kgroups.semimetrics import Energy
from quiet_workers import client_of

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
on_cluster = pytest.importorskip("kgroups.dask")

K, MANY = 3, 60_000
#: A worker that may not hold all rows, so that they are fitted where they are.
SMALL = {"memory_limit": "8 MB"}
SQUARED = {"metric": Energy(2), "n_init": 2}
SKETCH = {"method": "nystroem", "n_init": 1, "n_components": 20}


def clustered(n=MANY, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.choice(K, n, p=[0.2, 0.5, 0.3])
    return 10 * rng.normal(size=(K, 2))[labels] + 4 * rng.normal(size=(n, 2))


ROWS = clustered()
WEIGHTS = 8.0 * np.random.default_rng(2).integers(0, 3, MANY)
CHUNKS = (1, 24_999, 35_000)
LAZY = da.from_array(ROWS, chunks=(CHUNKS, (2,)))


@pytest.fixture(scope="module", autouse=True)
def client():
    """Two workers of this process."""
    with client_of() as client:
        yield client


def local(rows, weights=None, **given):
    return KernelKGroups(K, random_state=0, **given).fit(rows, sample_weight=weights)


def lazily(rows, weights=None, checkpoint=None, **given):
    model = on_cluster.KernelKGroups(K, random_state=0, **given)
    return model.fit(rows, sample_weight=weights, checkpoint=checkpoint)


def assert_same(found, first, *, sketch_rtol=0.0):
    """Labels and sums of a fit on workers are those of a local one.

    The history on a sketch in float32 may differ within rounding, where a local product has several
    threads and one of a worker has one.
    """
    assert found.labels_.compute().tolist() == first.labels_.tolist()
    for name in ("within_dispersion_", "objective_", "n_moves_", "n_clusters_", "method_"):
        assert getattr(found, name) == getattr(first, name), name
    for name in ("cluster_weights_", "cluster_dispersions_"):
        assert getattr(found, name).tolist() == getattr(first, name).tolist(), name
    np.testing.assert_allclose(found.objective_history_, first.objective_history_, sketch_rtol)
    for own, other in zip(found.start_histories_, first.start_histories_, strict=True):
        np.testing.assert_allclose(own, other, max(1e-11, sketch_rtol))


def test_rows_that_stay_with_the_workers():
    first = local(ROWS, WEIGHTS, **SQUARED)
    for weights in (WEIGHTS, da.from_array(WEIGHTS, chunks=20_000)):
        found = lazily(LAZY, weights, **SQUARED, **SMALL)
        assert_same(found, first)
        assert found.labels_.chunks == (CHUNKS,)
        assert found.method_reason_.startswith("rows of")
    frame = dd.from_pandas(pd.DataFrame(ROWS, columns=["x", "y"]), npartitions=3)
    found = lazily(frame, WEIGHTS, **SQUARED, **SMALL)
    assert_same(found, first)
    assert found.feature_names_in_.tolist() == ["x", "y"]
    some = pd.DataFrame(ROWS[:500], columns=["x", "y"])
    assert found.to_local().predict(some).tolist() == first.labels_[:500].tolist()
    for ask in (found.predict, found.transform):
        with pytest.raises(ValueError, match="order"):
            ask(frame[["y", "x"]])
    split = da.from_array(ROWS, chunks=((1, 0, 24_999, 35_000), (1, 1)))
    for lazy in (split, frame.to_dask_array()):  # whose lengths are not known
        assert_same(lazily(lazy, WEIGHTS, **SQUARED, **SMALL), first)
    for rows in (ROWS.astype(np.float16), ROWS > 0):
        lazy = da.from_array(rows, chunks=(CHUNKS, (2,)))
        assert_same(lazily(lazy, **SQUARED, **SMALL), local(rows, **SQUARED))
    single = ROWS.astype(np.float32)
    lazy = da.from_array(single, chunks=(CHUNKS, (2,)))
    assert_same(lazily(lazy, **SKETCH, **SMALL), local(single, **SKETCH), sketch_rtol=1e-8)


def test_processes_read_the_rows_of_a_file(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    with client_of(processes=True):
        found = lazily(from_npy(tmp_path / "rows.npy"), WEIGHTS, **SQUARED)
        assert_same(found, local(ROWS, WEIGHTS, **SQUARED))


def test_rows_that_go_to_one_worker():
    first = local(ROWS, WEIGHTS, **SQUARED)
    pieces = da.from_array(ROWS, chunks=(CHUNKS, (1, 1)))
    for weights in (WEIGHTS, da.from_array(WEIGHTS, chunks=20_000)):
        found = lazily(pieces, weights, **SQUARED)
        assert_same(found, first)
        assert "rows of" not in found.method_reason_
        assert found.get_params()["random_state"] == 0
    np.testing.assert_array_equal(found.cluster_centers_, first.cluster_centers_)
    found.set_params(metric="energy").fit(LAZY[:600])
    assert not hasattr(found, "cluster_centers_")
    found.set_params(metric=Energy(2), random_state=1).fit(LAZY)
    other = KernelKGroups(K, random_state=1, **SQUARED).fit(ROWS)
    assert found.start_histories_[0].tolist() == other.start_histories_[0].tolist()
    assert other.start_histories_[0][0] != first.start_histories_[0][0]


def test_few_rows_are_gathered():
    few, w = ROWS[:900], WEIGHTS[:900]
    first = local(few, w)
    lazy = da.from_array(few, chunks=((1, 0, 499, 400), (2,)))
    for weights in (w, da.from_array(w, chunks=100)):
        assert_same(lazily(lazy, weights), first)
    frame = dd.from_pandas(pd.DataFrame(few, columns=["x", "y"]), npartitions=3)
    unknown = frame.to_dask_array()
    assert np.isnan(unknown.chunks[0][0])
    model = lazily(unknown, w)
    assert_same(model, first)
    named = lazily(frame, w)
    assert_same(named, first)
    assert named.feature_names_in_.tolist() == ["x", "y"]
    predicted = model.predict(lazy)
    assert predicted.chunks == (lazy.chunks[0],)
    assert predicted.compute().tolist() == first.predict(few).tolist()
    distances = model.transform(lazy).compute()
    np.testing.assert_allclose(distances, first.transform(few), 1e-12)


def test_errors_name_the_chunk(client):
    few = ROWS[:900].copy()
    few[500, 1] = np.nan
    for n, rows in ((900, few), (MANY, np.r_[few, ROWS[900:]])):
        lazy = da.from_array(rows, chunks=((500, n - 500), (2,)))
        with pytest.raises(ValueError, match="chunk 1 of 2 of X, row 0 of it"):
            lazily(lazy, **SQUARED, **SMALL)
    lying = LAZY.map_blocks(lambda chunk: chunk.astype(np.float32), dtype=np.float64)
    with pytest.raises(ValueError, match="holds float32"):
        lazily(lying[:900])
    for n in (899, 901):
        with pytest.raises(ValueError, match="sample_weight"):
            lazily(LAZY[:900], np.ones(n))
        with pytest.raises(ValueError, match="sample_weight"):
            lazily(LAZY, np.ones(n - 900 + MANY), **SQUARED, **SMALL)
    closed = distributed.Client(client.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(ValueError, match="client is closed"):
        on_cluster.KernelKGroups(K).fit(LAZY[:900], client=closed)


def test_the_number_is_chosen_from_rows_of_all_chunks():
    rows = ROWS[np.argsort(ROWS @ [1, 1])]
    lazy = da.from_array(rows, chunks=((50_000, 10_000), (2,)))
    found = on_cluster.KernelKGroups("auto", random_state=0, **SQUARED, **SMALL).fit(lazy)
    count = found.cluster_count_
    assert found.n_clusters_ == count.n_clusters == K
    assert found.n_clusters == "auto"
    for rows in (ROWS, ROWS[:900]):  # gathered on one worker, and here
        expected = KernelKGroups("auto", random_state=0, **SQUARED).fit(rows)
        lazy = da.from_array(rows, chunks=(len(rows) // 2, 2))
        found = on_cluster.KernelKGroups("auto", random_state=0, **SQUARED).fit(lazy)
        assert found.labels_.compute().tolist() == expected.labels_.tolist()
        assert found.cluster_count_.votes == expected.cluster_count_.votes
        assert found.to_local().n_clusters == "auto"
    found.set_params(n_clusters=2).fit(lazy)
    assert (found.n_clusters_, found.cluster_count_) == (2, None)


def test_blocks_that_a_worker_has_lost_come_again():
    """A worker keeps blocks of three fits, and drops those of the first of four."""
    depth = []

    def fit_within(event):
        if event.phase == "sweep" and event.number == 1 and len(depth) < 4:
            depth.append(event)
            inner.append(lazily(LAZY, WEIGHTS, verbose=fit_within, **how))

    how, inner = {**SQUARED, **SMALL, "n_init": 1}, []
    first = local(ROWS, WEIGHTS, **SQUARED | {"n_init": 1})
    inner.append(lazily(LAZY, WEIGHTS, verbose=fit_within, **how))
    assert len(inner) == 5
    for found in inner:
        assert_same(found, first)


# Checkpoints


class Stopped(Exception):
    """The client of a fit has died."""


def stop(event):
    if event.phase == "sweep" and event.number == 2:
        raise Stopped


@pytest.fixture
def begun(tmp_path):
    """What a fit has left that ended in its second sweep."""
    path = tmp_path / "fit.kg"
    with pytest.raises(Stopped):
        lazily(LAZY, WEIGHTS, checkpoint=path, verbose=stop, **SQUARED)
    return path


def altered(path, **changes):
    """A checkpoint with other arrays or texts."""
    with np.load(path) as file:
        arrays = dict(file)
    text = json.loads(arrays["text"].tobytes())
    text.update({name: value for name, value in changes.items() if name in text})
    arrays.update(
        {name: change(arrays[name]) for name, change in changes.items() if name in arrays}
    )
    arrays["text"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
    other = path.with_name(f"{'-'.join(changes)}.kg")
    with other.open("wb") as file:
        np.savez(file, **arrays)
    return other


def one_too_many(labels):
    return np.where(np.arange(len(labels)) == 7, K, labels).astype(labels.dtype)


def test_a_fit_goes_on_where_another_has_ended(begun):
    for path, given, words in (
        (begun, {"tol": 1e-3}, "tol"),
        (begun, {"n_init": 1}, "another fit"),
        (begun, {"max_iter": 30}, "max_iter"),
        (altered(begun, version=3), {}, "version 3"),
        (altered(begun, labels=one_too_many), {}, "damaged"),
    ):
        with pytest.raises(DataError, match=words):
            lazily(LAZY, WEIGHTS, checkpoint=path, **SQUARED | given)
    with pytest.raises(DataError, match="another fit"):
        lazily(LAZY + 1, WEIGHTS, checkpoint=begun, **SQUARED)
    found = lazily(LAZY, WEIGHTS, checkpoint=begun, **SQUARED)
    assert_same(found, local(ROWS, WEIGHTS, **SQUARED))
