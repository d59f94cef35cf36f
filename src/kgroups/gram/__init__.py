"""How similarity is held: the operator interface, and its implementations."""

from kgroups.gram.dense import DENSE_UP_TO, DenseGram
from kgroups.gram.low_rank import FactorGram, FactorSums
from kgroups.gram.matrix_free import MatrixFreeGram, PairwiseGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.gram.operator import BLOCK, GramOperator, Moves, RunningSums, SumTable
from kgroups.gram.sorted_columns import ColumnGram, ColumnSums
from kgroups.gram.sparse import SparseGram, SparseSums

__all__ = [
    "BLOCK",
    "DENSE_UP_TO",
    "ColumnGram",
    "ColumnSums",
    "DenseGram",
    "FactorGram",
    "FactorSums",
    "GramOperator",
    "MatrixFreeGram",
    "Moves",
    "NystroemMap",
    "PairwiseGram",
    "RunningSums",
    "SparseGram",
    "SparseSums",
    "SumTable",
]
