"""Fits of sources of rows: the answers for the array in memory, gathered or block by block."""

import os
import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.spatial.distance import cdist

from helpers import assert_same_fit, each, set_everywhere
from kgroups import KernelKGroups
from kgroups.answers.membership import MOST_ROWS
from kgroups.blocks import from_array, from_npy, from_parquet
from kgroups.exceptions import DataError
from kgroups.fit import block_fit
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.semimetrics import Energy
from kgroups.sketch import block_sketch, block_squared

KINDS = ["array", "npy", "parquet"]
SQUARED = Energy(2)


@pytest.fixture
def few_are_many(monkeypatch):
    """Fits of a few hundred rows are carried out as those of more than 50,000."""
    set_everywhere(monkeypatch, CHUNK=64, STARTS_ON_ALL=0)
    for name in ("kgroups.fit.block_fit", "kgroups.estimators.block_fitting"):
        monkeypatch.setattr(sys.modules[name], "block_size", lambda n: 128)


def table(n=700, d=3, dtype=float, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(5, d))[rng.integers(5, size=n)]
    return X.astype(dtype)


def weights_of(n=700):
    w = np.random.default_rng(1).uniform(0.5, 2, size=n)
    w[::9] = 0
    return w


def source_of(kind, X, folder):
    """A source of the rows of an array."""
    if kind == "array":
        return from_array(X)
    if kind == "npy":
        np.save(folder / "X.npy", X)
        return from_npy(folder / "X.npy")
    for number, part in enumerate(np.array_split(X, 3)):
        columns = {f"c{j}": part[:, j] for j in range(X.shape[1])}
        path = folder / f"part-{number}.parquet"
        parquet.write_table(pa.table(columns), path, row_group_size=100)
    return from_parquet(folder)


def model_of(**settings):
    return KernelKGroups(5, random_state=0, n_init=2, **settings)


@pytest.fixture
def streams(monkeypatch):
    """How many fits went block by block from a source."""
    seen, plain = [], block_fit.BlockFit.run

    def run(self):
        seen.append(self.where)
        return plain(self)

    monkeypatch.setattr(block_fit.BlockFit, "run", run)
    return seen


# --- equal answers --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@each("settings", [{}, {"method": "nystroem"}, {"metric": SQUARED}])
def test_few_rows_are_gathered(tmp_path, streams, kind, settings):
    X, w = table(), weights_of()
    source = source_of(kind, X, tmp_path)
    for weights in (None, w):
        found = model_of(**settings).fit(source, sample_weight=weights)
        assert_same_fit(found, model_of(**settings).fit(X, sample_weight=weights))
    assert streams == []


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("kind", KINDS)
@each("dtype", [np.float32, np.float64])
@each("settings", [{"method": "nystroem"}, {"metric": SQUARED}])
def test_many_rows_are_read_block_by_block(tmp_path, streams, kind, dtype, settings):
    streams.clear()
    X, w = table(dtype=dtype), weights_of()
    source = source_of(kind, X, tmp_path)
    for weights in (None, w):
        found = model_of(**settings).fit(source, sample_weight=weights)
        assert_same_fit(found, model_of(**settings).fit(X, sample_weight=weights))
        assert found.labels_.dtype == np.int32
        assert found.method_ == ("nystroem" if "method" in settings else "matrix_free")
    assert [isinstance(where, LocalBlocks) for where in streams] == [True, True]


@pytest.mark.usefixtures("few_are_many")
def test_what_fits_the_memory_is_gathered_and_what_does_not_is_proved(tmp_path, streams):
    X = table(n=3000)
    source = source_of("npy", X, tmp_path)
    assert_same_fit(model_of().fit(source), model_of().fit(X))
    assert streams == []
    found = model_of(memory_limit=150_000).fit(source)  # the rows take 72 KB
    assert found.method_ == "certified"
    assert found.exactness_.startswith("one-move optimal")
    least, most = found.within_dispersion_interval_
    rho = cdist(X, X)
    own = [np.flatnonzero(found.labels_ == c) for c in range(5)]
    assert least <= sum(rho[np.ix_(i, i)].sum() / (2 * len(i)) for i in own) <= most
    assert "rows of 70.3 KiB are read block by block" in found.method_reason_
    assert len(streams) == 1


@pytest.mark.usefixtures("few_are_many")
def test_all_pairs_that_do_not_fit_are_refused_if_they_were_asked_for(tmp_path):
    source = source_of("npy", table(n=3000), tmp_path)
    for method in ("matrix_free", "dense"):
        with pytest.raises(MemoryError):
            model_of(method=method, memory_limit=100_000).fit(source)


def test_sums_over_columns_are_compared_by_their_own_metric():
    """From 20,000 rows on sorted columns serve rows in memory, and a proof those in blocks."""
    X = table(n=51_000, d=2)
    settings = {"metric": "manhattan", "random_state": 0}
    found = KernelKGroups(4, memory_limit=4_000_000, **settings).fit(from_array(X))
    exact = KernelKGroups(4, **settings).fit(X)
    assert (found.method_, exact.method_) == ("certified", "matrix_free")
    assert found.within_dispersion_ == pytest.approx(exact.within_dispersion_, rel=0.01)
    least, most = found.within_dispersion_interval_
    assert least < exact.within_dispersion_ * 1.001
    assert most > exact.within_dispersion_ * 0.999


@pytest.mark.usefixtures("few_are_many")
@each("settings", [{"method": "nystroem"}, {"metric": SQUARED}])
def test_threads_change_no_bit(tmp_path, settings):
    source = source_of("parquet", table(), tmp_path)
    w = weights_of()
    one, *others = (model_of(n_jobs=n, **settings).fit(source, None, w) for n in (1, 2, 3))
    for other in others:
        assert_same_fit(other, one)


@pytest.mark.usefixtures("few_are_many")
@each("settings", [{"method": "nystroem", "n_components": 30}, {"metric": SQUARED}])
def test_a_place_that_the_sample_misses_is_a_cluster(monkeypatch, settings):
    """Three of 403 rows, when starts see 20."""
    for module, name in ((block_squared, "size_of_sample"), (block_sketch, "sample_size")):
        monkeypatch.setattr(module, name, lambda n, k: 20)
    n_rows = [200, 100, 100, 3]
    X = np.repeat([[0.0], [5.0], [9.0], [9.001]], n_rows, axis=0)
    model = KernelKGroups(4, random_state=0, n_init=1, **settings).fit(from_array(X))
    assert model.labels_.tolist() == np.repeat(range(4), n_rows).tolist(), "equal ones in order"


# --- new rows -------------------------------------------------------------------------------------


@each("kind", KINDS)
@pytest.mark.parametrize("many", [False, True])
@each("settings", [{"method": "nystroem"}, {"metric": SQUARED}])
def test_new_rows_of_a_source(request, tmp_path, kind, many, settings):
    if many:
        request.getfixturevalue("few_are_many")
    X, new = table(), table(seed=4)
    model = model_of(**settings).fit(X)
    source = source_of(kind, new, tmp_path)
    assert model.predict(source).tolist() == model.predict(new).tolist()
    assert model.transform(source).tolist() == model.transform(new).tolist()
    streamed = model_of(**settings).fit(from_array(X))
    assert streamed.predict(source).tolist() == model.predict(new).tolist()
    assert streamed.predict(X).tolist() == streamed.labels_.tolist() == model.labels_.tolist()


@pytest.mark.usefixtures("few_are_many")
@each("settings", [{"method": "nystroem"}, {"metric": SQUARED}])
def test_a_fitted_model_holds_no_rows(settings):
    X = table(n=5000)
    model = model_of(**settings).fit(from_array(X))
    sample = model._kept
    proba = model.predict_proba(from_array(X))
    assert proba.tolist() == model.predict_proba(X).tolist()
    assert proba.argmax(axis=1).tolist() == model.labels_.tolist()
    with pytest.raises(TypeError, match="describe takes a table in memory"):
        model.describe(from_array(X))
    assert len(sample.rows) == MOST_ROWS  # of 5,000, for questions about clusters
    of_sample = sum(part.nbytes for part in vars(sample).values())
    assert len(pickle.dumps(model)) - model.labels_.nbytes - of_sample < 120_000
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()


# --- columns --------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [False, True])
def test_names_of_columns_are_kept(request, tmp_path, many):
    if many:
        request.getfixturevalue("few_are_many")
    X = table()
    model = model_of(method="nystroem").fit(source_of("parquet", X, tmp_path))
    assert model.feature_names_in_.tolist() == ["c0", "c1", "c2"]
    assert model.n_features_in_ == 3
    frame = pd.DataFrame(X, columns=["c0", "c1", "c2"])
    assert model.predict(frame).tolist() == model.labels_.tolist()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"c0": "other"}))
    model.fit(from_array(X))
    assert not hasattr(model, "feature_names_in_")


# --- what is wrong with a source ------------------------------------------------------------------


def with_nan(row=450):
    X = table()
    X[row, 1] = np.nan
    return X


@pytest.mark.parametrize("kind", ["npy", "parquet"])
@pytest.mark.parametrize("many", [False, True])
def test_a_file_that_was_changed_is_noticed(request, tmp_path, kind, many):
    if many:
        request.getfixturevalue("few_are_many")
    source = source_of(kind, table(), tmp_path)
    path = next(iter(tmp_path.iterdir()))
    os.utime(path, ns=(1, 1))
    with pytest.raises(DataError, match="was changed since its source of rows was made"):
        model_of(method="nystroem").fit(source)
    path.unlink()
    with pytest.raises(DataError, match="is gone since its source of rows was made"):
        model_of(method="nystroem").fit(source)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_a_file_that_changes_during_a_fit_is_noticed(tmp_path, kind):
    source = source_of(kind, table(), tmp_path)

    def change(event):
        if event.phase == "sweep":
            for path in tmp_path.iterdir():
                os.utime(path, ns=(1, 1))

    model = model_of(method="nystroem", verbose=change)
    with pytest.raises(DataError, match="was changed since its source of rows was made"):
        model.fit(source)
    assert not hasattr(model, "labels_")


@pytest.mark.usefixtures("few_are_many")
def test_a_fit_that_fails_leaves_the_model_as_it_was(tmp_path):
    model = model_of(method="nystroem").fit(from_array(table()))
    before = model.labels_.tolist()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(source_of("parquet", with_nan(), tmp_path))
    assert model.labels_.tolist() == before
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.usefixtures("few_are_many")
def test_rows_that_fit_are_gathered_for_a_metric_that_looks_at_all_of_them():
    X = table()
    X[5, 1] = np.nan
    found = model_of(metric="mixed").fit(from_array(X))
    assert found.labels_.tolist() == model_of(metric="mixed").fit(X).labels_.tolist()
