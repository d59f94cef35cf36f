"""One fit: the operator of its plan, the numbers of its answer, and how clusters are numbered."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.fit.fit import EXACTNESS, Fit
from kgroups.fit.plan import Plan
from kgroups.fit.starts_at_best import same_objective, starts_at_best
from kgroups.input.spaces import DistanceSpace, KernelSpace, PointSpace
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Lloyd, Status
from kgroups.solvers import objective as spec
from kgroups.solvers.starts import Starts, checked_init

X = np.array([[0.0], [1.0], [10.0], [12.0], [13.0]])
FEW_LEFT = [1, 1, 0, 0, 0]


def fit(data=X, k=2, *, space=None, init="auto", n_init=4, weights=None, plan=None, **changes):
    n = len(data)
    settings = {
        "space": space or PointSpace(Energy()),
        "data": data,
        "weights": np.ones(n) if weights is None else np.asarray(weights, float),
        "weight_unit": 1.0,
        "k": k,
        "plan": plan or Plan(method="dense", reason="by hand", n_components=20),
        "starts": Starts.asked(checked_init(init, n, k), n_init, 1, data, 0),
        "solver": Hartigan(),
        "improver": None,
        "executor": Threads(1),
    }
    return Fit(**{**settings, **changes})


@pytest.fixture
def blobs():
    """Three groups of 40, 20 and 10 points of the plane, far apart; weights of any size."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [40, 20, 10])
    points = 30.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth] + rng.normal(size=(70, 2))
    order = rng.permutation(70)
    return points[order], truth[order], rng.uniform(0.5, 1.5, 70)


def test_five_points_by_hand():
    """{0,1} has W = ½ and {10,12,13} has (2 + 3 + 1) / 3 = 2; all have Σ ρ / 5 = 68 / 5."""
    answer = fit().run()
    pairs = cdist(X, X)[np.triu_indices(5, 1)]
    assert answer.within == pytest.approx(2.5)
    assert answer.between == answer.objective == pytest.approx(pairs.sum() / 5 - 2.5)
    assert answer.partition.labels.tolist() == FEW_LEFT
    assert answer.cluster_weights.tolist() == [3.0, 2.0]
    np.testing.assert_allclose(answer.cluster_dispersions, [2.0, 0.5])
    assert answer.history[-1] == pytest.approx(answer.objective)
    assert answer.exactness == "one-move optimal"
    assert answer.sketch_error is None


@each("unit", [1.0, 8.0])
def test_weights_in_a_unit_count_in_full(unit):
    """Weights 2 and 3 in units of 8 are 16 and 24; W grows with them."""
    one = fit(weights=[2, 1, 1, 3, 1]).run()
    other = fit(weights=[2, 1, 1, 3, 1], weight_unit=unit).run()
    for name in ("objective", "within", "between", "cluster_weights", "history"):
        np.testing.assert_allclose(getattr(other, name), unit * np.array(getattr(one, name)))
    np.testing.assert_allclose(other.start_histories[0], unit * one.start_histories[0])


def test_the_objective_of_a_kernel_counts_its_origin(blobs):
    """Q itself, wherever the origin lies, and histories on the same scale."""
    points, _, w = blobs
    K = points @ points.T + 7.0
    answer = fit(K, 3, space=KernelSpace(), weights=w).run()
    labels = answer.partition.labels
    Q = spec.objective(K, labels, w, 3)
    assert answer.objective == pytest.approx(Q)
    assert answer.history[-1] == pytest.approx(Q)
    assert max(h[-1] for h in answer.start_histories) == pytest.approx(Q)
    assert answer.within == pytest.approx(w @ np.diag(K) - Q)
    assert answer.between == pytest.approx(Q - w @ K @ w / w.sum())


def test_clusters_are_numbered_by_weight_unless_labels_are_given():
    assert fit(init=[0, 0, 1, 1, 1], n_init=1).run().partition.labels.tolist() == [0, 0, 1, 1, 1]
    by_function = fit(init=lambda X, k, rng: [0, 0, 1, 1, 1], n_init=1).run()
    assert by_function.partition.labels.tolist() == FEW_LEFT
    heavy = fit(weights=[9, 9, 1, 1, 1]).run()
    assert heavy.partition.labels.tolist() == [0, 0, 1, 1, 1]


@each(
    ("solver", "status"),
    [
        (Hartigan(), Status.CONVERGED),
        (Lloyd(), Status.STABLE),
        (Hartigan(max_iter=1), Status.MAX_ITER),
    ],
)
def test_every_way_to_end_has_a_name(solver, status):
    answer = fit(init=[0, 1, 0, 1, 0], n_init=1, solver=solver).run()
    assert answer.partition.status is status
    assert answer.exactness == EXACTNESS[status]


def test_only_starts_by_name_on_a_dense_matrix_or_sketch_are_improved():
    class Improve:
        note = "nothing"

        def __init__(self):
            self.calls = 0

        def improve(self, problem, partition):
            self.calls += 1
            return partition, ()

    calls = {}
    for name in ("dense", "matrix_free"):
        plan = Plan(method=name, reason="")
        for init in ("random", [0, 0, 1, 1, 1]):
            improver = Improve()
            fit(init=init, n_init=1, improver=improver, plan=plan).run()
            calls[name, isinstance(init, str)] = improver.calls
    assert calls == {
        ("dense", True): 1, ("dense", False): 0,
        ("matrix_free", True): 0, ("matrix_free", False): 0,
    }  # fmt: skip


def test_with_a_kernel_points_at_distance_zero_are_points():
    answer = fit(np.zeros((4, 4)), 4, space=KernelSpace()).run()
    assert sorted(answer.partition.labels) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="distinct rows with weight, 1"):
        fit(np.zeros((4, 4)), 4, space=DistanceSpace()).run()


def test_by_hand():
    ends = [10.0, 10.0 + 5e-9, 10.0 - 2e-8, 9.0]  # relative: 0, 5e-10, 2e-9, .1
    assert starts_at_best(ends, 10.0) == 2
    assert starts_at_best([-x for x in ends], -10.0) == 2
    assert starts_at_best([], 1.0) == 0


def test_zero_is_zero_up_to_rounding_of_the_total():
    ends = [0.0, 1e-11, -1e-11, 1e-9]
    assert starts_at_best(ends, 0.0) == 1
    assert starts_at_best(ends, 0.0, total=100.0) == 3
    assert starts_at_best(ends, 0.0, total=-100.0) == 3


@each("scale", [1e-200, 1.0, 1e200])
def test_scale_does_not_matter(scale):
    ends = [2.0 * scale, 2.0 * scale * (1 - 1e-12), 1.0 * scale]
    assert starts_at_best(ends, 2.0 * scale, total=5.0 * scale) == 2


def test_the_same_infinity_is_the_same():
    assert same_objective(math.inf, math.inf)
    assert not same_objective(math.inf, 1.0)
    assert not same_objective(math.nan, math.nan)
