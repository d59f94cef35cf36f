"""``model.report(X)`` of KernelKGroups and KernelKMeans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from kgroups.pages import ReportPage


class ReportedClustering:
    """A clustering that can be told to somebody else."""

    def report(
        self,
        X: Any,
        *,
        table: Any = None,
        ids: Sequence[object] | None = None,
        sample_weight: ArrayLike | None = None,
        labels_true: ArrayLike | None = None,
        source: str = "the data",
    ) -> ReportPage:
        """A report of the clusters as one page of HTML, for people without statistics, too.

        It says in plain words what the clusters are, how sure that is and what to do next, with
        pictures, typical rows, uncertain rows, and what is needed to repeat it. Notebooks show it;
        ``.save("report.html")`` writes one file that needs nothing else. Gaps between clusters and
        their stability are examined on up to 2,000 rows, 500 for objects, uncertain rows among up
        to 20,000, drawn by ``random_state``. O(nD) time besides that.

        Parameters
        ----------
        X : as in ``fit``
        table : frame or array (n, D') or None
            The rows of the fit in units that people know, before they were scaled, or with other
            columns than X; None takes X.
        ids : sequence of n, or None
            Names of the rows.
        sample_weight : as in ``fit``
        labels_true : array (n,) or None
            Known labels to score the clusters against.
        source : str
            What the data are called.

        Returns
        -------
        kgroups.pages.ReportPage

        Raises
        ------
        ImportError
            Without Jinja2 or matplotlib: ``pip install "kgroups[report]"``.
        ValueError
            For rows that are not those of the fit, in their order; up to 200 are compared.

        Examples
        --------
        >>> from kgroups import KernelKGroups
        >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
        >>> page = KernelKGroups(2, random_state=0).fit(X).report(X, source="six numbers")
        >>> page.title
        '2 clusters in six numbers'
        """
        check_is_fitted(self, "labels_")
        from kgroups.pages.model_report import model_report

        return model_report(
            self,
            X,
            table=table,
            ids=ids,
            sample_weight=sample_weight,
            labels_true=labels_true,
            source=source,
        )
