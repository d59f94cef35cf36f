"""``--json``: the keys that each command has, what stands there, and that it is JSON."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from door_cases import GROUP, N_NODES, N, found, ring_of_cliques, run, table
from kgroups import KernelKGroups, __version__

INT, FLOAT, TEXT, TRUTH, DICT, LIST, NONE = int, float, str, bool, dict, list, type(None)
EVERY = {
    "schema": TEXT, "kgroups_version": TEXT, "versions": DICT, "command": TEXT, "settings": DICT,
    "notes": LIST, "seconds": FLOAT,
}  # fmt: skip
SEARCH = {
    "n_samples": INT, "n_features": INT, "n_clusters": INT, "cluster_sizes": LIST,
    "cluster_shares": LIST, "n_iter": INT, "n_moves": INT, "converged": TRUTH, "exactness": TEXT,
    "random_state": INT,
}  # fmt: skip
FIT = {
    **SEARCH, "metric": DICT, "objective": FLOAT, "within_dispersion": FLOAT,
    "between_statistic": FLOAT, "explained": FLOAT, "mean_dispersions": LIST, "method": TEXT,
    "certificate": DICT, "n_starts": INT, "n_starts_at_best": INT, "columns": DICT, "data": DICT,
}  # fmt: skip
CLUSTERS = {
    **FIT, "within_dispersion_interval": LIST, "between_statistic_interval": LIST, "bound": FLOAT,
    "gap": FLOAT, "gap_kind": TEXT, "cluster_weights": LIST, "sets_apart": LIST,
    "exemplars": LIST, "sketch_error": NONE, "cluster_count": NONE, "labels": LIST,
}  # fmt: skip
#: The keys of every command, whatever the data are.
KEYS: dict[str, tuple[str, dict[str, type]]] = {
    "cluster": (
        "cluster t.csv -k 3 --columns x,y --label-column class --id-column name",
        {**CLUSTERS, "scores": DICT, "ids": LIST},
    ),
    "auto": (
        "cluster xy.csv -k auto", {**CLUSTERS, "cluster_count": DICT, "scores": NONE, "ids": NONE},
    ),
    "curved": (
        "cluster xy.csv -k 3 --curved",
        {**SEARCH, "columns": DICT, "data": DICT, "decided_by": TEXT, "n_neighbors": INT,
         "normalized_cut": FLOAT, "component_sizes": LIST, "sets_apart": LIST, "scores": NONE,
         "ids": NONE, "labels": LIST},
    ),
    "stream": (
        "cluster xy.parquet -k 3 --stream",
        {**FIT, "method_reason": TEXT, "n_workers": NONE, "sketch_error": FLOAT,
         "within_dispersion_interval": NONE, "between_statistic_interval": NONE,
         "cluster_count": NONE},
    ),
    "certify": (
        "cluster xy.csv --certify l.csv",
        {"data": DICT, "columns": DICT, "n_samples": INT, "n_features": INT, "n_clusters": INT,
         "metric": DICT, "is_optimal": TRUTH, "within_dispersion": FLOAT,
         "within_dispersion_interval": LIST, "certificate": DICT, "moves": LIST},
    ),
    "choose-k": (
        "choose-k xy.csv --k-max 4",
        {"data": DICT, "columns": DICT, "n_clusters": INT, "reason": TEXT, "votes": DICT,
         "at_limit": LIST, "criteria": DICT, "rounded_columns": LIST, "n_samples": INT,
         "n_given": INT, "n_features": INT, "n_classes": NONE, "metric": DICT},
    ),
    "communities": (
        "communities ring.csv",
        {"data": DICT, "source": TEXT, "nodes": INT, "edges": INT, "self_loops": INT,
         "edges_between": INT, "isolated": INT, "left_out": INT, "weighted": TRUTH,
         "total_weight": FLOAT, "mean_degree": FLOAT, "n_components": INT, "component_sizes": LIST,
         "n_communities": INT, "chosen_by": TEXT, "decided_by": TEXT, "evidence": FLOAT,
         "agreement": FLOAT, "alternatives": LIST, "communities": LIST, "objective": DICT,
         "scores": DICT, "truth_scores": NONE, "starts": DICT, "n_iter": INT, "n_moves": INT,
         "converged": TRUTH, "exactness": TEXT, "r": NONE, "random_state": INT, "ids": LIST,
         "labels": LIST},
    ),
    "predict": (
        "predict m.kg xy.csv",
        {"data": DICT, "n_samples": INT, "n_clusters": INT, "n_samples_fit": INT, "metric": DICT,
         "labels": LIST, "ids": NONE, "cluster_sizes": LIST},
    ),
    "test": (
        "test t.csv --by class --columns x,y",
        {"data": LIST, "columns": DICT, "n_samples": INT, "n_features": INT, "groups": LIST,
         "group_sizes": LIST, "metric": DICT, "statistic": FLOAT, "pvalue": FLOAT,
         "pvalue_resolution": FLOAT, "n_permutations": INT, "n_as_extreme": INT,
         "n_distinct_splits": FLOAT, "pvalue_of_one_split": FLOAT, "random_state": INT,
         "e_distances": LIST, "energy_coefficients": LIST, "within_dispersion": FLOAT,
         "between_statistic": FLOAT, "explained": FLOAT},
    ),
}  # fmt: skip


@pytest.fixture
def data(folder: Any) -> Any:
    """A table, a network, labels and a model."""
    table().to_csv("t.csv", index=False)
    table()[["x", "y"]].to_csv("xy.csv", index=False)
    table()[["x", "y"]].to_parquet("xy.parquet")
    pd.DataFrame(ring_of_cliques(), columns=["a", "b", "w"]).to_csv("ring.csv", index=False)
    assert run("cluster xy.csv -k 3 -o l.csv --save m.kg").status == 0
    return folder


@pytest.mark.parametrize("name", KEYS)
def test_keys_and_what_stands_there(name, data):
    """A key may be added; one that goes or changes its type is missed by a program."""
    words, keys = KEYS[name]
    printed = found(words)
    kinds = {key: type(value) for key, value in printed.items()}
    expected = {**EVERY, **keys}
    assert {key: kinds.get(key, "missing") for key in expected} == expected
    assert printed["schema"].startswith("kgroups.")
    assert printed["kgroups_version"] == __version__
    assert printed["command"] == f"kgroups {words} --json"
    assert printed["seconds"] >= 0


def test_keys_are_attributes_without_the_underscore(data):
    """Of a fit, every key that an attribute has the name of holds its value."""
    printed = found("cluster xy.csv -k 3")
    model = KernelKGroups(3, random_state=0).fit(table()[["x", "y"]])
    same = (
        "labels", "objective", "within_dispersion", "between_statistic", "n_iter", "n_moves",
        "converged", "method", "cluster_weights",
    )  # fmt: skip
    for key in same:
        value = getattr(model, f"{key}_")
        assert printed[key] == (value.tolist() if isinstance(value, np.ndarray) else value), key
    shown, proof = printed["certificate"], model.certificate_
    for key in ("proved", "n_open", "n_pairs", "n_pairs_full", "rounds"):
        assert shown[key] == getattr(proof, key), key


def test_every_row_and_every_node_has_its_label(data):
    rows = found(KEYS["cluster"][0])
    assert len(rows["labels"]) == len(rows["ids"]) == rows["n_samples"] == N == len(GROUP)
    nodes = found(KEYS["communities"][0])
    assert len(nodes["labels"]) == len(nodes["ids"]) == nodes["nodes"] == N_NODES


def test_numbers_that_are_not_finite_are_null(folder):
    """Three points of two kinds: many numbers are not defined, and none is written as NaN."""
    (folder / "few.csv").write_text("x\n0\n0\n5\n")
    printed = found("cluster few.csv -k 2")
    assert printed["within_dispersion"] == 0.0
    assert found("cluster few.csv -k 1")["n_clusters"] == 1
    (folder / "same.csv").write_text("x,y\n1,1\n1,1\n1,1\n")
    assert found("cluster same.csv -k 1")["explained"] is None
    (folder / "edge.csv").write_text("a,b\nu,v\n")
    assert found("communities edge.csv")["n_communities"] == 1
