"""How similarity is held: the operator interface, and its implementations."""

from kgroups.gram.dense import DenseGram
from kgroups.gram.low_rank import FactorGram, FactorSums
from kgroups.gram.matrix_free import MatrixFreeGram, PairwiseGram
from kgroups.gram.operator import BLOCK, GramOperator, Moves, RunningSums, SumTable
from kgroups.gram.sparse import SparseGram, SparseSums

__all__ = [
    "BLOCK",
    "DenseGram",
    "FactorGram",
    "FactorSums",
    "GramOperator",
    "MatrixFreeGram",
    "Moves",
    "PairwiseGram",
    "RunningSums",
    "SparseGram",
    "SparseSums",
    "SumTable",
]
