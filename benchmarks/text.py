"""Text as sparse rows: ``python -m benchmarks.text`` clusters docstrings.

A document is the docstring of a public function or class. Two corpora: NumPy, SciPy, scikit-learn
and pandas, where the class is the library; four packages of SciPy, where it is the package. Prints
the adjusted Rand index of ``KernelKGroups`` on the rows of ``TfidfVectorizer()``, of ``KMeans``
on the same rows, and of ``KMeans`` after ``TruncatedSVD``, means of ten seeds. Exit status 1 if the
first is below the last on one of the corpora.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from kgroups import KernelKGroups

#: Corpora by name: the packages whose docstrings are compared, each of which is a class.
CORPORA = {
    "libraries": ("numpy", "pandas", "scipy", "sklearn"),
    "packages of SciPy": ("scipy.linalg", "scipy.optimize", "scipy.signal", "scipy.stats"),
}
N_SEEDS = 10
#: Shorter ones say too little, such as "Deprecated".
_LEAST_CHARACTERS = 200
#: Modules that are not for users, or that do something when they are imported.
_NOT_READ = ("tests", "conftest", "testing", "setup", "__main__")


def ours(seed: int) -> BaseEstimator:
    """The pipeline of the page on text."""
    return make_pipeline(TfidfVectorizer(), KernelKGroups(4, metric="cosine", random_state=seed))


def kmeans(seed: int) -> BaseEstimator:
    """Ten starts of k-means on the same rows: nearly the same objective, by Lloyd's rule."""
    return make_pipeline(TfidfVectorizer(), KMeans(4, n_init=10, random_state=seed))


def reduced_kmeans(seed: int) -> BaseEstimator:
    """What scikit-learn's guide does: latent semantic analysis, unit rows, ten starts."""
    return make_pipeline(
        TfidfVectorizer(),
        TruncatedSVD(100, random_state=seed),
        Normalizer(copy=False),
        KMeans(4, n_init=10, random_state=seed),
    )


def documents(packages: Sequence[str]) -> tuple[list[str], list[str]]:
    """Texts and their packages, sorted by package and name; each text once."""
    found: dict[str, str] = {}
    for package in packages:
        for _, text in sorted(set(_docstrings(package))):
            if len(text) >= _LEAST_CHARACTERS:
                found.setdefault(text, package)
    return list(found), list(found.values())


def _docstrings(package: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of public functions and classes that a package defines."""
    for module in _modules(package):
        for name, value in vars(module).items():
            home = f"{getattr(value, '__module__', '')}."
            if name.startswith("_") or not home.startswith(f"{package}."):
                continue
            if _is_documented(value) and isinstance(value.__doc__, str):
                yield name, inspect.cleandoc(value.__doc__)


def _is_documented(value: object) -> bool:
    return inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, np.ufunc)


def _modules(name: str) -> Iterator[ModuleType]:
    """A package and its public modules; those that cannot be imported here are left out."""
    package = importlib.import_module(name)
    yield package
    for entry in pkgutil.walk_packages(package.__path__, f"{name}.", onerror=lambda _: None):
        parts = entry.name.split(".")
        if any(part.startswith("_") or part in _NOT_READ for part in parts):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield importlib.import_module(entry.name)
        except (ImportError, AttributeError):
            continue


def agreement(
    make: Callable[[int], BaseEstimator], texts: list[str], classes: list[str]
) -> tuple[float, float]:
    """Mean adjusted Rand index over the seeds, and seconds of one fit, the words counted too."""
    begun = time.perf_counter()
    found = [adjusted_rand_score(classes, make(seed).fit_predict(texts)) for seed in range(N_SEEDS)]
    return float(np.mean(found)), (time.perf_counter() - begun) / N_SEEDS


COMPARED = {
    "KernelKGroups": ours,
    "KMeans": kmeans,
    "TruncatedSVD and KMeans": reduced_kmeans,
}


def main() -> int:
    """Print the figures of each corpus."""
    missed = 0
    for corpus, packages in CORPORA.items():
        texts, classes = documents(packages)
        counts = ", ".join(f"{package} {classes.count(package):,}" for package in packages)
        print(f"{corpus}: {len(texts):,} docstrings; {counts}")
        found = {name: agreement(make, texts, classes) for name, make in COMPARED.items()}
        for name, (index, seconds) in found.items():
            print(f"  {name:24} ARI {index:.3f}   {seconds:.2f} s per fit", flush=True)
        missed += found["KernelKGroups"][0] < found["TruncatedSVD and KMeans"][0]
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
