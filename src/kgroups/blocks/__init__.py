"""Sources of rows for tables that are larger than memory: arrays, NPY files and Parquet files."""

from kgroups.blocks.array_rows import from_array, from_npy
from kgroups.blocks.parquet_rows import from_parquet
from kgroups.blocks.row_source import RowSource

__all__ = ["RowSource", "from_array", "from_npy", "from_parquet"]
