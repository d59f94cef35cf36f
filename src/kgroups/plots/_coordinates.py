"""Two coordinates per point: principal components of a table, else classical scaling of distances.

Sparse rows are scaled, too, because principal components would make them dense.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.decomposition import PCA

from kgroups.fit.fitted import FittedClustering
from kgroups.input.rows import n_rows
from kgroups.plots._data import distances, read_points, shuffled_sample
from kgroups.plots.style import plain
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.runtime.scaling import power_of_two
from kgroups.semimetrics import kernel_from_semimetric
from kgroups.text import short
from kgroups.typing import Float64Array, IntArray

#: What is written at an axis that only spreads the points.
JITTER = "height without meaning:\nspread so that points do not hide each other"
MAX_POINTS = 20_000
# All eigenvalues of so large a matrix take about a second.
MAX_SCALED = 2_000
# Less than this share of the variance would be written as 0%.
_HARDLY_ANY = 0.005
_GOLDEN = (5**0.5 - 1) / 2


class Plane(NamedTuple):
    """Coordinates (m, 2) of the points ``drawn``, and what the two axes are."""

    coordinates: Float64Array
    drawn: IntArray
    axis_labels: tuple[str, str]


def plane(estimator: FittedClustering, X: object, feature_names: Sequence[str] | None) -> Plane:
    """The most telling plane that X allows."""
    points = read_points(estimator, X)
    is_numeric = isinstance(points, np.ndarray) and points.ndim == 2
    has_table = not isinstance(estimator.metric_, str) and not (
        hasattr(estimator, "categories_") or getattr(estimator, "n_missing_", None)
    )
    if not is_numeric or not has_table:
        index = shuffled_sample(n_rows(points), MAX_SCALED)
        return _scaled_as_squares(distances(estimator, points, index), index)
    names = _names(estimator, feature_names, points.shape[1])
    index = shuffled_sample(len(points), MAX_POINTS)
    # In float64 first: a common offset eats the digits of float32.
    table = points - points.mean(axis=0, dtype=np.float64)
    unit = power_of_two(float(np.abs(table).max(initial=0.0)))  # so that no square overflows
    if table.shape[1] == 1:
        return _strip(points[index, 0], index, names)
    if table.shape[1] == 2:
        return _as_given(points, table / unit, index, names)
    return _principal(table / unit, unit, index, names)


def _strip(values: Float64Array, index: IntArray, names: list[str] | None) -> Plane:
    """One column: its values against a fixed jitter that fills the height evenly."""
    height = np.arange(len(values)) * _GOLDEN % 1
    return Plane(np.column_stack([values, height]), index, (_name(names, 0), JITTER))


def _as_given(
    points: Float64Array, table: Float64Array, index: IntArray, names: list[str] | None
) -> Plane:
    """Two columns are a picture already; turning them would only hide their names."""
    shares = _shares(table.var(axis=0))
    labels = [f"{_name(names, j)}, {_of_variance(shares[j])}" for j in range(2)]
    return Plane(np.asarray(points[index], np.float64), index, (labels[0], labels[1]))


def _principal(
    centered: Float64Array, unit: float, index: IntArray, names: list[str] | None
) -> Plane:
    # Many rows by their covariance, which takes a hundredth of the time of all singular values.
    n, n_columns = centered.shape
    solver = "covariance_eigh" if n >= 10 * n_columns else "auto"
    pca = PCA(min(2, n, n_columns), svd_solver=solver, random_state=0)
    # One point, or all points equal, are divided by nothing.
    with one_thread_a_product(), np.errstate(invalid="ignore", divide="ignore"):
        pca.fit(centered)
    shares = np.nan_to_num(pca.explained_variance_ratio_)
    labels = [
        f"principal component {j + 1}, {_of_variance(share)}{_mostly(pca.components_[j], names)}"
        for j, share in enumerate(shares)
    ]
    return _padded(unit * pca.transform(centered[index]), index, labels)


def _scaled_as_squares(rho: Float64Array, index: IntArray) -> Plane:
    """Coordinates whose squared distances are closest to ρ: leading eigenvectors of −½HρH.

    These are the coordinates of the feature space where clusters are found. (``kgroups.select``
    scales ρ as a distance instead.)
    """
    values, vectors = all_eigenpairs(kernel_from_semimetric(rho))
    values, vectors = np.maximum(values[::-1], 0), _signed(vectors[:, ::-1])
    labels = [
        f"classical scaling {j + 1}, {_of_variance(share)}"
        for j, share in enumerate(_shares(values)[:2])
    ]
    return _padded(vectors[:, :2] * np.sqrt(values[:2]), index, labels)


def _signed(vectors: Float64Array) -> Float64Array:
    """Each vector with the sign that makes its largest entry positive: one picture everywhere."""
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(np.take_along_axis(vectors, largest[None], axis=0) < 0, -1.0, 1.0)


def _padded(coordinates: Float64Array, index: IntArray, labels: list[str]) -> Plane:
    """A single point spans no plane: it lies at the origin of one."""
    wide = np.zeros((len(coordinates), 2))
    wide[:, : coordinates.shape[1]] = coordinates
    return Plane(wide, index, (labels[0], labels[1] if len(labels) > 1 else ""))


def _shares(values: Float64Array) -> Float64Array:
    total = values.sum()
    return values / total if total > 0 else np.zeros_like(values)


def _of_variance(share: float) -> str:
    return f"{share:.0%} of variance" if share >= _HARDLY_ANY else "almost no variance"


def _mostly(component: Float64Array, names: list[str] | None) -> str:
    """A second line that names the column making up more than half of a component."""
    column = int(np.argmax(np.abs(component)))
    dominates = names is not None and component[column] ** 2 > 0.5
    return f"\nmostly {_name(names, column)}" if dominates else ""


def _names(
    estimator: FittedClustering, given: Sequence[str] | None, n_features: int
) -> list[str] | None:
    names = given if given is not None else getattr(estimator, "feature_names_in_", None)
    if names is None:
        return None
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names for {n_features} columns.")
    return [str(name) for name in names]


def _name(names: list[str] | None, column: int) -> str:
    return f"column {column}" if names is None else plain(short(names[column]))
