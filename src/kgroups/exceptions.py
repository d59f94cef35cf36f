"""The exceptions and warnings of this package, to catch or to filter by name."""


class DataError(Exception):
    """What is wrong with the data, where, and what to write instead."""


__all__ = ["GraphNotice", "TheoryWarning"]


class TheoryWarning(UserWarning):
    """The request is legitimate, but the theory behind energy statistics does not cover it."""


class GraphNotice(UserWarning):
    """What was done to a graph before it was read as undirected."""
