"""Communities by kernel k-groups: Hartigan's method on a graph, as a scikit-learn estimator."""

import warnings
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kgroups.fit.whole_fit import whole_fit
from kgroups.graphs.bethe_hessian import regularizer
from kgroups.graphs.community_estimator import (
    CommunityEstimator,
    has_edges,
    in_units,
    permuted,
    renumbered,
)
from kgroups.graphs.free.evidence import bits_of
from kgroups.graphs.free.hierarchy import CommunityGraph, Hierarchy
from kgroups.graphs.free_search import FreeSearch
from kgroups.graphs.graph_objectives import FREE, OWN_WEIGHTS, SIGNED
from kgroups.graphs.known_search import KnownSearch, starts_as_is, starts_from_labels
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.graphs.neighbors.reading import new_rows, table_of_neighbors, tell_of_small_groups
from kgroups.graphs.outcome import Outcome
from kgroups.graphs.reported_communities import ReportedCommunities
from kgroups.input.adjacency import canonical_order
from kgroups.input.parameters import (
    check_choice,
    check_integer,
    check_n_jobs,
    check_resolution,
    check_tol,
)
from kgroups.names import AFFINITIES, GRAPH_INITS, NODE_WEIGHTS, OBJECTIVES
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.threads import effective_n_jobs
from kgroups.semimetrics import Energy
from kgroups.solvers.partition import Status
from kgroups.typing import BoolArray, Float64Array, IntArray


def _takes_rows(model: "GraphKGroups") -> bool:
    """Whether new rows have neighbors among those of the fit."""
    return model._of_rows


class GraphKGroups(ReportedCommunities, CommunityEstimator):
    r"""Find communities in a network by kernel k-groups with Hartigan's method.

    Moves one node at a time to the community where the objective

    .. math:: Q = \sum_j \frac{1}{s_j} \sum_{x, y ∈ C_j} w_x w_y G_{xy}, \qquad
              s_j = \sum_{x ∈ C_j} w_x

    gains most, until no move of a single node gains; G need not be positive semidefinite. With
    G = −H_r, the Bethe Hessian, that finds communities down to the limit at which they can be
    detected at all. No array of n × n is made: a visit costs O(degree + k), a sweep O(edges + nk),
    and a million nodes take seconds. Memory: about three times the edges, and 8 nk bytes where
    eigenvectors are used.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of communities. "auto" takes the best supported of the partitions on which
        independent searches agree, see :mod:`kgroups.graphs.free.accepted`. The objectives
        "modularity" and "cpm" have a number at which they are largest, and "bethe_hessian" counts
        the negative eigenvalues of H_r, as does "auto" with negative weights. For a table it is
        the number of pieces among which a random walk seldom moves.
    objective : str, default="auto"
        ``"auto"``: of the Bethe Hessian and the forms that correct for degrees, the one for whose
        communities there is more evidence (:func:`kgroups.graphs.evidence`).
        ``"bethe_hessian"``: Q of G = −H_r. ``"ratio_association"``: Σ A(C_j, C_j)/w(C_j), G =
        𝒲⁻¹A𝒲⁻¹. ``"ratio_cut"``: Σ cut(C_j)/w(C_j). ``"normalized_cut"``: Σ cut(C_j)/vol(C_j),
        which is 𝒲 = D. ``"modularity"``: Newman's, a sum without denominators. ``"cpm"``: the
        constant Potts model, Σ m_j − γ n_j(n_j − 1)/2. Cuts are minimized. "auto",
        "bethe_hessian" and "ratio_association" take negative weights.
    resolution : float, default=1.0
        γ of "modularity" and "cpm"; larger values favor smaller communities. For "cpm" it is the
        weight of edges per pair of nodes that a community must exceed.
    affinity : "precomputed" or "nearest_neighbors", default="precomputed"
        What ``fit`` takes: a graph, or a table whose rows become the nodes of one, as in
        :class:`sklearn.cluster.SpectralClustering`. Edges then join nearest neighbors with weights
        exp(−4 d²/(σᵢσⱼ)), σ the distance to the last of them, and "auto" is "normalized_cut": that
        finds clusters of any shape, such as moons, rings and spirals.
    n_neighbors : int, default=10
        Neighbors of each row with ``affinity="nearest_neighbors"``; fewer are used, with a notice,
        in tables of less than 100 different rows.
    weights : "unit", "degree" or array (n,), default="unit"
        Weight w of each node, not negative. A node of weight 0 never moves, nor do its edges
        count. The objectives "normalized_cut", "modularity" and "cpm" have weights of their own.
        With other weights than "unit", "auto" is the Bethe Hessian.
    r : float or "average_degree", default="average_degree"
        Regularizer of the Bethe Hessian. With a number, "auto" is the Bethe Hessian.
    init : str, array (n,) or callable, default="auto"
        Where to begin: "spectral" (k-means on rows of eigenvectors as they are, as published),
        "spectral-unit" (on rows of length one), "spectral-walk" (components first, then the
        random walk's eigenvectors), "belief" (belief propagation from unit rows), "multilevel"
        (coarsen, cluster, refine), "random", labels, or a function ``init(A, n_clusters,
        random_state)`` that returns labels. "auto" takes several in turn: the walk for the
        objectives that cut, beliefs where edges have no weights, and only levels where
        eigenvectors would take too long. "modularity" and "cpm" take communities of any number,
        merged or divided to as many as asked for, and annealing up to some 30,000 edges. A number
        that is not given is searched without starts, by moves into new communities and levels; with
        any ``init`` but "auto", the objective "auto" is the Bethe Hessian.
    n_init : int or "auto", default="auto"
        Number of starts, of which one is kept; "auto" is 4 to 12 for ``init="auto"``, else 1, and
        1 where only levels are used. With an open number, the searches that must agree, at least
        4, and 4 to 24 for "auto"; of "modularity" and "cpm" those that vote, 6.
        Starts compete by the objective; for the Bethe Hessian by the likelihood of a planted
        partition, or by evidence if the number is open, because near the limit of detectability
        many partitions have a larger Q than the true one.
    max_iter : int, default=300
        Maximum number of sweeps over the nodes in one start.
    tol : float, default=1e-12
        Share of Σ|Q_j/s_j| that a gain must exceed to count; below that it is rounding.
    random_state : int, RandomState or None, default=None
        Seed of the starts. The same seed gives the same labels for any ``n_jobs``.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores that the process may use, also those of a container.
        ``joblib.parallel_config(n_jobs=...)`` says what None means, and ``OMP_NUM_THREADS`` and
        ``LOKY_MAX_CPU_COUNT`` limit it.
    verbose : int or callable, default=0
        1 prints one line per step; a function is called with a :class:`kgroups.solvers.Progress`.

    Attributes
    ----------
    labels_ : array (n,)
        Community of each node, 0..k−1; 0 is the heaviest, unless ``init`` gave labels. Where their
        number is searched, nodes without an edge have labels of their own, from k on.
    n_clusters_ : int
        Number of communities k; those of isolated nodes are not counted.
    decided_by_ : str
        What decided the number: "given"; "evidence", "random graphs", "weak" (as random graphs,
        with less than 20 nodes) or "one" (no communities) by the rule; "spectrum" of the Bethe
        Hessian, of factors or of a random walk; "objective", the number at which it is largest.
    evidence_ : float or None
        Bits by which the communities shorten the description of the graph; None with negative
        weights and for tables.
    agreement_ : float or None
        Mean adjusted Rand index between independent searches; for communities of the Bethe Hessian
        also the median with those of three graphs without a tenth of the edges, if that is smaller.
        None where there was one search.
    alternatives_ : list of (int, float)
        Number of communities and evidence of partitions with at least half the evidence that do
        more than split or join these communities.
    candidates_ : list of (int, float)
        The same of every partition that was looked at, where evidence was asked; else empty.
    chosen_objective_, resolution_ : str, float
        What was optimized in the end, and its resolution if it has one.
    objective_ : float
        The quantity that goes by the objective's name: the cut, the association, the modularity; Q
        for the Bethe Hessian.
    objective_history_ : array (n_iter_ + 1,)
        The same at the start and after each sweep of the start that was kept.
    cluster_sizes_, cluster_weights_ : array (k,)
        Nodes in each community, and their total weight.
    r_ : float
        The regularizer used; where the number is searched, that of the nodes with an edge.
    start_names_, start_values_, best_start_ : list, list, int
        The kind of each start, what starts competed by, larger is better, and which was kept.
    selected_by_ : str
        "likelihood", "objective" or "evidence".
    n_iter_, n_moves_, converged_ : int, int, bool
        Sweeps and moves of the start that was kept; whether no single move improves it.
    exactness_ : str
        "one-move optimal" or "stopped at max_iter"; "best supported" where moves that improve the
        objective would lose evidence.
    hierarchy_ : Hierarchy
        The steps by which the communities become one, computed when first asked for: ``merges``,
        ``resolutions`` and the ``evidence`` before the first and after each. See ``labels_at``.
    component_sizes_ : array
        Nodes in each connected component of the graph, the largest first.
    n_neighbors_ : int
        Neighbors of each row that were used; of a table only.
    nodes_, communities_ : array (n,), list of lists
        The ids of the nodes, and those of each community.
    n_features_in_ : int
        Number of nodes, or of columns of a table.

    Examples
    --------
    >>> import numpy as np
    >>> from kgroups import GraphKGroups
    >>> clique = np.ones((5, 5)) - np.eye(5)
    >>> A = np.kron(np.eye(2), clique)  # two cliques,
    >>> A[4, 5] = A[5, 4] = 1  # and one edge between them
    >>> GraphKGroups(random_state=0).fit_predict(A).tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> model = GraphKGroups(2, objective="normalized_cut", random_state=0).fit(A)
    >>> round(model.objective_, 6)  # 2/21
    0.095238

    Two rings, one in the other, in a table:

    >>> t = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> rings = np.vstack([r * np.column_stack([np.cos(t), np.sin(t)]) for r in (1, 2)])
    >>> model = GraphKGroups(affinity="nearest_neighbors", random_state=0).fit(rings)
    >>> model.n_clusters_, model.cluster_sizes_.tolist()
    (2, [100, 100])
    >>> model.predict([[0.9, 0.1], [0.0, 2.2]]).tolist()
    [0, 1]

    References
    ----------
    França, Rizzo & Vogelstein, IEEE TPAMI 43 (2020), Algorithm 2, sections 3 and 5.2 [FRV].
    Saade, Krzakala & Zdeborová, NeurIPS 2014 [SKZ].
    """

    cluster_weights_: Float64Array
    evidence_: float | None
    _communities: CommunityGraph
    _hierarchy: Hierarchy | None

    def __init__(
        self,
        n_clusters: Any = "auto",
        *,
        objective: str = "auto",
        resolution: float = 1.0,
        affinity: str = "precomputed",
        n_neighbors: int = 10,
        weights: Any = "unit",
        r: Any = "average_degree",
        init: Any = "auto",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-12,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.objective = objective
        self.resolution = resolution
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.r = r
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, A: Any, y: Any = None) -> Self:
        """Find communities.

        Parameters
        ----------
        A : graph, or table (n, d)
            A sparse or full matrix (n, n) of weights of edges, 0 where there is none; a graph of
            networkx or igraph, a list or frame of edges, a path, or a Graph. A directed graph is
            made undirected, with a :class:`kgroups.exceptions.GraphNotice` that says how; another
            one names the components of a graph that is not connected. A table, of any kind that
            other estimators take, with ``affinity="nearest_neighbors"``; equal rows are one node.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For a matrix that is not a graph, weights that the objective does not take, and any
            parameter out of its range, with what to write instead.
        """
        with whole_fit(self):
            self._check_parameters()
            table = self._table(A) if self._of_rows else None
            # Notices of reading point at the line that calls fit.
            signed = self.objective in SIGNED
            matrix = self._nodes_of(table) if table else self._read(A, allow_negative=signed)
            order = self._order() if table is None else None
            matrix, edge_unit = in_units(matrix if order is None else permuted(matrix, order))
            linked = self._searched(matrix)
            part = matrix if linked.all() else csr_array(matrix[linked][:, linked])
            self.r_ = regularizer(part, self.r)
            with one_thread_a_product(), progress.listening(progress.listener(self.verbose)):
                if table is None:
                    outcome = self._outcome(A, part, edge_unit)
                else:
                    objective = "normalized_cut" if self.objective == "auto" else self.objective
                    search = KnownSearch(self, A, part, edge_unit, self.r_, table)
                    outcome = search.best(objective)
            self._keep(outcome.among(linked), matrix, order)
            if table is not None:
                self._spread(table)
                self._small_groups = tell_of_small_groups(table, self._node_labels_)
        return self

    def _outcome(self, A: Any, matrix: csr_array, edge_unit: float) -> Outcome:
        """Communities by the objective; for "auto", by the one for which there is more evidence."""
        if self._is_auto and self._takes_every_form(matrix):
            return FreeSearch.of(self, matrix, edge_unit).accepted()
        if self._is_auto and self.objective in FREE and starts_as_is(self.init):
            free = FreeSearch.of(self, matrix, edge_unit)
            return free.largest(self.objective, float(self.resolution))
        search = KnownSearch(self, A, matrix, edge_unit, self.r_)
        if self._takes_every_form(matrix):
            return search.best_supported()
        return search.best("bethe_hessian" if self.objective == "auto" else self.objective)

    # --- rows of a table -------------------------------------------------------------------------

    @available_if(_takes_rows)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> IntArray:
        """The clusters of new rows, by the affinity to their nearest neighbors in the table.

        Parameters
        ----------
        X : table (m, d)
            Columns as in ``fit``, which took a table. Rows of the fit have the labels they got.

        Returns
        -------
        array (m,)
            Of clusters with equal affinity the first.
        """
        check_is_fitted(self)
        rows = new_rows(self, X)
        return self._table_.vote(rows, self._node_labels_)

    @property
    def _of_rows(self) -> bool:
        return bool(self.affinity == "nearest_neighbors")

    def _table(self, X: Any) -> NeighborTable:
        """The table with its neighbors."""
        return table_of_neighbors(self, X, self.n_neighbors, effective_n_jobs(self.n_jobs))

    def _nodes_of(self, table: NeighborTable) -> csr_array:
        """The matrix of the nodes of a table."""
        self.nodes_ = np.arange(len(table.places))
        self.component_sizes_ = table.component_sizes()
        self.n_neighbors_ = table.n_neighbors
        return table.graph

    def _spread(self, table: NeighborTable) -> None:
        """Labels and sizes of all rows, where equal ones were one node."""
        self.metric_ = Energy()  # by which pictures and new rows are read
        numbers, k = self.labels_, self.n_clusters_
        of_rows = numbers[table.places]
        if not starts_from_labels(self.init):
            of_rows = renumbered(of_rows, np.ones(len(of_rows)), k)
        self._table_, self._node_labels_ = table, table.of_nodes(of_rows)
        before = np.empty(k, np.int64)
        before[self._node_labels_] = numbers
        self.labels_, self.cluster_weights_ = of_rows, self.cluster_weights_[before]
        self.cluster_sizes_ = np.bincount(of_rows, minlength=k)
        self.evidence_ = None  # of pieces of a curve, not of the curve
        self._communities = self._communities.numbered(before)

    # --- settings --------------------------------------------------------------------------------

    def _takes_every_form(self, A: csr_array) -> bool:
        """Whether the objective is open, and no setting is for the Bethe Hessian alone."""
        is_open = self.objective == "auto" and starts_as_is(self.init)
        plain = isinstance(self.weights, str) and self.weights == "unit"
        return is_open and plain and self.r == "average_degree" and bool(A.data.min() >= 0)

    def _searched(self, A: csr_array) -> BoolArray:
        """Nodes that are searched: where the number is open, those with an edge."""
        named = isinstance(self.init, str) and isinstance(self.weights, str)
        return has_edges(A) if self._is_auto and named else np.ones(A.shape[0], np.bool_)

    def _order(self) -> IntArray | None:
        """Nodes with names sorted by them, so that the order of edges decides nothing."""
        if not isinstance(self.init, str) or not isinstance(self.weights, str):
            return None  # given for the nodes as they come
        order = canonical_order(self.nodes_)
        return None if (order == np.arange(len(order))).all() else order

    # --- coarser communities ---------------------------------------------------------------------

    @property
    def hierarchy_(self) -> Hierarchy:
        """How the communities become one, two at a time, and the evidence after each step."""
        check_is_fitted(self)
        if self._hierarchy is None:
            self._hierarchy = self._communities.hierarchy()
        return self._hierarchy

    def labels_at(self, k: int) -> IntArray:
        """Labels of ``k`` communities, each of which is one of ``labels_`` or several of them.

        The two communities that are most densely linked, next to what their degrees let one expect,
        become one, until k are left: see ``hierarchy_``. O(links between communities) the first
        time, then O(n).

        Parameters
        ----------
        k : int
            From 1 to ``n_clusters_``, which gives ``labels_``.

        Returns
        -------
        labels : array (n,)
            Communities 0..k−1 in the order of the first of ``labels_`` in each. Nodes without edges
            keep labels of their own after these if they have such in ``labels_``.

        Raises
        ------
        ValueError
            If k is below 1 or more than ``n_clusters_``.

        Examples
        --------
        >>> import networkx as nx
        >>> from kgroups import GraphKGroups
        >>> model = GraphKGroups(random_state=0).fit(nx.ring_of_cliques(10, 5))
        >>> model.n_clusters_, len(set(model.labels_at(4).tolist()))
        (10, 4)
        >>> model.hierarchy_.evidence.argmax().item()  # no step adds evidence
        0
        """
        check_is_fitted(self)
        check_integer(k, "k")
        if k > self.n_clusters_:
            raise ValueError(
                f"k={k} is more than n_clusters_={self.n_clusters_}, and communities are merged, "
                f"not split; ask for at most {self.n_clusters_}, or fit "
                f"GraphKGroups(n_clusters={k})."
            )
        return self.hierarchy_.coarsened(self.labels_, k)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.objective, "objective", OBJECTIVES)
        check_choice(self.affinity, "affinity", AFFINITIES)
        check_integer(self.n_neighbors, "n_neighbors")
        check_integer(self.max_iter, "max_iter")
        check_tol(self.tol)
        check_resolution(self.resolution)
        if self.resolution != 1.0 and self.objective not in FREE:
            raise ValueError(
                f'resolution={self.resolution:g} has no effect on objective="{self.objective}"; '
                'leave it out, or use objective="modularity" or "cpm".'
            )
        check_n_jobs(self.n_jobs)
        if self.n_init != "auto":
            check_integer(self.n_init, "n_init")
        if isinstance(self.init, str):
            check_choice(self.init, "init", GRAPH_INITS)
        if isinstance(self.weights, str):
            check_choice(self.weights, "weights", NODE_WEIGHTS)
        elif self._of_rows:
            raise ValueError(
                'affinity="nearest_neighbors" takes weights="unit" or "degree", because equal rows '
                "are one node; got an array."
            )
        elif self.objective in OWN_WEIGHTS:
            raise ValueError(
                f'objective="{self.objective}" has weights of its own; leave weights out, or use '
                'objective="ratio_cut" with these weights.'
            )

    def __sklearn_tags__(self) -> Any:
        """A is a square matrix between nodes, or a table."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not self._of_rows
        tags.input_tags.sparse = not self._of_rows
        return tags

    def _keep(self, outcome: Outcome, A: csr_array, order: IntArray | None) -> None:
        k, of_community = outcome.k, outcome.labels < outcome.k
        self.n_clusters_ = k
        self.cluster_sizes_ = np.bincount(outcome.labels[of_community], minlength=k)
        sums = np.bincount(
            outcome.labels[of_community], weights=outcome.weights[of_community], minlength=k
        )
        self.cluster_weights_ = np.asarray(sums * outcome.weight_unit, np.float64)
        self.objective_history_ = outcome.history
        self.objective_ = float(outcome.history[-1])
        self.start_names_, self.start_values_ = list(outcome.names), list(outcome.values)
        self.best_start_, self.selected_by_ = outcome.kept, outcome.selected_by
        self.n_iter_, self.n_moves_ = len(outcome.history) - 1, outcome.n_moves
        self.converged_ = outcome.status in (Status.CONVERGED, Status.SUPPORTED)
        self.exactness_ = outcome.exactness
        self.chosen_objective_, self.resolution_ = outcome.objective, outcome.resolution
        self.decided_by_, self.agreement_ = outcome.decided_by, outcome.agreement
        self.alternatives_ = list(outcome.alternatives)
        self.candidates_ = list(outcome.looked_at)
        signed = A.data.min() < 0
        largest_label = int(outcome.labels.max()) + 1
        self.evidence_ = None if signed else bits_of(A, outcome.labels, largest_label)
        self._communities, self._hierarchy = CommunityGraph.of(A, outcome.labels, k), None
        self.labels_ = outcome.labels.copy()
        if order is not None:
            self.labels_[order] = outcome.labels
        if not self.converged_:
            warnings.warn(outcome.status.value, ConvergenceWarning, stacklevel=3)
