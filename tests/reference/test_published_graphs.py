"""The defaults next to numbers that the paper published for networks.

The paper's own methods are repeated by ``python -m papers``.
"""

import numpy as np
import pytest

from helpers import each, reference_folder, slow
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import stochastic_block_model
from kgroups.metrics import clustering_accuracy, overlap
from papers.data import DataFolders

pytestmark = [
    pytest.mark.reference,
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


@slow
@each(("snr", "least"), [(1.25, 0.58), (1.5, 0.80), (1.71, 0.92)])
def test_default_is_above_both_published_curves(snr, least):
    """k=15, where k-groups has .555, .770, .894 and Bethe .518, .693, .781."""
    values = []
    for seed in range(10):
        A, truth = stochastic_block_model(1000, 15, 3, snr, loops=True, random_state=seed)
        values.append(overlap(truth, GraphKGroups(15, random_state=seed).fit(A).labels_))
    assert np.mean(values) >= least - 2 * np.std(values, ddof=1) / 10**0.5


def graph(name):
    return DataFolders.find(reference_folder("data")).graph(name)


def from_the_published_start(A, k, normalize_rows):
    """With 𝒲 = I, which is what Table IV took."""
    bethe = BetheHessianClustering(k, normalize_rows=normalize_rows, random_state=0).fit(A).labels_
    return GraphKGroups(k, weights="unit", init=bethe).fit(A).labels_


@each("name", ["karate", "dolphins", "football", "polbooks"])
def test_default_is_not_worse_than_either_convention_of_rows(name):
    network = graph(name)
    A, k = network.adjacency(), len(network.classes)
    best = max(overlap(network.y, from_the_published_start(A, k, unit)) for unit in (False, True))
    assert overlap(network.y, GraphKGroups(k, random_state=0).fit(A).labels_) >= best - 1e-12


def test_isolated_bloggers_are_nodes_too():
    """1,490 blogs, 266 of them alone; the two sides of the others, whose degrees differ widely."""
    network = graph("polblogs")
    A, truth = network.adjacency(), network.y
    with pytest.warns(GraphNotice, match="266 isolated nodes"):
        labels = GraphKGroups(2, objective="modularity", random_state=0).fit(A).labels_
    linked = np.diff(A.indptr) > 0
    assert (len(labels), int((~linked).sum())) == (1490, 266)
    assert clustering_accuracy(truth[linked], labels[linked]) > 0.9
