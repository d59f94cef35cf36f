"""The results that the repository keeps: a full run, and the page that is made of it."""

import json
import os
from pathlib import Path

import pytest
from scipy.stats import binom

from kgroups_papers.catalog import catalog
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.page import page
from kgroups_papers.published import discrepancies, published, trades
from kgroups_papers.role import Role
from kgroups_papers.summary import claims, counts, rows_of
from kgroups_papers.verdict import BY_CHANCE, Estimate, Verdict, judge, judge_default, with_error

DOCS = Path(__file__).resolve().parents[2] / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is in the repository alone")


@pytest.fixture(scope="module")
def documents():
    found = (json.loads(path.read_text("utf-8")) for path in (DOCS / "results").glob("*.json"))
    return {document["experiment"]: document for document in found}


def means(document, method):
    """By case and measure."""
    rows = document["rows"]
    return {(r["case"], r["measure"]): r.get("mean") for r in rows if r["method"] == method}


def test_all_experiments_were_run_in_full_with_the_same_packages(documents):
    assert set(documents) == set(catalog())
    assert not any(document["quick"] for document in documents.values())
    assert {document["seed"] for document in documents.values()} == {0}
    assert len({json.dumps(document["versions"]) for document in documents.values()}) == 1
    for name, experiment in catalog().items():
        runs = {row["runs"] for row in documents[name]["rows"] if "runs" in row}
        assert runs == {experiment.n_runs}, name


def test_the_page_is_made_from_them(documents):
    text = (DOCS / "results.md").read_text("utf-8")
    assert text == page(documents.values(), folder="results")
    for name in documents:
        assert (DOCS / "results" / f"{name}.png").is_file()


def test_they_were_made_by_this_code(documents):
    """Only a full run insists on it: most changes of the code change no number.

    python -m benchmarks.restamp computes a share of them again, and stamps them.
    """
    made = {name: document.get("made_by") for name, document in documents.items()}
    stale = [name for name, e in catalog().items() if made[name] != fingerprint(e.run)]
    if stale and not os.environ.get("KGROUPS_FULL"):
        pytest.skip(f"made by other code: {', '.join(stale)}; python -m benchmarks.restamp")
    assert stale == []


def test_verdicts_follow_from_the_numbers(documents):
    """Today's published numbers and rules, on the means that were kept."""
    checked = 0
    for name, document in documents.items():
        experiment = catalog()[name]
        numbers = published(name, experiment.measures[0])
        ours = {
            (row["case"], row["method"], row["measure"]): Estimate(
                row["mean"], row["deviation"], row["runs"]
            )
            for row in document["rows"]
            if "mean" in row
        }
        for row in document["rows"]:
            method = experiment.method(row["method"])
            assert row["role"] == method.role.value
            is_default = method.role is Role.DEFAULT
            reference = row["method"]
            if is_default:
                reference = experiment.held_against(method, row["case"])
            key = row["case"], reference, row["measure"]
            if "mean" not in row or key not in numbers:
                assert "verdict" not in row
                continue
            theirs = with_error(numbers[key], ours.get(key))
            rule = judge_default if is_default else judge
            assert row["verdict"] == rule(ours[row["case"], row["method"], row["measure"]], theirs)
            checked += 1
        assert document["counts"] == counts(rows_of(document), is_curve=document["is_curve"])
    assert checked > 1000


def test_published_numbers_agree_up_to_chance(documents):
    """Of those without a known cause, no more are outside than chance leaves once in 1,000."""
    judged = [
        entry
        for document in documents.values()
        for entry in rows_of(document)
        if entry.verdict is not None and not entry.is_default and not entry.cause
    ]
    outside = [entry for entry in judged if entry.is_outside]
    assert all(entry.combined_error > 0 for entry in outside)
    # Methods of one sample err together: in groups of about three, as a rule.
    together = 3
    assert len(outside) <= together * binom.isf(1e-3, len(judged) // together, BY_CHANCE)
    assert max(entry.distance for entry in outside) < 6


def test_defaults_are_not_below_without_a_cause(documents):
    """A curve as a whole; else every number."""
    for name, document in documents.items():
        for claim in claims(rows_of(document), is_curve=document["is_curve"]):
            if claim.is_default and claim.is_outside:
                assert claim.cause, (name, claim)


def test_every_known_cause_explains_a_number(documents):
    """What agrees is no discrepancy."""
    for name, document in documents.items():
        rows = rows_of(document)
        for known, of_defaults in ((discrepancies(name), False), (trades(name), True)):
            for cause in known:
                explained = [
                    row
                    for row in rows
                    if row.is_outside
                    and row.is_default is of_defaults
                    and cause.covers(row.case, row.method, row.measure)
                ]
                assert explained, (name, cause)


def test_dermatology_comes_out_exactly(documents):
    """[FRV Table II and its caption], in four digits."""
    found = means(documents["table2"], "kgroups")
    for case, expected in {
        "imputed": (0.9617, 0.9356, 0.9321),
        "dropped": (0.9637, 0.9386, 0.9366),
    }.items():
        ours = [found[case, measure] for measure in ("accuracy", "adjusted_rand", "nmi")]
        assert ours == pytest.approx(expected, abs=5e-5)


def test_drosophila_comes_out_exactly(documents):
    """[FRV Table V]: every number of every method, but for the weights that the text names."""
    judged = [e for e in rows_of(documents["table5"]) if e.verdict and not e.is_default]
    with_unit_weights = [e for e in judged if e.method != "kgroups_degree"]
    assert (len(judged), len(with_unit_weights)) == (32, 26)
    assert {entry.verdict for entry in with_unit_weights} == {Verdict.AGREES}


def test_seventeen_sets_come_out_by_k_groups(documents):
    """[FRV Table III]; the eighteenth is not here, and its row says so."""
    groups = [e for e in rows_of(documents["table3"]) if e.method == "kgroups"]
    assert len(groups) == 18
    there = [entry for entry in groups if entry.mean is not None]
    assert [e.case for e in groups if e not in there] == ["gene expression"]
    assert {entry.verdict for entry in there} == {Verdict.AGREES}
    assert list(documents["table3"]["missing"]) == ["gene expression"]
