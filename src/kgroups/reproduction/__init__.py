"""The experiments of the papers, each by its name, next to the numbers that were published."""

from kgroups.reproduction.catalogue import catalogue, find
from kgroups.reproduction.experiment import Case, Experiment, Method, Role
from kgroups.reproduction.monte_carlo import reproduce
from kgroups.reproduction.outcome import Outcome, Row
from kgroups.reproduction.published import Published
from kgroups.reproduction.report import document, text
from kgroups.reproduction.verdict import Estimate, Verdict

__all__ = [
    "Case",
    "Estimate",
    "Experiment",
    "Method",
    "Outcome",
    "Published",
    "Role",
    "Row",
    "Verdict",
    "catalogue",
    "document",
    "find",
    "reproduce",
    "text",
]
