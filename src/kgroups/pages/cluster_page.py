"""The page about the clusters of rows that a model found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgroups.fit.fitted import FittedClustering
from kgroups.pages.cluster_evidence import Evidence
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.distances_section import distances_section
from kgroups.pages.exemplars_section import exemplars_section
from kgroups.pages.in_short import in_short
from kgroups.pages.label_data import LabelData
from kgroups.pages.labels_section import labels_section
from kgroups.pages.map_section import map_section
from kgroups.pages.nearness import Nearness
from kgroups.pages.optimality_section import optimality_section
from kgroups.pages.parts import Section
from kgroups.pages.profile_section import profile_section
from kgroups.pages.reality_section import reality_section
from kgroups.pages.rendering import require_jinja2
from kgroups.pages.report_page import ReportPage
from kgroups.pages.scores_section import scores_section
from kgroups.pages.settings_section import settings_section
from kgroups.pages.shown_names import column_names, in_sentence
from kgroups.pages.sizes_section import sizes_section
from kgroups.pages.starts_section import starts_section
from kgroups.pages.uncertain_section import uncertain_section
from kgroups.plots import require_matplotlib
from kgroups.report import ClusterReport, RunRecord
from kgroups.text import counted


def cluster_page(
    model: FittedClustering,
    X: Any,
    report: ClusterReport,
    run: RunRecord,
    *,
    described: DescribedRows | None = None,
    texts: Sequence[str] | None = None,
    feature_names: Sequence[object] | None = None,
) -> ReportPage:
    """The page of a fitted estimator; what it needs beyond the report is computed here.

    Parameters
    ----------
    model : fitted KernelKGroups or KernelKMeans
    X : as in ``fit``
    report : ClusterReport
        The numbers of the same fit.
    run : RunRecord
        How the fit came about.
    described : DescribedRows or None
        Columns by which clusters are described, in the units that people know.
    texts : sequence of n str, or None
        What rows without columns look like.
    feature_names : sequence of str or None
        What the columns of X are called.

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
        described=described,
        texts=texts,
        feature_names=None if feature_names is None else column_names(feature_names),
        seed=report.random_state or 0,
    )
    labels = LabelData.of(report.labels, report.ids)
    title = f"{counted(facts.n_clusters, 'cluster')} in {in_sentence(report.source)}"
    sections = [*_sections(facts), settings_section(run), labels_section(labels)]
    return ReportPage(title=title, verdict=in_short(facts), sections=sections, labels=labels)


def _sections(facts: ClusterFacts) -> list[Section]:
    """What there is to say, in the order in which it is read."""
    has_words = any(cluster.words for cluster in facts.report.clusters)
    scores = facts.report.scores
    near = Nearness.of(facts.model, facts.X, facts.seed)
    return [
        sizes_section(facts),
        *([profile_section(facts)] if facts.described is not None or has_words else []),
        *([exemplars_section(facts, near)] if near is not None else []),
        map_section(facts),
        distances_section(facts),
        starts_section(facts),
        optimality_section(facts),
        reality_section(facts),
        *([uncertain_section(facts, near)] if near is not None else []),
        *([scores_section(facts, scores)] if scores is not None else []),
    ]
