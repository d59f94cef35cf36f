"""The report of clusters of any shape: rows of a table, clustered as a graph of neighbors."""

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.answers.profiles import Grouping
from kgroups.fit.fitted import FittedNeighborClusters
from kgroups.layout import Block, Heading, Labeled, Page, Table, laid_out
from kgroups.report.cluster_profile import Deviation, deviations
from kgroups.report.clustered_rows import (
    SD,
    apart_dicts,
    apart_text,
    end_sentence,
    named_scores,
    result_dict,
    search_dict,
)
from kgroups.report.in_words import size_text
from kgroups.report.known_labels import Scores, label_scores
from kgroups.report.run_record import RunRecord, parameters_of
from kgroups.text import counted, printable
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__

SCHEMA = "kgroups.cluster-curved/1"
# Parameters of other objectives.
_OTHERS = ("r", "weights", "resolution")
_DECIDED = {
    "spectrum": "counted by the random walk between neighboring rows",
    "given": "as asked for",
}
_ONE = (
    "No empty space between groups of {} was found. Groups that touch need a number: give -k, or "
    "use kgroups choose-k and kgroups cluster without --curved."
)
_SEVERAL = (
    "Only groups of {} with empty space around them were counted: those that touch count as one, "
    "so there may be more. For more, give -k."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvedReport:
    """What was clustered and what came out; make one with :meth:`of`."""

    n_samples: int
    n_features: int
    #: As many as there are, if more were asked for.
    n_neighbors: int
    decided_by: str
    normalized_cut: float
    #: Rows far from all others that are not a cluster of their own, in words.
    small_groups: str
    component_sizes: tuple[int, ...]
    n_iter: int
    n_moves: int
    converged: bool
    exactness: str
    random_state: int | None
    labels: IntArray
    sizes: tuple[int, ...]
    sets_apart: tuple[tuple[Deviation, ...], ...]
    seconds: float = 0.0
    scores: Scores | None = None
    source: str = "data"
    label_name: str = "the given labels"
    ids: Sequence[str] | None = None
    #: The parameters of the estimator that count for a table.
    settings: Mapping[str, Any] = field(default_factory=dict)
    run: RunRecord | None = None

    @classmethod
    def of(
        cls,
        model: FittedNeighborClusters,
        *,
        labels_true: ArrayLike | None = None,
        table: Float64Array,
        names: Sequence[str] = (),
        seconds: float = 0.0,
        source: str = "data",
        label_name: str = "the given labels",
        ids: Sequence[str] | None = None,
    ) -> Self:
        """The report of a fitted ``GraphKGroups(affinity="nearest_neighbors")``.

        Parameters
        ----------
        model : fitted GraphKGroups
        labels_true : array (n,) or None
            Known labels to score the clusters against.
        table : array (n, D)
            Columns, in any units, by which the clusters are told apart.
        names : sequence of D str
        seconds : float
        source, label_name : str
            What the data and the known labels are called.
        ids : sequence of n str, or None
            Names of the rows.
        """
        state, sizes = model.random_state, model.cluster_sizes_
        ones = np.ones(len(model.labels_))
        return cls(
            n_samples=len(model.labels_),
            n_features=int(model.n_features_in_),
            n_neighbors=int(model.n_neighbors_),
            decided_by=str(model.decided_by_),
            normalized_cut=float(model.objective_),
            small_groups=model._small_groups,
            component_sizes=tuple(int(size) for size in model.component_sizes_),
            n_iter=int(model.n_iter_),
            n_moves=int(model.n_moves_),
            converged=bool(model.converged_),
            exactness=str(model.exactness_),
            random_state=int(state) if isinstance(state, numbers.Integral) else None,
            labels=np.array(model.labels_),
            sizes=tuple(int(size) for size in sizes),
            sets_apart=tuple(deviations(Grouping(model.labels_, ones, len(sizes)), table, names)),
            seconds=seconds,
            scores=None if labels_true is None else label_scores(labels_true, model.labels_),
            source=source,
            label_name=label_name,
            ids=ids,
            settings=_settings(parameters_of(model)),
        )

    @property
    def least_counted(self) -> str:
        """How many rows a group has at least that is counted as it stands apart, in words."""
        # Here, so that reports of other clusters do not wait for all of graphs.
        from kgroups.graphs.neighbors.division import SAMPLE
        from kgroups.graphs.neighbors.rules import least_apart

        in_sample = min(SAMPLE / self.n_samples, 1.0)
        rows = least_apart(round(self.n_samples * in_sample), self.n_neighbors) / in_sample
        return f"{rows:,.0f} rows or more"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; the command line adds what it knows of its run."""
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_clusters": len(self.sizes),
            "decided_by": self.decided_by,
            "n_neighbors": self.n_neighbors,
            "normalized_cut": self.normalized_cut,
            "component_sizes": list(self.component_sizes),
            "cluster_sizes": list(self.sizes),
            "cluster_shares": [size / self.n_samples for size in self.sizes],
            "sets_apart": apart_dicts(self.sets_apart),
            **search_dict(self),
            "exactness": self.exactness,
            **result_dict(self),
        }

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        size = size_text(self.n_samples, self.n_features)
        clusters = counted(len(self.sizes), "cluster")
        head = f"{printable(self.source)}: {size}, {clusters} by nearest neighbors"
        return [
            [Heading(head)],
            [self._table(), *self._legend()],
            [Labeled(self._numbers()), *self._meaning()],
            [end_sentence(self)],
        ]

    def _table(self) -> Table:
        has_words = any(self.sets_apart)
        rows = [["cluster", "size", "share", *(["what sets it apart"] * has_words)]]
        for number, (size, found) in enumerate(zip(self.sizes, self.sets_apart, strict=True)):
            words = [apart_text(found)] * has_words
            rows.append([str(number), f"{size:,}", f"{size / self.n_samples:.1%}", *words])
        last = [3] * has_words
        return Table(rows, left=last, words=last)

    def _legend(self) -> list[str]:
        return [SD] if any(self.sets_apart) else []

    def _numbers(self) -> list[tuple[str, str]]:
        return [
            ("number of clusters", _DECIDED.get(self.decided_by, self.decided_by)),
            ("neighbors of each row", str(self.n_neighbors)),
            ("normalized cut", f"{self.normalized_cut:.6g} (minimized)"),
            *named_scores(self),
        ]

    def _meaning(self) -> list[str]:
        """What it means that so many clusters were counted."""
        few = [self.small_groups] if self.small_groups else []
        if self.decided_by != "spectrum":
            return few
        return [(_ONE if len(self.sizes) == 1 else _SEVERAL).format(self.least_counted), *few]


def _settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without those of other objectives, and with what the objective stands for."""
    kept = {key: value for key, value in parameters.items() if key not in _OTHERS}
    return {**kept, "objective": "normalized_cut"}
