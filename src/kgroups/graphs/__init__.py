"""Networks: reading, operators, block models and community estimators."""

from kgroups.graphs.bethe_clustering import BetheHessianClustering
from kgroups.graphs.block_models import (
    degree_corrected_block_model,
    girvan_newman_graph,
    planted_partition,
    signal_to_noise_ratio,
    stochastic_block_model,
)
from kgroups.graphs.embedding import cluster_rows, unit_rows
from kgroups.graphs.graph import Graph
from kgroups.graphs.graph_kgroups import GraphKGroups
from kgroups.graphs.lfr import lfr_graph
from kgroups.graphs.node_labels import read_node_labels
from kgroups.graphs.operators import bethe_hessian
from kgroups.graphs.reading import read_graph
from kgroups.graphs.spectrum import smallest_eigenpairs

__all__ = [
    "BetheHessianClustering",
    "Graph",
    "GraphKGroups",
    "bethe_hessian",
    "cluster_rows",
    "degree_corrected_block_model",
    "girvan_newman_graph",
    "lfr_graph",
    "planted_partition",
    "read_graph",
    "read_node_labels",
    "signal_to_noise_ratio",
    "smallest_eigenpairs",
    "stochastic_block_model",
    "unit_rows",
]
