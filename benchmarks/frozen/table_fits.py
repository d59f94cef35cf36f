"""Fits to tables: estimators, sizes, methods, weights and starts."""

_SAMPLES = ("blobs", "close", "noise", "wide", "unequal", "tails", "skewed", "far", "small")
_WEIGHTS = ("random", "equal", "some-zero", "uneven")
_STARTS = ("k-means++", "euclidean-k-means++", "random", "spectral", "labels", "callable")

SAMPLES = [f"KernelKGroups {sample} k=4" for sample in _SAMPLES]
COUNTS = [
    *(f"KernelKGroups blobs k={k}" for k in (1, 2, 3, 5, 9, 20, 40, 149, 150)),
    "KernelKGroups blobs n=30 k=3",
    "KernelKGroups blobs n=400 k=60",
    "KernelKGroups noise n=30 k=7",
    "KernelKGroups line n=30 k=2",
    "KernelKGroups unequal n=1100 k=7",
]
STARTS = [
    *(f"KernelKGroups close k=5 init={start}" for start in _STARTS),
    *(f"KernelKGroups tails k=4 init={start} weights=uneven" for start in _STARTS),
    "KernelKGroups close k=5 n_init=1",
    "KernelKGroups close k=5 n_init=3 init=random",
    "KernelKGroups close k=5 n_init=1 max_iter=1 init=random",
    "KernelKGroups close k=5 tol=0.001 init=random n_init=2",
]
SEEDS = [f"KernelKGroups noise k=6 n_init=1 random_state={seed}" for seed in (1, 2, 3)]
WEIGHTS = [
    f"KernelKGroups {sample} k=4 weights={weights}"
    for sample in ("blobs", "unequal")
    for weights in _WEIGHTS
]
METHODS = [
    "KernelKGroups close k=4 method=dense",
    "KernelKGroups close k=4 method=matrix_free",
    "KernelKGroups close k=4 method=matrix_free weights=some-zero",
    "KernelKGroups close k=4 method=matrix_free init=labels",
    "KernelKGroups close k=4 method=nystroem n_components=40",
    "KernelKGroups close k=4 method=nystroem n_components=40 landmarks=uniform",
    "KernelKGroups blobs n=2300 k=6",
    "KernelKGroups blobs n=2300 k=6 method=dense n_init=2",
    "KernelKGroups blobs n=2300 k=6 method=matrix_free landmarks=uniform",
    "KernelKGroups blobs n=2300 k=6 method=nystroem",
    "KernelKGroups blobs n=2300 k=6 method=nystroem landmarks=uniform n_components=120",
    "KernelKGroups blobs n=2300 k=6 method=nystroem init=labels",
    "KernelKGroups blobs n=2300 k=6 weights=uneven",
    "KernelKGroups blobs n=2300 k=6 init=callable",
    "KernelKGroups close n=2100 k=4 metric=Energy(0.5) n_init=2",
    "KernelKGroups close n=2100 k=4 metric=gaussian weights=random",
    "KernelKGroups skewed n=2200 k=5 metric=manhattan init=random n_init=2",
    "KernelKGroups line n=2500 k=6",
    "KernelKGroups unequal n=4000 k=7 weights=some-zero",
    "KernelKGroups wide n=2100 k=6 method=nystroem weights=random",
    "KernelKGroups histograms n=2100 k=4 metric=jensen_shannon",
]
THREADS = [
    f"{fit} n_jobs={n_jobs}"
    for fit in ("KernelKGroups tails k=5", "KernelKGroups blobs n=2600 k=5")
    for n_jobs in (1, 2)
]
NEW_ROWS = [
    "KernelKGroups blobs k=5 new=40",
    "KernelKGroups blobs k=5 new=40 weights=uneven metric=Energy(0.5)",
    "KernelKGroups blobs n=2300 k=5 new=200",
    "KernelKGroups blobs n=2300 k=5 new=200 method=nystroem",
    "KernelKMeans blobs k=5 new=40 metric=laplacian",
    "KGroups1D line k=5 new=40",
]
KMEANS = [
    *(
        f"KernelKMeans {sample} k=4 algorithm={algorithm}"
        for sample in ("blobs", "close", "tails")
        for algorithm in ("batch", "online")
    ),
    *(f"KernelKMeans blobs k=4 algorithm=online weights={weights}" for weights in _WEIGHTS),
    *(f"KernelKMeans close k=5 init={start}" for start in _STARTS),
    "KernelKMeans blobs n=2300 k=5 n_init=2",
    "KernelKMeans blobs n=2300 k=5 n_init=2 method=nystroem algorithm=online",
    "KernelKMeans kernel k=4 metric=precomputed_kernel",
    "KernelKMeans indefinite k=4 metric=precomputed_kernel algorithm=online",
    "KernelKMeans distances k=4 metric=precomputed weights=random",
]
LINE = [
    *(f"KGroups1D line k={k}" for k in (1, 2, 3, 6, 25)),
    *(f"KGroups1D line k=4 alpha={alpha}" for alpha in (0.5, 1.5, 2.0)),
    *(f"KGroups1D line k=4 weights={weights}" for weights in _WEIGHTS),
    "KGroups1D line k=3 alpha=1.5 weights=random",
    "KGroups1D line n=3000 k=7",
    "KGroups1D line n=3000 k=5 alpha=2.0 weights=uneven",
]
TREES = [
    *(f"EnergyAgglomerative {sample} k=4" for sample in ("blobs", "noise", "wide", "skewed")),
    *(f"EnergyAgglomerative blobs k=5 weights={weights}" for weights in _WEIGHTS),
    *(f"EnergyAgglomerative close k=3 alpha={alpha}" for alpha in (0.5, 1.5, 2.0)),
    "EnergyAgglomerative blobs k=None distance_threshold=30.0",
    "EnergyAgglomerative close k=12 n_jobs=1",
    "EnergyAgglomerative close k=3 metric=manhattan alpha=0.5",
    "EnergyAgglomerative distances k=4 metric=precomputed",
    "EnergyAgglomerative kernel k=4 metric=precomputed_kernel",
    "EnergyAgglomerative blobs n=1500 k=5",
]
FITS = [*SAMPLES, *COUNTS, *STARTS, *SEEDS, *WEIGHTS, *METHODS, *THREADS, *NEW_ROWS]
FITS += [*KMEANS, *LINE, *TREES]
