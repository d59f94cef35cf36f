"""Communities and scores of kgroups, compared with the oracle: what is wrong, in words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.hunt import graph_scores, rounding, trajectory
from benchmarks.hunt.containers import graph_of, in_turn
from benchmarks.hunt.judge_tables import differs
from benchmarks.hunt.problems import Graph
from tests import oracle
from tests.oracle import Long, long

SIGNED = ("auto", "bethe_hessian", "ratio_association")
OWN_WEIGHTS = ("normalized_cut", "modularity", "cpm")
FREE = ("modularity", "cpm")
# What decided a number that is open to the last move.
_OF_FREE = ("objective", "evidence", "random graphs", "weak")
MAXIMIZED = ("bethe_hessian", "ratio_association", "modularity", "cpm")
WARNINGS = {
    "ConvergenceWarning": ("max_iter",),
    "ComponentsNotice": ("not connected",),
    "GraphNotice": (
        "is not symmetric",
        "multilevel starts only",
        "dropped",
        "of its own",
    ),
}


def judge(problem: Graph) -> list[str]:
    """All that is wrong; empty where the answer, or the error, is right."""
    A, was_directed = undirected(problem.A)
    expected = _due(problem, A)
    before = problem.A.tobytes()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = _asked(problem)
        except (ValueError, TypeError) as error:
            overflow = "not a finite number" in str(error) and _may_overflow(problem, A)
            if overflow or any(piece in str(error) for piece in expected):
                return []
            return [f"unexpected {type(error).__name__}: {error}"]
        except Exception as error:  # any other error is a finding
            return [f"unexpected {type(error).__name__}: {error}"]
    if expected:
        return [f"no error, though one was due: {' or '.join(expected)}"]
    if problem.A.tobytes() != before:
        return ["A was written to"]
    faults = list(dict.fromkeys(fault for fault in map(_undocumented, heard) if fault))
    told = any("not symmetric" in str(w.message) for w in heard)
    if told != was_directed:
        faults.append(f"directed: {was_directed}, and the notice came: {told}")
    with np.errstate(all="ignore"):
        checks = _scores if problem.act == "scores" else _communities
        return faults + list(checks(problem, A, found))


def undirected(A: Any) -> tuple[Long, bool]:
    """The graph that is read, and whether directions were given up: an edge either way, or sums."""
    A = long(A)
    if (A == A.T).all():
        return A, False
    if (A[A != 0] == 1).all():
        return np.maximum(A, A.T), True
    return A + A.T - np.diag(np.diagonal(A)), True


def _due(problem: Graph, A: Long) -> tuple[str, ...]:
    """Pieces of the messages of an error that must come; empty where none may."""
    signed = problem.settings.get("objective") in SIGNED
    if (problem.A < 0).any() and not signed:
        return ("has negative weights",)
    if not A.any():
        return ("and A has none",) if problem.act == "scores" else ("no edges",)
    if problem.act == "scores":
        return ()
    return _of_r(problem, A) or _of_weights(problem, A) or _of_count(problem, A)


def _may_overflow(problem: Graph, A: Long) -> bool:
    """Whether edges over weights of nodes, or times them, come near the end of float64."""
    if problem.act == "scores":
        return False
    own = _own_weights(problem, A)
    largest = np.abs(A).sum() / own[own > 0].min(initial=np.inf) + own.sum()
    return bool(largest > np.finfo(np.float64).max / 1e6)


def _of_r(problem: Graph, A: Long) -> tuple[str, ...]:
    r = problem.settings.get("r")
    return ("r must be",) if r is not None and r < 1.001 and (A[A != 0] != 1).any() else ()


def _of_weights(problem: Graph, A: Long) -> tuple[str, ...]:
    degrees = A.sum(axis=1)
    if not isinstance(problem.weights, str):
        return ()
    if (degrees < 0).any():
        return ("needs degrees that are not negative",)
    return () if degrees.any() else ("all degrees are 0",)


def _of_count(problem: Graph, A: Long) -> tuple[str, ...]:
    """Too many communities, or labels to begin with that leave one of them empty."""
    k, n, init = problem.n_clusters, len(A), problem.settings.get("init", "auto")
    alive = (A != 0).any(axis=1) & (_weights(problem, A) > 0)
    given = isinstance(init, np.ndarray)
    if k == "auto":
        k = int(init.max()) + 1 if given else 1
    if not (given and problem.n_clusters == "auto"):
        if not alive.any():
            return ("positive for none",)
        if k > n:
            return (f"more than the number of nodes, {n}",)
        if k > alive.sum():
            return ("nodes with an edge and weight",)
    if given:
        started = set(init[_own_weights(problem, A) > 0].tolist())
        return ("without nodes of positive weight",) if len(started) < k else ()
    signed = (problem.A < 0).any() and k != 1
    return ("takes every edge as a sign",) if init == "belief" and signed else ()


def _weights(problem: Graph, A: Long) -> Long:
    """Weights of nodes as they are asked for."""
    if problem.weights is None:
        return long(np.ones(len(A)))
    return A.sum(axis=1) if isinstance(problem.weights, str) else long(problem.weights)


def _own_weights(problem: Graph, A: Long) -> Long:
    """Weights of nodes in the objective; "auto" with weights is the Bethe Hessian."""
    name = problem.settings["objective"].replace("auto", "bethe_hessian")
    return oracle.graph_gram(name, A, _weights(problem, A), 2.0)[1]


def _undocumented(heard: warnings.WarningMessage) -> str | None:
    kind, message = heard.category.__name__, str(heard.message)
    if any(piece in message for piece in WARNINGS.get(kind, ())):
        return None
    return f"undocumented {kind}: {message}"


def _asked(problem: Graph) -> Any:
    import kgroups

    A = graph_of(problem.A, problem.form)
    if problem.act == "scores":
        return _all_scores(A, problem.settings)
    settings = dict(problem.settings)
    if problem.weights is not None:
        settings["weights"] = problem.weights
    if isinstance(settings["init"], str) and settings["init"] == "callable":
        settings["init"] = in_turn
    return kgroups.GraphKGroups(problem.n_clusters, **settings).fit(A)


def _all_scores(A: Any, settings: dict[str, Any]) -> dict[str, Any]:
    from kgroups import metrics

    labels = settings["labels"]
    return {
        "modularity": metrics.modularity(A, labels, resolution=settings["resolution"]),
        "coverage": metrics.coverage(A, labels),
        "performance": metrics.performance(A, labels),
        "cut_size": metrics.cut_size(A, labels),
        "normalized_cut": metrics.normalized_cut(A, labels),
        "conductance": metrics.conductance(A, labels),
    }


def _scores(problem: Graph, A: Long, found: dict[str, Any]) -> Iterator[str]:
    labels = np.unique(problem.settings["labels"], return_inverse=True)[1]
    k = int(labels.max()) + 1
    cut = oracle.cuts(A, labels, k).sum() / 2
    right = {
        "modularity": oracle.modularity(A, labels, k, problem.settings["resolution"]),
        "coverage": graph_scores.coverage(A, labels),
        "performance": graph_scores.performance(A, labels),
        "cut_size": cut,
        "normalized_cut": oracle.normalized_cut(A, labels, k),
    }
    for name, value in right.items():
        fault = differs(
            name, found[name], value, 1e-12 * max(abs(value), cut if name == "cut_size" else 1)
        )
        if fault:
            yield fault
    shares = graph_scores.conductance(A, labels, k)
    if np.abs(long(found["conductance"]) - shares).max() > 1e-9:
        yield f"conductance is {found['conductance']}, not {shares.astype(float)}"


def _communities(problem: Graph, A: Long, model: Any) -> Iterator[str]:
    labels, k, n = np.asarray(model.labels_), model.n_clusters_, len(A)
    alone = labels >= k
    if (
        labels.shape != (n,)
        or labels.min() < 0
        or sorted(labels[alone]) != list(range(k, k + int(alone.sum())))
    ):
        yield f"labels_ are not {n} integers in 0..{k - 1}: {labels.tolist()}"
        return
    if (A[alone] != 0).any():
        yield f"nodes with an edge are in none of the {k} communities: {labels.tolist()}"
        return
    yield from _number(problem, A, model)
    yield from _regularizer(problem, A, model)
    w, kept = _weights(problem, A), ~alone
    problem, A, w = _as_chosen(problem, model), A[np.ix_(kept, kept)], w[kept]
    # G follows from the r that is used, to its last digit.
    name = problem.settings["objective"]
    G, own = oracle.graph_gram(name, A, w, model.r_, problem.settings["resolution"])
    count = np.bincount(labels[kept][own > 0], minlength=k)
    if not count.all():
        yield f"communities are empty: {count.tolist()} nodes with weight"
    found = SimpleNamespace(**{**vars(model), "labels_": labels[kept]})
    yield from _value(problem, A, found, w, own, G)
    yield from _sizes(problem, found, own)
    yield from _one_move(problem, found, G, own)


def _regularizer(problem: Graph, A: Long, model: Any) -> Iterator[str]:
    """The one given, or that of the graph: of the nodes with an edge where the number is open."""
    r = problem.settings.get("r")
    if r is None:
        r = oracle.regularizer(_searched(problem, A))
    fault = differs("r_", model.r_, long(r), 1e-9 * long(r))
    if fault:
        yield fault


def _searched(problem: Graph, A: Long) -> Long:
    """All nodes, or those with an edge if the number is open and nothing is given by node."""
    init = problem.settings["init"]
    is_named = isinstance(init, str) and init != "callable"
    if problem.n_clusters != "auto" or not is_named or isinstance(problem.weights, np.ndarray):
        return A
    linked = (A != 0).any(axis=1)
    return A[np.ix_(linked, linked)]


def _as_chosen(problem: Graph, model: Any) -> Graph:
    """The problem with the objective that was optimized in the end."""
    chosen = {"objective": model.chosen_objective_, "resolution": model.resolution_}
    return replace(problem, settings={**problem.settings, **chosen})


def _number(problem: Graph, A: Long, model: Any) -> Iterator[str]:
    """What decided the number of communities, and the evidence for them."""
    given = problem.n_clusters != "auto" or isinstance(problem.settings["init"], np.ndarray)
    if given != (model.decided_by_ == "given"):
        yield f"decided_by_ is {model.decided_by_!r}"
    if model.decided_by_ == "spectrum":
        yield from _negative_eigenvalues(problem, A, model)
    if (A < 0).any() != (model.evidence_ is None):
        yield f"evidence_ is {model.evidence_}"
    if model.evidence_ is not None:
        right = oracle.evidence(A, model.labels_)
        fault = differs("evidence_", model.evidence_, right, 1e-9 * (abs(right) + len(A)))
        if fault:
            yield fault


def _negative_eigenvalues(problem: Graph, A: Long, model: Any) -> Iterator[str]:
    """Their number, where none is near zero."""
    H = oracle.bethe_hessian(A, model.r_).astype(np.float64)
    values = np.linalg.eigvalsh(H)
    limit = -0.03 * float(model.r_**2 - 1.0) if (A < 0).any() else 0.0
    near = np.abs(values - limit) < 1e-7 * np.abs(values).max()
    alive = (A != 0).any(axis=1) & (_weights(problem, A) > 0)
    if near.any():
        return
    below = int((values < limit).sum())
    if (A < 0).any() and float(H.sum()) >= 0.0:
        below += 1  # the constant vector tells one of the groups from none
    right = min(max(1, below), int(alive.sum()))
    if model.n_clusters_ != right:
        yield f"n_clusters_ is {model.n_clusters_}, and {right} eigenvalues are negative"


def _value(problem: Graph, A: Long, model: Any, w: Long, own: Long, G: Long) -> Iterator[str]:
    name, labels, k = problem.settings["objective"], model.labels_, model.n_clusters_
    value = oracle.graph_value(name, A, w, model.r_, labels, k, problem.settings["resolution"])
    size = long(1) if name in OWN_WEIGHTS else _size(G, labels, own, k)
    if name in OWN_WEIGHTS:
        size = size * k
    allowed = 1e-11 * size + 1e-15 * _size(G, 0 * labels, own, 1)
    if name == "ratio_cut" and (own > 0).all():
        allowed = 1e-11 * value
    if name == "cpm":  # its sum over pairs cancels
        allowed = allowed + 1e-14 * np.abs(A).sum()
    if name == "ratio_cut":  # degrees and what is inside cancel
        volumes = oracle.volumes(np.abs(A), labels, k)
        allowed = allowed + 1e-15 * oracle.over(volumes, oracle.weights_of(labels, own, k)).sum()
    history = np.asarray(model.objective_history_)
    fault = differs("objective_", model.objective_, value, allowed)
    if fault:
        yield fault
    if len(history) != model.n_iter_ + 1 or history[-1] != model.objective_:
        yield f"objective_history_ of {model.n_iter_} sweeps: {history.tolist()}"
    steps = np.diff(history) * (1 if name in MAXIMIZED else -1)
    allowed = 1e-9 * size + (1e-14 * np.abs(A).sum() if name == "cpm" else 0)
    if name == "ratio_cut":  # Q_j is what is inside less degrees, over s_j, which is w_i or more
        allowed = allowed + len(A) * 1e-15 * np.abs(A).sum() / own[own > 0].min()
    if (steps < -allowed).any():
        yield f"objective_history_ goes the wrong way: {history.tolist()}"


def _size(G: Long, labels: Any, w: Long, k: int) -> Long:
    """Σ |Q_j / s_j| with absolute entries."""
    return oracle.over(
        oracle.within(np.abs(G), labels, w, k), oracle.weights_of(labels, w, k)
    ).sum()


def _sizes(problem: Graph, model: Any, own: Long) -> Iterator[str]:
    labels, k = model.labels_, model.n_clusters_
    if model.cluster_sizes_.tolist() != np.bincount(labels, minlength=k).tolist():
        yield f"cluster_sizes_ are {model.cluster_sizes_.tolist()}"
    s = oracle.weights_of(labels, own, k)
    if np.abs(long(model.cluster_weights_) - s).max() > 1e-12 * s.max():
        yield f"cluster_weights_: {model.cluster_weights_.tolist()}, not {s.astype(float)}"


def _one_move(problem: Graph, model: Any, G: Long, w: Long) -> Iterator[str]:
    if not model.converged_:
        if model.n_iter_ < problem.settings.get("max_iter", 300):
            yield f"stopped after {model.n_iter_} sweeps and did not converge"
        return
    labels, k, name = model.labels_, model.n_clusters_, problem.settings["objective"]
    ratio, starts = name not in FREE, problem.settings["init"]
    is_free = model.decided_by_ in _OF_FREE and isinstance(starts, str) and starts == "auto"
    gains = oracle.gains(G, labels, w, k, ratio=ratio)
    if is_free and not ratio and k > 1:
        gains = trajectory.free_gains(G, labels, k)[:, :k]
    error = rounding.SUMS * np.abs(G)
    if not ratio:  # A and dd'/2m cancel
        error = error + rounding.SUMS * np.abs(G).max()
    Q, s = oracle.within(G, labels, w, k), oracle.weights_of(labels, w, k)
    magnitude = np.abs(oracle.over(Q, s) if ratio else Q).sum()
    allowed = rounding.of_gains(error, labels, w, k, ratio=ratio)
    if ratio:
        allowed = allowed + rounding.of_running_sums(G, labels, w, k)
    over = gains - allowed - 1.01 * long(problem.settings.get("tol", 1e-12)) * magnitude
    if over.max() > 0:
        i, j = np.unravel_index(int(np.argmax(over)), over.shape)
        yield (
            f"not one-move optimal: node {i} to community {j} gains {float(gains[i, j]):.4g} of "
            f"{float(magnitude):.4g}, allowed were {float(allowed[i, j]):.3g}"
        )
