"""A large graph is made, read and clustered in processes of their own."""

import numpy as np

from benchmarks.networks.large import measure_large, save_planted


def test_a_sweep_and_a_fit_find_the_planted_communities(capsys):
    sweep, fit = measure_large(20_000, limit=120)
    assert sweep["note"] == fit["note"] == ""
    assert min(sweep["ari"], fit["ari"]) > 0.95
    assert fit["peak_bytes"] > 1 << 26
    assert "planted_partition(2,000, 50, 20, 0.7)" in capsys.readouterr().out


def test_each_edge_is_written_once(tmp_path):
    save_planted(1_000, tmp_path)
    with np.load(tmp_path / "network.npz") as file:
        ends = np.column_stack([file["source"], file["target"]])
    assert (ends[:, 0] < ends[:, 1]).all()
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert 9_000 < len(ends) < 11_000
