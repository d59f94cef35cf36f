"""Files that hold one half of a matrix between points, or one number for each pair."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from kgroups.cli import main

D = squareform(pdist([[0.0], [1.0], [3.0], [9.0], [9.5]]))
LOWER = np.tril(D)
GAPS = np.where(np.tri(5, dtype=bool), D, np.nan)
BELOW = np.where(np.tri(5, k=-1, dtype=bool), D, np.nan)


def text(matrix):
    """The matrix as CSV, empty where it has no number."""
    lines = (",".join("" if np.isnan(v) else str(v) for v in row) for row in matrix)
    return "\n".join(lines) + "\n"


def error(capsys, content, *options):
    with open("d.csv", "w") as stream:
        stream.write(content)
    assert main(["cluster", "d.csv", "-k", "2", *options]) == 1
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("matrix", "fill"),
    [
        (LOWER, "X = numpy.tril(X, -1); X = X + X.T"),
        (GAPS, "X = numpy.tril(X, -1); X = X + X.T"),
        (GAPS.T, "X = numpy.triu(X, 1); X = X + X.T"),
        (BELOW, "X = numpy.tril(X, -1); X = X + X.T"),
    ],
)
def test_one_half_of_a_matrix(folder, capsys, matrix, fill):
    said = error(capsys, text(matrix), "--metric", "precomputed")
    assert "half of the matrix is empty or zero, and the" in said
    assert f"fill it by {fill}." in said


def test_half_a_matrix_next_to_names_of_rows(folder, capsys):
    named = ["name,a,b,c,d,e", *map(",".join, zip("abcde", text(GAPS).splitlines(), strict=True))]
    said = error(capsys, "\n".join(named), "--metric", "precomputed")
    assert "d.csv: the upper half of the matrix is empty or zero" in said


@pytest.mark.parametrize("matrix", [GAPS, GAPS.T, BELOW])
def test_half_a_matrix_as_a_table(folder, capsys, matrix):
    said = error(capsys, text(matrix))
    assert "looks like one half of a matrix of distances" in said
    assert said.endswith("and write --metric precomputed.\n")  # gaps are not to be filled
    (folder / "d.csv").write_text(text(np.nan_to_num(matrix)))
    assert main(["cluster", "d.csv", "-k", "2"]) == 0
    assert "like one half of a matrix of distances" in capsys.readouterr().err


def test_half_a_kernel(folder, capsys):
    said = error(capsys, text(np.tril(D + 20)), "--metric", "precomputed_kernel")
    assert "fill it by X = numpy.tril(X) + numpy.tril(X, -1).T" in said


def test_a_triangle_without_its_first_row(folder, capsys):
    said = error(capsys, text(GAPS[1:, :-1]), "--metric", "precomputed")
    assert "nor is the diagonal, as where the row and the column without numbers were left" in said


def test_condensed_distances(folder, capsys):
    content = "\n".join(map(str, pdist(D)))
    said = error(capsys, content, "--metric", "precomputed")
    assert "d.csv holds 10 numbers, as many as 5 points have pairs." in said
    assert "scipy.spatial.distance.squareform" in said
    assert main(["cluster", "d.csv", "-k", "2"]) == 0
    assert "if these are condensed distances" in capsys.readouterr().err
    (folder / "d.csv").write_text("income\n" + content)
    assert main(["cluster", "d.csv", "-k", "2"]) == 0
    assert "condensed" not in capsys.readouterr().err


def test_a_whole_matrix_is_not_half_of_one(folder, capsys):
    (folder / "d.csv").write_text(text(D))
    assert main(["cluster", "d.csv", "-k", "2", "--metric", "precomputed"]) == 0
    assert "half" not in capsys.readouterr().err
