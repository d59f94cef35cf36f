"""Exact k-groups in one dimension."""


class KGroups1D:
    """Placeholder."""
