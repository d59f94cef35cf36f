"""Matrices in frames: columns are those of the rows of the same names, in whatever order."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import EnergyAgglomerative, KernelKGroups
from kgroups.input.matrix_names import in_order_of_rows, places_by_name
from kgroups.input.networks import check_network
from kgroups.semimetrics import kernel_from_semimetric, negative_type_violation
from kgroups.stats import within_dispersion

RNG = np.random.default_rng(0)
POINTS = np.r_[RNG.normal(0, 1, (9, 2)), RNG.normal(6, 1, (7, 2))]
NAMES = [f"city {i}" for i in RNG.permutation(40)[:16]]
ORDER = RNG.permutation(16)
MATRICES = {
    "precomputed": cdist(POINTS, POINTS),
    "precomputed_kernel": np.exp(-(cdist(POINTS, POINTS) ** 2) / 8),
}


def frame(matrix, rows=NAMES, columns=NAMES):
    return pd.DataFrame(matrix, index=rows, columns=columns)


@each(
    ("rows", "columns"),
    [
        (NAMES, NAMES),
        (range(16), range(16)),
        (range(1, 17), [str(i) for i in range(1, 17)]),
        (pd.date_range("2024", periods=16), pd.date_range("2024", periods=16)),
    ],
)
@each("metric", MATRICES)
def test_columns_in_another_order_are_matched(metric, rows, columns):
    matrix = MATRICES[metric]
    model = KernelKGroups(2, metric=metric, random_state=0).fit(matrix)
    assert np.bincount(model.labels_).tolist() == [9, 7]
    shuffled = frame(matrix, rows, columns).iloc[:, ORDER]
    assert in_order_of_rows(shuffled).to_numpy().tolist() == matrix.tolist()
    found = KernelKGroups(2, metric=metric, random_state=0).fit(shuffled)
    assert found.labels_.tolist() == model.labels_.tolist()
    assert found.within_dispersion_ == model.within_dispersion_
    by_rows = frame(matrix, rows, columns).iloc[ORDER]
    found = KernelKGroups(2, metric=metric, random_state=0).fit(by_rows)
    assert found.within_dispersion_ == pytest.approx(model.within_dispersion_)


@each("unit", [1e-300, 1e-100, 1e-9, 1.0, 1e300])
def test_columns_are_matched_in_any_unit(unit):
    names = [f"s{i}" for i in range(1, 17)]
    for matrix in (*MATRICES.values(), MATRICES["precomputed"] < 3):
        for rows in (names, range(16)):
            shuffled = frame(matrix * unit, rows, rows).iloc[:, ORDER]
            assert in_order_of_rows(shuffled).to_numpy().tolist() == (matrix * unit).tolist()
            np.testing.assert_array_equal(
                check_network(shuffled).adjacency.toarray(),
                check_network(matrix * unit).adjacency.toarray(),
            )
        as_it_stands = frame(matrix * unit, ORDER, range(16))
        assert in_order_of_rows(as_it_stands) is as_it_stands


def test_counts_next_to_a_matrix_of_nullable_numbers_are_no_order():
    x = np.arange(6.0) ** 2
    frame = pd.DataFrame(np.abs(x[:, None] - x), index=[3, 0, 1, 5, 2, 4])
    labels = KernelKGroups(2, metric="precomputed", random_state=0).fit(frame).labels_
    nullable = KernelKGroups(2, metric="precomputed", random_state=0).fit(frame.convert_dtypes())
    assert nullable.labels_.tolist() == labels.tolist() == [0, 0, 0, 0, 1, 1]
    partly = KernelKGroups(2, metric="precomputed", random_state=0).fit(frame.astype({2: "Int64"}))
    assert partly.labels_.tolist() == labels.tolist()


@each("prefix", ["p", "V", "gene ", ""])
def test_names_in_another_order_count_also_if_the_matrix_is_symmetric_as_it_stands(prefix):
    apart = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    names = [f"{prefix}{i}" for i in range(1, 13)]
    K = frame(np.exp(-apart), names, names).iloc[:, ::-1]
    assert in_order_of_rows(K).to_numpy().tolist() == np.exp(-apart).tolist()
    # Distances of rows that were numbered from the other end.
    rho = frame(apart, range(11, -1, -1), range(12))
    assert in_order_of_rows(rho) is rho


def test_wherever_a_square_frame_is_taken():
    D = frame(MATRICES["precomputed"])
    shuffled = D.iloc[:, ORDER]
    labels = np.repeat([0, 1], [9, 7])
    for function in (
        lambda X: EnergyAgglomerative(2, metric="precomputed").fit(X).labels_,
        lambda X: within_dispersion(X, labels, metric="precomputed"),
        kernel_from_semimetric,
        negative_type_violation,
        lambda X: check_network(np.exp(-X)).adjacency.toarray(),
    ):
        np.testing.assert_array_equal(function(shuffled), function(D))


@each("metric", MATRICES)
def test_other_names_are_refused_and_mere_numbers_are_none(metric):
    matrix = MATRICES[metric]
    model = KernelKGroups(2, metric=metric, random_state=0)
    expected = model.fit(matrix).labels_.tolist()
    others = [*NAMES[:5], "Ulm", *NAMES[6:]]
    with pytest.raises(ValueError, match="'Ulm'"):
        model.fit(frame(matrix, columns=others))
    numbered = [f"n{i}" for i in range(16)]
    for columns in ([*numbered[:10], "q", *numbered[11:]], [*"abcdefghijklmnop"]):
        with pytest.raises(ValueError, match=r"row .n\d+. and column"):
            model.fit(frame(matrix, numbered, columns))
    twice = [NAMES[1], *NAMES[1:]]
    with pytest.raises(ValueError, match=NAMES[1]):
        model.fit(frame(matrix, twice, twice))
    with pytest.raises(ValueError, match=NAMES[1]):
        model.fit(frame(matrix, twice))
    for rows, columns in (
        (range(16), NAMES),
        (NAMES, range(16)),
        (ORDER + 100, NAMES),  # some rows of a numbered frame
        (ORDER, range(16)),  # the index of shuffled rows
    ):
        assert model.fit(frame(matrix, rows, columns)).labels_.tolist() == expected


def test_a_graph_of_shuffled_rows_keeps_its_columns():
    A = (MATRICES["precomputed"] < 1).astype(float)
    np.fill_diagonal(A, 0)
    for rows, columns in ((ORDER, range(16)), (range(16), range(16))):
        assert check_network(frame(A, rows, columns)).adjacency.toarray().tolist() == A.tolist()


def test_names_that_are_not_the_same_have_no_places():
    assert places_by_name(["a", "b"], ["b", "c"]) is None
    assert places_by_name(["a", "b"], ["b", "b"]) is None
    assert places_by_name(["07", "b"], ["b", "7"]) is None


def test_long_numbers_are_names_to_the_last_digit():
    """As floats these five are one number."""
    ids = [str(10**18 + i) for i in range(5)]
    assert places_by_name(ids, ids[::-1]) == [4, 3, 2, 1, 0]
    assert places_by_name(["01", "1"], ["1", "01"]) == [1, 0]
