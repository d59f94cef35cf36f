"""Proofs over blocks of rows, against all pairs: no false proof, and the same for any blocks."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from helpers import each
from kgroups.certificate import block_heads, block_look, block_moves, block_proof, block_sums
from kgroups.certificate.block_moves import after_moves
from kgroups.certificate.block_proof import BlockProver
from kgroups.certificate.block_sums import compared, known_of
from kgroups.certificate.changes import Bracket
from kgroups.certificate.proof_search import Limits
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, Gaussian, Laplacian
from kgroups.solvers import block_draws, block_means
from kgroups.solvers.block_labels import BlockLabels, LabelsAt

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


def margins_of(case, labels):
    """√b d_l − √a d_own for each row and cluster, ∞ for the own one and rows that cannot leave."""
    own, others, _, can_leave = squares_of(case, labels)
    found = np.sqrt(np.maximum(others, 0)) - np.sqrt(np.maximum(own, 0))[:, None]
    found[np.arange(len(own)), labels] = np.inf
    found[~can_leave] = np.inf
    return found


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


@each("guard", [0.0, 0.01, 0.2])
@each("seed", [0, 1, 2, 4])
def test_rows_that_are_not_fetched_stay_by_the_guard(seed, guard):
    given = case(seed)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=guard)
    found = prover._look(look).found
    closed = np.setdiff1d(np.arange(len(given.X)), found.numbers)
    margin = np.sqrt(1 / look.form.unit) * margins_of(given, given.labels).min(axis=1)
    assert (margin[closed] >= guard * (1 - 1e-5) - 1e-5).all()
    fewer = prover._look(replace(look, guard=0.0)).found
    assert guard < 0.2 or len(found.numbers) > len(fewer.numbers)
    assert not np.setdiff1d(fewer.numbers, found.numbers).size


@each("seed", SEEDS)
def test_what_moves_change_is_bounded(seed):
    """Some fetched rows go elsewhere: the others lose no more than is said."""
    given = case(seed)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=0.3)
    looked = prover._look(look)
    found, rng = looked.found, np.random.default_rng(seed)
    known = known_of(prover.where, prover.labels, look, found)
    scene, _ = compared(look, found, known)
    some = np.unique(found.row[rng.integers(len(found.row), size=5)])
    labels = scene.labels.copy()
    labels[some] = found.cluster[np.searchsorted(found.row, some)]
    now = given.labels.copy()
    now[found.numbers] = labels
    assert (np.bincount(now[given.w > 0], minlength=given.k) > 0).all()
    after = after_moves(scene, known, labels, looked, Threads(1))
    stays = np.flatnonzero((now == given.labels) & (given.w > 0))
    before, later = (margins_of(given, of)[stays] for of in (given.labels, now))
    both = np.isfinite(before) & np.isfinite(later) & (before > 0) & (later > 0)
    unit = look.form.unit
    lost = (before[both] - later[both]).max() / np.sqrt(unit)
    assert 0 < lost <= after.lost + 1e-6
    assert after.lost < 100 * lost or given.is_weighted
    rho = given.metric.pairwise(given.X.astype(np.float64)) / unit
    for place, cluster in enumerate(after.clusters):
        w = given.w * (now == place)
        assert cluster.weight == pytest.approx(w.sum())
        assert after.count[place] == np.count_nonzero(w)
        total = w @ rho @ w
        assert cluster.total.least * (1 - 1e-6) <= total <= cluster.total.most * (1 + 1e-6)
        # The sums of open rows that stay are those with the members as they are now.
        here = after.known.cluster == place
        sums = rho[found.numbers[after.known.row[here]]] @ w
        assert (abs(after.known.sums[here] - sums) <= after.known.error[here] + 1e-6 * sums).all()
    assert set(after.moved) == set(some)
    assert set(after.known.row) == set(range(len(labels))) - set(some)


@each("most", [1 << 17, 20])
def test_sums_of_open_rows_are_those_of_all_pairs(most, monkeypatch):
    """In one pass, and in several."""
    monkeypatch.setattr(block_sums, "PAIRS_IN_A_PASS", most)
    given = case(1)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=0.3)
    found = prover._look(look).found
    known = known_of(prover.where, prover.labels, look, found)
    assert len(known.row) == len(found.numbers) + len(found.row) > 40
    rho = given.metric.pairwise(given.X.astype(np.float64)) / look.form.unit
    of_cluster = given.w[:, None] * (given.labels[:, None] == np.arange(given.k))
    expected = (rho @ of_cluster)[found.numbers[known.row], known.cluster]
    np.testing.assert_allclose(known.sums, expected, rtol=1e-6)
    assert (abs(known.sums - expected) <= known.error + 1e-12 * expected).all()


def test_many_moves_are_not_followed(monkeypatch):
    given = case(0)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=0.3)
    looked = prover._look(look)
    known = known_of(prover.where, prover.labels, look, looked.found)
    scene, _ = compared(look, looked.found, known)
    labels = scene.labels.copy()
    labels[looked.found.row[0]] = looked.found.cluster[0]
    monkeypatch.setattr(block_moves, "_MOST_MOVES", 0)
    assert after_moves(scene, known, labels, looked, Threads(1)) is None


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


def test_some_are_proved_and_some_rows_are_moved():
    """Otherwise the tests above would say nothing."""
    proofs = [case(seed).prover().run() for seed in (0, 1, 2)]
    assert any(proof.certificate.proved for proof in proofs)
    assert any(proof.n_moves > 0 for proof in proofs)


def test_a_wide_guard_saves_rounds(monkeypatch):
    def proofs(share):
        monkeypatch.setattr(block_proof, "_SHARE", share)
        return [case(seed).prover().run() for seed in (0, 3, 6, 9)]

    narrow, wide = proofs(0.0), proofs(30.0)
    assert all(proof.n_moves > 0 for proof in wide)
    assert all(proof.certificate.rounds > 1 for proof in narrow)
    assert sum(p.certificate.rounds for p in wide) < sum(p.certificate.rounds for p in narrow)
    assert any(proof.certificate.rounds == 1 for proof in wide)


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


def test_a_guard_that_many_rows_stay_by_less_than_is_given_up(monkeypatch):
    given = case(0)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=0.3)
    wide = prover._look(look)
    assert wide.guard == 0.3
    assert len(wide.found.numbers) > 3 * wide.found.is_open.sum() > 0
    monkeypatch.setattr(block_proof, "_FEW", 8)
    narrow = prover._look(look)
    assert narrow.guard == 0.0
    assert narrow.found.is_open.all()
    prover.rounds = block_proof._MOST_ROUNDS  # in which nothing moves
    monkeypatch.setattr(block_proof, "_FEW", 1 << 20)
    assert prover._look(look).guard == 0.0


def test_rows_that_stay_are_let_go_where_the_limit_is_near():
    given = case(0)
    prover = given.prover()
    look = replace(prover._looked_up(prover._form()), guard=0.3)
    looked = prover._look(look)
    few, all_pairs = looked.found.only_open(), look.rule.count
    assert prover._affordable(look, looked) == (looked.found, 0.3)
    needed = all_pairs[few.labels].sum() + all_pairs[few.cluster].sum()
    prover.limits = Limits(n_pairs=prover.n_pairs + int(needed))
    found, guard = prover._affordable(look, looked)
    assert (found.numbers.tolist(), guard) == (few.numbers.tolist(), 0.0)
    prover.limits = Limits(n_pairs=prover.n_pairs + int(needed) - 1)
    assert prover._affordable(look, looked) == (None, 0.0)


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


def test_labels_are_sent_whole_once(monkeypatch):
    monkeypatch.setattr(block_proof, "_SHARE", 30.0)
    calls = []
    whole = LabelsAt.whole
    monkeypatch.setattr(LabelsAt, "whole", lambda self: calls.append(self.number) or whole(self))
    prover = case(3).prover()
    assert prover.run().n_moves > 1
    assert sorted(calls) == list(range(len(prover.where.spans)))


def test_many_open_rows_are_counted_and_not_fetched(monkeypatch):
    given = case(0)
    all_of_them = given.prover().run().certificate.steps
    monkeypatch.setattr(block_proof, "_MOST_OPEN", 0)
    certificate = given.prover().run().certificate
    assert certificate.rounds == 1
    assert certificate.n_open == certificate.steps[-1].n_open
    assert certificate.steps[-1] == all_of_them[len(certificate.steps) - 1]


def test_bounds_that_are_too_narrow_give_false_proofs(monkeypatch):
    """So the tests above would notice them."""
    apart, clusters_of = block_heads.apart, block_proof.clusters_of

    def sure(*args):
        """Clusters whose sums seem to be known."""
        found = clusters_of(*args)
        return [replace(c, total=Bracket(c.total.middle, c.total.middle)) for c in found]

    monkeypatch.setattr(block_proof, "clusters_of", sure)
    monkeypatch.setattr(block_heads, "apart", lambda *args: (0.05 * apart(*args)[0], 1.0))
    wrong = 0
    for seed in SEEDS:
        given = case(seed)
        prover = given.prover()
        found = prover._look(prover._looked_up(prover._form())).found
        gain, within = gains_and_within(given, given.labels)
        closed = np.ones(len(given.X), bool)
        closed[found.numbers] = False
        wrong += bool((gain[closed] > rounding(given, within)).any())
    assert wrong > 0
