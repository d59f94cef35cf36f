"""Tables from files: CSV, TSV, NPY, NPZ, Parquet, Feather, Excel and JSON; and other rows."""

from kgroups.exceptions import DataError
from kgroups.input.table_files.other_rows import Arrays, SparseRows
from kgroups.input.table_files.read_table import Rows, read_rows, read_table
from kgroups.input.table_files.table import Table
from kgroups.input.table_files.text_format import TextFormat

__all__ = [
    "Arrays",
    "DataError",
    "Rows",
    "SparseRows",
    "Table",
    "TextFormat",
    "read_rows",
    "read_table",
]
