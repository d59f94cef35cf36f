"""The proof that nobody's labels can be improved by moving one row, or the rows that can."""

from __future__ import annotations

import time
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kgroups.certificate.certificate import Certificate, CertifiedLabels
from kgroups.certificate.certified import form_of, within_of
from kgroups.certificate.changes import Bracket
from kgroups.certificate.improvements import Improvements, improvements_on
from kgroups.certificate.label_check import LabelCheck
from kgroups.certificate.proof_search import Limits, can_be_squared
from kgroups.gram.operator import GramOperator
from kgroups.gram.sorted_columns import ColumnGram, is_column_sum
from kgroups.gram.squared_rows import RowsGram, squared_rank
from kgroups.gram.without_pairs import squared_gram
from kgroups.input.parameters import check_time_limit, check_tol, check_weights, group_codes
from kgroups.input.rows import n_rows
from kgroups.input.spaces import PointSpace, Space, exact_gram, read_input
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.scaling import in_units
from kgroups.runtime.threads import Threads, default_threads
from kgroups.semimetrics.all_pairs import Points, Term
from kgroups.semimetrics.semimetric import Metric
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Data, Float64Array, IntArray


class _Looked(NamedTuple):
    """What was found, in units of ρ times the weights as they are held."""

    improvements: Improvements
    certificate: Certificate
    within: Bracket


# Rows from which bounds take less time than all pairs.
_FROM = 20_000
_LANDMARKS = 200


def certify(
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-12,
    time_limit: float | None = None,
) -> CertifiedLabels:
    r"""Whether a single move improves a partition, whoever found it; a proof, or the rows to move.

    The gain of moving row i from cluster j to cluster l is

    .. math:: ΔW = w_i \left[\frac{s_j}{s_j - w_i} d_j^2 - \frac{s_l}{s_l + w_i} d_l^2\right]

    with d the distances in feature space to the centroids. Beyond 20,000 rows intervals of it come
    from a share of the pairs, for compiled metrics of negative type; metrics that need no pairs are
    exact without; otherwise all pairs are looked at. Time: O(n m D) for m landmarks, all pairs
    within the clusters where these are needed, O(n²D/k), and of open rows those with few clusters;
    in data without clusters that may be several times all pairs. Memory: O(n + the rows of one
    cluster).

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in ``fit`` of :class:`kgroups.KernelKGroups`.
    labels : array (n,)
        The cluster of each row: integers, text, anything that can be sorted.
    metric : str, semimetric, callable, "precomputed" or "precomputed_kernel", default="energy"
    sample_weight : array (n,) or None
        Rows of weight zero stay where they are.
    tol : float, default=1e-12
        Share of W that a gain must exceed to count.
    time_limit : float or None, default=None
        Seconds after which the proof stops; what is open then is counted.

    Returns
    -------
    CertifiedLabels
        ``rows`` that a single move would improve, with ``targets`` and ``gains``, and how much is
        proved of the others: ``proved``, ``n_open``, ``is_optimal``.

    Raises
    ------
    ValueError
        For labels that are missing or of another length, and for any input that ``fit`` would
        refuse.

    Examples
    --------
    >>> from kgroups.bounds import certify
    >>> X = [[0.0], [1.0], [10.0], [12.0]]
    >>> certify(X, ["a", "a", "b", "b"]).is_optimal
    True
    >>> found = certify(X, ["a", "a", "a", "b"])
    >>> found.rows.tolist(), found.targets.tolist(), found.gains.round(3).tolist()
    ([2], ['b'], [5.167])

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 50.
    """
    check_tol(tol)
    check_time_limit(time_limit)
    deadline = np.inf if time_limit is None else time.monotonic() + float(time_limit)
    space, data = read_input(X, metric)
    n = n_rows(data)
    groups, codes = group_codes(labels, n)
    weights, unit = in_units(check_weights(sample_weight, n))
    how = (codes, weights, len(groups), tol)
    with one_thread_a_product():
        # A cluster without weight has no mean of which anything could be bounded.
        has_means = bool((sum_by_cluster(codes, weights, len(groups)) > 0).all())
        points = _points(space, data) if has_means and can_be_squared(weights) else None
        if points is not None:
            found = _by_bounds(points, *how, Limits(deadline=deadline))
        else:
            found = _by_sums(space, data, *how)
    return _for_user(found, groups, unit)


def _points(space: Space, data: Any) -> Points | None:
    """The rows where bounds serve, else None."""
    if not isinstance(space, PointSpace) or not space.has_features or n_rows(data) < _FROM:
        return None
    terms = _terms(space, data)
    if not terms or terms[0].is_sparse or _without_pairs(terms):
        return None
    if any(term.gap_scale is not None for term in terms):  # rounding of differences has no bound
        return None
    return Points.of(terms)


def _terms(space: Space, data: Any) -> list[Term]:
    semimetric = space.semimetric
    if semimetric is None or semimetric.takes_objects:
        return []
    return semimetric.terms(data) or []


def _without_pairs(terms: list[Term]) -> bool:
    return squared_rank(terms) is not None or is_column_sum(terms)


def _by_bounds(
    points: Points, codes: IntArray, weights: Float64Array, k: int, tol: float, limits: Limits
) -> _Looked:
    form = form_of(points, weights, max(_LANDMARKS, 2 * k), 0)
    executor = Threads(default_threads())
    found = LabelCheck(points, form, weights, codes, k, tol, executor, limits=limits).look()
    W = within_of(found.totals, sum_by_cluster(codes, weights, k))
    return _Looked(found.improvements, found.certificate, W)


def _by_sums(
    space: Space, data: Any, codes: IntArray, weights: Float64Array, k: int, tol: float
) -> _Looked:
    begun, n, n_threads = time.monotonic(), n_rows(data), default_threads()
    gram = _gram_without_pairs(space, data, weights, n_threads)
    made = Certificate.of_all_pairs if gram is None else Certificate.without_pairs
    gram = exact_gram(space, data, n_threads) if gram is None else gram
    found, W = improvements_on(gram, codes, weights, k, tol)
    unit = float(gram.unit) if isinstance(gram, RowsGram) else 1.0
    certificate = replace(made(n, proved=True), seconds=time.monotonic() - begun)
    return _Looked(found.by_row(unit), certificate, Bracket(unit * W, unit * W))


def _gram_without_pairs(
    space: Space, data: Any, weights: Float64Array, n_threads: int
) -> GramOperator | None:
    """The operator of a metric that needs no pairs, else None."""
    terms = _terms(space, data)
    if terms and squared_rank(terms) is not None:
        return squared_gram(data, space.semimetric, terms, weights, n_threads)
    if terms and is_column_sum(terms) and n_rows(data) >= _FROM:
        return ColumnGram.from_terms(terms, n_threads)
    return None


def _for_user(found: _Looked, groups: tuple[Any, ...], unit: float) -> CertifiedLabels:
    """With the user's names of the clusters, in units of ρ times weight."""
    best, within = found.improvements, found.within.times(unit)
    known = {f.name: getattr(found.certificate, f.name) for f in fields(found.certificate)}
    known["largest_gain"] *= unit
    return CertifiedLabels(
        **known,
        rows=best.rows,
        targets=np.array(groups)[best.targets],
        gains=unit * best.gains,
        within_dispersion=within.middle,
        within_dispersion_interval=(within.least, within.most),
    )
