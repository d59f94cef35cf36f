"""Tables from files: CSV, TSV, NPY, NPZ, Parquet, Feather and Excel."""

from kgroups.exceptions import DataError
from kgroups.input.table_files.read_table import read_table
from kgroups.input.table_files.table import Table
from kgroups.input.table_files.text_format import TextFormat

__all__ = ["DataError", "Table", "TextFormat", "read_table"]
