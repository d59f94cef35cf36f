"""Tables from files: CSV, TSV, NPY, NPZ and Parquet."""

from kgroups.datasets.reading import read_table
from kgroups.datasets.table import DataError, Table

__all__ = ["DataError", "Table", "read_table"]
