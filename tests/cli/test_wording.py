"""Messages of the library in words of the command line."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import kgroups
from kgroups.cli.parser import make_parser
from kgroups.cli.wording import worded

COMMAND = "cluster"
PARSER = make_parser().parse_args(["cluster", "x.csv", "-k", "2"]).parser
TABLES = {
    "asym.csv": "a,b,c\n0,1,2\n1,0,3\n2,4,0\n",
    "named.csv": "n,a,b,c\na,0,1,2\nb,1,0,3\nc,2,4,0\n",
    "neg.csv": "0,1,2\n1,0,-3\n2,-3,0\n",
    "diag.csv": "a,b,c\n0,1,2\n1,5,3\n2,3,0\n",
    "hist.csv": "a,b\n1,2\n3,-4\n5,6\n",
    "zero.csv": "# two,histograms\n1,2\n0,0\n5,6\n",
    "big.csv": "a,b\n1,2\n1e308,-1e308\n-1e308,6\n",
    "same.csv": "a\n1\n1\n2\n",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["asym.csv", "--metric", "precomputed"],
            "line 3, column 'c', and line 4, column 'b', are",
        ),
        (
            ["named.csv", "--metric", "precomputed"],
            "line 3, column 'c', and line 4, column 'b', ar",
        ),
        (
            ["neg.csv", "--metric", "precomputed"],
            "line 2, column 3 is -3. For a Gram matrix use --m",
        ),
        (
            ["diag.csv", "--metric", "precomputed"],
            "line 3, column 'b' is 5. For a Gram matrix use -",
        ),
        (["hist.csv", "--metric", "hellinger"], "not negative; line 3, column 'b' is -4.0."),
        (["zero.csv", "--metric", "jensen_shannon"], "line 3 is all zero."),
        (["big.csv"], "gives inf between line 2 and line 3; a distance is a finite number."),
        (["same.csv", "-k", "3"], "-k 3 is more than the number of distinct rows with weight, 2;"),
    ],
)
def test_places_are_lines_of_the_file(folder, run, arguments, message):
    Path(arguments[0]).write_text(TABLES[arguments[0]])
    status, _, err = run(*arguments, *([] if "-k" in arguments else ["-k", 2]))
    assert status == 1
    assert message in err
    assert err.splitlines()[-1].startswith(f"kgroups: error: {arguments[0]}: ")
    assert not re.search(r"\b(X|numpy|n_clusters|row)\b", err.splitlines()[-1])


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("n_clusters=3 is more than n_samples=2", "-k 3 is more than n_samples=2"),
        ("n_clusters must be 1", "-k must be 1"),
        ('For a Gram matrix use metric="precomputed_kernel".', "use --metric precomputed_kernel."),
        ("random_state must be an integer; got 'X'", "--seed must be an integer; got 'X'"),
        ("sample_weight is too large", "--weight-column is too large"),
        ("write (X + X.T) / 2.", "write the mean of both in either place."),
        (
            'write X + X.T and metric="precomputed".',
            "fill the other half and write --metric precomputed.",
        ),
        ("Gaussian(sigma=2.0) gives", "Gaussian gives"),
    ],
)
def test_worded(said, words):
    assert worded(said, PARSER).endswith(words)


def texts_of(node):
    """The constant text in an expression."""
    return " ".join(
        c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str)
    )


@pytest.mark.nojit
@pytest.mark.parametrize(
    "name", ["n_clusters", "sample_weight", "random_state", "n_jobs", "n_init"]
)
def test_no_message_of_a_fit_keeps_the_name_of_an_argument(name):
    """Every text that is raised below the estimators, in words of the command line."""
    root = Path(kgroups.__file__).parent
    said = [
        texts_of(node)
        for folder in ("fit", "gram", "solvers", "sketch", "semimetrics", "runtime")
        for path in (root / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and node.exc is not None
    ]
    assert len(said) > 50
    assert not [text for text in said if re.search(rf"\b{name}\b", worded(text, PARSER))]


def test_rows_of_python_count_from_0():
    with pytest.raises(ValueError, match="row 1, column 1 is -4"):
        kgroups.KernelKGroups(2, metric="hellinger").fit(np.array([[1, 2], [3, -4.0], [5, 6]]))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("EditDistance(name='jaro', normalized=False) is not of negative type", "jaro is not of"),
        ("ElasticDistance('dtw') is not", "dtw is not"),
        ("9 rows (negative_type_violation). So", "9 rows. So"),
    ],
)
def test_a_metric_of_another_library_goes_by_its_name(message, words):
    assert worded(message, PARSER).startswith(words)
