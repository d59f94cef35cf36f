"""Reports as aligned plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgroups.bounds import SEMIDEFINITE_UP_TO
from kgroups.report.metric import metric_text
from kgroups.text import aligned, counted, printable

if TYPE_CHECKING:
    from kgroups.bounds import OptimalityGap
    from kgroups.report.communities import CommunityReport
    from kgroups.report.profile import ClusterProfile
    from kgroups.report.summary import ClusterReport

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def render(report: ClusterReport, *, color: bool) -> str:
    """The whole report: what was clustered, the clusters, the numbers."""
    head, *table = _clusters(report)
    return joined(
        [bold(_head(report), color)],
        [bold(head, color), *table],
        labeled(_numbers(report), color),
        _sentences(report),
    )


def joined(*blocks: Sequence[str]) -> str:
    """Blocks of lines with a blank line between them; a block without lines is left out."""
    return "\n\n".join("\n".join(block) for block in blocks if block)


def labeled(pairs: Sequence[tuple[str, str]], color: bool) -> list[str]:
    """Lines of a label, dim where ``color`` allows it, and a value; the values stand in line."""
    width = max((len(label) for label, _ in pairs), default=0)
    return [f"{_styled(label.ljust(width), _DIM, color)}  {value}" for label, value in pairs]


def ending(report: ClusterReport | CommunityReport, *, how: str, what: str) -> str:
    """How the search ended, and after how long; ``what`` was moved."""
    sweeps, moves = counted(report.n_iter, "sweep"), counted(report.n_moves, "move")
    if report.converged:
        end = f"Converged after {sweeps} and {moves}: {how}"
    else:
        end = f"Not converged: {what} still moved after {sweeps}"
    return f"{end}; {report.seconds:.2f} s in all."


def bold(text: str, color: bool) -> str:
    """A heading, bold where ``color`` allows it."""
    return _styled(text, _BOLD, color)


def _head(report: ClusterReport) -> str:
    size = f"{report.n_samples:,} rows"
    if report.n_features is not None:
        size += f", {counted(report.n_features, 'column')}"
    clusters = counted(report.n_clusters, "cluster")
    return f"{printable(report.source)}: {size}, {clusters} by {metric_text(report.metric)}"


def _clusters(report: ClusterReport) -> list[str]:
    """The table of clusters, without the columns that there is nothing to say in."""
    head = ["cluster", "size", "weight", "share", "mean dispersion", "what sets it apart"]
    keep = [0, 1, 3]
    if report.is_weighted:
        keep.insert(2, 2)
    if all(cluster.dispersion is not None for cluster in report.clusters):
        keep.append(4)
    if any(cluster.deviations for cluster in report.clusters):
        keep.append(5)
    decimals = _decimals([cluster.dispersion or 0.0 for cluster in report.clusters])
    rows = [head, *(_row(j, cluster, decimals) for j, cluster in enumerate(report.clusters))]
    shown = [[row[c] for c in keep] for row in rows]
    return aligned(shown, left=[len(keep) - 1] if 5 in keep else [])


def _decimals(values: Sequence[float]) -> int:
    """Decimals by which the largest of the values shows four digits or more.

    >>> _decimals([0.0123, 0.5]), _decimals([1234.5])
    (4, 0)
    """
    largest = max(values, default=0.0)
    return max(0, 3 - math.floor(math.log10(largest))) if largest > 0 else 0


def _row(number: int, cluster: ClusterProfile, decimals: int) -> list[str]:
    return [
        str(number),
        f"{cluster.size:,}",
        f"{cluster.weight:.6g}",
        f"{cluster.share:.1%}",
        "" if cluster.dispersion is None else f"{cluster.dispersion:.{decimals}f}",
        printable(", ".join(str(deviation) for deviation in cluster.deviations)),
    ]


def _numbers(report: ClusterReport) -> list[tuple[str, str]]:
    pairs = [
        ("within dispersion W", f"{report.within_dispersion:.6g}"),
        ("between statistic S", f"{report.between_statistic:.6g}"),
        ("explained S/(S+W)", "-" if report.explained is None else f"{report.explained:.1%}"),
        ("starts at the best", f"{report.n_starts_at_best} of {report.n_starts}"),
    ]
    if report.optimality is not None:
        pairs.append(("optimality gap", _gap(report.optimality, report.n_samples)))
    if report.scores is not None:
        pairs += [(name, f"{value:.4f}") for name, value in _named_scores(report)]
    return pairs


def _gap(found: OptimalityGap, n: int) -> str:
    """What is proved, in one line; rounded so that it stays true."""
    is_quick = found.kind == "spectral" and n <= SEMIDEFINITE_UP_TO
    hint = "; --bound semidefinite looks closer" if is_quick else ""
    if found.proves_optimal:
        return f"none: no clustering has a smaller W ({found.kind} bound)"
    share = math.ceil(1000 * found.gap) / 10
    return f"at most {share:.1f}% ({found.kind} bound: W ≥ {found.bound:.6g}){hint}"


def _named_scores(report: ClusterReport) -> list[tuple[str, float]]:
    if report.scores is None:
        return []
    return [
        (f"accuracy against {printable(report.label_name)}", report.scores.accuracy),
        ("normalized mutual information", report.scores.nmi),
        ("adjusted Rand index", report.scores.ari),
    ]


def _sentences(report: ClusterReport) -> list[str]:
    how = f"{report.exactness} ({report.method})"
    lines = [ending(report, how=how, what="points")]
    if report.method == "nystroem":
        lines.append(
            f"W and S are estimates from a sample of pairs; the sketch that chose the clusters "
            f"misses {report.sketch_error or 0.0:.0%} of the kernel's trace."
        )
    return lines


def _styled(text: str, style: str, color: bool) -> str:
    return f"{style}{text}{_PLAIN}" if color else text
