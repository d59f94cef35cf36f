"""The warnings of this package that a user may want to filter by name."""

__all__ = ["GraphNotice", "TheoryWarning"]


class TheoryWarning(UserWarning):
    """The request is legitimate, but the theory behind energy statistics does not cover it."""


class GraphNotice(UserWarning):
    """What was done to a graph before it was read as undirected."""
