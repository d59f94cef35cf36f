"""The optimality gap of an estimator and of the command line."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bound_cases import FOUR, best_w
from kgroups import KernelKGroups
from kgroups.bounds import spectral_bound
from kgroups.cli import main
from kgroups.semimetrics import DampedSquared, Energy


def test_gap_with_a_matrix_needs_it_again():
    rho = Energy().pairwise(np.array(FOUR))
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    with pytest.raises(ValueError, match=r'metric="precomputed" does not keep: write optimality'):
        model.optimality_gap()
    found = model.optimality_gap(rho, kind="spectral")
    assert found.kind == "spectral"
    assert_allclose(found.bound, spectral_bound(FOUR, 2))
    with pytest.raises(ValueError, match="the X of the fit, 4 rows; got 2"):
        model.optimality_gap(rho[:2])
    kernel = KernelKGroups(2, metric="precomputed_kernel", random_state=0).fit(-0.5 * rho + 7)
    assert kernel.optimality_gap(-0.5 * rho + 7).proves_optimal


def test_gap_zero_where_nothing_is_lacking():
    for X, k in (([[0.0], [0.0], [5.0], [5.0]], 2), (FOUR, 4), (FOUR, 1)):
        found = KernelKGroups(k, random_state=0).fit(X).optimality_gap(kind="spectral")
        assert found.gap == 0.0
        assert found.proves_optimal


def test_gap_without_negative_type():
    X = np.random.default_rng(9).normal(size=(9, 2))
    with pytest.warns(Warning, match="negative type"):
        model = KernelKGroups(3, metric=DampedSquared(), random_state=0).fit(X)
    best = best_w(-0.5 * DampedSquared().pairwise(X), np.ones(9), 3)
    assert model.optimality_gap().bound <= best + 1e-12


def test_a_bound_that_was_asked_for_is_given_or_refused(tmp_path, capsys):
    X = np.random.default_rng(16).normal(size=(1_100, 2)).round(3)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.3f")
    command = ["cluster", str(tmp_path / "x.csv"), "-k", "3", "--json"]
    assert main([*command, "--bound", "semidefinite"]) == 1
    assert "--bound semidefinite is limited to 1,000 rows" in capsys.readouterr().err
    assert main([*command, "--bound", "spectral", "--method", "nystroem"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["gap"] is None
    assert "no --bound for approximate distances; use --method certified" in err


def test_no_long_bound_unless_it_is_asked_for(tmp_path, capsys):
    """128 clusters leave no four blocks, and the exact bound of 5,100 rows takes longer."""
    X = np.repeat(np.arange(128.0), 40)[:5_100]
    np.savetxt(tmp_path / "x.csv", X, fmt="%.1f")
    command = ["cluster", str(tmp_path / "x.csv"), "-k", "128", "--json", "--n-init", "1"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["gap_kind"] is None
