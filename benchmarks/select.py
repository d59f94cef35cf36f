"""The number of clusters, and whether clusters are real."""

from benchmarks import common
from benchmarks.fit import estimator
from kgroups.select import choose_n_clusters, cluster_significance

K_RANGE = range(1, 13)


class NumberOfClusters:
    """How many clusters there are, which is ten, or one in noise."""

    params = (("separated", "noise"), (300, 1_000))
    param_names = ("rows", "n")
    timeout = 300

    def setup(self, rows: str, n: int) -> None:
        """Draw the rows."""
        self.X, _ = common.blobs(n) if rows == "separated" else common.noise(n)

    def time_choose(self, rows: str, n: int) -> None:
        """All kinds of evidence."""
        choose_n_clusters(self.X, K_RANGE, random_state=0)

    def track_n_clusters(self, rows: str, n: int) -> int:
        """The number that is chosen."""
        return int(choose_n_clusters(self.X, K_RANGE, random_state=0).n_clusters)


class Significance:
    """Whether clusters are apart."""

    params = (("separated", "noise"),)
    param_names = ("rows",)

    def setup(self, rows: str) -> None:
        """Draw the rows and fit them."""
        self.X, _ = common.blobs(1_000) if rows == "separated" else common.noise(1_000)
        self.labels = estimator().fit_predict(self.X)

    def time_significance(self, rows: str) -> None:
        """The test of all pairs of clusters."""
        cluster_significance(self.X, self.labels, random_state=0)

    def track_pvalue(self, rows: str) -> float:
        """The p-value of any pair: small for the first rows only."""
        return float(cluster_significance(self.X, self.labels, random_state=0).any_pvalue)
