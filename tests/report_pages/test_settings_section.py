"""How to repeat a result, as the page says it."""

import pytest

from kgroups.pages.settings_section import settings_section
from kgroups.report import RunRecord, versions


def pairs(part):
    return dict(part.pairs)


@pytest.fixture
def section():
    run = RunRecord(
        command="kgroups cluster 'a b.csv' -k 3",
        settings={
            "sigma": None,
            "metric": {"name": "energy"},
            "long": "n" * 500,
        },
        data={"source": "a b.csv", "n_rows": 12345, "n_columns": 3, "sha256": "ab" * 32},
        notes=["column 'id' looks like a row number"],
    )
    return settings_section(run)


def test_the_command_and_the_data(section):
    command, data, *_ = section.parts
    assert command.text == "kgroups cluster 'a b.csv' -k 3"
    assert pairs(data) == {
        "data": "a b.csv", "rows": "12,345", "columns": "3", "SHA-256 of the data": "ab" * 32,
    }  # fmt: skip


def test_what_is_closed_at_first(section):
    notes, settings, found = section.parts[2:]
    assert [part.summary for part in (notes, settings, found)] == [
        "Notes on the data", "All settings", "Versions",
    ]  # fmt: skip
    assert notes.parts[0].text == "column 'id' looks like a row number"
    (shown,) = settings.parts
    assert pairs(shown)["metric"] == '{"name": "energy"}'
    assert "sigma" not in pairs(shown)
    assert len(pairs(shown)["long"]) == 200
    assert pairs(found.parts[0]) == versions()


def test_several_files_and_no_notes():
    data = [{"source": "a.csv", "n_rows": 1}, {"source": "b.csv", "n_rows": 2}]
    section = settings_section(RunRecord(command="", settings={}, data=data))
    assert [pair for pair in section.parts[1].pairs if pair[0] == "data"] == [
        ("data", "a.csv"), ("data", "b.csv"),
    ]  # fmt: skip
    assert "Notes on the data" not in [getattr(part, "summary", "") for part in section.parts]


def test_a_command_that_a_page_could_not_hold_is_spelled():
    run = RunRecord(command="kgroups cluster 'a\u202eb\udcff.csv'\nmodel", settings={}, data={})
    command = settings_section(run).parts[0]
    assert command.text == "kgroups cluster 'a\\u202eb\\udcff.csv'\nmodel"
    assert command.text.encode("utf-8")
