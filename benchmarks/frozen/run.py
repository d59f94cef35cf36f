"""From the line of text that describes a fit to its outcome, by public names of the library."""

import warnings
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

import kgroups
from benchmarks.frozen.graph_samples import draw_graph
from benchmarks.frozen.held import fit_twice, held
from benchmarks.frozen.outcome import Outcome, as_floats
from benchmarks.frozen.path import path_of
from benchmarks.frozen.samples import draw
from benchmarks.frozen.settings import setting, weights
from kgroups.bounds import certify, spectral_bound
from kgroups.select import bethe_hessian_n_communities, choose_n_clusters, cluster_significance


def run(fit: str) -> Outcome:
    """The outcome of ``act sample name=word …``, or the error that it ends in."""
    act, sample, *words = fit.split()
    given = dict(word.split("=", 1) for word in words)
    n = int(given.pop("n")) if "n" in given else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ACTS[act](act, sample, n, given)
    except Exception as error:
        return Outcome(error=f"{type(error).__name__}: {error}")


def fit_table(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """Clusters of rows, with those that ``new`` rows at the end are predicted to be in.

    ``rows`` says how the rows are held, ``also`` what else is done with the fit.
    """
    rows, new = draw(sample, n), int(given.pop("new", 0))
    how, also = given.pop("rows", ""), given.pop("also", "")
    known = _count(rows) - new
    weigh = _weights(given, known)
    model = _estimator(act, given, known)
    with held(rows[:known], how) as X:
        model = fit_twice(model, X) if also == "resume" else model.fit(X, sample_weight=weigh)
        model = model.to_local() if how == "dask" else model
    labels, numbers = model.labels_, {"W": model.within_dispersion_}
    if new:
        labels = np.append(labels, model.predict(rows[known:]))
    if also == "transform":
        numbers["transform"] = model.transform(rows[known:]).sum()
    return Outcome.of_labels(labels, path_of(model), **numbers)


def fit_graph(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """Communities, of rows by their neighbors if asked, with the objective by its name."""
    graph = draw(sample, n) if "affinity" in given else draw_graph(sample, n)
    size = _count(graph)
    array = _weights(given, size) if given.get("weights") not in (None, "degree") else None
    model = _estimator(act, given, size)
    model.set_params(**({} if array is None else {"weights": array})).fit(graph)
    return Outcome.of_labels(model.labels_, **{model.chosen_objective_: model.objective_})


def fit_spectral(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """Communities by eigenvectors, with the sum of the regularizers and of the eigenvalues."""
    graph = draw_graph(sample, n)
    model = _estimator(act, given, 0).fit(graph)
    if isinstance(model.r_, float):
        return Outcome.of_labels(model.labels_, r=model.r_, eigenvalues=model.eigenvalues_.sum())
    return Outcome.of_labels(model.labels_, r=np.sum(model.r_))


def measure_labels(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """W or S of labels in turn."""
    rows = draw(sample, n)
    labels = np.arange(len(rows)) % int(given.pop("k"))
    statistic = getattr(kgroups.stats, act)
    weigh = _weights(given, len(rows))
    value = statistic(rows, labels, sample_weight=weigh, **_settings(given))
    return Outcome(as_floats({"statistic": value}))


def measure_halves(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """The distance between the first half of the rows and the second."""
    rows = draw(sample, n)
    half = len(rows) // 2
    value = getattr(kgroups.stats, act)(rows[:half], rows[half:], **_settings(given))
    return Outcome(as_floats({"distance": value}))


def test_parts(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """A test whether parts of the rows, one after the other, differ; or the values have modes."""
    rows, n_groups = draw(sample, n), int(given.pop("n_groups", 2))
    labels = np.arange(len(rows)) * n_groups // len(rows)
    test = getattr(kgroups.stats, act)
    how = {} if act == "dip_test" else {"labels": labels, **_seeded(given)}
    result = test(rows, **how)
    return Outcome(as_floats({"statistic": result.statistic, "pvalue": result.pvalue}))


def bound(_: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """The least that W of any partition can be, as far as the spectrum tells."""
    rows, k = draw(sample, n), int(given.pop("k"))
    weigh = _weights(given, len(rows))
    value = spectral_bound(rows, k, sample_weight=weigh, **_settings(given))
    return Outcome(as_floats({"bound": value}))


def examine(act: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """What is proved of the clusters of a fit, or whether there are gaps between them."""
    rows = draw(sample, n)
    labels = _estimator("KernelKGroups", given, len(rows)).fit_predict(rows)
    if act == "certify":
        moves = certify(rows, labels)
        numbers = {"rows": len(moves.rows), "gains": moves.gains.sum(), "open": moves.n_open}
        return Outcome(as_floats(numbers))
    found = cluster_significance(rows, labels, random_state=0)
    shown = found.to_frame()[["pvalue", "naive_pvalue", "coefficient"]].sum()
    return Outcome(as_floats({"any pvalue": found.any_pvalue, **shown}))


def choose(_: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """The number of clusters, and the number that each criterion points to, with its values."""
    result = choose_n_clusters(draw(sample, n), **_seeded(given))
    numbers: dict[str, float] = {"n_clusters": result.n_clusters}
    for criterion in result.criteria:
        numbers[criterion.name] = criterion.n_clusters
        numbers[f"{criterion.name} values"] = float(np.nansum(criterion.values))
    return Outcome(as_floats(numbers))


def count_communities(_: str, sample: str, n: int | None, given: dict[str, str]) -> Outcome:
    """The number of communities alone."""
    count = bethe_hessian_n_communities(draw_graph(sample, n), **_settings(given))
    return Outcome(as_floats({"n_clusters": count}))


ACTS: dict[str, Callable[[str, str, int | None, dict[str, str]], Outcome]] = {
    "KernelKGroups": fit_table,
    "KernelKMeans": fit_table,
    "KGroups1D": fit_table,
    "dask.KernelKGroups": fit_table,
    "EnergyAgglomerative": fit_table,
    "GraphKGroups": fit_graph,
    "BetheHessianClustering": fit_spectral,
    "bethe_hessian_n_communities": count_communities,
    "within_dispersion": measure_labels,
    "between_statistic": measure_labels,
    "energy_distance": measure_halves,
    "mmd": measure_halves,
    "energy_test": test_parts,
    "disco": test_parts,
    "spectral_bound": bound,
    "certify": examine,
    "choose_n_clusters": choose,
    "cluster_significance": examine,
    "dip_test": test_parts,
}


def _estimator(act: str, given: dict[str, str], n: int) -> Any:
    """The estimator of that name with these parameters and, where it takes one, a seed."""
    settings = _settings(given)
    if "k" in settings:
        settings["n_clusters"] = settings.pop("k")
    if settings.get("init") == "labels":
        settings["init"] = np.arange(n) % settings["n_clusters"]
    model = attrgetter(act)(kgroups)()
    seed = {"random_state": 0} if "random_state" in model.get_params() else {}
    return model.set_params(**seed | settings)


def _count(data: Any) -> int:
    """How many rows or nodes there are; a sparse matrix has no length, and a graph no shape."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def _settings(given: dict[str, str]) -> dict[str, Any]:
    return {name: setting(name, word) for name, word in given.items()}


def _seeded(given: dict[str, str]) -> dict[str, Any]:
    return {"random_state": 0, **_settings(given)}


def _weights(given: dict[str, str], n: int) -> np.ndarray | None:
    return weights(given.pop("weights"), n) if "weights" in given else None
