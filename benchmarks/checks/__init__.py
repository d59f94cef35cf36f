"""Checks that take longer than a change can wait: the list, and one file for each.

A check is many small units that are computed independently, each from its own number. To add one,
write a file with a :class:`~benchmarks.checks.check.Check` and put it into ``CHECKS``; ``python -m
benchmarks.full`` then runs it and keeps its document, and the tests verify it.
"""

from benchmarks.checks import cluster_counts, community_counts, energy_test_level, false_clusters
from benchmarks.checks.check import Check

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        energy_test_level.CHECK,
        false_clusters.CHECK,
        cluster_counts.CHECK,
        cluster_counts.NULLS,
        community_counts.CHECK,
    )
}
