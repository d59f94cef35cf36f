"""Long checks: their documents, a random share of their units, and how they are run."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import full
from benchmarks.checks import CHECKS
from benchmarks.checks.check import Check
from benchmarks.checks.document import FOLDER, faults
from helpers import each

SECONDS = 1.0


@pytest.mark.skipif(not FOLDER.exists(), reason="documents are part of the repository alone")
class TestDocuments:
    @each("name", CHECKS)
    def test_document_is_right(self, name):
        assert list(faults(CHECKS[name])) == []

    def test_each_document_belongs_to_a_check(self):
        assert {path.stem for path in FOLDER.iterdir()} == set(CHECKS)

    def test_random_share_comes_out_again(self):
        seed = secrets.randbits(32)
        print(f"--seed {seed}")
        found = list(full.differences(CHECKS.values(), SECONDS, seed))
        assert not found, f"python -m benchmarks.full --check --seed {seed}: {found}"


def square(number):
    CALLS.append(number)
    return {"square": number**2, "half": number / 2}


CALLS: list[int] = []
SQUARES = Check(
    name="squares",
    claim="No square is above 16.",
    n_units=6,
    run=square,
    fold=lambda units: {"largest": float(max(unit["square"] for unit in units))},
    holds=lambda summary, n: summary["largest"] <= 16,
)


@pytest.fixture
def command(tmp_path, monkeypatch):
    CALLS.clear()
    monkeypatch.setattr(full, "CHECKS", {"squares": SQUARES})
    monkeypatch.setattr(full, "one_thread_each", ThreadPoolExecutor)
    return lambda *arguments: full.main([*arguments, "--workers", "1"], tmp_path)


def changed(folder, change):
    path = folder / "squares.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_units_are_kept_and_not_computed_twice(command, tmp_path):
    assert command("--units", "2") == 0
    assert command("--units", "3") == 0
    assert CALLS == [0, 1, 0, 2, 3, 4]  # the kept unit that is quickest is computed again
    content = json.loads((tmp_path / "squares.json").read_text())
    assert content["units"] == {str(n): {"square": n**2, "half": n / 2} for n in range(5)}
    assert (content["units_done"], content["units_of_all"]) == (5, 6)
    assert content["summary"] == {"largest": 16.0}
    assert content["holds"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["units"]["1"].update(square=2), "the units are not those of the digest"),
        (lambda c: c["units"].pop("1"), "the units are not those of the digest"),
        (lambda c: c["summary"].update(largest=3.0), "summary is {'largest': 3.0}, but from the"),
        (lambda c: c.update(units_done=3), "units_done is 3, but from the units 2"),
        (lambda c: c.update(claim="Squares are."), "claim is 'Squares are.'"),
    ],
)
def test_changed_document_is_found_out(command, tmp_path, change, message):
    command("--units", "2")
    changed(tmp_path, change)
    assert any(message in fault for fault in faults(SQUARES, tmp_path))


def test_share_that_is_computed_again_is_drawn_and_ends_in_time(command, tmp_path, capsys):
    command("--units", "5")
    CALLS.clear()
    assert command("--check", "--seed", "3") == 0
    first = CALLS.copy()
    assert sorted(first) == [0, 1, 2, 3, 4]
    assert "--seed 3\n" in capsys.readouterr().out
    CALLS.clear()
    command("--check", "--seed", "3")
    assert first == CALLS
    changed(tmp_path, lambda content: content["seconds"].update({"2": 100.0}))
    CALLS.clear()
    command("--check", "--seed", "3")
    assert sorted(CALLS) == [0, 1, 3, 4]
