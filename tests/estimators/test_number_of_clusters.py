"""As many clusters as asked for or as the rows suggest; rows without weight have no say in them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.blocks import from_array
from kgroups.exceptions import TheoryWarning
from kgroups.metrics import same_partition
from kgroups.select import ClusterCount
from kgroups.semimetrics import DampedSquared, Energy

FORMS = [(KernelKGroups, {}), (KernelKMeans, {}), (KernelKMeans, {"algorithm": "online"})]


def into_two(X, k, random_state):
    """Fewer clusters than asked for."""
    return random_state.randint(0, 2, size=len(X))


def fitted(cls, settings, X, w, k, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Stopped because labels returned")
        return cls(k, random_state=0, **settings, **params).fit(X, sample_weight=w)


@each("seed", range(2))
@each("init", ["auto", "spectral", "labels", into_two, "zeros"])
@each(("cls", "settings"), FORMS)
def test_an_indefinite_kernel_with_rows_of_weight_zero(cls, settings, init, seed):
    rng = np.random.default_rng(seed)
    n, k = 30, (3, 7, 14)[seed % 3]
    A = rng.normal(size=(n, n))
    A = A + A.T - np.diag(rng.uniform(0, 20, n))
    w = np.where(np.arange(n) % 2, rng.uniform(0.5, 2, n), 0.0)
    given = {"labels": rng.integers(k, size=n), "zeros": np.zeros(n, int)}
    start = given.get(init, init) if isinstance(init, str) else init
    model = fitted(cls, settings, A, w, k, metric="precomputed_kernel", init=start)
    assert set(model.labels_[w > 0]) == set(range(k))
    assert (model.cluster_weights_ > 0).all()


@each("method", ["dense", "matrix_free", "nystroem"])
@each("init", ["auto", "euclidean-k-means++", "spectral", into_two])
@each(("cls", "settings"), FORMS)
def test_as_many_clusters_as_distinct_rows_with_weight(cls, settings, init, method):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))[rng.permutation(np.repeat(np.arange(12), 3))]
    w = 10.0 ** rng.uniform(-3, 3, 36)
    w[rng.random(36) < 0.3] = 0.0
    k = len(np.unique(X[w > 0], axis=0))
    model = fitted(cls, settings, X, w, k, init=init, method=method)
    assert set(model.labels_[w > 0]) == set(range(k))


@each("method", ["matrix_free", "nystroem"])
@each(("cls", "settings"), FORMS)
def test_one_row_without_weight_leaves_the_sample_whole(cls, settings, method):
    """The starts compete on all other rows; drawn with replacement these are about two thirds."""
    X, w = np.random.default_rng(0).normal(size=(26, 2)), np.ones(26)
    w[25] = 0.0
    seen = []
    for seed in range(8):
        params = {"method": method, "random_state": seed, "verbose": seen.append}
        with_it = cls(20, **settings, **params).fit(X, sample_weight=w)
        without = cls(20, **settings, **params).fit(X[:25])
        assert same_partition(with_it.labels_[:25], without.labels_)
        assert with_it.within_dispersion_ == pytest.approx(without.within_dispersion_, rel=1e-12)
    assert all("on a sketch of 25 rows" in e.note for e in seen if e.phase == "start")


# --- a number that is chosen -----------------------------------------------------------------


def blobs(n=150, dtype=float):
    """Three round clusters, ten standard deviations apart."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    X += np.array([(0, 0), (10, 0), (0, 10)])[np.arange(n) % 3]
    return X.astype(dtype)


def noise(n=90):
    return np.random.default_rng(3).normal(size=(n, 2))


def auto(cls=KernelKGroups, **params):
    return cls("auto", random_state=0, **params)


@each("cls", [KernelKGroups, KernelKMeans])
def test_three_clusters_and_none(cls):
    X = blobs()
    model = auto(cls).fit(X)
    assert model.n_clusters_ == 3
    assert same_partition(model.labels_, np.arange(150) % 3)
    assert model.cluster_count_.interval == (3, 3)
    assert auto(cls).fit(noise()).n_clusters_ == 1
    assert set(auto(cls).fit_predict(noise())) == {0}


def test_the_parameter_stays_and_a_later_fit_forgets():
    model = auto().fit(blobs())
    assert model.n_clusters == model.get_params()["n_clusters"] == clone(model).n_clusters == "auto"
    again = pickle.loads(pickle.dumps(model))
    assert (again.n_clusters_, str(again.cluster_count_)) == (3, str(model.cluster_count_))
    model.set_params(n_clusters=2).fit(blobs())
    assert (model.n_clusters_, model.cluster_count_) == (2, None)
    assert isinstance(model.set_params(n_clusters="auto").fit(noise()).cluster_count_, ClusterCount)


def test_a_fit_that_fails_leaves_the_choice_as_it_was(monkeypatch):
    model = auto().fit(blobs())
    before = model.cluster_count_
    monkeypatch.setattr(model, "_keep", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.fit(noise())
    assert (model.n_clusters_, model.cluster_count_, model.n_clusters) == (3, before, "auto")


def letters(a, b):
    return float(sum(p != q for p, q in zip(a, b, strict=True)))


def words(n=30):
    """Two words of twelve letters with two errors each."""
    rng, made = np.random.default_rng(0), []
    for number in range(2 * n):
        letters = list("aaaaaaaaaaaa" if number < n else "zzzzzzzzzzzz")
        for place in rng.choice(12, 2, replace=False):
            letters[place] = "bcdefgh"[rng.integers(7)]
        made.append("".join(letters))
    return made


def test_matrices_words_and_frames():
    X = blobs(90)
    by_matrix = auto(metric="precomputed").fit(Energy().pairwise(X))
    assert by_matrix.n_clusters_ == 3
    assert same_partition(by_matrix.labels_, auto().fit(X).labels_)
    assert auto(metric="precomputed_kernel").fit(X @ X.T).n_clusters_ == 3
    found = auto(metric=letters).fit(words())
    assert found.n_clusters_ == 2
    assert same_partition(found.labels_, np.repeat([0, 1], 30))
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "town": np.array(["a", "b", "c"] * 30)})
    assert auto(metric="mixed").fit(frame).n_clusters_ == 3
    sparse = csr_array(X[:60] + 20)
    assert auto(metric="manhattan").fit(sparse).n_clusters_ == 3


def test_few_and_equal_rows_are_one_cluster():
    for X in ([[1.0]], [[1.0], [2.0]], [[3.0]] * 40):
        model = auto().fit(X)
        assert (model.n_clusters_, model.cluster_count_.interval) == (1, (1, 1))


def test_weights_that_differ_are_named_once():
    X, w = blobs(), np.tile([1.0, 2.0], 75)
    with pytest.warns(UserWarning, match=r"counts all rows alike, .* take no weights") as warned:
        model = auto().fit(X, sample_weight=w)
    assert [warning.filename for warning in warned] == [__file__]
    assert model.cluster_weights_.sum() == w.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auto().fit(X, sample_weight=np.full(150, 2.5))
        KernelKGroups(3, random_state=0).fit(X, sample_weight=w)


def test_what_the_fit_says_of_the_rows_is_not_repeated():
    with pytest.warns(TheoryWarning) as warned:
        auto(metric=DampedSquared()).fit(blobs(60))
    assert len(warned) == 1


@each("init", [[0, 1, 2] * 50, np.zeros(150, int)])
def test_labels_to_start_from_give_the_number(init):
    with pytest.raises(ValueError, match=r"write n_clusters=len\(np\.unique\(init\)\)\.$"):
        auto(init=init).fit(blobs())
    model = KernelKGroups(len(np.unique(init)), init=init, random_state=0).fit(blobs())
    assert model.n_clusters_ == len(np.unique(init))


def test_rows_that_are_read_block_by_block():
    X = blobs(51_000, np.float32)
    found = auto(method="nystroem", n_init=1).fit(from_array(X))
    assert (found.n_clusters_, found.n_clusters) == (3, "auto")
    assert (found.cluster_count_.n_samples, found.cluster_count_.n_given) == (2000, 51_000)
    assert same_partition(found.labels_, np.arange(51_000) % 3)
    found.set_params(n_clusters=2).fit(from_array(X))
    assert (found.n_clusters_, found.cluster_count_) == (2, None)
