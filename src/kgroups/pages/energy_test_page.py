"""The page about a test whether samples differ."""

from __future__ import annotations

from collections.abc import Sequence

from kgroups.pages.block_parts import parts_of
from kgroups.pages.cluster_words import listed
from kgroups.pages.parts import Bullets, Cell, Grid, Heading, Section
from kgroups.pages.report_page import ReportPage
from kgroups.pages.settings_section import settings_section
from kgroups.pages.shown_names import in_sentence
from kgroups.report import EnergyTestReport, RunRecord
from kgroups.text import counted

_LEVEL = 0.05
# Coefficients from which on a difference is called moderate, and large.
_MODERATE, _LARGE = 0.05, 0.3
# More names would hide the answer.
_NAMED = 5


def energy_test_page(report: EnergyTestReport, run: RunRecord) -> ReportPage:
    """The answer, the samples, the numbers, and how to repeat it."""
    names = [in_sentence(name) for name in report.names]
    return ReportPage(
        title=f"Do the samples of {in_sentence(report.source)} differ?",
        verdict=_verdict(report, names, run.notes),
        sections=[_samples(report, names), _numbers(report), settings_section(run)],
    )


def _verdict(report: EnergyTestReport, names: list[str], notes: Sequence[str]) -> Section:
    return Section(
        key="verdict",
        heading="In short",
        sentence=f"{_answer(report, names)} {_sure(report)}",
        parts=[Heading("What to do next"), Bullets([*_on_scales(notes), *_next(report)])],
    )


def _answer(report: EnergyTestReport, names: list[str]) -> str:
    what = listed(names) if len(names) <= _NAMED else f"(there are {len(names)})"
    if report.result.pvalue > _LEVEL:
        return f"No difference between the samples {what} was found."
    size = _size(float(report.result.coefficients.max()))
    if len(names) == 2:
        return f"The samples {what} differ; the difference is {size}."
    return f"Not all of the samples {what} are alike; the largest difference between two is {size}."


def _size(coefficient: float) -> str:
    word = "small"
    if coefficient >= _MODERATE:
        word = "large" if coefficient >= _LARGE else "moderate"
    return f"{word} ({coefficient:.2f} on a scale from 0 to 1)"


def _sure(report: EnergyTestReport) -> str:
    found = report.result
    splits = counted(found.n_permutations, "random division", "random divisions")
    count = f"{report.n_as_extreme:,}" if report.n_as_extreme else "none"
    text = (
        f"Of {splits} of the same rows into samples, {count} differed as much "
        f"(p = {found.pvalue:.3g})."
    )
    if found.pvalue > _LEVEL:
        return f"{text} That does not prove that there is none: few rows show large ones only."
    return text


def _on_scales(notes: Sequence[str]) -> list[str]:
    """What to do where one column hides all others."""
    return [
        f"Test again with --standardize: {in_sentence(note, 300)}."
        for note in notes
        if "--standardize" in note
    ]


def _next(report: EnergyTestReport) -> list[str]:
    if report.result.pvalue > _LEVEL:
        return ["If a small difference would matter, collect more rows and test again, once."]
    steps = ["Look for the columns that differ: compare their averages and their spread."]
    if len(report.names) > 2:
        steps.append("Test two samples at a time to see which of them differ.")
    return [*steps, "A difference says nothing about its cause."]


def _samples(report: EnergyTestReport, names: list[str]) -> Section:
    rows = zip(names, report.result.sizes, strict=True)
    grid = Grid(
        caption="Rows of each sample",
        head=["sample", "rows"],
        rows=[[Cell(text=name), f"{size:,}"] for name, size in rows],
    )
    sentence = f"{counted(len(names), 'sample')} were compared in all their columns at once."
    return Section(key="samples", heading="The samples", sentence=sentence, parts=[grid])


def _numbers(report: EnergyTestReport) -> Section:
    _, _, *blocks = report.blocks()
    sentence = "For specialists: energy distances between samples, and the permutation test."
    parts = parts_of(blocks, "Distance of each pair of samples")
    return Section(key="numbers", heading="The numbers", sentence=sentence, parts=parts)
