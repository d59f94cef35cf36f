"""Which options contradict the rows that a metric compares, before any data is read."""

import pytest

from helpers import each
from kgroups.cli.parser import make_parser
from kgroups.cli.row_kinds import (
    check_kinds_of_rows,
    reads_sparse_rows,
    reads_whole_lines,
    settle_metric,
)

pytestmark = pytest.mark.nojit


def parsed(*arguments):
    """The options of a command line whose metric is settled."""
    options = make_parser().parse_args(["cluster", "x.csv", "-k", "2", *arguments])
    settle_metric(options)
    return options


@each(
    ("arguments", "whole"),
    [
        ([], False),
        (["--metric", "levenshtein"], True),
        (["--metric", "jaro"], True),
        (["--metric", "dtw"], False),
        (["--text", "1"], True),
        (["--text", "2"], False),
        (["--text", "body"], False),
    ],
)
def test_lines_that_are_one_text_each(arguments, whole):
    assert reads_whole_lines(parsed(*arguments)) == whole


@each(
    ("metric", "sparse"),
    [
        ("energy", True),
        ("cosine", True),
        ("angular", True),
        ("sqeuclidean", True),
        ("precomputed_kernel", True),
        ("precomputed", False),
        ("hellinger", False),
        ("mixed", False),
        ("levenshtein", False),
        ("samples", False),
        ("chebyshev", False),
    ],
)
def test_metrics_of_sparse_rows(metric, sparse):
    assert reads_sparse_rows(metric) == sparse


@each(
    "arguments",
    [
        [],
        ["--metric", "mixed", "--kinds", "a=date", "--impute", "category"],
        ["--metric", "mixed", "--columns", "a", "--categorical", "b"],
        ["--metric", "levenshtein", "--columns", "a", "--label-column", "b"],
        ["--text", "a", "--metric", "manhattan", "--label-column", "b", "--drop", "c"],
    ],
)
def test_what_goes_together(arguments):
    check_kinds_of_rows(parsed(*arguments))
