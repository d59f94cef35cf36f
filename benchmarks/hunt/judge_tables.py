"""A fit of kgroups to a table or a matrix, compared with the oracle: what is wrong, in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.hunt import rounding, trajectory
from benchmarks.hunt.containers import as_read, held, in_turn, metric_of
from benchmarks.hunt.problems import Table
from benchmarks.hunt.truth import Due, Truth, due, truth_of
from benchmarks.hunt.ways import taken
from tests import oracle
from tests.oracle import Labels, Long, long

# Relative differences of numbers that float64 adds up once more at the end.
EXACT = 1e-11
# What is lost where numbers end.
LEAST = 1e-300
WARNINGS = {
    "ConvergenceWarning": ("max_iter", "labels returned to earlier ones"),
    "TheoryWarning": ("negative type",),
    "RuntimeWarning": ("init gives the labels to start from",),
}


def judge(problem: Table) -> list[str]:
    """All that is wrong; empty where the answer, or the error, is right."""
    with np.errstate(all="ignore"):
        truth = truth_of(problem)
        expected = due(problem, truth)
    with warnings.catch_warnings(record=True) as heard, taken(problem):
        warnings.simplefilter("always")
        faults, found = _attempted(problem, expected)
    faults += dict.fromkeys(fault for fault in map(_undocumented, heard) if fault)
    if found is not None and truth is not None and not faults:
        with np.errstate(all="ignore"):
            faults += list(JUDGES[problem.act](problem, truth, found))
    return faults


def _attempted(problem: Table, expected: Due) -> tuple[list[str], Any]:
    before = problem.X.tobytes()
    try:
        found = ACTS[problem.act](problem)
    except (ValueError, TypeError, MemoryError) as error:
        message = str(error)
        if any(piece in message for piece in (*expected.must, *expected.may)):
            return [], None
        return [f"unexpected {type(error).__name__}: {message}"], None
    except Exception as error:  # any other error is a finding
        return [f"unexpected {type(error).__name__}: {error}"], None
    if expected.must:
        return [f"no error, though one was due: {' or '.join(expected.must)}"], None
    if problem.X.tobytes() != before:
        return ["X was written to"], None
    return [], found


def _undocumented(heard: warnings.WarningMessage) -> str | None:
    kind, message = heard.category.__name__, str(heard.message)
    if any(piece in message for piece in WARNINGS.get(kind, ())):
        return None
    return f"undocumented {kind}: {message}"


# What kgroups answers -----------------------------------------------------------------------------


def _model(problem: Table, **more: Any) -> Any:
    import kgroups

    settings = {**problem.settings, **more}
    if isinstance(settings.get("init"), str) and settings["init"] == "callable":
        settings["init"] = in_turn
    name = "KernelKGroups" if problem.act == "threads" else problem.act
    estimator = getattr(kgroups, name)
    return estimator(problem.n_clusters, metric=metric_of(problem.metric), **settings)


def _fit(problem: Table) -> dict[str, Any]:
    model = _model(problem).fit(held(problem.X, problem.form), sample_weight=problem.weights)
    found = {"model": model, "labels": model.labels_}
    if len(problem.new):
        found["new"] = model.predict(held(problem.new, problem.form))
        if problem.metric[0] != "precomputed_kernel":
            found["transformed"] = model.transform(held(problem.new, problem.form))
    if problem.metric[0] not in ("precomputed", "precomputed_kernel"):
        found["score"] = model.score(held(problem.X, problem.form), sample_weight=problem.weights)
    found["again"] = model.predict(held(problem.X, problem.form))
    return found


def _threads(problem: Table) -> list[Any]:
    X = held(problem.X, problem.form)
    return [_model(problem, n_jobs=n).fit(X, sample_weight=problem.weights) for n in (1, 2, 5)]


def _line(problem: Table) -> dict[str, Any]:
    import kgroups

    alpha = problem.metric[1]["alpha"]
    model = kgroups.KGroups1D(problem.n_clusters, alpha=alpha)
    model.fit(held(problem.X, problem.form), sample_weight=problem.weights)
    return {"model": model, "labels": model.labels_, "new": model.predict(problem.new)}


def _tree(problem: Table) -> Any:
    import kgroups

    model = kgroups.EnergyAgglomerative(problem.n_clusters, alpha=problem.metric[1]["alpha"])
    return model.fit(held(problem.X, problem.form), sample_weight=problem.weights)


def _statistics(problem: Table) -> dict[str, float]:
    from kgroups import stats

    X, labels = held(problem.X, problem.form), problem.settings["labels"]
    given = {"metric": metric_of(problem.metric), "sample_weight": problem.weights}
    found = {
        "within": stats.within_dispersion(X, labels, **given),
        "between": stats.between_statistic(X, labels, **given),
    }
    if problem.metric[0] in ("precomputed", "precomputed_kernel"):
        return found
    metric = metric_of(problem.metric)
    groups = len(np.unique(labels))
    if groups >= 2:
        test = stats.disco(X, labels, metric=metric, n_permutations=9, random_state=0)
        found |= {"disco W": test.within, "disco S": test.between, "disco p": test.pvalue}
        test = stats.energy_test(X, labels=labels, metric=metric, n_permutations=9, random_state=0)
        found |= {"T": test.statistic, "p": test.pvalue}
    if _has_no_median(problem):
        found["energy"] = stats.energy_distance(
            X, held(problem.new, problem.form), metric=metric, sample_weight_X=problem.weights
        )
    return found


def _has_no_median(problem: Table) -> bool:
    """Whether two samples are compared by the same metric as one."""
    metrics = [problem.metric, *(m for m, *_ in problem.metric[1].get("parts", ()))]
    return all(given.get("sigma") != "median" for _, given in metrics)


ACTS: dict[str, Callable[[Table], Any]] = {
    "KernelKGroups": _fit,
    "KernelKMeans": _fit,
    "threads": _threads,
    "KGroups1D": _line,
    "EnergyAgglomerative": _tree,
    "statistics": _statistics,
}


# Judgment -----------------------------------------------------------------------------------------


def differs(name: str, found: Any, right: Any, allowed: Any) -> str | None:
    """A sentence where a number is off by more than is allowed; infinity must be infinity."""
    found, right, allowed = float(found), long(right), long(allowed)
    if not np.isfinite(float(right)):
        return None if not np.isfinite(found) else f"{name} is {found}, and should overflow"
    if np.isfinite(found) and abs(long(found) - right) <= allowed + LEAST:
        return None
    return f"{name} is {found!r} instead of {float(right)!r}, allowed were ± {float(allowed):.3g}"


def judge_fit(problem: Table, truth: Truth, found: dict[str, Any]) -> Iterator[str]:
    """Labels, numbers, optimality, history and predictions of a fit."""
    model, labels = found["model"], found["labels"]
    n, k = len(problem.X), problem.n_clusters
    if labels.shape != (n,) or labels.dtype != np.int64 or labels.min() < 0 or labels.max() >= k:
        yield f"labels_ are not {n} integers in 0..{k - 1}: {labels}"
        return
    yield from _counts(problem, truth, model)
    on_sketch = model.method_ == "nystroem"
    yield from _numbers(truth, model, labels, k)
    yield from _centers(problem, truth, model)
    yield from _history(problem, truth, model)
    if not on_sketch:
        yield from _stable(problem, truth, model)
        yield from _predictions(problem, truth, found)
        yield from _same_moves(problem, truth, model)


def _counts(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    labels, k = model.labels_, problem.n_clusters
    count = np.bincount(labels[truth.w > 0], minlength=k)
    from_labels = isinstance(problem.settings.get("init"), np.ndarray)
    started = problem.settings.get("init") if from_labels else np.arange(k)
    full = len(set(np.asarray(started)[: len(labels)][truth.w[: len(started)] > 0])) == k
    if not count.all() and (full or not from_labels) and problem.act != "KernelKMeans":
        yield f"clusters are empty: {count.tolist()} rows with weight"
    s = oracle.weights_of(labels, np.where(truth.w > 0, truth.w, 0), k)
    for j in range(k):
        fault = differs(f"cluster_weights_[{j}]", model.cluster_weights_[j], s[j], 1e-12 * s[j])
        if fault:
            yield fault
            return
    if not from_labels and (np.diff(model.cluster_weights_) > 1e-9 * s.max()).any():
        yield f"clusters are not numbered by weight: {model.cluster_weights_.tolist()}"


def _numbers(truth: Truth, model: Any, labels: Labels, k: int) -> Iterator[str]:
    W_j = oracle.dispersions(truth.G, labels, truth.w, k)
    allowed = rounding.of_dispersions(truth.error, labels, truth.w, k)
    if model.method_ == "nystroem":  # distances in float32
        allowed = allowed + rounding.of_dispersions(np.abs(truth.G) * 1e-5, labels, truth.w, k)
    one = np.zeros(len(labels), np.int64)
    together = oracle.dispersions(truth.G, one, truth.w, 1)[0]
    of_total = allowed.sum() + rounding.of_dispersions(truth.error, one, truth.w, 1)[0]
    S = together - W_j.sum()
    off_W = allowed.sum() + 1e-15 * rounding.of_dispersions(np.abs(truth.G), one, truth.w, 1)[0]
    yield from filter(None, [
        differs("within_dispersion_", model.within_dispersion_, W_j.sum(), off_W),
        differs("between_statistic_", model.between_statistic_, S, of_total),
    ])  # fmt: skip
    # Points that have left a cluster leave the rounding of their own size behind.
    left = rounding.of_dispersions(truth.error, one, truth.w, 1)[0]
    for j in range(k):
        found = model.cluster_dispersions_[j]
        fault = differs(f"cluster_dispersions_[{j}]", found, W_j[j], allowed[j] + left)
        if fault:
            yield fault
    Q = oracle.objective(truth.G, labels, truth.w, k) if truth.is_kernel else S
    if truth.is_kernel:
        of_total = of_total + rounding.of_dispersions(truth.error, one, truth.w, 1)[0]
    fault = differs("objective_", model.objective_, Q, of_total)
    if fault:
        yield fault


def _centers(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    """What k-means calls centers and inertia, where distances are squared."""
    is_squared = problem.metric == ("energy", {"alpha": 2.0})
    if is_squared != hasattr(model, "cluster_centers_"):
        yield f"cluster_centers_ for {problem.metric}"
    if not is_squared:
        return
    X = long(as_read(problem.X, problem.form))
    for j, found in enumerate(model.cluster_centers_):
        own = (model.labels_ == j) & (truth.w > 0)
        if not own.any():
            continue
        mean = (truth.w[own] @ X[own]) / truth.w[own].sum()
        for d, allowed in enumerate(1e-13 * np.abs(X[own]).max(axis=0)):
            fault = differs(f"cluster_centers_[{j}, {d}]", found[d], mean[d], allowed)
            if fault:
                yield fault
                return
    if model.inertia_ != model.within_dispersion_:
        yield f"inertia_ is {model.inertia_}, and W {model.within_dispersion_}"


def _history(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    history = np.asarray(model.objective_history_)
    if len(history) != model.n_iter_ + 1:
        yield f"objective_history_ has {len(history)} entries after n_iter_ = {model.n_iter_}"
    one = np.zeros(len(problem.X), np.int64)
    size = rounding.of_dispersions(np.abs(truth.G), one, truth.w, 1)[0]
    if not abs(history[-1] - model.objective_) <= EXACT * size:
        yield f"objective_history_ ends at {history[-1]!r}, and objective_ is {model.objective_!r}"
    if model.sketch_error_ is None:
        best = max(float(ends[-1]) for ends in model.start_histories_)
        if best - model.objective_ > (1e-5 if truth.single else EXACT) * size:
            yield f"a start ended at {best!r}, and objective_ is {model.objective_!r}"
    rises = problem.act == "KernelKGroups" or truth.negative_type
    fall = 1e-5 if truth.single or model.method_ == "nystroem" else EXACT
    if problem.act == "KernelKMeans" and problem.settings.get("algorithm") == "online":
        rises = False
    w = truth.w[truth.w > 0]
    apart = np.abs(truth.G[truth.G != 0])
    is_uneven = w.max() > 1e12 * w.min() or apart.max(initial=0) > 1e12 * apart.min(initial=np.inf)
    if problem.settings.get("tol") == 0 or is_uneven:  # moves within rounding
        fall = np.inf if truth.is_kernel else max(fall, 1e-8)
    bound = fall * size
    if (
        model.method_ == "nystroem"
    ):  # the sketch has self-similarities, which the heaviest row rounds
        bound += EXACT * np.abs(truth.G).max() * w.sum()
    if rises and (np.diff(history) < -bound).any():
        yield f"objective_history_ falls: {history.tolist()}"


def _stable(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    if not model.converged_:
        may_cycle = problem.act == "KernelKMeans" and not truth.negative_type
        if model.n_iter_ < problem.settings.get("max_iter", 300) and not may_cycle:
            yield f"stopped after {model.n_iter_} sweeps and did not converge"
        return
    labels, w, k = model.labels_, truth.w, problem.n_clusters
    tol = long(problem.settings.get("tol", 1e-12))
    Q, s = oracle.within(truth.G, labels, w, k), oracle.weights_of(labels, w, k)
    magnitude = np.abs(oracle.over(Q, s)).sum()
    if truth.is_kernel:  # about its mean
        magnitude = magnitude + rounding.of_dispersions(np.abs(truth.G), labels, w, k).sum()
    if problem.act == "KernelKMeans":
        yield from _lloyd(problem, truth, model, tol * magnitude / w.sum())
        return
    gains = oracle.gains(truth.G, labels, w, k)
    allowed = rounding.of_gains(truth.error, labels, w, k) + 1.01 * tol * magnitude
    eps = np.finfo(
        np.float32 if truth.single and model.method_ == "matrix_free" else np.float64
    ).eps
    allowed = allowed + rounding.of_running_sums(truth.G, labels, w, k, float(eps))
    over = gains - allowed
    if over.max() > 0:
        i, j = np.unravel_index(int(np.argmax(over)), over.shape)
        yield (
            f"not one-move optimal: row {i} to cluster {j} gains {float(gains[i, j]):.4g} of W = "
            f"{model.within_dispersion_:.4g}, allowed were {float(allowed[i, j]):.3g}"
        )


def _lloyd(problem: Table, truth: Truth, model: Any, least: Long) -> Iterator[str]:
    labels, w, k = model.labels_, truth.w, problem.n_clusters
    squared, allowed = _to_centroids(truth, labels, k)
    at = np.arange(len(labels))
    own, own_allowed = squared[at, labels], allowed[at, labels]
    better = own[:, None] - squared - allowed - own_allowed[:, None] - 1.01 * least
    count = np.bincount(labels[w > 0], minlength=k)
    may_leave = (w > 0) & (count[labels] > 1)
    better[~may_leave] = -1
    if np.nanmax(better) > 0:
        i, j = np.unravel_index(int(np.nanargmax(better)), better.shape)
        yield f"not stable: row {i} in cluster {labels[i]} is nearer to {j}, by {better[i, j]:.4g}"


def _to_centroids(truth: Truth, labels: Labels, k: int) -> tuple[Long, Long]:
    """Squared distances of the rows themselves, and their rounding."""
    own, error = np.diagonal(truth.G), truth.error
    squared = oracle.to_centroids(truth.G, own, truth.G, labels, truth.w, k)
    allowed = rounding.of_centroids(error, np.diagonal(error), error, labels, truth.w, k)
    return squared, allowed + _left_behind(truth, labels, k)


def _left_behind(truth: Truth, labels: Labels, k: int) -> Long:
    """What sums of points that have left make of Q_j / s_j², (k,).

    It must stay small relative to all distances, also where weights are of many sizes.
    """
    w, s = truth.w[truth.w > 0], oracle.weights_of(labels, truth.w, k)
    # Each of the n² products in a Q_j may lose half the smallest subnormal number, with weights in
    # units of the largest.
    lost = len(labels) ** 2 * rounding.SUBNORMAL * oracle.over(w.max() * np.ones(k), s) ** 2
    if w.max() > 1e6 * w.min():
        return long(lost + rounding.SUMS * np.abs(truth.G).max())
    total = rounding.of_dispersions(truth.error, labels * 0, truth.w, 1)[0] * truth.w.sum()
    return oracle.over(total * np.ones(k), s**2) + lost


def _predictions(problem: Table, truth: Truth, found: dict[str, Any]) -> Iterator[str]:
    _model, labels, k = found["model"], found["labels"], problem.n_clusters
    w = truth.w
    squared, allowed = _to_centroids(truth, labels, k)
    yield from _nearest("predict of X", found["again"], squared, allowed)
    rows = np.flatnonzero(w == 0)
    if rows.size:
        placed = labels[rows]
        yield from _nearest("labels_ without weight", placed, squared[rows], allowed[rows])
    if "score" in found and np.isfinite(squared).any():
        best = np.where(np.isfinite(squared), squared, np.inf).min(axis=1)
        off = (w * np.where(np.isfinite(squared), allowed, 0).max(axis=1)).sum()
        fault = differs("score", found["score"], -(w * best).sum(), off)
        if fault:
            yield fault
    if "new" not in found:
        return
    zero = np.zeros(len(truth.K), np.longdouble)
    squared = oracle.to_centroids(truth.K, zero, truth.G, labels, w, k)
    allowed = rounding.of_centroids(truth.error_of_new, zero, truth.error, labels, w, k)
    allowed = allowed + _left_behind(truth, labels, k)
    yield from _nearest("predict", found["new"], squared, allowed)
    if "transformed" in found:
        yield from _transformed(found["transformed"], squared, allowed)


def _nearest(what: str, chosen: Labels, squared: Long, allowed: Long) -> Iterator[str]:
    at = np.arange(len(chosen))
    short = np.where(np.isfinite(squared), squared + allowed, np.inf).min(axis=1)
    worse = squared[at, chosen] - allowed[at, chosen] - short
    if len(worse) and worse.max() > 0:
        i = int(np.argmax(worse))
        yield f"{what}: row {i} goes to {chosen[i]}, farther than another by {worse[i]:.4g} in ρ"


def _transformed(found: Any, squared: Long, allowed: Long) -> Iterator[str]:
    with np.errstate(all="ignore"):
        off = np.abs(long(found) ** 2 - np.maximum(squared, 0)) > allowed * 1.01
    off &= np.isfinite(squared)
    if off.any():
        i, j = np.argwhere(off)[0]
        right = float(np.sqrt(np.maximum(squared[i, j], 0)))
        yield f"transform[{i}, {j}] is {found[i, j]!r} instead of {right!r}"


def _same_moves(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    """From labels that are given, Hartigan's method takes the same way in long double."""
    init = problem.settings.get("init")
    if problem.act != "KernelKGroups" or not isinstance(init, np.ndarray) or len(init) > 60:
        return
    k, w = problem.n_clusters, truth.w
    is_full = len(set(init[w > 0].tolist())) == k
    if truth.single or truth.is_kernel or not (is_full or truth.negative_type):
        return
    settings = problem.settings
    size = rounding.of_dispersions(np.abs(truth.G), init * 0, w, 1)[0]
    relative = (truth.E[truth.G != 0] / np.abs(truth.G[truth.G != 0])).max(initial=0)
    # A cluster that lost 2^13 times the weight that is left waits for new sums, a sweep later.
    if relative > 1e-9 or (w[w > 0].max() / w[w > 0].min()) > 2**13 / len(w):
        return
    run = trajectory.hartigan(
        truth.G, init, w, k, tol=settings.get("tol", 1e-12),
        max_iter=settings.get("max_iter", 300), rounding=float(relative) * 10 + 1e-11,
    )  # fmt: skip
    if not run.sure:
        return
    alive = w > 0
    if not np.array_equal(run.labels[alive], model.labels_[alive]):
        yield f"labels from given ones are {model.labels_.tolist()}, not {run.labels.tolist()}"
    elif run.n_moves != model.n_moves_:
        yield f"n_moves_ is {model.n_moves_}, and there are {run.n_moves}"
    else:
        total = oracle.objective(truth.G, init * 0, w, 1)
        right = long(run.history) - total
        found = np.asarray(model.objective_history_)
        # Each of the n² products in a Q may lose half the smallest subnormal number.
        allowed = 1e-9 * size + long(len(w)) ** 2 * rounding.SUBNORMAL
        if len(found) != len(right) or (np.abs(found - right) > allowed).any():
            yield f"objective_history_ is {found.tolist()}, not {right.astype(float).tolist()}"


def judge_threads(problem: Table, truth: Truth, found: list[Any]) -> Iterator[str]:
    """One, two and five threads give the same bits."""
    first, *others = found
    for threads, model in zip((2, 5), others, strict=True):
        if not np.array_equal(first.labels_, model.labels_):
            yield f"labels with {threads} threads differ from those with one"
        elif first.within_dispersion_ != model.within_dispersion_:
            pair = first.within_dispersion_, model.within_dispersion_
            yield f"W with {threads} threads differs from that with one: {pair}"


def judge_line(problem: Table, truth: Truth, found: dict[str, Any]) -> Iterator[str]:
    """The exact optimum of a line, by dynamic programming."""
    model, labels, k = found["model"], found["labels"], problem.n_clusters
    x = long(as_read(problem.X, problem.form).astype(np.float64))[:, 0]
    w, alpha = truth.w, problem.metric[1]["alpha"]
    best = oracle.best_on_line(x, w, k, alpha)
    allowed = rounding.of_dispersions(truth.error, labels, w, k)
    one = np.zeros(len(x), np.int64)
    # Sums over a line are differences of sums from its end.
    slack = 1e-12 * rounding.of_dispersions(np.abs(truth.G), one, w, 1)[0]
    W_j = oracle.dispersions(truth.G, labels, w, k)
    yield from filter(None, [
        differs("W of labels_", W_j.sum(), best, allowed.sum() + slack + EXACT * best),
        differs("within_dispersion_", model.within_dispersion_, W_j.sum(), allowed.sum() + slack),
    ])  # fmt: skip
    order = np.argsort(x, kind="stable")
    if (np.diff(labels[order]) < 0).any():
        yield f"clusters are not intervals from left to right: {labels[order].tolist()}"
    counts = oracle.weights_of(labels, long(w > 0), k)
    if not counts.all():
        yield f"clusters are empty: {counts.astype(int).tolist()} rows with weight"
    zero = np.zeros(len(truth.K), np.longdouble)
    squared = oracle.to_centroids(truth.K, zero, truth.G, labels, w, k)
    error, of_new = truth.error, truth.error_of_new
    near = rounding.of_centroids(of_new, zero, error, labels, w, k) + 1e-11 * np.abs(truth.K).max(
        axis=1, keepdims=True
    )
    yield from _nearest("predict", found["new"], squared, near)


def judge_tree(problem: Table, truth: Truth, model: Any) -> Iterator[str]:
    """Every merge has the least height, which is that of the definition."""
    n, rho = len(problem.X), truth.rho
    w = truth.w / truth.w.max()
    if n == 1 or (w <= 0).any() or w.min() < 1e-6:
        return
    unit = truth.w.max()
    allowed = 1e-9 * rho.max() * unit * (1 if not truth.single else 1e5) + LEAST
    nodes: dict[int, list[int]] = {i: [i] for i in range(n)}
    for t, (a, b) in enumerate(model.children_.tolist()):
        height = oracle.merge_height(rho, w, nodes[a], nodes[b]) * unit
        fault = differs(f"distances_[{t}]", model.distances_[t], height, allowed)
        if fault:
            yield fault
            return
        keys = sorted(nodes)
        least = min(
            oracle.merge_height(rho, w, nodes[p], nodes[q])
            for at, p in enumerate(keys)
            for q in keys[:at]
        ) if len(keys) < 14 else height / unit  # fmt: skip
        if least * unit < height - 2 * allowed:
            yield f"merge {t} at {float(height):.6g}, though {float(least):.6g} was possible"
            return
        nodes[n + t] = nodes.pop(a) + nodes.pop(b)
    k = model.n_clusters_
    yield from filter(None, [
        differs(
            "within_dispersion_",
            model.within_dispersion_,
            oracle.dispersions(truth.G, model.labels_, truth.w, k).sum(),
            allowed * n,
        )
    ])  # fmt: skip
    if (np.diff(model.distances_) < -float(allowed)).any():
        yield "distances_ fall"


def judge_statistics(problem: Table, truth: Truth, found: dict[str, float]) -> Iterator[str]:
    """W, S, the statistics of tests and their p-values, and energy distances."""
    values, labels = np.unique(problem.settings["labels"], return_inverse=True)
    k, w = len(values), truth.w
    ones = long(np.ones(len(w)))
    yield from _dispersion("within_dispersion", "between_statistic", truth, labels, w, k, found)
    if "T" in found:
        renamed = {"within": found["disco W"], "between": found["disco S"]}
        yield from _dispersion("disco W", "disco S", truth, labels, ones, k, renamed)
        T = oracle.test_statistic(truth.rho, labels, k)
        off = 4 * k * len(w) * truth.error.max()
        fault = differs("energy_test statistic", found["T"], T, off)
        if fault:
            yield fault
        for name in ("p", "disco p"):
            if not 0.1 - 1e-12 <= found[name] <= 1:
                yield f"{name} is {found[name]} with 9 permutations"
    if "energy" in found and len(problem.new):
        yield from _energy(problem, truth, found["energy"])


def _dispersion(
    name_W: str, name_S: str, truth: Truth, labels: Labels, w: Long, k: int, found: dict[str, float]
) -> Iterator[str]:
    W = oracle.dispersions(truth.G, labels, w, k).sum()
    allowed = rounding.of_dispersions(truth.error, labels, w, k).sum()
    one = labels * 0
    off = allowed + rounding.of_dispersions(truth.error, one, w, 1)[0]
    # Sums over sorted columns are differences of sums from their ends.
    off = off + 1e-15 * w.sum() * np.abs(truth.G).max()
    S = oracle.dispersions(truth.G, one, w, 1)[0] - W
    if _beyond(W, S):
        return
    yield from filter(None, [
        differs(name_W, found["within"], W, off),
        differs(name_S, found["between"], S, off),
    ])  # fmt: skip


def _beyond(*values: Long) -> bool:
    """Whether a right answer is beyond float64."""
    return any(not np.isfinite(float(value)) for value in values)


def _energy(problem: Table, truth: Truth, found: float) -> Iterator[str]:
    new = long(as_read(problem.new, problem.form))
    with np.errstate(all="ignore"):
        right = oracle.distances(problem.metric, new, new)
        E = rounding.of_distances(
            problem.metric, new, new, right, np.dtype(problem.X.dtype if truth.single else "f8")
        )
    ones = long(np.ones(len(new)))
    value = oracle.energy_distance(-2 * truth.K.T, truth.rho, right, truth.w, ones, unbiased=False)
    off = 2 * truth.error_of_new.max() * 2 + truth.error.max() * 2 + E.max()
    off = off + 4 * rounding.SUMS * right.max()
    fault = differs("energy_distance", found, value, off)
    if fault:
        yield fault


JUDGES: dict[str, Callable[[Table, Truth, Any], Iterator[str]]] = {
    "KernelKGroups": judge_fit,
    "KernelKMeans": judge_fit,
    "threads": judge_threads,
    "KGroups1D": judge_line,
    "EnergyAgglomerative": judge_tree,
    "statistics": judge_statistics,
}
