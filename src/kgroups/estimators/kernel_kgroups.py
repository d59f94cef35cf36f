"""Kernel k-groups as a scikit-learn estimator."""

from typing import Any

from kgroups.estimators.kernel_clustering import KernelClustering
from kgroups.fit.plan import Plan, default_effort
from kgroups.input.parameters import check_integer, check_tol
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.regrowth import Regrowth
from kgroups.solvers.restarts import Improver


class KernelKGroups(KernelClustering):
    r"""Cluster points by energy statistics with Hartigan's method.

    Finds k clusters that minimize the within dispersion

    .. math:: W = \sum_j \frac{s_j}{2} g(C_j, C_j), \qquad
              g(A, B) = \frac{1}{s_A s_B} \sum_{x ∈ A} \sum_{y ∈ B} w_x w_y ρ(x, y)

    which is the same as maximizing the between-cluster energy S, and Q = Σ_j Q_j/s_j of the kernel
    that generates ρ. A point moves when the exact gain is positive; at the end no move of one point
    improves the objective. Up to 2,000 points the n × n matrix is held. Beyond that it is not,
    unless the metric is a function of yours: starts compete on a Nyström sketch, and the best of
    them is improved with distances that are computed on demand. Time: one pass over n²/2 pairs, D
    multiply-adds each, then O(n) per move; memory: the coordinates four times and 16 nk bytes. For
    ``Energy(2)``, whose clusters are those of k-means, and for "cosine" no pair is needed: a sweep
    takes O(nkD) at most, of sparse rows O(k) per entry, and the result is exact for any n.
    Where that pass would take minutes, the sketch is the answer, in O(nm(D + m)) for m landmarks.
    ``exactness_`` says which it was.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters, at most the number of distinct rows. "auto" leaves it to
        :func:`kgroups.select.choose_n_clusters`, with the same metric, ``random_state`` and
        ``n_jobs``, on up to 2,000 rows: it may be 1, and takes some seconds. Weights have no
        influence on this number, of which a warning is given where they differ.
    metric : str, semimetric, callable, "precomputed" or "precomputed_kernel", default="energy"
        The distance. A name ("energy", "laplacian", "gaussian", "manhattan", "hamming", "cosine"
        for embeddings and counts of words, "mixed" for tables with text, dates and gaps,
        "levenshtein" for strings, "dtw" for series, ...), an object of :mod:`kgroups.semimetrics`,
        a function of two points or objects, or "precomputed..." to say that X is a matrix: of
        distances ρ, or a Gram matrix that need not be positive semidefinite.
    init : str, array (n,) or callable, default="auto"
        Where to begin: "auto" (greedy k-means++ and random labels in turn, the first alone where
        means say it all, as for squared distances and cosines of rows), "k-means++" (greedy D²
        sampling with ρ, in any space), "euclidean-k-means++", "random", "spectral", labels, or a
        function ``init(X, n_clusters, random_state)`` that returns labels.
    n_init : int or "auto", default="auto"
        Number of starts, of which the best is kept. "auto" is 8 + 4k on the matrix, at most 40, and
        beyond 1,000 points at most 40,000 / n; the same for ``Energy(2)``, with at least 8 for any
        n; on a sketch 40 / k, between 2 and 8, and below 5,000 points at least 20,000 / n, up to
        10; 1 for "spectral", labels and callables. After the starts some clusters of the best are
        grown anew (see :class:`kgroups.solvers.Regrowth`), except from labels and callables.
    max_iter : int, default=300
        Maximum number of sweeps over the points in one start.
    tol : float, default=1e-12
        Share of Σ|Q_j/s_j| that a gain must exceed to count; below that it is rounding.
    method : {"auto", "dense", "matrix_free", "certified", "nystroem"}, default="auto"
        How similarities are held: as a matrix; not at all, with distances computed on demand; the
        same for the few pairs that bounds leave open, which is exact as well (see
        ``certificate_``); or as features of a sketch, which is an approximation. "auto" chooses by
        n, D and memory and says why in ``method_reason_``; from 50,000 points on, if there are
        2,000 per cluster, it takes "certified" with a limit on the number of distances, where the
        method itself goes on to the end. Labels and callables as ``init`` start on the exact
        objective, or on the sketch of all points where there are too many for that.
    n_components : int or "auto", default="auto"
        Landmarks of the sketch; "auto" is √n, between 100 and 200, and at least 2k.
    landmarks : {"distant", "uniform"}, default="distant"
        How they are drawn: half of them with probability proportional to ρ to the nearest of the
        others (D² sampling), so that small groups far away are seen; or uniformly. The rows on
        which starts compete are drawn in the same way.
    memory_limit : int, str or None, default=None
        Bytes, or a size such as "2 GiB", that arrays may take; None is most of what is free.
        A method that needs more raises MemoryError before allocating.
    time_limit : float or None, default=None
        Seconds after which a proof stops where it stands, with method "certified"; what comes
        before it is not cut short. ``exactness_`` then says that the result is not repeatable.
    random_state : int, RandomState or None, default=None
        Seed of the starts. The same seed gives the same labels for any ``n_jobs``.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores that the process may use, also those of a container.
        ``joblib.parallel_config(n_jobs=...)`` says what None means, and ``OMP_NUM_THREADS`` and
        ``LOKY_MAX_CPU_COUNT`` limit it.
    verbose : int or callable, default=0
        1 prints one line per step: the plan, starts, parts of the pass over all pairs with the
        time left, sweeps. A function is called with a :class:`kgroups.solvers.Progress`.

    Attributes
    ----------
    labels_ : array (n,)
        Cluster of each point, 0..k−1.
    n_clusters_ : int
        The number k of clusters, given or chosen.
    cluster_count_ : kgroups.select.ClusterCount or None
        For ``n_clusters="auto"``, what the number follows from, and how sure it is: ``interval``,
        ``votes``, ``criteria``.
    objective_ : float
        Q: of the matrix for a given kernel, of the kernel doubly centered by the weights otherwise,
        where it equals ``between_statistic_``. With method "nystroem" S and W are estimates from
        the distances within a sample of 20,000 points, good to about half a percent.
    within_dispersion_ : float
        W, the number to compare across programs; inertia for ``Energy(2)``.
    between_statistic_ : float
        S; S + W does not depend on the clusters.
    objective_history_ : array (n_iter_ + 1,)
        Q at the start and after each sweep of the best start.
    start_names_, start_histories_ : list
        The kind of each start and its objective history; of starts on a sketch, the objective
        there, in proportion to the points on which they competed.
    cluster_weights_ : array (k,)
        Total weight of each cluster.
    cluster_dispersions_ : array (k,)
        W_j of each cluster, which add up to W.
    n_iter_, n_moves_ : int
        Sweeps and moves of the best start, with those of clusters grown anew; after a
        sketch, those on all points that followed it.
    converged_ : bool
        Whether no single move improves the objective.
    exactness_ : str
        "one-move optimal" or "stopped at max_iter", with "on the sketch" where that was the
        objective; "stable under Lloyd's rule" or "stopped in a cycle" for :class:`KernelKMeans`.
        With float32 data distances are rounded to float32, and so is what counts as optimal.
        Where a proof was not finished, the share of the rows for which it was.
    certificate_ : kgroups.bounds.Certificate
        How much is proved, and how many distances that took: ``proved``, ``n_open``, ``n_pairs``,
        ``n_pairs_full``, ``steps``, ``rounds``, ``seconds``.
    within_dispersion_interval_, between_statistic_interval_ : tuple of two floats, or None
        What is proved of W and of S; None where they are estimates.
    sketch_error_ : float or None
        Share of the kernel's trace about the mean that the sketch misses: the trace norm of the
        difference over that of the kernel. Where the sketch only chose the start, it concerns the
        choice alone. None where there was no sketch.
    cluster_centers_, inertia_ : array (k, D), float
        For ``Energy(2)`` only, whose clusters are those of k-means: the weighted means of the rows
        of each cluster, and W, as scikit-learn's KMeans calls them.
    metric_ : semimetric or str
        The semimetric used, with every parameter a number.
    method_, method_reason_ : str
        How similarities were held, and why.
    negative_type_violation_ : float or None
        How far the metric is from being of negative type, measured on some rows where theory does
        not say (see :func:`kgroups.semimetrics.negative_type_violation`); 0 where it is of negative
        type, None for a matrix.
    n_features_in_, feature_names_in_
        Columns seen at fit.
    n_missing_ : dict
        For metrics that give missing entries a meaning, such as "mixed": how many there are, by
        name or position, for the columns that have some.
    column_kinds_ : dict
        For "mixed": what each column was taken for, by name or position.

    Examples
    --------
    >>> from kgroups import KernelKGroups
    >>> model = KernelKGroups(n_clusters=2, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
    >>> round(model.within_dispersion_, 6)
    1.5
    >>> model.predict([[2.0], [9.0]]).tolist() == [model.labels_[0], model.labels_[2]]
    True
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(mean, 1, (50, 2)) for mean in (0, 7, 14)])
    >>> print(KernelKGroups("auto", random_state=0).fit(X).cluster_count_)
    3 clusters (all votes agree)
    >>> words = ["cat", "cart", "dog", "dogs"]
    >>> def letters_apart(a, b):
    ...     return len(set(a) ^ set(b))
    >>> labels = KernelKGroups(2, metric=letters_apart, random_state=0).fit_predict(words)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True

    References
    ----------
    G. França, M. L. Rizzo & J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (2020), Algorithm 2 and eq. 50. M. Telgarsky & A. Vattani, "Hartigan's Method: k-Means
    Clustering without Voronoi", AISTATS 2010.
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        metric: Any = "energy",
        init: Any = "auto",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-12,
        method: str = "auto",
        n_components: Any = "auto",
        landmarks: str = "distant",
        memory_limit: Any = None,
        time_limit: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.method = method
        self.n_components = n_components
        self.landmarks = landmarks
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _solver(self) -> Hartigan:
        return Hartigan(max_iter=check_integer(self.max_iter, "max_iter"), tol=check_tol(self.tol))

    def _improver(self, seed: int, plan: Plan, n: int, k: int) -> Improver | None:
        return Regrowth(solver=self._solver(), seed=seed + 1, **default_effort(plan, n, k))
