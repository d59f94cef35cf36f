"""What reports say of a number of clusters that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgroups.select import ClusterCount


def chosen_dict(count: ClusterCount | None) -> dict[str, Any]:
    """The key of JSON for what the number follows from; None where it was given."""
    if count is None:
        return {"cluster_count": None}
    said = {
        "interval": list(count.interval),
        "votes": count.votes,
        "reason": count.reason,
        "at_limit": list(count.at_limit),
        "n_samples": count.n_samples,
    }
    return {"cluster_count": said}


def chosen_text(count: ClusterCount | None) -> list[str]:
    """One sentence, or none where the number was given."""
    return [] if count is None else [f"{count.sentence}."]
