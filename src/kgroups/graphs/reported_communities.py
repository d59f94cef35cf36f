"""``model.report(A)`` of GraphKGroups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from kgroups.pages import ReportPage


class ReportedCommunities:
    """Communities that can be told to somebody else."""

    def report(
        self,
        A: Any,
        *,
        ids: Sequence[object] | None = None,
        labels_true: Collection[object] | None = None,
        source: str = "the data",
    ) -> ReportPage:
        """A report of the communities as one page of HTML, for people without statistics, too.

        It says in plain words what the communities are, how sure that is and what to do next, with
        pictures and what is needed to repeat it. Notebooks show it; ``.save("report.html")`` writes
        one file that needs nothing else. O(edges + n log n) time besides the pictures.

        Parameters
        ----------
        A : as in ``fit``
        ids : sequence of n, or None
            Names of the rows of a table; nodes have those of the graph.
        labels_true : sequence of n labels, or None
            Known communities to score against.
        source : str
            What the graph or the table is called.

        Returns
        -------
        kgroups.pages.ReportPage

        Raises
        ------
        ImportError
            Without Jinja2 or matplotlib: ``pip install "kgroups[report]"``.
        ValueError
            For data of another number of nodes than those of the fit, or for other rows.

        Examples
        --------
        >>> from kgroups import GraphKGroups
        >>> A = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
        >>> page = GraphKGroups(2, random_state=0).fit(A).report(A, source="two triangles")
        >>> page.title
        '2 communities in two triangles'
        """
        check_is_fitted(self, "labels_")
        from kgroups.pages.network_report import network_report

        return network_report(self, A, ids=ids, labels_true=labels_true, source=source)
