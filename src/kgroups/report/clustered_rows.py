"""What reports of clustered rows have in common, whatever found the clusters."""

import math
from collections.abc import Sequence
from typing import Any, Protocol

from kgroups.answers.characteristic_words import Characteristic
from kgroups.layout import tied
from kgroups.report.cluster_profile import Deviation, Prevalence
from kgroups.report.in_words import end_text
from kgroups.report.known_labels import Scores
from kgroups.text import printable
from kgroups.typing import IntArray

#: What the unit of a deviation means.
SD = "sd: standard deviations above (+) or below (-) the mean of all rows"
#: What the mean spread of a cluster means.
MEAN_SPREAD = "mean spread: half the average distance between two rows of the cluster"
_METHODS = {
    "dense": "dense: all distances in memory",
    "matrix_free": "matrix_free: no matrix of distances in memory",
    "certified": "certified: most rows decided by bounds, without their distances",
    "sparse": "sparse: the given entries, and no others",
    "nystroem": "nystroem: a sample-based approximation of the distances",
}


class ClusteredRows(Protocol):
    """A report of the clusters of rows."""

    @property
    def n_iter(self) -> int:
        """Number of sweeps."""

    @property
    def n_moves(self) -> int:
        """Number of moves in them."""

    @property
    def converged(self) -> bool:
        """Whether the search ended by itself."""

    @property
    def exactness(self) -> str:
        """What is certain of the result."""

    @property
    def random_state(self) -> int | None:
        """The seed, if it is a number."""

    @property
    def seconds(self) -> float:
        """How long it took."""

    @property
    def scores(self) -> Scores | None:
        """Agreement with known labels."""

    @property
    def label_name(self) -> str:
        """What the known labels are called."""

    @property
    def ids(self) -> Sequence[str] | None:
        """Names of the rows."""

    @property
    def labels(self) -> IntArray:
        """The cluster of each row."""


def search_dict(report: ClusteredRows) -> dict[str, Any]:
    """How the search ended, as JSON has it."""
    return {
        "n_iter": report.n_iter,
        "n_moves": report.n_moves,
        "converged": report.converged,
    }


def result_dict(report: ClusteredRows) -> dict[str, Any]:
    """The result, as the last keys of JSON."""
    return {
        "random_state": report.random_state,
        "seconds": report.seconds,
        "scores": None if report.scores is None else report.scores._asdict(),
        "ids": None if report.ids is None else list(report.ids),
        "labels": report.labels.tolist(),
    }


def as_list(interval: tuple[float, float] | None) -> list[float] | None:
    """What is proved of a number, as JSON has it."""
    return None if interval is None else list(interval)


def share_explained(within: float, between: float) -> float | None:
    """S / (S + W), the share of the dispersion that lies between clusters.

    None where the sum is not positive: all points equal, or an indefinite Gram matrix.
    """
    total = between + within
    return between / total if total > 0 else None


def explained_text(explained: float | None) -> str:
    """The same for people."""
    return "-" if explained is None else f"{explained:.1%} (S / (S + W))"


def starts_text(n_starts: int, n_starts_at_best: int) -> tuple[str, str]:
    """How many starts there were, and how many of them reached the result."""
    if n_starts == 1:
        return ("starts", "1")
    if n_starts_at_best == 0:
        return ("random starts", f"{n_starts}; the best of them was improved afterwards")
    return ("random starts", f"{n_starts_at_best} of {n_starts} reached this result")


def method_text(method: str) -> str:
    """How distances were held, for people."""
    return _METHODS.get(method, method)


def approximation_text(sketch_error: float | None) -> str:
    """How good an approximation is, as the beginning of a sentence."""
    captured = 1 - (sketch_error or 0.0)
    return f"The approximation captures {captured:.0%} of the variation, and W and S are estimates"


def decimals(values: Sequence[float]) -> int:
    """Decimals by which the largest of the values shows four digits or more.

    >>> decimals([0.0123, 0.5]), decimals([1234.5])
    (4, 0)
    """
    largest = max(values, default=0.0)
    return max(0, 3 - math.floor(math.log10(largest))) if largest > 0 else 0


def apart_dicts(
    clusters: Sequence[Sequence[Deviation | Prevalence | Characteristic]],
) -> list[list[dict[str, Any]]]:
    """What sets each cluster apart, as JSON has it."""
    return [[found._asdict() for found in some] for some in clusters]


def apart_text(found: Sequence[Deviation | Prevalence | Characteristic]) -> str:
    """What sets a cluster apart, as a cell of a table: a column and its number stay together."""
    return ", ".join(tied(printable(str(one))) for one in found)


def named_scores(report: ClusteredRows) -> list[tuple[str, str]]:
    """Agreement with known labels, for people."""
    scores = report.scores
    if scores is None:
        return []
    return [
        (f"accuracy against {printable(report.label_name)}", f"{scores.accuracy:.4f}"),
        ("normalized mutual information", f"{scores.nmi:.4f}"),
        ("adjusted Rand index", f"{scores.ari:.4f}"),
    ]


def end_sentence(report: ClusteredRows) -> str:
    """How the search ended, and how long all took."""
    end = end_text(
        report.n_iter,
        report.n_moves,
        exactness=report.exactness,
        converged=report.converged,
        unit="row",
    )
    return f"{end}; {report.seconds:.2f} s in all."
