"""The page about the clusters of rows that a model found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kgroups.answers.profiles import Profiles, profiles
from kgroups.fit.fitted import FittedClustering
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.distances_section import distances_section
from kgroups.pages.evidence import Evidence
from kgroups.pages.in_short import in_short
from kgroups.pages.label_data import LabelData
from kgroups.pages.labels_section import labels_section
from kgroups.pages.map_section import map_section
from kgroups.pages.optimality_section import optimality_section
from kgroups.pages.parts import Section
from kgroups.pages.profile_section import profile_section
from kgroups.pages.reality_section import reality_section
from kgroups.pages.rendering import require_jinja2
from kgroups.pages.report_page import ReportPage
from kgroups.pages.run_facts import RunFacts, settings_section
from kgroups.pages.shown_names import column_names, shown
from kgroups.pages.sizes_section import sizes_section
from kgroups.pages.starts_section import starts_section
from kgroups.plots import require_matplotlib
from kgroups.report import ClusterReport
from kgroups.text import counted
from kgroups.typing import Float64Array


def cluster_page(
    model: FittedClustering,
    X: Any,
    report: ClusterReport,
    run: RunFacts,
    *,
    table: Any = None,
    names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    sample_weight: Float64Array | None = None,
) -> ReportPage:
    """The page of a fitted estimator; what it needs beyond the report is computed here.

    Parameters
    ----------
    model : fitted KernelKGroups or KernelKMeans
    X : as in ``fit``
    report : ClusterReport
        The numbers of the same fit.
    run : RunFacts
        How the fit came about.
    table : frame or array (n, D), or None
        Columns by which clusters are described, in the units that people know.
    names, feature_names : sequence of str or None
        What the columns of ``table`` and of X are called.
    sample_weight : array (n,) or None

    Raises
    ------
    ImportError
        Without Jinja2 or matplotlib, saying what to install.
    """
    require_jinja2()
    require_matplotlib()
    facts = ClusterFacts(
        model=model,
        X=X,
        report=report,
        evidence=Evidence.of(model, X, report.random_state or 0),
        profiles=None if table is None else _described(table, names, report, sample_weight),
        table=table,
        feature_names=None if feature_names is None else column_names(feature_names),
        seed=report.random_state or 0,
    )
    labels = LabelData.of(report.labels, report.ids)
    title = f"{counted(facts.n_clusters, 'cluster')} in {shown(report.source)}"
    sections = [*_sections(facts), settings_section(run), labels_section(labels)]
    return ReportPage(title=title, verdict=in_short(facts), sections=sections, labels=labels)


def _sections(facts: ClusterFacts) -> list[Section]:
    """What there is to say, in the order in which it is read."""
    has_words = any(cluster.words for cluster in facts.report.clusters)
    is_described = facts.profiles is not None or has_words
    return [
        sizes_section(facts),
        *([profile_section(facts)] if is_described else []),
        map_section(facts),
        distances_section(facts),
        starts_section(facts),
        optimality_section(facts),
        reality_section(facts),
    ]


def _described(
    table: Any,
    names: Sequence[object] | None,
    report: ClusterReport,
    sample_weight: Float64Array | None,
) -> Profiles:
    """The profiles of a table under the names that are shown."""
    found = profiles(
        table, report.labels, report.n_clusters, weights=sample_weight,
        names=None if names is None else [str(name) for name in names],
    )  # fmt: skip
    called = column_names([column.name for column in found.columns])
    columns = zip(found.columns, called, strict=True)
    return replace(found, columns=tuple(replace(column, name=name) for column, name in columns))
