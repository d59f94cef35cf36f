"""Networks: reading, operators, block models and community estimators."""

from kgroups.graphs.bethe_hessian import bethe_hessian
from kgroups.graphs.bethe_hessian_clustering import BetheHessianClustering
from kgroups.graphs.embedding import cluster_rows, unit_rows
from kgroups.graphs.free.evidence import evidence
from kgroups.graphs.graph_kgroups import GraphKGroups
from kgroups.graphs.models.degree_corrected_block_model import degree_corrected_block_model
from kgroups.graphs.models.girvan_newman_graph import girvan_newman_graph
from kgroups.graphs.models.lfr_graph import lfr_graph
from kgroups.graphs.models.planted_partition import planted_partition
from kgroups.graphs.models.signal_to_noise_ratio import signal_to_noise_ratio
from kgroups.graphs.models.stochastic_block_model import stochastic_block_model
from kgroups.graphs.spectrum import smallest_eigenpairs
from kgroups.input.graph import Graph
from kgroups.input.graph_files import read_graph, read_node_labels

__all__ = [
    "BetheHessianClustering",
    "Graph",
    "GraphKGroups",
    "bethe_hessian",
    "cluster_rows",
    "degree_corrected_block_model",
    "evidence",
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
