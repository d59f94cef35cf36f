"""Numbers of fitted networks, each worked out in another way."""

import warnings

import networkx as nx
import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import oracle
from kgroups import BetheHessianClustering, GraphKGroups, graphs, select
from kgroups.exceptions import GraphNotice

LARGE = 2.0**400


def drawn(seed=0, n=30, k=3, inside=0.6, between=0.1, weighted=True):
    """A network with communities, which follow each other."""
    rng = np.random.default_rng(seed)
    z = np.arange(n) * k // n
    A = np.triu(rng.random((n, n)) < np.where(np.equal.outer(z, z), inside, between), 1) * 1.0
    if weighted:
        A *= rng.uniform(0.3, 3, (n, n))
    return A + A.T, z


def quiet(model, A):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphNotice)
        return model.fit(A)


# Units and weights


def test_quantities_go_with_the_units_of_edges_and_of_nodes():
    A, _ = drawn()
    start = np.random.default_rng(1).integers(3, size=30)
    w = np.random.default_rng(2).uniform(0.5, 2, 30)
    powers = {
        "bethe_hessian": (0, 1), "ratio_association": (1, -1), "ratio_cut": (1, -1),
        "normalized_cut": (0, 0), "modularity": (0, 0), "cpm": (1, 0),
    }  # fmt: skip
    for name, (of_edges, of_nodes) in powers.items():
        own = name in ("normalized_cut", "modularity", "cpm")
        for unit in (LARGE, 1 / LARGE):
            gamma, weights = (0.3 if name == "cpm" else 1.0), ("unit" if own else w)
            plain = GraphKGroups(3, objective=name, resolution=gamma, weights=weights, init=start)
            gamma = gamma * unit if name == "cpm" else gamma
            edges = GraphKGroups(3, objective=name, resolution=gamma, weights=weights, init=start)
            plain.fit(A), edges.fit(unit * A)
            assert edges.labels_.tolist() == plain.labels_.tolist(), name
            assert edges.objective_ == pytest.approx(plain.objective_ * unit**of_edges, rel=1e-9)
            volume = unit if name == "normalized_cut" else 1.0
            right = plain.cluster_weights_ * volume
            np.testing.assert_allclose(edges.cluster_weights_, right, 1e-12, err_msg=name)
            if own:
                continue
            nodes = GraphKGroups(3, objective=name, weights=unit * w, init=start).fit(A)
            assert nodes.objective_ == pytest.approx(plain.objective_ * unit**of_nodes, rel=1e-9)
            np.testing.assert_allclose(nodes.cluster_weights_, right * unit, 1e-12, err_msg=name)
            degree = GraphKGroups(3, objective=name, weights="degree", init=start)
            degree = [degree.fit(some * A).cluster_weights_.sum() for some in (1.0, unit)]
            assert degree == pytest.approx([A.sum(), A.sum() * unit], rel=1e-12), name
    for unit in (1.0, LARGE):
        model = GraphKGroups(objective="cpm", resolution=0.3 * unit, random_state=0).fit(unit * A)
        of = ("cpm", oracle.long(A), None, None, model.labels_, model.n_clusters_)
        right = oracle.graph_value(*of, 0.3)
        assert model.objective_ / unit == pytest.approx(float(right), rel=1e-9)
        assert 1 < model.n_clusters_ < 30


def test_the_history_begins_at_the_labels_that_are_given():
    A, _ = drawn(3)
    start = np.random.default_rng(0).integers(4, size=30)
    for name in ("bethe_hessian", "ratio_cut", "normalized_cut", "modularity", "cpm"):
        model = GraphKGroups(4, objective=name, init=start).fit(A)
        of = (oracle.long(A), oracle.long(np.ones(30)), model.r_)
        right = float(oracle.graph_value(name, *of, start, 4))
        assert model.objective_history_[0] == pytest.approx(right, rel=1e-9), name
        assert model.n_iter_ == len(model.objective_history_) - 1
        events = []
        GraphKGroups(4, objective=name, init=start, verbose=events.append).fit(A)
        values = [one.objective for one in events if getattr(one, "objective", None) is not None]
        assert values[-1] == pytest.approx(model.objective_history_[-1], rel=1e-6), name
    w = np.where(start == 3, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"community 3.*weight"):
        GraphKGroups(4, objective="ratio_cut", weights=w, init=start).fit(A)
    lonely = np.zeros((32, 32))
    lonely[:30, :30] = A
    with pytest.raises(ValueError, match=r"n_clusters=31.*30"):
        quiet(GraphKGroups(31, objective="ratio_cut"), lonely)


def test_names_of_nodes_keep_their_labels_in_any_order_of_edges():
    A, z = drawn(4)
    names = np.random.default_rng(0).permutation([f"n{i:02d}" for i in range(30)])
    edges = [(names[i], names[j], A[i, j]) for i, j in zip(*np.nonzero(np.triu(A)), strict=True)]
    found = []
    for seed in range(3):
        G = nx.Graph()
        order = np.random.default_rng(seed).permutation(len(edges))
        G.add_weighted_edges_from([edges[i] for i in order])
        model = GraphKGroups(3, objective="normalized_cut", random_state=0).fit(G)
        of = dict(zip(model.nodes_, model.labels_.tolist(), strict=True))
        labels = np.array([of[name] for name in names])
        assert adjusted_rand_score(z, labels) == 1.0
        L = oracle.long(A)
        assert model.objective_ == pytest.approx(
            float(oracle.normalized_cut(L, labels, 3)), rel=1e-9
        )
        assert (np.diff(model.cluster_weights_) <= 1e-9).all()  # community 0 is the heaviest
        np.testing.assert_allclose(model.cluster_weights_, oracle.volumes(L, labels, 3), 1e-12)
        found.append(of)
        open_ = GraphKGroups(n_init=1, objective="modularity", random_state=3).fit(G)
        found[-1] |= {
            ("open", node): c for node, c in zip(open_.nodes_, open_.labels_, strict=True)
        }
    assert found[0] == found[1] == found[2]


def test_labels_of_the_spectral_method_are_in_order_of_size():
    rng = np.random.default_rng(5)
    z = rng.permutation(np.repeat([0, 1, 2, 3], [12, 40, 20, 28]))
    A = np.triu(rng.random((100, 100)) < np.where(np.equal.outer(z, z), 0.5, 0.03), 1) * 1.0
    A += A.T
    for seed, normalize in enumerate((True, False, "auto", True, False, True)):
        model = BetheHessianClustering(4, normalize_rows=normalize, random_state=seed).fit(A)
        assert np.bincount(model.labels_).tolist() == [40, 28, 20, 12]
        assert adjusted_rand_score(z, model.labels_) == 1.0
    zeta = BetheHessianClustering(4, r="zeta", random_state=0).fit(A)
    for p, root in enumerate(zeta.r_):  # the largest r at which this eigenvalue is zero
        values = np.linalg.eigvalsh(graphs.bethe_hessian(A, root).toarray())
        assert abs(values[p]) < 1e-4
        assert (zeta.r_ < np.sqrt(A.sum() / 100)).all()


def likelihood(A, z):
    """Of edges at one rate inside communities and another between, for the best rates."""
    same, upper = np.equal.outer(z, z), np.triu(np.ones(A.shape), 1)
    m, pairs = [[(of * upper * some).sum() for some in (same, ~same)] for of in (A, 1)]
    return sum(edges * np.log(edges / n) for edges, n in zip(m, pairs, strict=True))


def test_the_more_likely_of_both_kinds_of_rows():
    A, _ = graphs.lfr_graph(
        300,
        mixing=0.3,
        average_degree=8,
        max_degree=60,
        min_community=40,
        max_community=120,
        random_state=2,
    )
    found = {}
    for normalize in (True, False):
        model = BetheHessianClustering(4, normalize_rows=normalize, random_state=0).fit(A)
        found[normalize] = likelihood(A.toarray(), model.labels_)
    model = BetheHessianClustering(4, normalize_rows="auto", random_state=0).fit(A)
    assert model.row_scores_ == pytest.approx(found, rel=1e-9)
    assert found[model.rows_normalized_] == max(found.values()) > min(found.values())
    assert likelihood(A.toarray(), model.labels_) == max(found.values())


# Communities that become one


def merged_by_hand(A, labels):
    """All merges of the pair with the densest links: both, the density, and the labels then."""
    labels, A = labels.copy(), oracle.twice_loops(oracle.long(A))
    steps = []
    while labels.max() > 0 and len(set(labels.tolist())) > 1:
        names = np.unique(labels)
        v = {c: A[labels == c].sum() for c in names}
        link = {
            (r, s): A[np.ix_(labels == r, labels == s)].sum() for r in names for s in names if r < s
        }
        pair = max(link, key=lambda rs: link[rs] / (v[rs[0]] * v[rs[1]]))
        density = float(link[pair] * A.sum() / (v[pair[0]] * v[pair[1]]))
        if density == 0:  # pieces: the two smallest
            pair = tuple(sorted(sorted(names, key=lambda c: v[c])[:2]))
        labels = np.where(labels == pair[1], pair[0], labels)
        steps.append((pair, density, labels))
    return steps


def test_the_hierarchy_of_communities():
    rng = np.random.default_rng(0)
    connected = drawn(6, n=48, k=8, inside=0.7, between=0.12)[0]
    connected[3, 3] = 2.0
    sizes = [9, 7, 5, 6, 4]
    pieces = np.zeros((33, 33))  # of which the last two are isolated nodes
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        some = np.triu(rng.uniform(0.5, 2, (size, size)), 1)
        pieces[end - size : end, end - size : end] = some + some.T
    for name, A, start in (
        ("connected", connected, np.arange(48) // 6),
        ("pieces", pieces, np.append(np.repeat(np.arange(5), sizes), [0, 1])),
    ):
        model = quiet(GraphKGroups(start.max() + 1, objective="modularity", init=start), A)
        hierarchy, z = model.hierarchy_, model.labels_
        steps = merged_by_hand(A, z)
        assert hierarchy.merges.tolist() == [list(pair) for pair, _, _ in steps], name
        np.testing.assert_allclose(hierarchy.resolutions, [d for _, d, _ in steps], 1e-9, 1e-12)
        of_steps = [z, *(labels for _, _, labels in steps)]
        for evidence, labels in zip(hierarchy.evidence, of_steps, strict=True):
            of_numbers = np.unique(labels, return_inverse=True)[1]
            right = oracle.evidence(oracle.long(A), of_numbers)
            assert evidence == pytest.approx(right, rel=1e-9, abs=1e-7), name
            found = model.labels_at(of_numbers.max() + 1)
            assert found.tolist() == of_numbers.tolist(), name


def test_nodes_without_edges_change_no_number():
    A, z = drawn(10, weighted=False)
    lonely = np.zeros((36, 36))
    lonely[:30, :30] = A
    labels = np.append(z, [0, 0, 1, 3, 4, 5])
    right = oracle.evidence(oracle.long(A), z)
    assert graphs.evidence(lonely, labels) == pytest.approx(right, rel=1e-9, abs=1e-8)
    for objective in ("auto", "bethe_hessian"):
        model = quiet(GraphKGroups(objective=objective, random_state=0), lonely)
        assert model.r_ == pytest.approx(np.sqrt(A.sum() / 30), rel=1e-12)
        assert sorted(model.labels_[30:]) == [model.n_clusters_ + i for i in range(6)]
        assert model.evidence_ == pytest.approx(graphs.evidence(A, model.labels_[:30]), rel=1e-9)


def test_a_cut_of_nothing_costs_nothing():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A = np.zeros((24, 24))
        for part in (slice(0, 9), slice(9, 24)):
            size = part.stop - part.start
            some = np.triu(rng.uniform(0.1, 3, (size, size)), 1)
            A[part, part] = some + some.T
        for objective in ("ratio_cut", "normalized_cut"):
            model = quiet(GraphKGroups(2, objective=objective, random_state=0), A)
            assert model.objective_ == 0, (objective, seed)


# Where a search begins


def beliefs(A, z, k, n_rounds=30):
    """Belief propagation from labels: messages in turn, node by node, and the likeliest labels."""
    n, d = len(A), (A != 0).sum(axis=1)
    a = d / d.mean() if d.var() > 2 * d.mean() else np.ones(n)
    same = np.equal.outer(z, z)
    pairs = np.outer(a, a)
    inside = ((A != 0) & same).sum() / (pairs * same).sum()
    across = max(((A != 0) & ~same).sum() / (pairs * ~same).sum(), 1e-3 * inside)
    b = np.full((n, k), 0.2 / k)
    b[np.arange(n), z] += 0.8
    sent = {(i, j): b[i].copy() for i in range(n) for j in np.flatnonzero(A[i])}
    for _ in range(n_rounds):
        before = b.copy()
        for i in range(n):
            field = -(inside - across) * a[i] * (a @ b)
            logs = {j: np.log(1 + (inside / across - 1) * sent[j, i]) for j in np.flatnonzero(A[i])}
            for own, j in [(None, None), *((m, j) for j, m in logs.items())]:
                x = field + sum(logs.values()) - (0 if own is None else own)
                x = np.exp(x - x.max())
                if j is None:
                    new = x / x.sum()
                else:
                    sent[i, j] = x / x.sum()
            b[i] = new
        if np.abs(b - before).sum() < 1e-3 * n:
            break
    return b.argmax(axis=1)


def test_starts_are_what_they_are_called():
    """Beliefs, rows of eigenvectors and of the walk: the first value of the history is theirs."""
    for hubs, size in ((0, 60), (10, 80)):
        rng = np.random.default_rng(13 if hubs else 0)
        z = np.arange(size) % 2
        theta = np.where(np.arange(size) < hubs, 7.0, 1.0)
        rates = np.where(np.equal.outer(z, z), *((0.09, 0.03) if hubs else (0.16, 0.05)))
        chance = np.minimum(rates * np.outer(theta, theta), 1)
        A = np.triu(rng.random((size, size)) < chance, 1) * 1.0
        A += A.T
        A = A[np.ix_(A.any(axis=1), A.any(axis=1))]
        assert nx.is_connected(nx.from_numpy_array(A))
        d, n = A.sum(axis=1), len(A)
        assert (d.var() > 2 * d.mean()) == (hubs > 0)
        r = np.sqrt(d.mean())
        rows = np.linalg.eigh(graphs.bethe_hessian(A).toarray())[1][:, :2]
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        walk = np.linalg.eigh(A / np.sqrt(np.outer(d, d)))[1][:, -2:] / np.sqrt(d)[:, None]

        def of_rows(X):
            return KMeans(2, n_init=20, random_state=0).fit(X).labels_

        starts = {
            ("belief", "bethe_hessian"): beliefs(A, of_rows(unit), 2),
            ("spectral", "bethe_hessian"): of_rows(rows),
            ("spectral-unit", "bethe_hessian"): of_rows(unit),
            ("spectral-walk", "normalized_cut"): of_rows(walk),
        }
        for (init, objective), labels in starts.items():
            model = GraphKGroups(2, objective=objective, init=init, random_state=0).fit(A)
            of = (oracle.long(A), oracle.long(np.ones(n)), r)
            right = float(oracle.graph_value(objective, *of, labels, 2))
            found = model.objective_history_[0]
            assert found == pytest.approx(right, rel=1e-8), (hubs, init)


def test_components_are_the_first_pieces_of_a_walk():
    sizes, A = [5, 12, 4, 6], np.zeros((28, 28))  # the last node is alone
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        A[end - size : end, end - size : end] = 1 - np.eye(size)
    A[5:11, 11:17] = 0
    A[11:17, 5:11] = 0
    A[10, 11] = A[11, 10] = 1  # the largest one is two cliques with one edge between
    model = quiet(GraphKGroups(5, objective="normalized_cut", init="spectral-walk"), A)
    assert model.objective_history_[0] == pytest.approx(2 / 31, rel=1e-9)
    assert model.component_sizes_.tolist() == [12, 6, 5, 4, 1]


def test_a_start_on_levels_has_the_objective_of_the_graph():
    """A cut only falls on the way back from groups, which cut across no clear community."""
    A, _ = graphs.stochastic_block_model(1500, 4, 12, 2, balanced=True, random_state=0)
    given, events = {"init": "multilevel", "random_state": 0}, []
    GraphKGroups(4, objective="ratio_cut", verbose=events.append, **given).fit(A)
    values = np.array([one.objective for one in events if one.phase == "sweep"])
    assert (np.diff(values) / values[1:]).max() <= 1e-9
    for seed in (0, 2):  # where groups have room
        A, z = drawn(seed, n=150, inside=0.3, between=0.3, weighted=False)
        A *= np.where(np.equal.outer(z, z), 1, 0.01)
        model = GraphKGroups(3, objective="ratio_cut", **given).fit(A)
        right = oracle.graph_value("ratio_cut", oracle.long(A), np.ones(150), None, z, 3)
        assert model.objective_history_[0] == pytest.approx(float(right), rel=1e-9)


def test_groups_of_nodes_have_the_objective_of_their_nodes():
    """Two phases of one fit: where the search on groups ends, that on the nodes begins."""
    graph = nx.planted_partition_graph(3, 80, 0.2, 0.04, seed=0)
    for objective in ("ratio_cut", "bethe_hessian", "ratio_association", "normalized_cut"):
        events = []
        model = GraphKGroups(3, objective=objective, init="multilevel", n_init=1, random_state=0)
        model.set_params(weights="degree", verbose=events.append).fit(graph)
        at = max(i for i, event in enumerate(events) if event.phase == "level")
        found, first = events[at - 1].objective, model.objective_history_[0]
        assert found == pytest.approx(first, rel=1e-9), objective


def test_what_starts_compete_by():
    A, _ = drawn(7, n=60, k=3, inside=0.3, between=0.08, weighted=False)
    model = GraphKGroups(3, objective="bethe_hessian", random_state=0).fit(A)
    assert model.selected_by_ == "likelihood"
    assert max(model.start_values_) == pytest.approx(likelihood(A, model.labels_), rel=1e-9)
    assert model.best_start_ == int(np.argmax(model.start_values_))
    assert len(model.start_values_) == 12  # of "auto", where each is quick
    assert set(model.start_names_) == {"belief", "spectral", "spectral-unit", "multilevel"}
    cut = GraphKGroups(3, objective="normalized_cut", random_state=0).fit(A)
    assert cut.selected_by_ == "objective"
    assert "spectral-walk" in cut.start_names_
    for n_init in (2, 5):
        free = GraphKGroups(objective="modularity", n_init=n_init, random_state=0).fit(A)
        assert len(free.start_values_) == n_init + 1  # and what they agree on
        right = float(oracle.modularity(oracle.long(A), free.labels_, free.n_clusters_))
        assert max(free.start_values_) == pytest.approx(right, rel=1e-9)
        assert free.objective_ == pytest.approx(right, rel=1e-9)


# How many: negative eigenvalues and factors


def test_numbers_of_groups():
    path = nx.to_numpy_array(nx.path_graph(9))
    pieces = np.kron(np.eye(3), 1 - np.eye(4))
    # H_1 is the Laplacian: as many zeros as components, and nothing below.
    assert select.bethe_hessian_n_communities(pieces, r=1.0) == 1
    assert select.bethe_hessian_n_communities(pieces) == 3
    sparse = np.zeros((12, 12))
    sparse[:2, :2] = path[:2, :2]
    H = graphs.bethe_hessian(sparse).toarray()  # r is at least 1
    np.testing.assert_allclose(H, np.diag(sparse.sum(axis=1)) - sparse, atol=1e-12)
    heavy = drawn(8)[0]
    heavy[0, 1] = heavy[1, 0] = 1e6
    right = oracle.bethe_hessian(oracle.long(heavy), oracle.regularizer(heavy)).astype(float)
    np.testing.assert_allclose(graphs.bethe_hessian(heavy).toarray(), right, 1e-9)
    for r in (0.5, 1.0, -2.0, 0.0, np.inf, np.nan, "average"):
        with pytest.raises(ValueError, match=r"\br\b.*weighted"):
            graphs.bethe_hessian(heavy, r)
    for n, k in ((1500, 3), (3000, 3), (4000, 5)):
        A, _ = graphs.stochastic_block_model(n, k, 14, 2.2, balanced=True, random_state=0)
        assert select.bethe_hessian_n_communities(A) == k, n
    ring = nx.to_scipy_sparse_array(nx.ring_of_cliques(70, 10), format="csr", dtype=float)
    values = np.linalg.eigvalsh(graphs.bethe_hessian(ring).toarray())
    assert select.bethe_hessian_n_communities(ring) == (values < 0).sum()


def test_groups_of_variables_are_counted_by_factors():
    rng = np.random.default_rng(0)
    for k in (2, 3, 4):
        factors = rng.normal(size=(400, k))
        X = np.repeat(factors, 5, axis=1) + 0.8 * rng.normal(size=(400, 5 * k))
        model = GraphKGroups(random_state=0).fit(np.corrcoef(X.T))
        assert (model.n_clusters_, model.decided_by_) == (k, "spectrum")
        assert adjusted_rand_score(np.arange(5 * k) // 5, model.labels_) == 1.0
    factor = rng.normal(size=(400, 1))
    X = factor * np.repeat([1.0, -1.0], 6) + 0.8 * rng.normal(size=(400, 12))
    opposed = GraphKGroups(random_state=0).fit(np.corrcoef(X.T))  # one factor with two sides
    assert opposed.labels_.tolist() in ([0] * 6 + [1] * 6, [1] * 6 + [0] * 6)
    z = np.arange(60) // 30
    A = np.triu(rng.random((60, 60)) < 0.2, 1) * np.where(np.equal.outer(z, z), 1.0, -1.0)
    signed = GraphKGroups(random_state=0).fit(A + A.T)
    assert signed.n_clusters_ == 2
    assert adjusted_rand_score(z, signed.labels_) == 1.0


def test_the_likeness_of_each_node_to_itself_is_no_edge():
    A, _ = drawn(9)
    signed = A * np.where(np.add.outer(range(30), range(30)) % 7 == 0, -1, 1)
    own_of_some = np.where(np.arange(30) < 20, 0.7, 0.0)
    for some, own in ((A, A.max() * 1.5), (signed, 3.0), (signed, own_of_some)):
        for objective in ("bethe_hessian", "ratio_association"):
            start = np.arange(30) % 3
            fits = [
                GraphKGroups(3, objective=objective, init=start).fit(B)
                for B in (some, some + np.diag(own * np.ones(30)))
            ]
            assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=1e-12)
            assert fits[0].r_ == fits[1].r_
    loops = A + np.diag(np.where(np.arange(30) < 15, 0.5, 0.0))  # these are edges
    start = np.arange(30) % 3
    model = GraphKGroups(3, objective="ratio_association", init=start).fit(loops)
    ones = oracle.long(np.ones(30))
    value = oracle.graph_value(
        "ratio_association", oracle.long(loops), ones, None, model.labels_, 3
    )
    assert model.objective_ == pytest.approx(float(value), rel=1e-9)


def test_every_cluster_of_rows_has_one():
    for rows in (np.zeros((6, 1)), np.array([[0.0]] * 5 + [[1.0]])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            assert sorted(set(graphs.cluster_rows(rows, 4, seed=0, n_init=1))) == [0, 1, 2, 3]


def test_a_potts_resolution_that_is_too_large_is_reported():
    A, _ = drawn(weighted=False)
    density = A.sum() / (30 * 29)
    with pytest.warns(GraphNotice, match=rf"(?s)resolution=2.*{density:.3g}"):
        model = GraphKGroups(objective="cpm", resolution=2, random_state=0).fit(A)
    assert model.n_clusters_ == 30
