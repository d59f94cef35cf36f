"""From plain data to what a user hands in, and to the code that a reader runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from benchmarks.hunt.problems import Array, Graph, Table

CLASSES = {
    "energy": "Energy",
    "laplacian": "Laplacian",
    "gaussian": "Gaussian",
    "manhattan": "Manhattan",
    "hamming": "Hamming",
    "jaccard": "Jaccard",
    "jensen_shannon": "JensenShannon",
    "hellinger": "Hellinger",
    "great_circle": "GreatCircle",
    "kendall_tau": "KendallTau",
    "damped_squared": "DampedSquared",
    "sine_squared": "SineSquared",
}


def in_turn(X: Any, n_clusters: int, random_state: Any) -> Array:
    """A start of a user: labels in turn."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    return np.arange(n) % n_clusters


def held(X: Array, form: str) -> Any:
    """A table as an array, a list, a frame, and so on."""
    match form:
        case "list":
            return X.tolist()
        case "fortran":
            return np.asfortranarray(X)
        case "strided":
            return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
        case "readonly":
            X = X.copy()
            X.setflags(write=False)
        case "pandas":
            import pandas as pd

            return pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
        case "polars":
            import polars as pl

            return pl.DataFrame({f"c{i}": X[:, i] for i in range(X.shape[1])})
    return X


def as_read(X: Array, form: str) -> Array:
    """The numbers that count: float32 where X is, else float64."""
    if X.dtype == np.float32 and form != "list":
        return X
    with np.errstate(over="ignore"):
        return X.astype(np.float64)


def metric_of(metric: Any) -> Any:
    """What ``metric=`` takes: a name where there are no parameters, else an object."""
    from kgroups import semimetrics

    name, given = metric
    if name == "column_sum":
        parts = [(object_of(m), columns, c) for m, columns, c in given["parts"]]
        return semimetrics.ColumnSum(parts)
    return object_of(metric) if given else name


def object_of(metric: Any) -> Any:
    """A semimetric object."""
    from kgroups import semimetrics

    return getattr(semimetrics, CLASSES[metric[0]])(**metric[1])


def graph_of(A: Array, form: str) -> Any:
    """A graph as a sparse or full matrix, or of networkx."""
    if form == "networkx":
        import networkx as nx

        is_symmetric = bool((A == A.T).all())
        kind = nx.Graph if is_symmetric else nx.DiGraph
        return nx.from_numpy_array(A, create_using=kind)
    if form in ("dense", "list"):
        return A if form == "dense" else A.tolist()
    return {"csr": csr_array, "csc": csc_array, "coo": coo_array}[form](A)


# Code ---------------------------------------------------------------------------------------------


def snippet(problem: Table | Graph, faults: list[str]) -> str:
    """A program that shows the problem, with what is wrong as comments."""
    lines = table_lines(problem) if isinstance(problem, Table) else graph_lines(problem)
    head = ["import numpy as np", "import kgroups as kg", "from kgroups.semimetrics import *", ""]
    return "\n".join([*head, *lines, *(f"# {fault}" for fault in faults)])


def array_code(values: Any) -> str:
    """An array as code, to the last digit."""
    values = np.asarray(values)
    name = "longdouble" if values.dtype == np.longdouble else values.dtype.name
    if values.size == 0:
        return f"np.zeros({values.shape}, {name!r})"
    if name == "longdouble":
        flat = ", ".join(f"'{value}'" for value in values.ravel())
        return f"np.array([{flat}]).astype('longdouble').reshape({values.shape})"
    return f"np.array({values.tolist()!r}, {name!r})"


def metric_code(metric: Any) -> str:
    """A metric as code."""
    name, given = metric
    if name == "column_sum":
        parts = ", ".join(
            f"({metric_code((m[0], m[1]))}, {columns}, {c})"
            if m[1]
            else f"({CLASSES[m[0]]}(), {columns}, {c})"
            for m, columns, c in given["parts"]
        )
        return f"ColumnSum([{parts}])"
    if not given:
        return repr(name)
    return f"{CLASSES[name]}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def _settings_code(settings: dict[str, Any]) -> str:
    return "".join(f", {name}={_value_code(value)}" for name, value in settings.items())


def _value_code(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    return "lambda X, k, seed: np.arange(X.shape[0]) % k" if value == "callable" else repr(value)


def table_lines(problem: Table) -> list[str]:
    """The lines of a fit, or of the statistics."""
    lines = [f"X = {array_code(problem.X)}  # as {problem.form}"]
    weights = ""
    if problem.weights is not None:
        lines.append(f"w = {array_code(problem.weights)}")
        weights = ", sample_weight=w"
    if problem.block != 256:
        lines.append(f"# with kgroups.solvers.sweep.BLOCK = {problem.block}")
    if problem.way != "as planned":
        lines.append(f"# {problem.way}, as benchmarks.hunt.ways has it")
    metric = f", metric={metric_code(problem.metric)}"
    if problem.act == "statistics":
        labels = np.asarray(problem.settings["labels"]).tolist()
        lines.append(f"kg.stats.within_dispersion(X, {labels}{metric}{weights})")
        return lines
    act, settings = problem.act, dict(problem.settings)
    if act in ("threads", "large"):
        act = "KernelKGroups"
    if act in ("KGroups1D", "EnergyAgglomerative"):
        alpha = problem.metric[1].get("alpha", 1.0)
        metric, settings = f", alpha={alpha!r}", {}
    lines.append(
        f"model = kg.{act}({problem.n_clusters}{metric}{_settings_code(settings)}).fit(X{weights})"
    )
    if problem.new.size:
        lines.append(f"model.predict({array_code(problem.new)})")
    return lines


def graph_lines(problem: Graph) -> list[str]:
    """The lines of a fit to a graph, or of the scores."""
    lines = [f"A = {array_code(problem.A)}  # as {problem.form}"]
    if problem.act == "scores":
        lines.append(f"labels = {np.asarray(problem.settings['labels']).tolist()}")
        return [*lines, "kg.metrics.modularity(A, labels)"]
    settings = dict(problem.settings)
    if problem.weights is not None:
        settings["weights"] = problem.weights
    code = _settings_code(settings)
    lines.append(f"model = kg.GraphKGroups({problem.n_clusters!r}{code}).fit(A)")
    return lines
