"""How large the clusters are."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.parts import Cell, Grid, Section
from kgroups.report.cluster_profile import ClusterProfile
from kgroups.report.clustered_rows import MEAN_SPREAD, decimals
from kgroups.text import counted

# A smaller cluster than this share of an even one is pointed out.
_SMALL = 0.1


def sizes_section(facts: ClusterFacts) -> Section:
    """One line per cluster, with a bar for its share."""
    clusters = facts.report.clusters
    caption = "Clusters are numbered from 0, as in the file of labels."
    if _has_spread(facts):
        caption += f" {MEAN_SPREAD[:1].upper()}{MEAN_SPREAD[1:]}."
    grid = Grid(
        caption=caption,
        head=_head(facts),
        rows=[_row(facts, number, cluster) for number, cluster in enumerate(clusters)],
    )
    return Section(key="sizes", heading="How large they are", sentence=_lead(facts), parts=[grid])


def _lead(facts: ClusterFacts) -> str:
    sizes = [cluster.size for cluster in facts.report.clusters]
    if len(sizes) == 1:
        return "All rows are in one cluster."
    text = f"The largest cluster has {counted(max(sizes), 'row')}, the smallest {min(sizes):,}."
    small = sum(size < _SMALL * sum(sizes) / len(sizes) for size in sizes)
    if small:
        verb = "is" if small == 1 else "are"
        text += (
            f" {small:,} {verb} very small: look whether {'its' if small == 1 else 'their'} rows "
            "are errors or rare cases."
        )
    return text


def _head(facts: ClusterFacts) -> list[str]:
    head = ["cluster", "rows", "share"]
    if facts.report.is_weighted:
        head.append("weight")
    return [*head, "mean spread"] if _has_spread(facts) else head


def _row(facts: ClusterFacts, number: int, cluster: ClusterProfile) -> list[str | Cell]:
    color = facts.colors[number]
    cells: list[str | Cell] = [
        Cell(text=str(number), color=color),
        f"{cluster.size:,}",
        Cell(text=f"{cluster.share:.1%}", share=cluster.share / _largest_share(facts)),
    ]
    if facts.report.is_weighted:
        cells.append(f"{cluster.weight:.6g}")
    if _has_spread(facts):
        cells.append(f"{cluster.dispersion or 0.0:.{_decimals(facts)}f}")
    return cells


def _largest_share(facts: ClusterFacts) -> float:
    """What the longest bar stands for; with many clusters all shares are small."""
    return max(cluster.share for cluster in facts.report.clusters)


def _has_spread(facts: ClusterFacts) -> bool:
    return all(cluster.dispersion is not None for cluster in facts.report.clusters)


def _decimals(facts: ClusterFacts) -> int:
    return decimals([cluster.dispersion or 0.0 for cluster in facts.report.clusters])
