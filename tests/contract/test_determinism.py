"""The same seed gives the same bits: over threads, processes, blocks of rows and Dask workers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from kgroups import GraphKGroups, KernelKGroups, KernelKMeans, blocks, graphs, select, stats
from kgroups.semimetrics import Energy


def table(n=900, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(5, d))[rng.integers(5, size=n)]


def of_model(model):
    return [model.labels_.tolist(), float(model.within_dispersion_), float(model.objective_)]


def of_graph(model):
    return [model.labels_.tolist(), float(model.objective_)]


def answers(n_jobs):
    """Everything that draws numbers or adds up in threads, exactly."""
    X, few = table(), table(150, 2)
    A, _ = graphs.stochastic_block_model(700, 4, 14, 1.8, random_state=0)
    how = {"random_state": 0, "n_jobs": n_jobs}
    found = {
        method: of_model(KernelKGroups(5, method=method, n_init=3, **how).fit(X))
        for method in ("dense", "matrix_free", "certified", "nystroem")
    }
    found["squared"] = of_model(KernelKGroups(5, metric=Energy(2), n_init=3, **how).fit(X))
    found["float32"] = of_model(KernelKGroups(5, **how).fit(X.astype(np.float32)))
    found["many"] = of_model(KernelKGroups(4, n_init=2, **how).fit(table(2500, 17)))
    for algorithm in ("batch", "online"):
        model = KernelKMeans(5, algorithm=algorithm, n_init=3, **how).fit(X)
        found[algorithm] = of_model(model)
    found["spectral"] = of_model(KernelKGroups(4, init="spectral", **how).fit(few))
    for k in (4, "auto"):
        found[f"graph of {k}"] = of_graph(GraphKGroups(k, **how).fit(A))
    found["modularity"] = of_graph(GraphKGroups(objective="modularity", **how).fit(A))
    found["curved"] = of_graph(GraphKGroups(3, affinity="nearest_neighbors", **how).fit(few))
    count = select.choose_n_clusters(few, **how)
    found["count"] = [[c.n_clusters, *c.values.tolist()] for c in count.criteria]
    labels = KernelKGroups(3, **how).fit(few).labels_
    found["pairs"] = [p.pvalue for p in select.cluster_significance(few, labels, **how).pairs]
    found["stability"] = select.cluster_stability(
        few, labels, n_resamples=5, **how
    ).jaccard.tolist()
    test = stats.energy_test(few, labels=labels, n_permutations=49, **how)
    found["test"] = [test.statistic, *test.permuted.tolist()]
    found["disco"] = stats.disco(few, labels, n_permutations=49, **how).permuted.tolist()
    return json.loads(json.dumps(found))


def differing(found, first):
    return [name for name in first if str(found[name]) != str(first[name])]


@pytest.fixture(scope="module")
def first():
    """The answers with one thread."""
    return answers(1)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads(first, n_jobs):
    assert differing(answers(n_jobs), first) == []


def test_processes(first):
    """Another process, with another number of threads for everything."""
    env = {**os.environ, "OMP_NUM_THREADS": "3", "PYTHONHASHSEED": "3"}
    ran = subprocess.run(
        [sys.executable, __file__], env=env, check=True, capture_output=True, text=True
    )
    assert differing(json.loads(ran.stdout), first) == []


def one(seed):
    return KernelKGroups(5, random_state=seed, n_init=2).fit(table(300)).labels_.tolist()


def test_within_joblib():
    alone = [one(seed) for seed in range(3)]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(one)(seed) for seed in range(3)) == alone


def test_seeds_are_what_differs():
    X = table(400, 2)
    kinds = [KernelKGroups(9, random_state=s, n_init=1, init="random").fit(X) for s in (0, 0, 1)]
    starts = [model.start_histories_[0].tolist() for model in kinds]
    assert starts[0] == starts[1] != starts[2]
    generators = [np.random.RandomState(0), np.random.RandomState(0)]
    labels = [KernelKGroups(5, random_state=g).fit(X).labels_.tolist() for g in generators]
    assert labels[0] == labels[1]


# Rows in blocks and on workers

MANY = table(60_000, 3)
WEIGHTS = np.random.default_rng(1).integers(0, 3, 60_000).astype(float)
WAYS = {
    "squared": {"metric": Energy(2)},
    "sketch": {"method": "nystroem"},
    "proof": {"method": "certified", "n_init": 1},
}


def fitted(rows, way, kind=KernelKGroups, weights=None, **given):
    model = kind(6, random_state=0, **{"n_init": 2, **WAYS[way], **given})
    return model.fit(rows, sample_weight=weights)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The same rows in a file of NumPy, and in Parquet files of other pieces."""
    folder = tmp_path_factory.mktemp("rows")
    np.save(folder / "rows.npy", MANY)
    np.save(folder / "columns.npy", np.asfortranarray(MANY))
    frame = pd.DataFrame(MANY, columns=["a", "b", "c"])
    frame.to_parquet(folder / "even.parquet", row_group_size=7_000)
    (folder / "parts").mkdir()
    for i, (start, stop) in enumerate([(0, 11), (11, 50_000), (50_000, 60_000)]):
        frame[start:stop].to_parquet(folder / "parts" / f"{i}.parquet", row_group_size=3_001)
    return {
        "array": blocks.from_array(MANY),
        "npy": blocks.from_npy(folder / "rows.npy"),
        "npy by columns": blocks.from_npy(folder / "columns.npy"),
        "parquet": blocks.from_parquet(folder / "even.parquet"),
        "parts": blocks.from_parquet(folder / "parts"),
    }


def test_sources_read_their_rows(sources):
    for name, source in sources.items():
        assert (source.n_rows, source.n_columns, source.dtype) == (60_000, 3, np.float64), name
        for start, stop in ((0, 1), (5, 50_010), (59_990, 60_000)):
            np.testing.assert_array_equal(source.read(start, stop), MANY[start:stop], name)
        some = np.array([59_999, 3, 3, 20_000])
        np.testing.assert_array_equal(source.take(some), MANY[some], name)
        pieces = list(source.blocks())
        assert [start for start, _ in pieces] == np.cumsum(
            [0, *(len(rows) for _, rows in pieces[:-1])]
        ).tolist()
        np.testing.assert_array_equal(np.concatenate([rows for _, rows in pieces]), MANY)


@pytest.mark.parametrize("way", WAYS)
def test_blocks_of_rows(way, sources):
    """Whatever the pieces: those of 60,000 rows that are not held, because they may not be."""
    weights = WEIGHTS if way != "proof" else None
    small = {"memory_limit": "60 MB"} if way == "proof" else {}
    first = fitted(sources["array"], way, weights=weights, **small)
    where = [name for name in sources if name != "array"]
    for name in where if way != "proof" else where[-1:]:
        found = fitted(sources[name], way, weights=weights, **small)
        assert of_model(found) == of_model(first), name
        assert found.method_reason_ == first.method_reason_
        assert (found.predict(sources[name]) == first.predict(MANY)).all()
    if way == "squared":
        w, labels = WEIGHTS, first.labels_
        means = [np.average(MANY[labels == j], axis=0, weights=w[labels == j]) for j in range(6)]
        np.testing.assert_allclose(first.cluster_centers_, means, 1e-11)
        inertia = w @ ((MANY - np.array(means)[labels]) ** 2).sum(axis=1)
        assert first.inertia_ == pytest.approx(inertia, rel=1e-11)
        moved = fitted(blocks.from_array(1024.0 * (MANY + 8.0)), way, weights=weights)
        assert (moved.labels_ == labels).all()
        assert moved.inertia_ == pytest.approx(2.0**20 * inertia, rel=1e-11)
        S = w.sum() * (np.average(MANY**2, axis=0, weights=w)).sum() - inertia
        S -= w.sum() * (np.average(MANY, axis=0, weights=w) ** 2).sum()
        assert moved.between_statistic_ == pytest.approx(2.0**20 * S, rel=1e-9)
        local = fitted(MANY, way, weights=weights)
        assert (local.labels_ == first.labels_).all()
    if way == "proof":
        labels, certificate = first.labels_, first.certificate_
        assert certificate.n_open < 60
        assert certificate.largest_gain <= 0.01
        low, high = first.within_dispersion_interval_
        W = stats.within_dispersion(MANY, labels)
        assert low <= W <= high <= 1.001 * low
        some = np.random.default_rng(0).choice(60_000, 200, replace=False)
        sums = cdist(MANY[some], MANY) @ np.eye(6)[labels]
        s, parts = np.bincount(labels), first.cluster_dispersions_
        squared = sums / s - parts / s
        own = squared[np.arange(200), labels[some]] * (s / (s - 1))[labels[some]]
        enter = squared * s / (s + 1)
        enter[np.arange(200), labels[some]] = np.inf
        assert (own - enter.min(axis=1)).max() <= 0.01
    few = fitted(blocks.from_array(MANY[:800]), way)
    assert of_model(few) == of_model(fitted(MANY[:800], way))


def test_workers_and_chunks():
    """Rows that no worker may hold alone are fitted where they are, as on one machine."""
    da = pytest.importorskip("dask.array")
    pytest.importorskip("distributed")
    from kgroups.dask import KernelKGroups as OnCluster
    from kgroups.dask import KernelKMeans as MeansOnCluster
    from quiet_workers import client_of

    limit = {"memory_limit": "8 MB"}
    local = {way: fitted(MANY, way, weights=WEIGHTS) for way in ("squared", "sketch")}
    lloyd = fitted(MANY, "squared", KernelKMeans)
    for n_workers, chunks, ways in (
        (2, (20_000, 20_000, 20_000), ["squared"]),
        (3, (1, 44_999, 15_000), ["sketch"]),
    ):
        with client_of(n_workers):
            X = da.from_array(MANY, chunks=(chunks, (3,)))
            w = da.from_array(WEIGHTS, chunks=(chunks,))
            for way in ways:
                first = local[way]
                found = fitted(X, way, OnCluster, w, **limit)
                assert (found.labels_.compute() == first.labels_).all(), way
                assert found.labels_.chunks == (chunks,)
                assert found.within_dispersion_ == first.within_dispersion_, way
                ordinary = found.to_local()
                assert (ordinary.predict(MANY[:500]) == first.predict(MANY[:500])).all()
                new = X[:30_000] + 0.5
                assert (found.predict(new).compute() == first.predict(MANY[:30_000] + 0.5)).all()
            if n_workers == 2:
                found = fitted(X, "squared", MeansOnCluster)
                assert (found.labels_.compute() == lloyd.labels_).all()
            small = fitted(X[:900], "sketch", OnCluster)
            assert (small.labels_.compute() == fitted(MANY[:900], "sketch").labels_).all()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    print(json.dumps(answers(2)))
