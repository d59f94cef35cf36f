"""Hierarchical clustering by energy [SR05]."""


class EnergyAgglomerative:
    """Placeholder."""
