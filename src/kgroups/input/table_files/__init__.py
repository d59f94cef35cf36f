"""Tables from files: CSV, TSV, NPY, NPZ and Parquet."""

from kgroups.exceptions import DataError
from kgroups.input.table_files.read_table import read_table
from kgroups.input.table_files.table import Table

__all__ = ["DataError", "Table", "read_table"]
