"""The pages that ``kgroups cluster`` draws: ``--plot`` and ``--plot-search``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.cli.columns import TableFeatures
from kgroups.cli.table_input import is_matrix
from kgroups.cli.whole_files import saved
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.answers.characteristic_words import Words
    from kgroups.answers.profiles import CategoryProfile, NumberProfile, Profiles
    from kgroups.estimators import KernelKGroups
    from kgroups.graphs import GraphKGroups


def picture(
    model: KernelKGroups | GraphKGroups, features: TableFeatures, options: Namespace
) -> bytes:
    """What the clusters are, as a file of the type that ``--plot`` names."""
    from kgroups.graphs import GraphKGroups
    from kgroups.plots import neighbor_overview, overview

    if isinstance(model, GraphKGroups):
        figure = neighbor_overview(model, features.X, feature_names=features.names)
    else:
        k = len(model.cluster_weights_)
        figure = overview(
            model,
            features.X,
            table=None if is_matrix(options) else _profiles(features, model.labels_, k),
            sample_weight=features.weights,
            feature_names=features.names,
            names=features.texts if features.ids is None else features.ids,
        )
    return saved(figure, options.plot.suffix)


def picture_of_search(model: Any, options: Namespace) -> bytes:
    """How the clusters were found, as a file of the type that ``--plot-search`` names."""
    from kgroups.plots import search_overview

    return saved(search_overview(model), options.plot_search.suffix)


def _profiles(
    features: TableFeatures, labels: IntArray, n_clusters: int
) -> Profiles | Words | None:
    """The columns in their own units, with categories by their names; None where there are none."""
    from kgroups.answers.profiles import Grouping, Profiles, category_profile, number_profile

    if features.words is not None:
        return features.words
    weights = np.ones(len(labels)) if features.weights is None else features.weights
    groups = Grouping(labels, weights, n_clusters)
    kinds = features.columns.get("kinds") or {}
    columns: list[NumberProfile | CategoryProfile] = [
        number_profile(features.numbers[:, c], name, groups, is_date=kinds.get(name) == "date")
        for c, name in enumerate(features.names[: features.n_numeric])
    ]
    for name, values in features.categories.items():
        columns.append(category_profile(values, name, groups))
    return Profiles(tuple(columns), n_clusters) if columns else None
