"""Proofs over blocks of rows, against all pairs: no false proof, and the same for any blocks."""

from typing import NamedTuple

import numpy as np
import pytest

from helpers import each
from kgroups.certificate import block_heads, block_look, block_proof, block_sums
from kgroups.certificate.block_proof import BlockProver
from kgroups.certificate.proof_search import Limits
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, Gaussian, Laplacian
from kgroups.solvers import block_draws, block_means
from kgroups.solvers.block_labels import BlockLabels

METRICS = [Energy(), Energy(1.5), Energy(0.5), Gaussian(1.5), Laplacian(2.0)]
CHUNK = 128
SEEDS = range(12)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    for module in (block_heads, block_look, block_sums, block_means, block_draws):
        monkeypatch.setattr(module, "CHUNK", CHUNK)
    monkeypatch.setattr(block_heads, "_MOST", 128)
    monkeypatch.setattr(block_proof, "_FEW", 1 << 20)  # any number of rows for the guard


class Case(NamedTuple):
    X: np.ndarray
    w: np.ndarray
    labels: np.ndarray
    k: int
    metric: object
    seed: int

    @property
    def is_weighted(self):
        return bool((self.w != 1).any())

    def prover(self, size=2 * CHUNK, **changes):
        n = len(self.X)
        weights = self.w if self.is_weighted else None
        where = LocalBlocks(RowsInMemory(self.X), n, size, Threads(2), weights=weights)
        labels = BlockLabels.of(where, self.labels, self.k)
        alive = [int((self.w[a:b] > 0).sum()) for a, b in where.spans]
        settings = {"n_landmarks": 40, "tol": 1e-12, "seed": self.seed, "executor": Threads(2)}
        return BlockProver(where, self.metric, labels, self.k, alive, **{**settings, **changes})


def case(seed):
    """Labels of the nearest true center, some of them wrong."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(400, 900)), int(rng.choice([1, 2, 5, 16, 40])), 2 + seed % 5
    centers = rng.choice([0.5, 1.5, 4.0]) * rng.normal(size=(k, d))
    truth = rng.integers(k, size=n)
    X = centers[truth] + rng.normal(size=(n, d))
    near = ((X[:, None] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
    labels = np.concatenate([np.arange(k), near[k:]])
    if seed % 3 == 0:
        labels[rng.integers(n, size=4)] = rng.integers(k, size=4)
    if seed % 4 == 1:
        X = np.exp(0.5 * X)
    w = rng.uniform(0.2, 3, n) * (rng.random(n) < 0.9) if seed % 2 else np.ones(n)
    w[:k] = 1.0
    X = X.astype(np.float32 if seed % 3 else np.float64)
    return Case(X, w, labels, k, METRICS[seed % 5], seed)


def squares_of(case, labels):
    """a d² to the own centroid, b d² to all, W, and whether a row can leave, from all pairs."""
    n, w = len(case.X), case.w
    rho = case.metric.pairwise(case.X.astype(np.float64))
    M = np.zeros((n, case.k))
    M[np.arange(n), labels] = w
    s, R = M.sum(axis=0), rho @ M
    T = (M * R).sum(axis=0)
    d = R / s - T / (2 * s * s)
    own, of_own = d[np.arange(n), labels], s[labels]
    count = np.bincount(labels[w > 0], minlength=case.k)
    can_leave = (count[labels] > 1) & (w > 0)
    a = of_own / np.where(can_leave, of_own - w, 1.0)
    return a * own, s / (s + w[:, None]) * d, float((T / (2 * s)).sum()), can_leave


def gains_and_within(case, labels):
    """The largest gain of a move of each row [FRV eq. 50], and W, from all pairs."""
    own, others, within, can_leave = squares_of(case, labels)
    gain = case.w[:, None] * (own[:, None] - others)
    gain[np.arange(len(own)), labels] = -np.inf
    gain[~can_leave] = -np.inf
    return gain.max(axis=1), within


def rounding(case, within):
    return (1e-5 if case.X.dtype == np.float32 else 1e-9) * within / len(case.X)


@each("seed", SEEDS)
def test_rows_that_are_not_open_gain_nothing_and_w_lies_in_its_interval(seed):
    given = case(seed)
    prover = given.prover()
    look = prover._looked_up(prover._form())
    looked = prover._look(look)
    gain, within = gains_and_within(given, given.labels)
    closed = np.ones(len(given.X), bool)
    closed[looked.found.numbers] = False
    assert len(looked.found.numbers) >= looked.steps[-1].n_open
    assert not (gain[closed] > rounding(given, within)).any()
    total = [c.total.times(0.5 / c.weight) for c in look.clusters]
    least, most = (
        look.form.unit * sum(getattr(t, name) for t in total) for name in ("least", "most")
    )
    assert least * (1 - 1e-6) <= within <= most * (1 + 1e-6)


@each("share", [0.25, 30.0])
@each("seed", SEEDS)
def test_what_is_said_to_be_proved_is_true_and_moves_lower_w(seed, share, monkeypatch):
    monkeypatch.setattr(block_proof, "_SHARE", share)
    given = case(seed)
    prover = given.prover()
    proof = prover.run()
    labels = prover.labels.values.astype(np.int64)
    gain, within = gains_and_within(given, labels)
    before = gains_and_within(given, given.labels)[1]
    loose = rounding(given, within)
    certificate = proof.certificate
    assert certificate.proved == (certificate.n_open == 0)
    assert (gain > loose).sum() <= certificate.n_open
    assert gain.max() <= certificate.largest_gain + loose
    assert within <= before * (1 + 1e-7)
    assert (proof.n_moves > 0) == bool((labels != given.labels).any())
    assert proof.within.least * (1 - 1e-6) <= within <= proof.within.most * (1 + 1e-6)
    assert proof.by_cluster.sum() == pytest.approx(proof.within.middle)


@each("seed", [2, 3, 4])
def test_blocks_of_any_size_give_the_same_bits(seed):
    given = case(seed)
    found = []
    for size in (CHUNK, 2 * CHUNK, 8 * CHUNK):
        prover = given.prover(size)
        proof = prover.run()
        told = {**proof.certificate.to_dict(), "seconds": None}
        found.append((told, proof.within, proof.n_moves, prover.labels.values.tolist()))
    assert found[0] == found[1] == found[2]


def test_beyond_its_limits_a_proof_says_what_is_open():
    given = case(0)
    proof = given.prover(limits=Limits(n_pairs=0)).run()
    assert not proof.certificate.proved
    assert proof.n_moves == 0
    assert proof.certificate.largest_gain == np.inf
    late = given.prover(limits=Limits(deadline=-np.inf)).run()
    assert not late.certificate.is_repeatable


@each("seed", [0, 3, 6])
def test_after_many_steps_of_moves_all_rows_are_looked_at(seed, monkeypatch):
    monkeypatch.setattr(block_proof, "_SHARE", 30.0)
    monkeypatch.setattr(block_proof, "_MOST_TIMES", 1)
    given = case(seed)
    prover = given.prover()
    proof = prover.run()
    gain, within = gains_and_within(given, prover.labels.values.astype(np.int64))
    assert proof.n_moves > 0
    assert proof.certificate.rounds > 1
    assert (gain > rounding(given, within)).sum() <= proof.certificate.n_open


def test_when_it_is_late_nothing_moves_any_more(monkeypatch):
    given = case(0)
    prover = given.prover()
    answers = iter([False])  # when sums are asked for
    monkeypatch.setattr(Limits, "is_late", lambda self: next(answers, True))
    proof = prover.run()
    assert (proof.n_moves, proof.certificate.rounds) == (0, 1)
    gain, within = gains_and_within(given, given.labels)
    assert 0 < (gain > rounding(given, within)).sum() <= proof.certificate.n_open
    assert proof.certificate.largest_gain >= gain.max() - rounding(given, within)
