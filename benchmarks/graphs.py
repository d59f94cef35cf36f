"""Communities of networks: seconds, memory, agreement with the truth, and the number found."""

from typing import Any

import numpy as np

import kgroups
from benchmarks import common

Found = dict[tuple[str, str], tuple[float, int]]
GRAPHS = ("blocks", "planted", "lfr")


def estimator(method: str, k: int) -> Any:
    """An estimator that chooses the number of communities, or that is given it."""
    if method == "Bethe-Hessian":
        return kgroups.BetheHessianClustering(random_state=0)
    settings = {"n_clusters": k} if method == "k given" else {}
    return kgroups.GraphKGroups(random_state=0).set_params(**settings)


class Communities:
    """Fits to networks of three models; what is found is fitted once and tracked from there."""

    params = (GRAPHS, ("auto", "k given", "Bethe-Hessian"))
    param_names = ("graph", "method")

    def setup_cache(self) -> Found:
        """Agreement with the planted communities, and the number found, of each fit."""
        found = {}
        for name in self.params[0]:
            for method in self.params[1]:
                self.setup({}, name, method)
                labels = self.model.fit(self.A).labels_
                found[name, method] = common.agreement(labels, self.truth), len(np.unique(labels))
        return found

    def setup(self, found: Found, name: str, method: str) -> None:
        """Draw the network."""
        self.A, self.truth = common.graph(name)
        self.model = estimator(method, len(np.unique(self.truth)))

    def time_fit(self, found: Found, name: str, method: str) -> None:
        """A whole fit."""
        self.model.fit(self.A)

    def peakmem_fit(self, found: Found, name: str, method: str) -> None:
        """The memory of the process."""
        self.model.fit(self.A)

    def track_ari(self, found: Found, name: str, method: str) -> float:
        """The agreement with the communities that were planted."""
        return found[name, method][0]

    def track_n_clusters(self, found: Found, name: str, method: str) -> int:
        """The number of communities found."""
        return found[name, method][1]


class Modularity:
    """Modularity, which a better fit makes larger."""

    params = (GRAPHS,)
    param_names = ("graph",)

    def setup(self, name: str) -> None:
        """Draw the network."""
        self.A, truth = common.graph(name)
        self.model = estimator("k given", len(np.unique(truth)))
        self.model.set_params(objective="modularity")

    def time_fit(self, name: str) -> None:
        """A whole fit."""
        self.model.fit(self.A)

    def track_modularity(self, name: str) -> float:
        """The objective that was reached."""
        return float(self.model.fit(self.A).objective_)
