"""Block models above the limit of what can be found: the number of communities."""

from __future__ import annotations

from benchmarks.networks.families.counted import counted_lines, right_row
from benchmarks.networks.families.family import Case, Family, Row
from kgroups.graphs import stochastic_block_model

GRAPHS = 100
NODES, DEGREE, SNR = 5000, 10, 2.0


def cases() -> list[Case]:
    """A hundred graphs of two, five and ten communities."""
    return [Case(f"k={k}", "block model", seed) for k in (2, 5, 10) for seed in range(GRAPHS)]


def run(case: Case) -> Row:
    """Whether the planted number is found."""
    k = int(case.cell.removeprefix("k="))
    A = stochastic_block_model(NODES, k, DEGREE, SNR, random_state=case.seed)[0]
    return right_row(A, case, k)


FAMILY = Family(
    name="blocks",
    question="block models, n=5,000, d=10, snr=2, auto: the number in 97 of 100",
    titles=("planted", "graphs", "right", "answers", "in several components", "seconds"),
    cases=cases,
    run=run,
    lines=counted_lines,
)
