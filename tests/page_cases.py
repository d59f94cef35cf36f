"""Pages that several tests look at, and how they are read."""

from __future__ import annotations

import re

import html5lib
import numpy as np

from kgroups import KernelKGroups
from kgroups.answers.profiles import Grouping
from kgroups.pages.cluster_evidence import Evidence
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.described_rows import DescribedRows
from kgroups.report import ClusterReport

_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_LETTERS = "{http://www.w3.org/1999/xhtml}"


def parsed(html):
    """The tree of a page that a strict parser accepts."""
    return html5lib.HTMLParser(strict=True).parse(html)


def texts(tree, tag):
    """The text of each element of a kind, blanks made one."""
    return [" ".join("".join(e.itertext()).split()) for e in tree.iter(f"{_LETTERS}{tag}")]


def headings(html):
    """The headings of the sections of a page."""
    return texts(parsed(html), "h2")


def without_pictures(html):
    """A page without its drawings, for what its words say."""
    return _SVG.sub("", html)


def groups(n=60, k=3, columns=2, apart=8.0, seed=0):
    """Rows of k groups far from each other, cluster by cluster."""
    rng = np.random.default_rng(seed)
    centers = apart * np.arange(k)[:, None] * np.ones(columns)
    return np.concatenate([rng.normal(c, 1, (n // k, columns)) for c in centers])


def report_of(X, k=3, **given):
    """The page of a fit with known settings."""
    options = {key: given.pop(key) for key in ("metric", "method", "init") if key in given}
    return KernelKGroups(k, random_state=0, **options).fit(X).report(X, **given)


def facts_of(X, k=3, *, table=None, texts=None, ids=None, **options):
    """What the sections of a page read, without anything drawn."""
    model = KernelKGroups(k, random_state=0, **options).fit(X)
    report = ClusterReport.of(model, X, source="data", ids=ids)
    groups_ = Grouping(model.labels_, np.ones(len(model.labels_)), k)
    return ClusterFacts(
        model=model,
        X=X,
        report=report,
        evidence=Evidence.of(model, X, 0),
        described=None if table is None else DescribedRows.of_table(table, groups_),
        texts=texts,
        feature_names=None,
        seed=0,
    )
