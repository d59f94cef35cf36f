"""Names of options: known without NumPy, and the same in the library."""

import subprocess
import sys

import pytest

from kgroups import names
from kgroups.graphs import graph_objectives
from kgroups.input.network_files import READERS
from kgroups.semimetrics.by_name import BY_NAME
from kgroups.solvers import starts


def test_the_tables_have_the_names_in_their_order():
    assert tuple(BY_NAME) == names.SEMIMETRICS
    assert ("auto", *graph_objectives.BY_NAME) == names.OBJECTIVES
    assert ("auto", *starts.BY_NAME) == names.INITS
    assert tuple(READERS) == names.GRAPH_FORMATS
    assert set(names.GRAPH_SUFFIXES.values()) == set(names.GRAPH_FORMATS)


@pytest.mark.parametrize("table", [{"a": 1}, {"a": 1, "b": 2, "c": 3}])
def test_a_table_with_other_names_is_an_error(table):
    with pytest.raises(LookupError, match="differ in"):
        names.registered(("auto", "a", "b"), table)


def test_names_are_known_without_numpy():
    program = "import sys, kgroups.names; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
