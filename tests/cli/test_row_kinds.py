"""Which options contradict the rows that a metric compares, before any data is read."""

from argparse import Namespace

import pytest

from kgroups.cli.console import UsageError
from kgroups.cli.parser import make_parser
from kgroups.cli.row_kinds import (
    ARRAY_METRICS,
    STRING_METRICS,
    check_kinds_of_rows,
    reads_sparse_rows,
    reads_whole_lines,
    refuse_in_tests,
    settle_metric,
)

pytestmark = pytest.mark.nojit


def parsed(*arguments):
    """The options of a command line whose metric is settled."""
    options = make_parser().parse_args(["cluster", "x.csv", "-k", "2", *arguments])
    settle_metric(options)
    return options


@pytest.mark.parametrize(
    ("arguments", "metric"),
    [
        ([], "energy"),
        (["--text", "a"], "cosine"),
        (["--metric", "energy", "--text", "a"], "energy"),
        (["--metric", "mixed"], "mixed"),
    ],
)
def test_the_metric_that_was_not_given(arguments, metric):
    assert parsed(*arguments).metric == metric


def test_a_command_without_text():
    options = Namespace(metric=None)
    settle_metric(options)
    assert options.metric == "energy"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kinds", "a=date"], "--kinds applies only to --metric mixed"),
        (["--metric", "mixed", "--standardize"], "divides each column by its own mean distance"),
        (["--metric", "mixed", "--impute", "category,mean"], "--impute category,mean does not"),
        (["--metric", "osa", "--categorical", "a"], "--categorical does not apply to --metric osa"),
        (["--text", "a", "--columns", "b"], "--columns does not apply to --text"),
        (["--text", "a", "--kinds", "b=date"], "--kinds applies only to --metric mixed"),
        (["--text", "a", "--metric", "mixed"], "--metric mixed does not; omit it"),
        (["--text", "a", "--metric", "precomputed"], "--metric precomputed does not; omit it"),
        (["--text", "a", "--metric", "levenshtein"], "--metric levenshtein does not; omit it"),
    ],
)
def test_contradictions(arguments, said):
    with pytest.raises(UsageError, match=said):
        check_kinds_of_rows(parsed(*arguments))


@pytest.mark.parametrize(
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


def test_metrics_that_no_test_takes():
    for metric in ("mixed", *STRING_METRICS, *ARRAY_METRICS):
        with pytest.raises(UsageError, match=f"--metric {metric} is one of kgroups cluster"):
            refuse_in_tests(Namespace(metric=metric))
    refuse_in_tests(Namespace(metric="cosine"))
