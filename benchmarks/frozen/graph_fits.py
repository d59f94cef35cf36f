"""Fits to graphs: objectives, starts, weights, and every kind of graph."""

_OBJECTIVES = ("bethe_hessian", "ratio_association", "ratio_cut", "normalized_cut", "modularity")
_STARTS = ("spectral", "spectral-unit", "spectral-walk", "belief", "multilevel", "random")

OBJECTIVES = [
    f"GraphKGroups {graph} k={k} objective={objective}"
    for graph, k in (("weighted", 4), ("hubs", 3), ("weak", "auto"))
    for objective in _OBJECTIVES
]
_GRAPHS = ("blocks", "array", "components", "loops", "lonely", "sparse n=2500", "karate")
GRAPHS = [
    *(f"GraphKGroups {graph} objective=bethe_hessian" for graph in _GRAPHS),
    *(f"GraphKGroups {graph}" for graph in _GRAPHS),
    "GraphKGroups blocks k=4 objective=normalized_cut",
    "GraphKGroups signed k=4",
    "GraphKGroups signed k=4 objective=ratio_association",
    "GraphKGroups components k=6 objective=normalized_cut",
    "GraphKGroups loops k=4 objective=modularity",
    "GraphKGroups loops k=4 objective=normalized_cut",
    "GraphKGroups lonely k=4 objective=modularity",
    "GraphKGroups full n=60 k=3 objective=normalized_cut",
    "GraphKGroups full n=60 k=3 objective=ratio_cut",
    "GraphKGroups sparse n=1200 k=5 objective=modularity",
    "GraphKGroups karate k=4 objective=modularity",
    "GraphKGroups miserables k=6 objective=normalized_cut",
    "GraphKGroups families k=2",
    "GraphKGroups families k=2 objective=bethe_hessian",
    "GraphKGroups weighted objective=cpm resolution=0.2",
]
STARTS = [
    *(f"GraphKGroups hubs k=4 init={start}" for start in _STARTS),
    "GraphKGroups weighted k=4 objective=ratio_cut init=spectral-walk",
    "GraphKGroups weighted k=4 init=labels",
    "GraphKGroups weighted k=5 init=callable objective=modularity n_init=3",
    *(
        f"GraphKGroups weighted k=6 {objective}n_jobs={n_jobs}"
        for objective in ("objective=bethe_hessian ", "")
        for n_jobs in (1, 2)
    ),
]
WEIGHTS = [
    "GraphKGroups hubs k=4 weights=degree",
    "GraphKGroups hubs k=4 weights=degree objective=ratio_association",
    "GraphKGroups hubs k=4 weights=random objective=ratio_cut",
    "GraphKGroups weighted k=4 weights=some-zero",
    "GraphKGroups weighted k=4 weights=uneven r=3.0",
]
SPECTRAL = [
    *(
        f"BetheHessianClustering {graph}"
        for graph in ("blocks", "weighted", "components", "lonely", "karate", "sparse n=2500")
    ),
    "BetheHessianClustering blocks k=4 r=zeta",
    "BetheHessianClustering weighted k=4 normalize_rows=True",
    "BetheHessianClustering weighted k=4 normalize_rows=auto n_init=3",
    "BetheHessianClustering signed k=4",
    "BetheHessianClustering loops k=3 r=2.5",
    "bethe_hessian_n_communities weak",
]

FITS = [*OBJECTIVES, *GRAPHS, *STARTS, *WEIGHTS, *SPECTRAL]
