"""Communities of networks: seconds, memory, agreement with the truth, and the number found."""

from typing import Any

import kgroups
from benchmarks import common
from kgroups.select import bethe_hessian_n_communities

GRAPHS = ("blocks", "planted", "lfr")


def estimator(method: str, k: int) -> Any:
    """An estimator that chooses the number of communities, or that is given it."""
    if method == "Bethe-Hessian":
        return kgroups.BetheHessianClustering(random_state=0)
    settings = {"n_clusters": k} if method == "k given" else {}
    return kgroups.GraphKGroups(random_state=0).set_params(**settings)


class Communities:
    """Fits to networks of three models."""

    params = (GRAPHS, ("auto", "k given", "Bethe-Hessian"))
    param_names = ("graph", "method")
    timeout = 300

    def setup(self, name: str, method: str) -> None:
        """Draw the network."""
        self.A, self.truth = common.graph(name)
        self.model = estimator(method, len(set(self.truth.tolist())))

    def time_fit(self, name: str, method: str) -> None:
        """A whole fit."""
        self.model.fit(self.A)

    def peakmem_fit(self, name: str, method: str) -> None:
        """The memory of the process."""
        self.model.fit(self.A)

    def track_ari(self, name: str, method: str) -> float:
        """The agreement with the communities that were planted."""
        return common.agreement(self.model.fit(self.A).labels_, self.truth)

    def track_n_clusters(self, name: str, method: str) -> int:
        """The number of communities found."""
        return len(set(self.model.fit(self.A).labels_.tolist()))


class Counts:
    """The number of communities alone."""

    params = (GRAPHS,)
    param_names = ("graph",)

    def setup(self, name: str) -> None:
        """Draw the network."""
        self.A, _ = common.graph(name)

    def time_n_communities(self, name: str) -> None:
        """The count by the Bethe Hessian."""
        bethe_hessian_n_communities(self.A)


class Modularity:
    """Modularity, which a better fit makes larger."""

    params = (GRAPHS,)
    param_names = ("graph",)

    def setup(self, name: str) -> None:
        """Draw the network."""
        self.A, truth = common.graph(name)
        self.model = estimator("k given", len(set(truth.tolist())))
        self.model.set_params(objective="modularity")

    def time_fit(self, name: str) -> None:
        """A whole fit."""
        self.model.fit(self.A)

    def track_modularity(self, name: str) -> float:
        """The objective that was reached."""
        return float(self.model.fit(self.A).objective_)
