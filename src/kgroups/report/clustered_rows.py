"""What reports of clustered rows have in common, whatever found the clusters."""

from collections.abc import Sequence
from typing import Any, Protocol

from kgroups.layout import tied
from kgroups.report.characteristic_words import Characteristic
from kgroups.report.cluster_profile import Deviation, Prevalence
from kgroups.report.in_words import end_text
from kgroups.report.known_labels import Scores
from kgroups.text import printable
from kgroups.typing import IntArray

#: What the unit of a deviation means.
SD = "sd: standard deviations above (+) or below (-) the mean of all rows"


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
