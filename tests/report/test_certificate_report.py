"""The report on labels that somebody else found."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kgroups.bounds import CertifiedLabels, certify
from kgroups.report import CertificateReport, describe_metric
from kgroups.semimetrics import Energy

X = [[0.0], [1.0], [10.0], [12.0], [13.0], [40.0]]


def report(labels, **changes):
    found = certify(X, labels)
    settings = {
        "found": found, "labels": [str(label) for label in labels], "n_features": 1,
        "metric": describe_metric(Energy()), "source": "x.csv", "label_source": "l.csv",
        "seconds": 1.25,
    }  # fmt: skip
    return CertificateReport(**{**settings, **changes})


def words(made):
    return " ".join(made.to_text(width=120).split())


def test_labels_that_nothing_improves():
    text = words(report(list("aabbbc")))
    assert text.startswith("x.csv: 6 rows, 1 column, 3 clusters of l.csv")
    # ½ · 2 · ½ of the first pair, and ⅓ (2 + 3 + 1) of the three.
    assert "spread within clusters (W) 2.5" in text
    assert "proof all rows decided, from all 15 distances" in text
    assert text.endswith("No move of a single row improves these labels; 1.25 s in all.")


def test_rows_that_would_move_come_in_the_order_of_their_gains():
    made = report(list("abbabc"))
    found = made.to_dict()
    gains = [move["gain"] for move in found["moves"]]
    assert gains == sorted(gains, reverse=True)
    assert found["moves"][0]["cluster"] != found["moves"][0]["target"]
    assert found["is_optimal"] is False
    assert found["schema"] == "kgroups.certify/1"
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    text = words(made)
    assert "row cluster better W falls by" in text
    for move in found["moves"]:
        assert f"{move['row']} {move['cluster']} {move['target']} {move['gain']:.4g}" in text


def test_names_of_rows_stand_for_their_numbers():
    made = report(list("abbabc"), ids=["u", "v", "w", "x", "y", "z"])
    moves = made.to_dict()["moves"]
    assert all(move["id"] == "uvwxyz"[move["row"] - 1] for move in moves)
    assert f"{moves[0]['id']} {moves[0]['cluster']} {moves[0]['target']}" in words(made)


def many(n_moves, **changes):
    """A finding with so many moves."""
    settings = {
        "proved": True, "n_open": 0, "n_pairs": 10, "n_pairs_full": 100,
        "rows": np.arange(n_moves), "targets": np.ones(n_moves, int),
        "gains": np.linspace(1.0, 2.0, n_moves), "within_dispersion": 5.0,
        "within_dispersion_interval": (4.9, 5.1),
    }  # fmt: skip
    return CertifiedLabels(**{**settings, **changes})


@pytest.mark.parametrize(("n_moves", "shown"), [(3, 3), (10, 10), (12, 10)])
def test_only_the_largest_gains_are_shown(n_moves, shown):
    made = report(list("aabbbc"), found=many(n_moves), ids=None)
    made = replace(made, labels=["0"] * 40)
    lines = [line.split() for line in made.to_text(width=120).splitlines()]
    assert sum(line[1:3] == ["0", "1"] for line in lines) == shown
    says_so = "the 10 largest are shown" in words(made)
    assert says_so == (n_moves > shown)
    assert f"{n_moves} rows would each lower W by a move alone" in words(made)


def test_what_is_not_proved_is_not_claimed():
    found = many(0, proved=False, n_open=4, largest_gain=0.25)
    text = words(report(list("aabbbc"), found=found))
    assert "4 rows undecided, whose moves lower W by 0.25 at most, from 10 distances" in text
    assert "No move is known to improve these labels, but 4 rows are undecided" in text
    assert not found.is_optimal


def test_no_more_digits_of_w_are_shown_than_are_proved():
    found = many(0)
    wide = replace(found, within_dispersion=2.5, within_dispersion_interval=(2.25, 2.75))
    text = words(report(list("aabbbc"), found=wide))
    assert "spread within clusters (W) between 2.25 and 2.75" in text
    narrow = replace(found, within_dispersion=2.5, within_dispersion_interval=(2.4999999, 2.5))
    assert "spread within clusters (W) 2.5 " in words(report(list("aabbbc"), found=narrow))
