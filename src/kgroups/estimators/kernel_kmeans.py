"""Kernel k-means as a scikit-learn estimator: the same problem with Lloyd's rule."""

from typing import Any

from kgroups.estimators.kernel_clustering import KernelClustering
from kgroups.input.parameters import check_choice, check_integer, check_tol
from kgroups.names import ALGORITHMS
from kgroups.solvers.lloyd import Lloyd, OnlineLloyd
from kgroups.solvers.partition import Solver


class KernelKMeans(KernelClustering):
    r"""Kernel k-means: each point goes to the nearest centroid in feature space.

    Minimizes the same within dispersion as :class:`KernelKGroups`, by the rule

    .. math:: \operatorname*{argmin}_l \frac{Q_l}{s_l^2} - \frac{2}{s_l} \frac{q_l(i)}{w_i}

    whose fixed points include every optimum of Hartigan's method, and worse ones. It is here for
    comparison and for users who need Lloyd's rule. With an indefinite matrix it need not converge:
    labels may return to earlier ones, which ends the search with a warning. Memory and time as for
    :class:`KernelKGroups`, except that a sweep in which many points move is a pass over all pairs.

    Parameters
    ----------
    algorithm : {"batch", "online"}, default="batch"
        "batch" assigns all points, then computes centroids; "online" moves one point at a time.
    n_clusters, metric, init, n_init, max_iter, tol, method, n_components, landmarks, memory_limit,
    time_limit, random_state, n_jobs, verbose
        As in :class:`KernelKGroups`, also ``n_clusters="auto"``; there are no moves of whole
        clusters.

    Attributes
    ----------
    labels_, objective_, within_dispersion_, between_statistic_, ...
        As in :class:`KernelKGroups`; ``converged_`` says that no point is nearer to another
        centroid.

    Examples
    --------
    >>> from kgroups import KernelKMeans
    >>> model = KernelKMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
    >>> round(model.within_dispersion_, 6)
    1.5

    References
    ----------
    I. S. Dhillon, Y. Guan & B. Kulis, "Weighted Graph Cuts without Eigenvectors", IEEE TPAMI 29
    (2007). G. França, M. L. Rizzo & J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (2020), eq. 44 and Algorithm 1, whose printed form omits a term, see
    :class:`kgroups.solvers.OnlineLloyd`.
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
        algorithm: str = "batch",
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
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _solver(self) -> Solver:
        check_choice(self.algorithm, "algorithm", ALGORITHMS)
        form = Lloyd if self.algorithm == "batch" else OnlineLloyd
        return form(max_iter=check_integer(self.max_iter, "max_iter"), tol=check_tol(self.tol))
