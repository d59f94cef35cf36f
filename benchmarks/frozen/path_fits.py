"""Fits of many rows, of other kinds of rows and of rows elsewhere, so that every path is taken.

Sorted columns serve from 20,000 rows on; proofs, blocks of rows and starts on a sample from 50,000.
"""

_LITTLE = "memory_limit=20_000_000 n_jobs=1"

FITS = [
    # proofs from bounds, and what stands in for them
    "KernelKGroups blobs n=60000 k=5",
    "KernelKGroups unequal n=60000 k=7 weights=uneven",
    "KernelKGroups tails n=60000 k=4 new=200 also=transform",
    "KernelKGroups blobs n=120000 k=5",
    "KernelKGroups blobs n=60000 k=5 rows=float32",
    "KernelKGroups close n=3000 k=4 method=certified",
    "KernelKGroups close n=3000 k=4 method=certified init=labels",
    "KernelKGroups cloud n=17000 k=4 method=certified max_iter=20",
    "KernelKMeans blobs n=60000 k=5",
    # sketches
    "KernelKGroups unequal n=60000 k=7 method=nystroem new=200 also=transform",
    "KernelKGroups blobs n=20000 k=10 n_components=10 memory_limit=6_000_000 n_jobs=1",
    "KernelKGroups drawn n=300 k=3 metric=samples memory_limit=1_500_000 n_jobs=1",
    "KernelKGroups blobs n=300000 k=5 n_components=20 rows=sparse",
    # squared distances, of directions as well
    "KernelKGroups blobs n=60000 k=5 metric=Energy(2) weights=uneven new=200 also=transform",
    "KernelKGroups blobs n=60000 k=5 metric=Energy(2) init=labels",
    "KernelKGroups blobs n=3000 k=40 metric=Energy(2) method=matrix_free rows=float32",
    "KernelKGroups blobs n=3000 k=5 metric=Energy(2) method=certified",
    "KernelKGroups wide n=3000 k=6 metric=cosine new=100 also=transform",
    "KernelKGroups wide n=60000 k=6 metric=cosine",
    "KernelKMeans blobs n=60000 k=5 metric=Energy(2)",
    # sorted columns, categories and gaps
    "KernelKGroups blobs n=25000 k=5 metric=manhattan",
    "KernelKGroups blobs n=21000 k=5 metric=manhattan method=matrix_free weights=some-zero",
    "KernelKGroups blobs n=21000 k=5 metric=manhattan method=certified init=k-means++",
    "KernelKGroups blobs n=21000 k=5 metric=manhattan init=labels",
    "KernelKGroups categories n=25000 k=3 metric=hamming weights=random",
    "KernelKGroups gaps n=3000 k=3 metric=mixed new=100 also=transform",
    "KernelKGroups gaps n=25000 k=3 metric=mixed",
    # sparse rows and objects
    "KernelKGroups counts n=3000 k=4 new=100 also=transform",
    "KernelKGroups counts n=3000 k=4 metric=cosine new=100 also=transform",
    "KernelKGroups words k=3 metric=levenshtein weights=random",
    "KernelKGroups series k=3 metric=dtw new=10 also=transform",
    "KernelKGroups drawn k=3 metric=samples new=10 also=transform",
    # rows in a file or on workers, gathered or by block
    "KernelKGroups blobs n=60000 k=5 rows=npy",
    f"KernelKGroups blobs n=60000 k=5 rows=npy {_LITTLE}",
    f"KernelKGroups blobs n=60000 k=5 rows=npy weights=far-apart {_LITTLE}",
    "KernelKGroups blobs n=60000 k=5 rows=npy method=nystroem",
    "KernelKGroups blobs n=60000 k=5 rows=npy metric=Energy(2) weights=some-zero",
    f"KernelKGroups wide n=60000 k=6 rows=npy metric=cosine {_LITTLE}",
    "dask.KernelKGroups blobs n=60000 k=5 rows=dask metric=Energy(2)",
    f"dask.KernelKGroups blobs n=60000 k=5 rows=dask {_LITTLE}",
    "dask.KernelKGroups blobs n=60000 k=5 rows=dask method=nystroem also=resume",
    "dask.KernelKGroups blobs n=60000 k=5 rows=dask metric=Energy(2) also=resume",
    # a number that is chosen, no negative type, graphs, tests and bounds
    "KernelKGroups blobs k=auto",
    "KernelKGroups tails n=2100 k=4 metric=sine_squared n_init=1 max_iter=3",
    "KernelKMeans blobs n=3000 k=5 rows=float32 algorithm=online",
    "GraphKGroups sparse n=4000",
    "GraphKGroups tails n=1500 affinity=nearest_neighbors",
    "certify blobs n=21000 k=5 method=nystroem",
    "cluster_significance blobs n=300 k=5",
    "dip_test line n=500",
    "spectral_bound blobs n=3000 k=5 method=blockwise",
]
