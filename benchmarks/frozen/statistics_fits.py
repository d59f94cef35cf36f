"""Statistics of labeled rows and of samples, tests, bounds, and numbers of clusters."""

DISPERSIONS = [
    f"{statistic} {words}"
    for statistic in ("within_dispersion", "between_statistic")
    for words in (
        "blobs k=3",
        "blobs k=3 weights=uneven",
        "blobs k=3 metric=gaussian",
        "line k=4",
        "distances k=3 metric=precomputed",
        "blobs n=2500 k=3",
    )
]
DISTANCES = [
    f"{statistic} {words}"
    for statistic in ("energy_distance", "mmd")
    for words in ("drift", "drift metric=Energy(0.5)", "drift metric=gaussian", "line")
] + ["energy_distance drift unbiased=True"]
TESTS = [
    f"{test} {words}"
    for test in ("energy_test", "disco")
    for words in (
        "drift",
        "drift n_groups=3 n_permutations=499",
        "drift metric=manhattan",
        "noise",
        "line random_state=7",
        "drift metric=Energy(0.5) n_jobs=1",
    )
]
BOUNDS = [
    "spectral_bound blobs k=5",
    "spectral_bound noise k=3 metric=Energy(2)",
    "spectral_bound close k=4 weights=random",
    "spectral_bound distances k=4 metric=precomputed",
]
HOW_MANY = [
    "choose_n_clusters blobs n=100 k_range=[1,2,3,4,5]",
    "choose_n_clusters noise n=80 k_range=[1,2,3,4]",
    "choose_n_clusters distances n=80 k_range=[1,2,3,4] metric=precomputed",
]

FITS = [*DISPERSIONS, *DISTANCES, *TESTS, *BOUNDS, *HOW_MANY]
