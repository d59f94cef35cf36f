"""The command ``python -m papers``: runs and how they are kept, its files, and the kept results."""

from collections import Counter

import pandas as pd
import pytest

from helpers import each, reference_folder
from papers import runner
from papers.__main__ import main
from papers.data import DataFolders
from papers.experiment import catalog, find, generator
from papers.published import FOLDER
from papers.runner import reproduce

RESULTS = FOLDER.parent / "results"
README = (FOLDER.parent / "README.md").read_text("utf-8")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("KGROUPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KGROUPS_DATA", raising=False)
    return DataFolders.find(None)


def runs_of(data, name):
    (path,) = (data.folders[-1].parent / "papers").glob(f"{name}-0-*.jsonl")
    return path


def test_values_are_those_of_the_seeds(data):
    outcome = reproduce(find("fig4"), data=data, quick=True, n_jobs=1)
    experiment = outcome.experiment
    for case in ("1.1", "3.5"):
        for run in range(2):
            rng = generator(0, "fig4", case, run)
            expected = experiment.run(experiment.cases[case], rng, data)
            for method, measures in expected.items():
                assert outcome.values[case, method, "overlap"][run] == measures["overlap"]


def test_runs_are_done_once_and_those_cut_off_again(data, monkeypatch):
    done = []
    true_run = runner._run
    monkeypatch.setattr(runner, "_run", lambda *task: done.append(task[1:3]) or true_run(*task))
    first = reproduce(find("fig4"), data=data, quick=True, n_jobs=1)
    assert done == [(case, run) for case in ("1.1", "2.0", "3.5") for run in range(2)]
    path = runs_of(data, "fig4")
    whole = path.read_text()
    for cut in (7, whole.rstrip().rfind("\n") - len(whole) + 1):  # in a number, and before its line
        done.clear()
        path.write_text(whole[:-cut] if cut > 0 else whole[:cut])
        again = reproduce(find("fig4"), data=data, quick=True, n_jobs=1)
        assert done == [("3.5", 1)]
        assert path.read_text() == whole
        for key, values in first.values.items():
            assert values.tolist() == again.values[key].tolist()
    done.clear()
    reproduce(find("fig4"), data=data, quick=True, n_jobs=1)
    assert done == []


def test_a_command_prints_and_writes(data, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["fig4", "--quick", "--jobs", "1", "-o", str(out)]) == 0
    text = capsys.readouterr().out.strip()
    assert text == (out / "fig4.md").read_text().strip()
    assert (out / "fig4.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(out / "fig4.csv", comment="#", dtype={"case": str})
    assert table.case.unique().tolist() == ["1.1", "2.0", "3.5"]
    assert set(table.method) == {"bethe", "kgroups", "default"}
    assert (table.runs == 2).all()


def kept(name):
    return pd.read_csv(RESULTS / f"{name}.csv", comment="#", dtype={"case": str})


def test_each_experiment_has_kept_results():
    names = {path.stem for path in RESULTS.iterdir()}
    assert names == set(catalog())
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) <= 1_500_000
    for name, experiment in catalog().items():
        table = kept(name)
        missing = ["gene expression"] if name == "table3" else []
        assert set(table.case) == experiment.cases.keys() - set(missing), name
        assert (table.runs == experiment.runs).all() or name == "table6"
        assert "Commit " in (RESULTS / f"{name}.csv").read_text().splitlines()[0]
        assert "Commit " in (RESULTS / f"{name}.md").read_text()


def test_the_page_counts_what_the_tables_have():
    compared, agree = 0, 0
    for name in catalog():
        found = Counter(kept(name).verdict.dropna())
        n = sum(found[verdict] for verdict in ("agrees", "higher", "lower"))
        if n:
            assert f"| {name} | {found['agrees']} of {n} |" in README, (name, found)
        compared, agree = compared + n, agree + found["agrees"]
    assert (compared, agree) == (1507, 1461)
    with_cause = [
        any(cause.covers(row.case, row.method, row.measure) for cause in experiment.facts.causes)
        for name, experiment in catalog().items()
        for row in kept(name).itertuples()
        if row.verdict in ("higher", "lower")
    ]
    # Two of fig5c have no explanation, and 28 are outside as some would be by chance.
    assert (sum(with_cause), len(with_cause)) == (16, 46)
    assert f"Of {compared:,} published numbers {agree:,} agree." in README


def test_dermatology_comes_out_exactly():
    """[FRV Table II and its caption], in four digits."""
    table = kept("table2").set_index(["method", "case", "measure"]).ours
    for case, expected in {
        "imputed": (0.9617, 0.9356, 0.9321),
        "dropped": (0.9637, 0.9386, 0.9366),
    }.items():
        ours = [table["kgroups", case, m] for m in ("accuracy", "adjusted_rand", "nmi")]
        assert ours == pytest.approx(expected, abs=5e-5)


@pytest.mark.reference
@each("name", ["table4", "table5"])
def test_what_does_not_differ_between_runs_is_computed_again(data, name):
    """[FRV] Tables IV and V, two runs, to the digits that are kept."""
    outcome = reproduce(
        find(name), data=DataFolders.find(reference_folder("data")), n_jobs=1, quick=True
    )
    table = kept(name).set_index(["case", "method", "measure"])
    same = [row for row in outcome.rows() if table.loc[row[:3]].error == 0]
    assert len(same) > len(table) / 2
    for row in same:
        assert row.ours == pytest.approx(table.loc[row[:3]].ours, rel=1e-5)
        assert row.verdict == table.loc[row[:3]].fillna("").verdict
