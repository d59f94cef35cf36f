"""Fits by every notion of distance: names, objects, matrices and functions."""

NAMES = [
    *(
        f"KernelKGroups blobs k=5 metric={name}"
        for name in ("energy", "laplacian", "gaussian", "manhattan")
    ),
    "KernelKGroups histograms k=4 metric=jensen_shannon",
    "KernelKGroups histograms k=4 metric=hellinger",
    "KernelKGroups globe k=5 metric=great_circle",
    "KernelKGroups rankings k=4 metric=kendall_tau weights=random",
    "KernelKGroups sets k=4 metric=jaccard weights=random",
    "KernelKGroups categories k=3 metric=hamming weights=random",
    "KernelKGroups rings k=3 metric=damped_squared",
    "KernelKGroups rings k=3 metric=sine_squared",
]
OBJECTS = [
    *(
        f"KernelKGroups {sample} k=4 metric={metric}"
        for sample in ("close", "tails")
        for metric in ("Energy(0.5)", "Energy(1.5)", "Energy(2)", "Laplacian(median)")
    ),
    *(
        f"KernelKGroups skewed k=4 metric={metric}"
        for metric in ("Laplacian(2)", "Gaussian(1.5)", "Gaussian(median)", "Manhattan()")
    ),
    "KernelKGroups rings k=3 metric=Gaussian(median)",
    "KernelKGroups rings k=3 metric=DampedSquared()",
    "KernelKGroups rings k=3 metric=SineSquared(3)",
    "KernelKGroups categories k=3 metric=Hamming() weights=uneven",
    "KernelKGroups sets k=4 metric=Jaccard() weights=uneven",
    "KernelKGroups histograms k=3 metric=JensenShannon() weights=some-zero",
    "KernelKGroups histograms k=3 metric=Hellinger() weights=some-zero",
    "KernelKGroups globe k=4 metric=GreatCircle(6371)",
    "KernelKGroups rankings k=4 metric=KendallTau() weights=uneven",
    "KernelKGroups blobs k=5 metric=Energy(2) weights=uneven",
]
COLUMNS = [
    "KernelKGroups frame k=3 metric=columns-of-frame",
    "KernelKGroups frame n=2100 k=3 metric=columns-of-frame n_init=2",
    "KernelKGroups blobs k=4 metric=columns-by-position",
    "KernelKGroups rankings k=3 metric=columns-with-rankings weights=random",
]
FUNCTIONS = [
    "KernelKGroups words k=3 metric=unlike-letters weights=random",
    "KernelKGroups blobs n=60 k=3 metric=largest-difference",
]
MATRICES = [
    "KernelKGroups distances k=4 metric=precomputed",
    "KernelKGroups distances k=4 metric=precomputed weights=uneven",
    "KernelKGroups distances k=4 metric=precomputed init=spectral",
    "KernelKGroups distances k=7 metric=precomputed init=random n_init=2",
    "KernelKGroups kernel k=4 metric=precomputed_kernel",
    "KernelKGroups kernel k=4 metric=precomputed_kernel weights=some-zero",
    "KernelKGroups sparse-kernel k=4 metric=precomputed_kernel",
    "KernelKGroups sparse-kernel k=4 metric=precomputed_kernel weights=random init=random",
    "KernelKGroups indefinite k=4 metric=precomputed_kernel",
    "KernelKGroups indefinite k=4 metric=precomputed_kernel weights=random",
]

FITS = [*NAMES, *OBJECTS, *COLUMNS, *FUNCTIONS, *MATRICES]
