"""How similarity is held: the operator interface, and its implementations."""

from kgroups.gram.base import BLOCK, GramOperator, Moves, RunningSums, SumTable
from kgroups.gram.dense import DenseGram

__all__ = ["BLOCK", "DenseGram", "GramOperator", "Moves", "RunningSums", "SumTable"]
